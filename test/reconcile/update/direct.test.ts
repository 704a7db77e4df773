// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { MERGE_QUEUE } from '../../../localforge/test/merge-queue-rule.ts';
import { branchRuleset } from '../../../src/config/ruleset.ts';
import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Updates that come to the registered branch without a pull request, and what makes them have one after all. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'blue', size: 'small' } });
const color = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color: name, size: 'small' }),
  ...more,
});
const direct = (more = '', updates = ''): { spec: string } => ({
  spec: `branch: main\nupdates: { follow: latest, automerge: all, pullRequest: false${updates} }\npublish: { requireApprovals: 0 }${more}`,
});
const GUARDRAIL =
  '\nguardrails: { validators: [{ name: color, cel: "!has(object.data) || object.data.color != \'second\'", message: not this one }] }';

const DOWNSTREAMS = {
  plain: direct(),
  ruled: direct(),
  reviewed: direct(),
  ci: direct(),
  queued: direct(),
  protected: direct(),
  absent: direct(),
  owned: direct(),
  judged: direct(GUARDRAIL),
  conflicting: direct(),
  asked: direct('', ', schedule: "0 0 31 12 *"'),
  edited: direct(),
  stepped: { spec: direct().spec.replace('automerge: all', 'automerge: minor') },
  raced: direct(),
  two: direct(),
  grouped: direct('', ', group: all'),
  top: direct(),
  usual: { spec: direct().spec.replace(', pullRequest: false', '') },
  // Settled by a line in the package, which was reviewed.
  settled: direct(),
  settledByPull: { spec: direct().spec.replace(', pullRequest: false', '') },
  elsewhere: { spec: direct().spec.replace('branch: main', 'branch: release') },
  full: direct(GUARDRAIL, ', maxOpen: 1'),
};

const decisions = (repo: string): string => `apiVersion: config.portico.dev/v1alpha1
kind: MergeDecisions
metadata:
  name: merge-decisions
  annotations: { config.kubernetes.io/local-config: "true" }
spec:
  upstream: { repo: ${repo}, directory: web }
  localOwns:
  - { resource: { apiVersion: v1, kind: ConfigMap, name: web }, path: data.color, upstream: changes, by: carol }
`;

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
  for (const name of Object.keys(DOWNSTREAMS)) {
    const files = {
      ...(['top', 'usual'].includes(name) ? shop : below('shop', shop)),
      ...(['two', 'grouped', 'full'].includes(name) && below('cart', shop)),
      ...(name === 'owned' && { CODEOWNERS: 'shop/ @carol\n' }),
      ...(['conflicting', 'settled', 'settledByPull'].includes(name) && {
        'shop/config.yaml': configMap('web', { color: 'mine', size: 'small' }),
      }),
      ...(name.startsWith('settled') && { 'shop/portico-merge.yaml': decisions(up.url) }),
    };
    await stage.repository(name).push(name === 'elsewhere' ? 'release' : 'main', files);
  }
  await makeRules();
  await stage.idle();
  const seen = new Set<string>();
  await stage.watching(
    async ({ method, path }) => {
      const [, name = '', what = ''] =
        /^\/repos\/acme\/(raced|edited|elsewhere)\/.*(check-suites|check-runs)$/.exec(path) ?? [];
      const call = `${name} ${method} ${what}`;
      if (seen.has(call)) return;
      seen.add(call);
      // Its checks are written, and it is about to come to the branch.
      if (call === 'raced GET check-suites')
        await stage.repository('raced').push('main', { 'README.md': 'Meanwhile.\n' }, { as: 'bob' });
      // What judges it changes while the branch that it comes to stays where it is.
      if (call === 'elsewhere POST check-runs') {
        const repo = stage.repository('elsewhere');
        const file = '.github/portico.yaml';
        const guarded = `${(await repo.read(file))!.trimEnd()}${GUARDRAIL.replaceAll('\n', '\n  ')}\n`;
        await repo.push('main', { [file]: guarded }, { as: 'bob' });
      }
      if (call === 'edited POST check-runs') {
        const repo = stage.repository('edited');
        const branch = (await branches(repo)).trim().replace('refs/heads/', '');
        await repo.push(branch, { 'shop/config.yaml': configMap('web', { color: 'bob' }) }, { as: 'bob' });
      }
    },
    () => up.publish('two', color('second')),
  );
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const required = (context: string) => [
  {
    type: 'required_status_checks' as const,
    parameters: {
      required_status_checks: [{ context }],
      strict_required_status_checks_policy: false,
    },
  },
];

