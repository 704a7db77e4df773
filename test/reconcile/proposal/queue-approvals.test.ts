// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { MERGE_QUEUE } from '../../../localforge/test/merge-queue-rule.ts';
import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Repositories with a merge queue that also waits for a check of somebody else, so that a group stands for a while. */
let stage: Stage;

const FILES = { ...below('web', smallPackage('web')), ...below('db', smallPackage('db')) };
const change = (color: string, name = 'web'): Record<string, string> => ({
  [`${name}/config.yaml`]: configMap(name, { color }),
});
const POWER = 'branch: main\npublish: { requireApprovals: 1, requireApprovalBy: [admin] }';
const ROLES = { bob: 'maintain', carol: 'write', rita: 'write' } as const;

beforeAll(async () => {
  stage = await startStage({
    power: { files: FILES, spec: POWER, collaborators: ROLES },
    together: { files: FILES, spec: POWER, collaborators: ROLES },
    stacked: { files: FILES, spec: POWER, collaborators: ROLES },
    withdrawn: { files: FILES },
    late: { files: FILES },
    rules: { files: FILES },
    forged: { files: FILES },
  });
  for (const name of ['power', 'withdrawn', 'late', 'rules']) await demandQueue(stage.repository(name));
  for (const name of ['together', 'stacked']) await demandQueue(stage.repository(name), 'HEADGREEN');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function demandQueue(
  { where }: StageRepository,
  strategy: 'ALLGREEN' | 'HEADGREEN' = 'ALLGREEN',
): Promise<void> {
  const { data } = await stage.as('alice').rest.repos.createRepoRuleset({
    ...where,
    name: 'queue',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
    rules: [
      { ...MERGE_QUEUE, parameters: { ...MERGE_QUEUE.parameters, grouping_strategy: strategy } },
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: 'portico' }, { context: 'ci' }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  });
  expect(data.id).toBeGreaterThan(0);
}

const binding = (name: string, role: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: ${name}\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role} }\nsubjects:\n- { apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:authenticated" }\n`;
const clusterRole = (name: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${name}\nrules:\n- apiGroups: ["*"]\n  resources: ["*"]\n  verbs: ["*"]\n`;

/** The check of the others at a commit. */
async function ci({ where }: StageRepository, sha: string): Promise<void> {
  await stage.as('alice').rest.repos.createCommitStatus({ ...where, sha, state: 'success', context: 'ci' });
  await stage.idle();
}

async function enqueue(repo: StageRepository, number: number): Promise<void> {
  const { node_id: id, head } = await repo.pull(number);
  await ci(repo, head.sha);
  const wish = 'mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { clientMutationId } }';
  await stage.as('alice').graphql(wish, { id });
  await stage.idle();
}

/** The commit of the group that the queue has built for a pull request. */
async function groupOf(repo: StageRepository, number: number): Promise<string> {
  const refs = await repo.git(
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads/gh-readonly-queue',
  );
  const line = refs.split('\n').find((one) => one.includes(`/pr-${number}-`));
  return line?.split(' ')[1] ?? '';
}

async function dismiss(repo: StageRepository, number: number, review: number): Promise<void> {
  await stage.as('alice').rest.pulls.dismissReview({
    ...repo.where,
    pull_number: number,
    review_id: review,
    message: 'Not like this.',
  });
  await stage.idle();
}

test('privileges whose only permitted approver dismissed his approval are not merged by a queue, nor published', async () => {
  const repo = stage.repository('power');
  const first = await repo.propose('harmless', change('red', 'db'));
  await repo.review(first.number, 'APPROVE');
  await enqueue(repo, first.number);
  const { number } = await repo.propose(
    'evil',
    { 'web/bind.yaml': binding('web', 'cluster-admin') },
    { as: 'carol' },
  );
  await repo.review(number, 'APPROVE');
  const review = await repo.review(number, 'APPROVE', undefined, 'alice');
  await enqueue(repo, number);
  await dismiss(repo, number, review);
  // The queue builds its group once the harmless one is in.
  await ci(repo, await groupOf(repo, first.number));
  expect((await repo.pull(first.number)).merged).toBe(true);
  const group = await groupOf(repo, number);
  if (group !== '') await ci(repo, group);
  expect((await repo.pull(number)).merged).toBe(false);
  expect([...(await repo.tags()).keys()]).toEqual(['db/v1']);
  expect(await groupOf(repo, number)).toBe('');
});

test.each([
  ['the commit of another proposal', (head: string) => Promise.resolve(head)],
  [
    'other content',
    async (head: string) => {
      const repo = stage.repository('forged');
      const tree = await repo.git('rev-parse', `${head}^{tree}`);
      const parents = [await repo.head('main')];
      return (await stage.as('bob').rest.git.createCommit({ ...repo.where, message: 'x', tree, parents }))
        .data.sha;
    },
  ],
])('a branch that is named as a group of the queue gives no approval to %s', async (what, commitOf) => {
  const repo = stage.repository('forged');
  const name = what.replaceAll(' ', '-');
  const good = await repo.propose(`good-${name}`, change(name, 'db'), { as: 'carol' });
  const evil = await repo.propose(`evil-${name}`, change(name), { as: 'bob' });
  const sha = await commitOf(await repo.head(`evil-${name}`));
  const ref = `refs/heads/gh-readonly-queue/main/pr-${good.number}-${await repo.head('main')}`;
  await stage.as('bob').rest.git.createRef({ ...repo.where, ref, sha });
  await stage.idle();
  await repo.review(good.number, 'APPROVE', undefined, 'alice');
  expect((await repo.checks(sha)).get('portico')?.conclusion).not.toBe('success');
  expect((await repo.checksOf(evil.number)).get('portico')?.conclusion).toBe('action_required');
});

test('an approval that is withdrawn after the group was built turns the group red, and the queue drops it', async () => {
  const repo = stage.repository('withdrawn');
  const { number } = await repo.propose('next', change('red'));
  const review = await repo.review(number, 'APPROVE');
  await enqueue(repo, number);
  const group = await groupOf(repo, number);
  expect((await repo.checks(group)).get('portico')?.conclusion).toBe('success');
  await dismiss(repo, number, review);
  expect((await repo.checks(group)).get('portico')?.conclusion).toBe('action_required');
  await ci(repo, group);
  expect((await repo.pull(number)).merged).toBe(false);
  expect([...(await repo.tags()).keys()]).toEqual([]);
});

test('a green check of a merge group is not an approval: what has lost its approval by the merge is not tagged', async () => {
  const repo = stage.repository('late');
  const { number } = await repo.propose('next', change('red'));
  const review = await repo.review(number, 'APPROVE');
  await enqueue(repo, number);
  const group = await groupOf(repo, number);
  await stage.stopBot();
  await dismiss(repo, number, review);
  await ci(repo, group);
  expect((await repo.pull(number)).merged).toBe(true);
  await stage.startBot();
  expect([...(await repo.tags()).keys()]).toEqual([]);
  const check = (await repo.checks(group)).get('portico/publication');
  expect(check?.output.summary).toMatch(
    new RegExp(`#${number}, merged without the required approvals: Needs 1 approval`),
  );
  expect(check?.output.summary).toContain('The approval of bob does not count: the review was dismissed.');
  // What comes next publishes it, with an approval more.
  const { number: after } = await repo.propose('after', { 'web/more.yaml': configMap('more', { a: 'b' }) });
  for (const login of ['bob', 'carol'] as const) await repo.review(after, 'APPROVE', undefined, login);
  await enqueue(repo, after);
  await ci(repo, await groupOf(repo, after));
  expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
});

