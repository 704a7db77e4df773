import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { afterAll, beforeAll, expect } from 'vitest';

import {
  CALLS_OF_DIRECT,
  CALLS_OF_RELEASE,
  CALLS_OF_UPDATE,
  type Calls,
} from '../../../scripts/simulate/calls.ts';
import { branchRuleset } from '../../../src/config/ruleset.ts';
import { below, locked } from '../../e2e/packages.ts';
import { longTest, STORIES } from '../../long-test.ts';
import type { Call } from '../forge-door.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** What updates cost in calls of the forge, and that nothing is decided otherwise because a call is saved. */
let stage: Stage;
/** Of the time in which the second revision reached everybody. */
let calls: readonly Call[] = [];
let opening: ReadonlyMap<string, Calls>;

const PACKAGE = smallPackage('web', { data: { color: 'blue' } });
const color = (name: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color: name }),
});
const follow = (more = ''): { spec: string } => ({
  spec: `branch: main\nupdates: { follow: latest }${more}`,
});
const deployed = (): { spec: string } => follow('\ndeployment: true');
const free = (more = ''): { spec: string } => follow(`\npublish: { requireApprovals: 0 }${more}`);
const GUARDRAIL =
  '\nguardrails: { validators: [{ name: color, cel: "!has(object.data) || object.data.color == \'first\'", message: it stays }] }';

const DOWNSTREAMS = {
  free: free(),
  asked: follow(),
  cycle: deployed(),
  direct: {
    spec: 'branch: main\nupdates: { follow: latest, automerge: all, pullRequest: false }\ndeployment: true\npublish: { requireApprovals: 0 }',
  },
  ...(STORIES && {
    ruled: free(),
    guarded: free(),
    untold: free(),
    judged: free(GUARDRAIL),
    later: free(),
    released: follow(),
  }),
};

beforeAll(async () => {
  stage = await startStage(
    { up: { files: below('web', PACKAGE) }, ...DOWNSTREAMS },
    { shares: true, watched: true },
  );
  const up = stage.repository('up');
  await up.publish('one', color('first'));
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  const shop = { ...PACKAGE, 'config.yaml': color('first')['web/config.yaml']!, Kptfile };
  for (const name of Object.keys(DOWNSTREAMS)) await stage.repository(name).push('main', below('shop', shop));
  if (STORIES) await makeRules();
  await stage.idle();
  const seen: Call[] = [];
  const watch = (call: Call): number | void => {
    seen.push(call);
    return call.path.includes('/untold/rules/') ? 403 : undefined;
  };
  opening = await countedBy(() => stage.watching(watch, () => up.publish('two', color('second'))));
  calls = seen;
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const CREATES_CONTENT = /^POST \S+\/(pulls|comments|releases)$/;

/** What the bot, which comes by a door of its own, asked of the repositories of each name; what is answered by 304 is free. */
async function countedBy(work: () => Promise<unknown>): Promise<ReadonlyMap<string, Calls>> {
  const people = new URL(stage.forge.apiUrl).host;
  const counted = new Map<string, { -readonly [Kind in keyof Calls]: number }>();
  const off = stage.forge.onExchange(({ method, url, status, requestBody }) => {
    const isGraphql = url.pathname.endsWith('/graphql');
    const name = isGraphql
      ? /"name":"([^"]+)"/.exec(requestBody)?.[1]
      : /\/repos\/acme\/([^/]+)/.exec(url.pathname)?.[1];
    if (url.host === people || name === undefined || status === 304) return;
    const known = counted.get(name) ?? { content: 0, writes: 0, reads: 0, graphql: 0 };
    counted.set(name, known);
    if (isGraphql) {
      known.graphql += 1;
      return;
    }
    const isContent = CREATES_CONTENT.test(`${method} ${url.pathname}`);
    known[isContent ? 'content' : method === 'GET' ? 'reads' : 'writes'] += 1;
  });
  await work();
  off();
  return counted;
}

/** Jobs that meet share reads, and what is read a second time may be a 304: a few more or fewer are the same. */
const READS_APART = 2;
const about = (assumed: number, apart: number): unknown =>
  expect.toSatisfy((counted: number) => Math.abs(counted - assumed) <= apart);

/** Writes are exactly so many, and reads about. */
const asAssumed = ({ content, writes, reads, graphql }: Calls): unknown => ({
  content,
  writes,
  reads: about(reads, READS_APART),
  graphql: about(graphql, 2 * READS_APART),
});