async function makeRules(): Promise<void> {
  const { rest } = stage.as('alice');
  const whereOf = (name: string) => stage.repository(name).where;
  const { id } = stage.forge.app;
  const ruled = branchRuleset('main', id);
  await rest.repos.createRepoRuleset({ ...whereOf('ruled'), ...ruled });
  await rest.repos.createRepoRuleset({ ...whereOf('ci'), ...ruled, rules: required('test') });
  await rest.repos.createRepoRuleset({ ...whereOf('absent'), ...ruled, rules: required('portico/graph') });
  await rest.repos.createRepoRuleset({ ...whereOf('queued'), ...ruled, rules: [MERGE_QUEUE] });
  const parameters = {
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 0,
    required_review_thread_resolution: false,
  };
  await rest.repos.createRepoRuleset({
    ...whereOf('reviewed'),
    ...ruled,
    rules: [{ type: 'pull_request', parameters }],
    // The forge would take the push.
    bypass_actors: [{ actor_id: id, actor_type: 'Integration', bypass_mode: 'always' }],
  });
  await rest.repos.updateBranchProtection({
    ...whereOf('protected'),
    branch: 'main',
    required_status_checks: null,
    enforce_admins: false,
    required_pull_request_reviews: null,
    restrictions: null,
  });
}

async function bodyOf(repo: StageRepository): Promise<string> {
  const [newest] = await repo.pulls('all');
  expect(newest?.title).toMatch(/^Update .* to upstream v/);
  return newest?.body ?? '';
}

const branches = async (repo: StageRepository): Promise<string> =>
  repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/portico');

test('it is one commit on the branch, checked, tagged, told on the dashboard, and creates no content', async () => {
  const repo = stage.repository('plain');
  expect(await repo.pulls('all')).toEqual([]);
  const head = await repo.head('main');
  expect(await repo.read('shop/config.yaml')).toContain('second');
  expect((await repo.git('log', '-1', '--format=%s %P', head)).trim()).toMatch(
    /^Update shop to upstream v2 [0-9a-f]{40}$/,
  );
  expect((await repo.checks(head)).get('portico')).toMatchObject({ conclusion: 'success' });
  expect((await repo.tags()).get('shop/v1')).toBe(head);
  expect(await repo.tagMessage('shop/v1')).toMatch(/^Without-Proposal: updates\.pullRequest$/m);
  expect(await repo.tagMessage('shop/v1')).not.toMatch(/^Proposal:/m);
  expect(await branches(repo)).toBe('');
  await stage.dashboard('plain');
  const { data: issues } = await stage.as('alice').rest.issues.listForRepo(repo.where);
  const board = issues.find(({ title }) => title.includes('Portico'))?.body ?? '';
  expect(board).toContain('### Updates that came without a pull request');
  expect(board).toMatch(
    new RegExp(`\`shop\` \\| \`v1\` \\| \`v2\` \\| \`v1\` \\| \\[\`${head.slice(0, 7)}\`\\].*\\[compare\\]`),
  );
  expect(stage.log.join('')).toContain('the update came without a pull request');
  expect(await stage.writesOf(() => stage.look('plain'), 'plain')).toEqual([]);
});

test('a ruleset that requires the check of Portico takes it', async () => {
  const repo = stage.repository('ruled');
  expect(await repo.pulls('all')).toEqual([]);
  expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
});

const BY_PULL = [
  ['reviewed', 'a rule of the branch asks for one, or for more than a push can bring'],
  ['queued', 'a rule of the branch asks for one, or for more than a push can bring'],
  ['ci', 'the branch requires the check `test`, which Portico does not write'],
  ['protected', 'the forge does not tell everything that the protection of the branch demands'],
  ['absent', 'the forge refused the push to `main`'],
  ['owned', 'CODEOWNERS names owners of `shop/'],
  ['judged', '`portico` says: guardrail/color'],
  ['conflicting', 'upstream and this repository changed the same fields'],
  ['stepped', 'its step is larger than `updates.automerge: minor` allows'],
] as const;
/** Where no check and no person holds it up, it merges itself then. */
const MERGED: readonly string[] = ['reviewed', 'queued', 'protected', 'owned'];

