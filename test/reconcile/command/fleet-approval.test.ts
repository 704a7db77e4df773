/** Approving and publishing update pull requests of many repositories from one issue, each with the rights that the person has there. */
import { afterAll, beforeAll, expect } from 'vitest';

import { below, configuration, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Login, type Stage } from '../stage.ts';

let stage: Stage;

const WEB = smallPackage('web', { data: { color: 'v1' } });
const ONE = { 'config.yaml': configMap('web', { color: 'one' }) };
const SPEC = 'branch: main\ndeployment: true\nupdates: { follow: latest }';
const EDGES = ['edge-a', 'edge-b', 'edge-closed', 'edge-read'] as const;
const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ packages: [web] }]
  waves: [{ name: edges, select: { repositories: [edge-*] } }]
`;
const AUTO = 'branch: main\ndeployment: true\nupdates: { automerge: all }';
const VARIANT = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: auto-web }
spec:
  upstream: { repo: up, package: web }
  downstream: { repo: edge-auto, package: made }
`;
/** The pull request that brings v2, by repository. */
const opened = new Map<string, number>();

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', WEB), '.github/portico/rollout.yaml': ROLLOUT } },
      'edge-a': { spec: `${SPEC}\npublish: { approvals: { to: [acme/edge-same] } }` },
      'edge-b': { spec: SPEC },
      'edge-closed': { spec: `${SPEC}\naccess: { bulk: [] }` },
      'edge-same': { spec: SPEC },
      'edge-tag': { spec: `${SPEC}\npublish: { approvals: { from: [acme/edge-a] } }` },
      'edge-auto': { spec: AUTO },
      'edge-read': { spec: SPEC, collaborators: { bob: 'write', carol: 'read' } },
    },
    { shares: true, watched: true },
  );
  const up = stage.repository('up');
  await up.publish('one', below('web', ONE));
  const Kptfile = await lockedToOne();
  for (const name of EDGES) {
    await stage.repository(name).push('main', below('web', { ...WEB, ...ONE, Kptfile }));
  }
  await stage.idle();
  await up.publish('two', { 'web/config.yaml': configMap('web', { color: 'two' }) });
  for (const name of EDGES) {
    const [pull] = await stage.repository(name).pulls();
    opened.set(name, pull!.number);
  }
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** The Kptfile of a package that was made from v1. */
async function lockedToOne(): Promise<string> {
  const up = stage.repository('up');
  return locked(WEB['Kptfile']!, up.url, 'web', 'web/v1', (await up.tags()).get('web/v1')!);
}

async function issueOf(login: Login): Promise<number> {
  const where = stage.repository('up').where;
  return (await stage.as(login).rest.issues.create({ ...where, title: 'web v2' })).data.number;
}

async function planIn(issue: number): Promise<string> {
  const comments = await stage.repository('up').comments(issue);
  return (
    comments.map(({ body }) => body ?? '').findLast((body) => body.startsWith('<!-- portico:bulk')) ?? ''
  );
}

function confirmationOf(plan: string): string {
  return /\/portico confirm [0-9a-f]{12}/.exec(plan)?.[0] ?? '';
}