/** Names beside the aggregate that a ruleset, and a branch's own protection, require. */
async function makeRules(): Promise<void> {
  const { rest } = stage.as('alice');
  const { id } = stage.forge.app;
  const required = ['portico', 'portico/render'].map((context) => ({ context, integration_id: id }));
  const type = 'required_status_checks' as const;
  await rest.repos.createRepoRuleset({
    ...stage.repository('ruled').where,
    ...branchRuleset('main', id),
    rules: [
      { type, parameters: { required_status_checks: required, strict_required_status_checks_policy: false } },
    ],
  });
  await rest.repos.updateBranchProtection({
    ...stage.repository('guarded').where,
    branch: 'main',
    required_status_checks: { strict: false, contexts: ['portico', 'portico/package'] },
    enforce_admins: false,
    required_pull_request_reviews: null,
    restrictions: null,
  });
}

async function updateOf(repo: StageRepository): Promise<Awaited<ReturnType<StageRepository['pull']>>> {
  const pulls = await repo.pulls();
  expect(pulls.map(({ title }) => title)).toEqual([expect.stringMatching(/^Update shop to upstream v/)]);
  return pulls[0]!;
}

async function checkNames(name: string): Promise<string[]> {
  const repo = stage.repository(name);
  return [...(await repo.checksOf((await updateOf(repo)).number)).keys()].toSorted();
}

const ALL = ['portico', 'portico/approval', 'portico/conflicts', 'portico/package', 'portico/render'];

/** Who pushed to the branches of updates is asked here. */
const asksWhoPushed = ({ path, query }: Call): boolean =>
  path.endsWith('/activity') && query.includes('refs/heads/portico/update/');

longTest(
  'of a green update the aggregate alone is written, with what the others found in its text',
  async () => {
    const repo = stage.repository('free');
    const { number } = await updateOf(repo);
    const checks = await repo.checksOf(number);
    expect([...checks.keys()]).toEqual(['portico']);
    const { conclusion, output } = checks.get('portico')!;
    expect(conclusion).toBe('success');
    for (const name of ALL.slice(1)) {
      expect(output.summary).toContain(`\`${name}\``);
      expect(output.text).toContain(`### ${name}\n`);
    }
    expect(await stage.writesOf(() => stage.look('free'), 'free')).toEqual([]);
  },
);

longTest(
  'where an approval is asked for the check of that is written, and nobody is asked who pushed what Portico alone pushed',
  async () => {
    expect(await checkNames('asked')).toEqual(['portico', 'portico/approval']);
    const { number } = await updateOf(stage.repository('asked'));
    const checks = await stage.repository('asked').checksOf(number);
    expect(checks.get('portico')?.conclusion).toBe('action_required');
    // She pushed what the package is made from, and no revision holds it yet.
    expect(checks.get('portico/approval')?.output.title).toBe(
      'Needs 1 approval: anyone with write access except alice.',
    );
    expect(calls.filter(asksWhoPushed)).toEqual([]);
  },
);

longTest(
  'from opening to publication it costs the calls that the simulation and docs/scaling.md assume',
  async () => {
    const approved = stage.repository('cycle');
    const { number } = await updateOf(approved);
    const steps = {
      opening: opening.get('cycle'),
      approval: (await countedBy(() => approved.review(number, 'APPROVE', '', 'carol'))).get('cycle'),
      publishing: (await countedBy(() => approved.press(number))).get('cycle'),
    };
    expect([...(await approved.tags()).keys()]).toEqual(['shop/v1']);
    expect(steps).toEqual({
      opening: asAssumed(CALLS_OF_UPDATE.opening),
      approval: asAssumed(CALLS_OF_UPDATE.approval),
      publishing: asAssumed(CALLS_OF_UPDATE.publishing),
    });
    const page = readFileSync('docs/scaling.md', 'utf8');
    for (const [step, { content, writes, reads, graphql }] of Object.entries(CALLS_OF_UPDATE)) {
      expect(page).toMatch(
        new RegExp(`^\\| ${step} \\|.*\\| ${[content, writes, reads, graphql].join(' \\| ')} \\|$`, 'm'),
      );
    }
    const all = Object.values(steps).reduce((sum, counted) => sum + (counted?.reads ?? 0), 0);
    expect(all).toBeLessThanOrEqual(12);
    expect(await approved.releases()).toEqual([]);
    // Nothing is commented, so it takes no more than these two; a native review leaves no record beside it.
    const content = Object.values(steps).map((counted) => counted?.content ?? 0);
    expect(content).toEqual([2, 0, 0]);
    // Where nobody is asked to approve, one check less.
    expect(opening.get('free')).toMatchObject({ content: 2, writes: 1 });
  },
);