for (const [name, why] of BY_PULL) {
  test(`${name}: it has a pull request, because ${why}`, async () => {
    const repo = stage.repository(name);
    expect(await bodyOf(repo)).toContain(`**It has a pull request because** ${why}`);
    await stage.look(name);
    const isMerged = MERGED.includes(name);
    expect((await repo.read('shop/config.yaml'))?.includes('second')).toBe(isMerged);
    expect([...(await repo.tags()).keys()]).toEqual(isMerged ? ['shop/v1'] : []);
    if (!isMerged) return;
    const message = await repo.tagMessage('shop/v1');
    expect(message).toMatch(/^Proposal: #\d+$/m);
    expect(message).not.toContain('Without-Proposal');
  });
}

test('what somebody committed on its branch meanwhile goes into a pull request with it', async () => {
  const repo = stage.repository('edited');
  expect(await bodyOf(repo)).toContain('because** its branch holds commits that were not merged');
  const [pull] = await repo.pulls();
  expect(await repo.read('shop/config.yaml', pull!.head.sha)).toContain('bob');
  expect(await repo.read('shop/config.yaml')).toContain('first');
});

test('a push to the branch meanwhile wins, and the update is made and checked again on top of it', async () => {
  const repo = stage.repository('raced');
  expect(await repo.pulls('all')).toEqual([]);
  const subjects = (await repo.git('log', '--first-parent', '--format=%s', 'main')).trim().split('\n');
  expect(subjects.slice(0, 2)).toEqual(['Update shop to upstream v2', 'Change']);
  expect(await repo.read('README.md')).toBe('Meanwhile.\n');
  expect((await repo.tags()).get('shop/v1')).toBe(await repo.head('main'));
});

test('what the rules let through that are in force no more is checked again, and held', async () => {
  const repo = stage.repository('elsewhere');
  expect(await bodyOf(repo)).toContain('because** `portico` says: guardrail/color');
  expect(await repo.read('shop/config.yaml', 'release')).toContain('first');
  expect([...(await repo.tags()).keys()]).toEqual([]);
});

test('what portico-merge.yaml settles holds nothing back, with a pull request and without', async () => {
  const settled = stage.repository('settled');
  expect(await settled.pulls('all')).toEqual([]);
  const byPull = stage.repository('settledByPull');
  expect((await byPull.pulls('all')).map(({ merged_at: at }) => at)).toEqual([expect.any(String)]);
  for (const repo of [settled, byPull]) {
    expect(await repo.read('shop/config.yaml')).toContain('mine');
    expect(await repo.read('shop/Kptfile')).toContain('web/v2');
    expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
  }
});

test('several of one repository come one after the other, and a group as one commit', async () => {
  const two = stage.repository('two');
  expect(await two.pulls('all')).toEqual([]);
  expect([...(await two.tags()).keys()].toSorted()).toEqual(['cart/v1', 'shop/v1']);
  expect((await two.git('rev-list', '--count', 'main~2..main')).trim()).toBe('2');
  const grouped = stage.repository('grouped');
  expect(await grouped.pulls('all')).toEqual([]);
  const head = await grouped.head('main');
  const tags = await grouped.tags();
  expect([tags.get('cart/v1'), tags.get('shop/v1')]).toEqual([head, head]);
  expect(await branches(grouped)).toBe('');
});

test('a closed schedule holds it back, and what somebody asks for has a pull request', async () => {
  const repo = stage.repository('asked');
  expect(await repo.pulls('all')).toEqual([]);
  expect(await repo.read('shop/config.yaml')).toContain('first');
  expect(await branches(repo)).toBe('');
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Now' });
  await repo.command(issue.number, '/portico update shop@v2');
  expect(await bodyOf(repo)).toContain('because** someone asked for it');
});

test('its commit that is not green is a direct push like any other where somebody pushes it', async () => {
  const repo = stage.repository('full');
  expect(await repo.pulls()).toHaveLength(1);
  const [pull] = await repo.pulls();
  const refs = (await branches(repo)).trim().split('\n');
  const left = refs.filter((ref) => ref !== `refs/heads/${pull!.head.ref}`);
  expect(left).toHaveLength(1);
  const sha = (await repo.git('rev-parse', left[0]!)).trim();
  expect((await repo.checks(sha)).get('portico')?.conclusion).toBe('failure');
  await stage.as('bob').rest.git.updateRef({ ...repo.where, ref: 'heads/main', sha });
  await stage.idle();
  expect([...(await repo.tags()).keys()]).toEqual([]);
  expect((await repo.checks(sha)).get('portico/publication')?.conclusion).not.toBe('success');
});

test('neither what configures comes that way, nor is it let by what an update brings', async () => {
  const spec = direct().spec.replaceAll('\n', '\n  ');
  const file = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: web }\nspec:\n  ${spec}\n`;
  const heads = [await stage.repository('top').head('main'), await stage.repository('usual').head('main')];
  await stage.repository('up').publish('three', color('third', { 'web/.github/portico.yaml': file }));
  await stage.idle();
  const top = stage.repository('top');
  expect(await bodyOf(top)).toContain(
    'because** it changes `.github/portico.yaml`, which decides what is let in here',
  );
  const usual = stage.repository('usual');
  expect(await bodyOf(usual)).not.toContain('because**');
  expect([await top.head('main'), await usual.head('main')]).toEqual(heads);
});
