// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** The forge's own ways of merging, with a ruleset that requires `portico` alone and without one. */
let stage: Stage;

const FILES = { ...below('web', smallPackage('web')), ...below('db', smallPackage('db')) };
const change = (color: string, name = 'web'): Record<string, string> => ({
  [`${name}/config.yaml`]: configMap(name, { color }),
});

beforeAll(async () => {
  stage = await startStage({
    ruled: { files: FILES },
    flagged: { files: FILES },
    publishing: { files: FILES, spec: 'branch: main\npublish: { directPushes: publish }' },
    late: { files: FILES },
    rights: { files: FILES },
    back: { files: FILES },
    weaker: { files: FILES },
    loosened: { files: FILES },
    open: { files: FILES, spec: 'branch: main\npublish: { requireApprovals: 0 }' },
    power: {
      files: FILES,
      spec: 'branch: main\npublish: { requireApprovals: 1, requireApprovalBy: ["@acme/platform"] }',
    },
  });
  for (const name of ['ruled', 'power']) await requirePortico(stage.repository(name));
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** The one rule of docs/installing.md: the check `portico`, by this App. */
async function requirePortico({ where }: StageRepository): Promise<void> {
  await stage.as('alice').rest.repos.createRepoRuleset({
    ...where,
    name: 'portico',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: 'portico', integration_id: stage.forge.app.id }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  });
}

async function board(repo: StageRepository): Promise<string> {
  await stage.dashboard(repo.repo);
  const { data } = await stage.as('alice').rest.issues.listForRepo(repo.where);
  return data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
}

const refusal = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return (error as Error).message;
  }
  return 'it was merged';
};

describe('with the ruleset', () => {
  test('the button refuses what nobody approved, also for whoever may skip drafts, and takes it once approved', async () => {
    const repo = stage.repository('ruled');
    const { number } = await repo.propose('next', change('red'), { draft: true });
    const checks = await repo.checksOf(number);
    expect(checks.get('portico/approval')).toMatchObject({
      conclusion: 'action_required',
      output: { title: 'Needs 1 approval: anyone with write access except alice.' },
    });
    // A draft waits too: it becomes a proposal before anybody looks again. Proposing does not wait for approval.
    expect(checks.get('portico')?.conclusion).toBe('action_required');
    expect((await repo.command(number, '/portico propose')).reaction).toBe('rocket');
    expect(await refusal(repo.press(number))).toContain('Required status check "portico" is failing');
    expect(await repo.tags()).toEqual(new Map());

    await repo.review(number, 'APPROVE');
    const after = await repo.checksOf(number);
    expect(after.get('portico/approval')).toMatchObject({
      conclusion: 'success',
      output: { title: 'Approved for this content by bob.' },
    });
    expect(after.get('portico')?.conclusion).toBe('success');
    const sha = await repo.press(number);
    expect(await repo.tags()).toEqual(new Map([['web/v1', sha]]));
    expect(await repo.tagMessage('web/v1')).toContain('\nApproved-by: bob\n');
    expect(await stage.writesOf(() => stage.look('ruled'), 'ruled')).toEqual([]);
  });

  test('a green status or check of somebody else is not this one', async () => {
    const repo = stage.repository('ruled');
    const { number, head } = await repo.propose('faked', change('faked'));
    await stage
      .as('alice')
      .rest.repos.createCommitStatus({ ...repo.where, sha: head.sha, state: 'success', context: 'portico' });
    expect(await refusal(repo.press(number))).toContain('Required status check "portico" is failing');
  });

  test('auto-merge waits for the approval, and then merges by itself', async () => {
    const repo = stage.repository('ruled');
    const { number, node_id } = await repo.propose('auto', change('auto'));
    await stage.as('alice').rest.repos.update({ ...repo.where, allow_auto_merge: true });
    await stage
      .as('alice')
      .graphql(
        `mutation ($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }`,
        { id: node_id },
      );
    await stage.idle();
    expect((await repo.pull(number)).merged).toBe(false);
    expect((await repo.command(number, '/portico approve', 'carol')).reaction).toBe('rocket');
    expect((await repo.pull(number)).merged).toBe(true);
    expect(await repo.tagMessage('web/v2')).toContain('\nApproved-by: carol\n');
  });

  test('approve and publish in one breath: the check follows before the merge', async () => {
    const repo = stage.repository('ruled');
    const { number } = await repo.propose('breath', change('breath'));
    const said = await repo.command(number, '/portico approve\n/portico publish', 'bob');
    expect(said.reaction).toBe('rocket');
    expect((await repo.pull(number)).merged).toBe(true);
  });

  test('an approval that is taken back closes the door again', async () => {
    const repo = stage.repository('ruled');
    const { number } = await repo.propose('back', change('back'));
    await repo.review(number, 'APPROVE');
    await repo.review(number, 'REQUEST_CHANGES', 'No.');
    expect((await repo.checksOf(number)).get('portico/approval')).toMatchObject({
      conclusion: 'action_required',
      output: { title: expect.stringContaining('bob requested changes') },
    });
    expect(await refusal(repo.press(number))).toContain('Required status check "portico" is failing');
  });

  test('power that only some may approve keeps the button shut until one of them has', async () => {
    const repo = stage.repository('power');
    const role = {
      'web/role.yaml':
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: web\nrules:\n- apiGroups: [""]\n  resources: [secrets]\n  verbs: [list]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: web\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web }\nsubjects:\n- { kind: ServiceAccount, name: web, namespace: shop }\n',
    };
    // Drafts wait as well.
    const { number } = await repo.propose('next', role, { draft: true, as: 'bob' });
    expect((await repo.checksOf(number)).get('portico/power')?.conclusion).toBe('action_required');
    expect((await repo.command(number, '/portico propose', 'bob')).reaction).toBe('rocket');
    await repo.review(number, 'APPROVE', undefined, 'carol');
    const checks = await repo.checksOf(number);
    expect(checks.get('portico/approval')?.conclusion).toBe('success');
    expect(checks.get('portico')).toMatchObject({
      conclusion: 'action_required',
      output: { title: expect.stringContaining('needs approval from the team') },
    });
    expect(await repo.command(number, '/portico publish', 'carol')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('needs approval from the team'),
    });
    expect(await refusal(repo.press(number))).toContain('is failing');
    expect((await repo.command(number, '/portico approve')).reaction).toBe('rocket');
    expect((await repo.command(number, '/portico publish', 'carol')).reaction).toBe('rocket');
  });
});