longTest(
  'without a pull request, it costs one write from its commit to its tag, and nothing that creates content',
  async () => {
    const repo = stage.repository('direct');
    expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
    expect(await repo.pulls('all')).toEqual([]);
    expect(opening.get('direct')).toEqual(asAssumed(CALLS_OF_DIRECT));
    const { content, writes, reads, graphql } = CALLS_OF_DIRECT;
    expect(readFileSync('docs/scaling.md', 'utf8')).toMatch(
      new RegExp(
        `^\\| without a pull request \\|.*\\| ${[content, writes, reads, graphql].join(' \\| ')} \\|$`,
        'm',
      ),
    );
  },
);

longTest(
  'who puts the branch of an update back to an older one is its author, though every commit is of Portico',
  async () => {
    const repo = stage.repository('asked');
    const { number, head } = await updateOf(repo);
    await stage.repository('up').publish('three', color('third'));
    const newer = (await repo.pull(number)).head.sha;
    expect(newer).not.toBe(head.sha);
    expect((await repo.checksOf(number)).get('portico/approval')?.output.title).not.toContain('bob');
    await stage
      .as('bob')
      .rest.git.updateRef({ ...repo.where, ref: `heads/${head.ref}`, sha: head.sha, force: true });
    await stage.idle();
    await repo.review(number, 'APPROVE');
    const checks = await repo.checksOf(number);
    expect(checks.get('portico/approval')).toMatchObject({
      conclusion: 'action_required',
      output: { title: expect.stringMatching(/^Needs 1 approval: anyone with write access except .*bob/) },
    });
    expect(checks.get('portico')?.conclusion).toBe('action_required');
  },
);

longTest('where it is released, it costs one call more that creates content', async () => {
  const repo = stage.repository('released');
  const { number } = await updateOf(repo);
  await repo.review(number, 'APPROVE', '', 'carol');
  const publishing = (await countedBy(() => repo.press(number))).get('released');
  const { content, writes, reads, graphql } = CALLS_OF_UPDATE.publishing;
  expect(publishing).toEqual(
    asAssumed({
      content: content + CALLS_OF_RELEASE.content,
      writes: writes + CALLS_OF_RELEASE.writes,
      reads: reads + CALLS_OF_RELEASE.reads,
      graphql: graphql + CALLS_OF_RELEASE.graphql,
    }),
  );
  expect(await repo.releases()).toEqual(['shop/v1']);
});

longTest('names that a ruleset or the protection of the branch requires are written beside it', async () => {
  expect(await checkNames('ruled')).toEqual(['portico', 'portico/render']);
  expect(await checkNames('guarded')).toEqual(['portico', 'portico/package']);
});

longTest('where the forge does not tell what is required, each is written', async () => {
  expect(await checkNames('untold')).toEqual(ALL);
});

longTest('what is not green has each, and they follow when it is mended', async () => {
  const repo = stage.repository('judged');
  expect(await checkNames('judged')).toEqual(['guardrail/color', ...ALL]);
  const { number } = await updateOf(repo);
  expect((await repo.checksOf(number)).get('portico')?.conclusion).toBe('failure');
  const config = (await repo.read('.github/portico.yaml'))!;
  await repo.push('main', { '.github/portico.yaml': config.replace("== 'first'", "!= 'first'") });
  await stage.idle();
  const mended = await repo.checksOf(number);
  expect([...mended.keys()].toSorted()).toEqual(['guardrail/color', ...ALL]);
  for (const name of ['guardrail/color', 'portico']) expect(mended.get(name)?.conclusion).toBe('success');
});

longTest('who commits to an update sees each check of it', async () => {
  const repo = stage.repository('free');
  const { head } = await updateOf(repo);
  await repo.push(head.ref, { 'shop/config.yaml': configMap('web', { color: 'mine' }) }, { as: 'carol' });
  await stage.idle();
  expect(await checkNames('free')).toEqual(ALL);
});

longTest('an approval given when nobody was asked is none for what is merged after somebody is', async () => {
  const repo = stage.repository('later');
  const { number } = await updateOf(repo);
  expect(await checkNames('later')).toEqual(['portico']);
  await repo.review(number, 'APPROVE');
  await stage.stopBot();
  const asking = (await repo.read('.github/portico.yaml'))!.replace(
    'requireApprovals: 0',
    'requireApprovals: 1',
  );
  await repo.push('main', { '.github/portico.yaml': asking });
  // Times are told by the second, and a review in the second of the merge may have come after it.
  await pause(2_100);
  await stage.as('alice').rest.pulls.merge({ ...repo.where, pull_number: number });
  await stage.startBot();
  await stage.look('later');
  expect(await repo.tags()).toEqual(new Map());
});