longTest(
  'what was planned is approved with the rights in each repository, what moved is left out, and broken off it goes on',
  async () => {
    const [up, a, b] = [stage.repository('up'), stage.repository('edge-a'), stage.repository('edge-b')];
    const issue = await issueOf('carol');
    const nowhere = await up.command(issue, '/portico bulk approve --revision=web@v9', 'carol');
    expect(nowhere.reply).toContain('is not published here');
    expect((await up.command(issue, '/portico bulk approve --revision=web@v1', 'carol')).reply).toContain(
      'Nothing to approve matches',
    );

    const planned = await up.command(issue, '/portico bulk approve --revision=web@v2', 'carol');
    const plan = await planIn(issue);
    expect(plan).toContain(`\`acme/edge-a#${opened.get('edge-a')}\``);
    expect(plan).toContain(`\`acme/edge-b#${opened.get('edge-b')}\``);
    expect(plan).not.toContain('acme/edge-read');
    expect(planned.reply).toContain('2 pull requests are not in the plan');
    expect(planned.reply).toMatch(/edge-closed#\d+` \| .*no one here/);
    expect(planned.reply).toMatch(/edge-read#\d+` \| .*your role is read/i);

    expect((await up.command(issue, '/portico confirm', 'carol')).reply).toContain(
      'This plan is about other repositories.',
    );
    expect((await up.command(issue, confirmationOf(plan), 'bob')).reply).toContain('You have no plan');
    const head = (await b.pull(opened.get('edge-b')!)).head;
    await b.push(head.ref, { 'web/more.yaml': configMap('more', { by: 'bob' }) }, { as: 'bob' });
    await stage.idle();

    let calls = 0;
    const answered = await stage.watching(
      async ({ path, method }) => {
        const isFirst = method === 'GET' && path.endsWith(`/edge-b/pulls/${opened.get('edge-b')}`);
        return isFirst && ++calls === 1 ? 502 : undefined;
      },
      () => up.command(issue, confirmationOf(plan), 'carol'),
    );
    expect(calls).toBeGreaterThan(1);
    expect(answered.reply).toContain('1 of 2 items could not be done');
    expect(await planIn(issue)).toContain('It changed after it was planned');
    expect(await a.sticky(opened.get('edge-a')!)).toContain('Approved for this content by carol.');
    expect(await b.sticky(opened.get('edge-b')!)).toContain('Needs 1 approval');
    const records = (await a.comments(opened.get('edge-a')!)).filter(({ body }) =>
      body?.includes('portico:record'),
    );
    expect(records).toHaveLength(1);

    const again = await stage.writesOf(() => up.command(issue, confirmationOf(plan), 'carol'), 'edge-a');
    expect(again).toEqual([]);
    // Whoever pushed a part of it is an author there, wherever the approval is given.
    const others = await issueOf('bob');
    await up.command(others, '/portico bulk approve --revision=web@v2 --match=acme/edge-b', 'bob');
    expect(await planIn(others)).toBe('');
    // What somebody put onto an update is approved by itself, not among many.
    const many = await up.command(issue, '/portico bulk approve --revision=web@v2', 'carol');
    expect(many.reply).toMatch(/edge-b#\d+` \| .*commits that Portico did not make/);
  },
);

longTest('what is approved is published by a plan, once', async () => {
  const [up, a] = [stage.repository('up'), stage.repository('edge-a')];
  const issue = await issueOf('carol');
  expect((await up.command(issue, '/portico bulk publish --rollout=web --wave=no', 'carol')).reply).toContain(
    'Its waves: `edges`',
  );
  const planned = await up.command(issue, '/portico bulk publish --rollout=web --wave=edges', 'carol');
  expect(planned.reply).toMatch(/edge-b#\d+` \| .*Needs 1 approval/);
  const plan = await planIn(issue);
  expect(plan).toContain('Plan: `publish` for 1 of 1');
  await up.command(issue, confirmationOf(plan), 'carol');
  expect(await planIn(issue)).toContain('**All items are done.**');
  expect((await a.pull(opened.get('edge-a')!)).merged).toBe(true);
  expect([...(await a.tags()).keys()]).toEqual(['web/v1']);
  expect(await a.tagMessage('web/v1')).toContain('carol');
});

longTest(
  'an update takes the approval of the same change elsewhere, where both base branches say so',
  async () => {
    const same = stage.repository('edge-same');
    const spec = async (more: string): Promise<void> => {
      await same.push('main', { '.github/portico.yaml': configuration('edge-same', `${SPEC}${more}`) });
      await stage.look('edge-same');
    };
    const [pull] = await (async () => {
      await same.push('main', below('web', { ...WEB, ...ONE, Kptfile: await lockedToOne() }));
      await stage.look('edge-same');
      return same.pulls();
    })();
    const number = pull!.number;
    const look = async (): Promise<string> => {
      await same.command(number, '/portico render', 'bob');
      return same.sticky(number);
    };
    for (const more of ['', '\npublish: { approvals: { from: [acme/edge-b] } }']) {
      await spec(more);
      expect(await look()).toContain('Needs 1 approval');
    }
    await spec('\npublish: { approvals: { from: [acme/edge-a] } }');
    // What alice pushed to main is no revision: nobody approved it, here or elsewhere.
    expect(await look()).toContain('Needs 1 approval');
    await same.tag('web/v1', await same.head('main'));
    expect(await look()).toContain('or for the same change elsewhere, by carol in acme/edge-a#');
    expect((await same.checksOf(number)).get('portico/approval')?.conclusion).toBe('success');

    const tidy = stage.repository('edge-a');
    const closed = { '.github/portico.yaml': configuration('edge-a', SPEC) };
    await tidy.push('main', closed);
    await stage.look('edge-a');
    expect(await look()).toContain('Needs 1 approval');
    const open = configuration('edge-a', `${SPEC}\npublish: { approvals: { to: [acme/*] } }`);
    await tidy.push('main', { '.github/portico.yaml': open });
    await stage.look('edge-a');
    expect(await look()).toContain('by carol in acme/edge-a');
    await same.push(pull!.head.ref, { 'web/more.yaml': configMap('more', { by: 'bob' }) }, { as: 'bob' });
    await stage.idle();
    expect(await same.sticky(number)).toContain('Needs 1 approval');
    await stage.as('alice').rest.pulls.update({ ...same.where, pull_number: number, state: 'closed' });
    await stage.idle();

    const other = stage.repository('edge-tag');
    const first = await other.push('main', below('web', { ...WEB, ...ONE, Kptfile: await lockedToOne() }));
    await other.tag('web/v1', first);
    await stage.look('edge-tag');
    const [accepted] = await other.pulls();
    expect((await other.command(accepted!.number, '/portico publish', 'bob')).reaction).toBe('rocket');
    expect(await other.tagMessage('web/v2')).toContain('Approved-Elsewhere: carol in acme/edge-a#');
  },
);

longTest('a process that is stopped in between goes on with the plan when it starts again', async () => {
  const [up, edge] = [stage.repository('up'), stage.repository('edge-b')];
  const number = opened.get('edge-b')!;
  const { ref } = (await edge.pull(number)).head;
  await stage.as('alice').rest.pulls.update({ ...edge.where, pull_number: number, state: 'closed' });
  await edge.git('update-ref', '-d', `refs/heads/${ref}`);
  await stage.idle();
  await up.publish('three', { 'web/config.yaml': configMap('web', { color: 'three' }) });
  const issue = await issueOf('carol');
  await up.command(issue, "/portico bulk approve --revision=web@v3 --match='acme/edge-?'", 'carol');
  const plan = await planIn(issue);
  expect(plan).toContain('Plan: `approve` for 2 of 2');
  const stopping = Promise.withResolvers<void>();
  let isStopping = false;
  await stage.watching(
    async ({ path, method }) => {
      const isRecord = method === 'POST' && path.includes('/edge-b/issues/') && path.endsWith('/comments');
      if (!isRecord || isStopping) return undefined;
      isStopping = true;
      stopping.resolve(stage.stopBot());
      return 502;
    },
    async () => {
      await up.say(issue, confirmationOf(plan), 'carol');
      await stopping.promise;
    },
  );
  await stage.startBot();
  expect(await planIn(issue)).toContain('**All items are done.**');
  for (const name of ['edge-a', 'edge-b']) {
    const repository = stage.repository(name);
    const [pull] = await repository.pulls();
    expect(await repository.sticky(pull!.number)).toContain('Approved for this content by carol.');
    const records = (await repository.comments(pull!.number)).filter(({ body }) =>
      body?.includes('portico:record'),
    );
    expect(records).toHaveLength(1);
  }
});

longTest(
  'what is documented elsewhere merges itself only where its repository names that place for it',
  async () => {
    const [up, auto] = [stage.repository('up'), stage.repository('edge-auto')];
    const says = async (more: string): Promise<void> => {
      const file = configuration('edge-auto', AUTO.replace('automerge: all', `automerge: all${more}`));
      await auto.push('main', { '.github/portico.yaml': file });
      await stage.look('edge-auto');
    };
    await up.push('main', { '.github/portico/variant.yaml': VARIANT });
    await stage.idle();
    await stage.look('edge-auto');
    for (const more of ['', ', automergeFrom: [acme/other]', ', automergeFrom: [acme/other, other/up]']) {
      await says(more);
      expect((await auto.pulls()).map(({ state }) => state)).toEqual(['open']);
    }
    await says(', automergeFrom: [acme/up]');
    expect(await auto.pulls()).toEqual([]);
    expect([...(await auto.tags()).keys()]).toEqual(['made/v1']);
  },
);