describe('without it, or past it', () => {
  test('a merge without approval is flagged and not published; the next approved proposal brings it', async () => {
    const repo = stage.repository('flagged');
    await repo.publish('one', change('one'));
    const { number } = await repo.propose('past', change('past'));
    const sha = await repo.press(number);
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    const check = (await repo.checks(sha)).get('portico/publication');
    expect(check).toMatchObject({ conclusion: 'neutral', output: { title: 'Not published: db, web' } });
    expect(check?.output.summary).toContain(`#${number}, merged without the required approvals`);
    expect(await repo.sticky(number)).toContain('### Merged without approval, not published');
    expect(await board(repo)).toContain('| `web` | `v1` |  |  | changed without approval, not published |');

    // An approval that comes after the merge is none of what was merged.
    await repo.review(number, 'APPROVE').catch(() => undefined);
    await stage.look('flagged');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    expect(await stage.writesOf(() => stage.look('flagged'), 'flagged')).toEqual([]);

    const next = await repo.propose('next', { 'web/more.yaml': configMap('more', { a: 'b' }) });
    await repo.review(next.number, 'APPROVE');
    const alone = await repo.command(next.number, '/portico publish');
    expect(alone.reply).toContain('pushed to the base branch without approval');
    await repo.review(next.number, 'APPROVE', undefined, 'carol');
    expect((await repo.command(next.number, '/portico publish')).reaction).toBe('rocket');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v2']);
    expect(await repo.read('web/config.yaml', 'web/v2')).toContain('past');
    expect(await board(repo)).not.toContain('without approval');
  });

  test('with directPushes: publish it is published, and its tag, the commit and the dashboard say that nobody approved it', async () => {
    const repo = stage.repository('publishing');
    const { number } = await repo.propose('past', change('past'));
    const sha = await repo.press(number);
    expect((await repo.tags()).get('web/v2')).toBe(sha);
    expect(await repo.tagMessage('web/v2')).toContain('\nApproved-by: none\n');
    expect((await repo.checks(sha)).get('portico/publication')).toMatchObject({
      conclusion: 'neutral',
      output: { title: 'Published without approval: web' },
    });
    expect(await repo.sticky(number)).toContain('`Approved-by: none`');
    expect(await board(repo)).toContain('| `web` | `v2` |  |  | published without approval |');
    expect(await stage.writesOf(() => stage.look('publishing'), 'publishing')).toEqual([]);

    await repo.publish('good', change('good'));
    expect(await repo.tagMessage('web/v3')).toContain('\nApproved-by: bob\n');
    expect(await board(repo)).not.toMatch(/`web` .*without approval/);
  });

  test('what was published stays so when its approver loses the right, or takes the approval back', async () => {
    const repo = stage.repository('late');
    const { number } = await repo.propose('next', change('red'));
    const review = await repo.review(number, 'APPROVE');
    const sha = await repo.press(number);
    expect(await repo.tags()).toEqual(new Map([['web/v1', sha]]));
    await stage.as('alice').rest.pulls.dismissReview({
      ...repo.where,
      pull_number: number,
      review_id: review,
      message: 'Gone',
    });
    await stage
      .as('alice')
      .rest.repos.addCollaborator({ ...repo.where, username: 'bob', permission: 'pull' });
    expect(await stage.writesOf(() => stage.look('late'), 'late')).toEqual([]);
    expect(await repo.tags()).toEqual(new Map([['web/v1', sha]]));
  });

  test('a right that is given back after the merge does not publish what was merged without it; the next approved proposal does', async () => {
    const repo = stage.repository('back');
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    const role = (permission: string): Promise<unknown> =>
      stage.as('alice').rest.repos.addCollaborator({ ...repo.where, username: 'bob', permission });
    await stage.stopBot();
    await role('pull');
    const sha = await repo.press(number);
    await stage.startBot();
    expect([...(await repo.tags()).keys()]).toEqual([]);
    const told = /this person may not approve here.*its check `portico\/approval` says who must approve it/s;
    expect((await repo.checks(sha)).get('portico/publication')?.output.summary).toMatch(told);
    await role('push');
    await stage.look('back');
    await stage.stopBot();
    await stage.startBot();
    await stage.look('back');
    expect([...(await repo.tags()).keys()]).toEqual([]);
    expect(await stage.writesOf(() => stage.look('back'), 'back')).toEqual([]);
    await repo.publish('after', { 'web/more.yaml': configMap('more', { a: 'b' }) }, undefined, [
      'bob',
      'carol',
    ]);
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
  });

  test('who lost the right before the merge does not count, even where the check was written before that', async () => {
    const repo = stage.repository('rights');
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    await stage.stopBot();
    await stage
      .as('alice')
      .rest.repos.addCollaborator({ ...repo.where, username: 'bob', permission: 'pull' });
    await repo.press(number);
    await stage.startBot();
    expect([...(await repo.tags()).keys()]).toEqual([]);
  });

  test('a merge that weakens the configuration is judged by the one before it, and needs an admin', async () => {
    const repo = stage.repository('weaker');
    const rules = configuration('weaker', 'branch: main\npublish: { requireApprovals: 0 }');
    const files = { ...change('red'), '.github/portico.yaml': rules };
    const { number } = await repo.propose('next', files, { as: 'carol' });
    await repo.review(number, 'APPROVE');
    expect((await repo.checksOf(number)).get('portico')?.conclusion).toBe('action_required');
    const sha = await repo.press(number);
    expect([...(await repo.tags()).keys()]).toEqual([]);
    const check = (await repo.checks(sha)).get('portico/publication');
    expect(check?.output.summary).toContain(
      'It makes the configuration weaker, which needs approval from the role admin.',
    );
  });

  test('a merge that no one approved is judged by the configuration before it, not by one merged later', async () => {
    const repo = stage.repository('loosened');
    await repo.press((await repo.propose('next', change('red'))).number);
    const rules = configuration('loosened', 'branch: main\npublish: { requireApprovals: 0 }');
    const later = await repo.propose('rules', { '.github/portico.yaml': rules });
    await repo.press(later.number);
    await stage.look('loosened');
    expect([...(await repo.tags()).keys()]).toEqual([]);
    const { number } = await repo.propose('after', change('green'));
    await repo.press(number);
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
  });

  test('where no approval is asked for the check is neutral, and every merge publishes', async () => {
    const repo = stage.repository('open');
    const { number } = await repo.propose('next', change('red'));
    const checks = await repo.checksOf(number);
    expect(checks.get('portico/approval')).toMatchObject({
      conclusion: 'neutral',
      output: { title: 'No approval is required.' },
    });
    expect(checks.get('portico')?.conclusion).toBe('success');
    const sha = await repo.press(number);
    expect((await repo.tags()).get('web/v1')).toBe(sha);
    expect(await repo.tagMessage('web/v1')).not.toContain('Approved-by');
  });
});