test('approved privileges of a queued proposal are not asked about again of the one behind it', async () => {
  const repo = stage.repository('stacked');
  const role = await repo.propose('role', { 'web/role.yaml': clusterRole('wide') }, { as: 'carol' });
  const plain = await repo.propose('plain', change('red'), { as: 'carol' });
  for (const { number } of [role, plain]) await repo.review(number, 'APPROVE');
  await repo.review(role.number, 'APPROVE', undefined, 'alice');
  for (const { number } of [role, plain]) await enqueue(repo, number);
  const group = await groupOf(repo, plain.number);
  expect((await repo.checks(group)).get('portico')?.conclusion).toBe('success');
  await ci(repo, group);
  expect((await repo.pull(plain.number)).merged).toBe(true);
});

test('privileges that two queued proposals bring together are judged in the group, and both need those who must approve them', async () => {
  const repo = stage.repository('together');
  const role = await repo.propose('role', { 'web/role.yaml': clusterRole('wide') }, { as: 'carol' });
  const bind = await repo.propose('bind', { 'web/bind.yaml': binding('web', 'wide') }, { as: 'rita' });
  const reviews: number[] = [];
  for (const { number } of [role, bind]) {
    await repo.review(number, 'APPROVE');
    reviews.push(await repo.review(number, 'APPROVE', undefined, 'alice'));
    await enqueue(repo, number);
  }
  // Alone, nobody can tell what the role grants.
  const alone = (await repo.checksOf(bind.number)).get('portico/power');
  expect(alone?.output.title).toContain('whatever ClusterRole wide grants');
  const groups = await Promise.all([role, bind].map(({ number }) => groupOf(repo, number)));
  const power = (await repo.checks(groups[1]!)).get('portico/power');
  expect(power?.output.title).toContain('Group system:authenticated: ClusterRole wide, everywhere');
  expect(power?.output.summary).toContain('every verb on every resource');
  expect((await repo.checks(groups[1]!)).get('portico')?.conclusion).toBe('success');
  // The queue would merge both by the checks of the second.
  await dismiss(repo, role.number, reviews[0]!);
  const second = await repo.checks(groups[1]!);
  expect(second.get('portico/approval')?.output.title).toContain(
    `#${role.number}, which is ahead of it in the merge queue: The check portico of #${role.number} is not green`,
  );
  expect(second.get('portico')?.conclusion).toBe('action_required');
  for (const group of groups) await ci(repo, group).catch(() => undefined);
  for (const { number } of [role, bind])
    for (const group of [await groupOf(repo, number)]) if (group !== '') await ci(repo, group);
  expect((await repo.pull(role.number)).merged).toBe(false);
  expect(await repo.read('web/role.yaml')).toBe(null);
});

test('a weaker configuration whose admin withdraws his approval is not merged by a queue', async () => {
  const repo = stage.repository('rules');
  const { number } = await repo.propose(
    'weaker',
    {
      ...change('red'),
      '.github/portico.yaml': configuration('rules', 'branch: main\npublish: { requireApprovals: 0 }'),
    },
    { as: 'carol' },
  );
  await repo.review(number, 'APPROVE');
  const review = await repo.review(number, 'APPROVE', undefined, 'alice');
  await enqueue(repo, number);
  const group = await groupOf(repo, number);
  expect((await repo.checks(group)).get('portico/config')?.conclusion).toBe('success');
  await dismiss(repo, number, review);
  expect((await repo.checks(group)).get('portico/config')?.conclusion).toBe('action_required');
  await ci(repo, group);
  expect((await repo.pull(number)).merged).toBe(false);
});
