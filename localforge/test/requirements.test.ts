// @module-tag story
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { closeClean, collaboration, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

beforeEach(async () => {
  forge = await collaboration();
});
afterEach(() => closeClean(forge));

async function propose(branch = 'draft') {
  const head = await forge.commit(branch, { [`${branch}.yaml`]: 'a: 1\n' }, { from: 'main' });
  const { data } = await forge.bob.rest.pulls.create({ ...REPO, title: branch, head: branch, base: 'main' });
  return { head, number: data.number, id: data.node_id, at: { ...REPO, pull_number: data.number } };
}

const protect = (more: object) =>
  forge.alice.rest.repos.updateBranchProtection({
    ...REPO,
    branch: 'main',
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
    ...more,
  });

const merge = (number: number) => forge.bob.rest.pulls.merge({ ...REPO, pull_number: number });

const check = (head: string, conclusion: 'success' | 'failure') =>
  forge.app.rest.checks.create({ ...REPO, name: 'portico', head_sha: head, conclusion });

const message = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => '',
    (error: unknown) => String(error),
  );

describe('a ruleset that requires one check of the App', () => {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- it belongs to these tests
  const demand = (
    required_status_checks: object[],
    more: object = { strict_required_status_checks_policy: false },
  ) =>
    forge.alice.rest.repos.createRepoRuleset({
      ...REPO,
      name: 'portico',
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
      rules: [{ type: 'required_status_checks', parameters: { required_status_checks, ...more } }],
    } as never);

  test.each([
    ['action_required', false],
    ['cancelled', false],
    ['timed_out', false],
    ['neutral', true],
    ['skipped', true],
    ['success', true],
  ] as const)('%s lets it pass: %s', async (conclusion, passes) => {
    await demand([{ context: 'portico', integration_id: forge.forge.app.id }]);
    const { head, number } = await propose();
    await forge.app.rest.checks.create({ ...REPO, name: 'portico', head_sha: head, conclusion });
    const answer = await message(merge(number));
    expect(answer === '' ? 'merged' : answer).toMatch(
      passes ? /^merged$/ : /Required status check "portico" is failing/,
    );
  });

  test('a status or check of somebody else is not it', async () => {
    await demand([{ context: 'portico', integration_id: forge.forge.app.id + 1 }]);
    const { head, number } = await propose();
    await check(head, 'success');
    await forge.bob.rest.repos.createCommitStatus({
      ...REPO,
      sha: head,
      state: 'success',
      context: 'portico',
    });
    expect(await message(merge(number))).toContain('Required status check "portico" is expected');
  });

  test('without its parameters the rule is refused', async () => {
    expect((await refused(demand([{ context: 'portico' }], {}))).status).toBe(422);
    expect((await refused(demand([{ integration_id: 1 }]))).status).toBe(422);
  });
});

describe('branch protection', () => {
  test('a required check of the App must be green on the head', async () => {
    await protect({
      required_status_checks: {
        strict: false,
        contexts: [],
        checks: [{ context: 'portico', app_id: forge.forge.app.id }],
      },
    });
    const { head, number } = await propose();
    expect((await forge.known(number)).mergeable_state).toBe('blocked');
    expect((await refused(merge(number))).text).toContain('Required status check \\"portico\\" is expected.');
    await check(head, 'failure');
    expect((await refused(merge(number))).text).toContain('is failing');
    // A status of the same name is not the App's word.
    await forge.bob.rest.repos.createCommitStatus({
      ...REPO,
      sha: head,
      state: 'success',
      context: 'portico',
    });
    expect((await refused(merge(number))).status).toBe(405);
    await check(head, 'success');
    expect((await forge.known(number)).mergeable_state).toBe('clean');
    expect((await merge(number)).data.merged).toBe(true);
  });

  test('a strict check wants the head up to date', async () => {
    await protect({ required_status_checks: { strict: true, contexts: [] } });
    const { number } = await propose();
    await forge.alice.rest.repos.deleteBranchProtection({ ...REPO, branch: 'main' });
    await forge.commit('main', { 'other.yaml': 'a: 1\n' });
    await protect({ required_status_checks: { strict: true, contexts: [] } });
    expect((await forge.known(number)).mergeable_state).toBe('behind');
    expect((await refused(merge(number))).status).toBe(405);
    await forge.bob.rest.pulls.updateBranch({ ...REPO, pull_number: number });
    expect((await merge(number)).data.merged).toBe(true);
  });

  test('approvals count from those who may write, and stale ones are dismissed', async () => {
    await protect({
      required_pull_request_reviews: { required_approving_review_count: 1, dismiss_stale_reviews: true },
    });
    const { number, at } = await propose();
    const approve = (who: 'carol' | 'eve') => forge[who].rest.pulls.createReview({ ...at, event: 'APPROVE' });
    await approve('eve');
    expect((await refused(merge(number))).text).toContain('At least 1 approving review is required');
    await approve('carol');
    expect((await forge.known(number)).mergeable_state).toBe('clean');
    forge.hooks();
    await forge.commit('draft', { 'draft.yaml': 'a: 2\n' });
    expect(names(forge.hooks())).toContain('pull_request_review.dismissed');
    expect((await refused(merge(number))).status).toBe(405);
    await forge.carol.rest.pulls.createReview({ ...at, event: 'REQUEST_CHANGES', body: 'No' });
    await forge.alice.rest.pulls.createReview({ ...at, event: 'APPROVE' });
    expect((await refused(merge(number))).text).toContain('Changes have been requested');
    await approve('carol');
    expect((await merge(number)).data.merged).toBe(true);
  });

  test('what is not required makes a pull request unstable, not blocked', async () => {
    const { head, number } = await propose();
    await check(head, 'failure');
    expect((await forge.known(number)).mergeable_state).toBe('unstable');
    expect((await merge(number)).data.merged).toBe(true);
  });
});

describe('rulesets', () => {
  test('demand a review, limit the methods and can be bypassed', async () => {
    await forge.alice.rest.repos.createRepoRuleset({
      ...REPO,
      name: 'main',
      target: 'branch',
      enforcement: 'active',
      bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
      conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
      rules: [
        {
          type: 'pull_request',
          parameters: {
            required_approving_review_count: 1,
            dismiss_stale_reviews_on_push: false,
            require_code_owner_review: false,
            require_last_push_approval: false,
            required_review_thread_resolution: false,
            allowed_merge_methods: ['squash'],
          },
        },
      ],
    });
    const first = await propose('first');
    expect((await refused(merge(first.number))).text).toContain('Repository rule violations found');
    const second = await propose('second');
    await forge.carol.rest.pulls.createReview({ ...second.at, event: 'APPROVE' });
    expect((await refused(merge(second.number))).text).toContain('Merge commits are not allowed');
    const squashed = await forge.bob.rest.pulls.merge({ ...second.at, merge_method: 'squash' });
    expect(squashed.data.merged).toBe(true);
    expect((await forge.alice.rest.pulls.merge(first.at)).data.merged).toBe(true);
  });
});

describe('auto-merge', () => {
  const ENABLE =
    'mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: SQUASH}) { pullRequest { autoMergeRequest { mergeMethod enabledBy { login } } } } }';
  const DISABLE =
    'mutation($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { id } } }';

  test('merges once everything demanded is there', async () => {
    await protect({
      required_status_checks: { strict: false, contexts: ['portico'] },
      required_pull_request_reviews: { required_approving_review_count: 1 },
    });
    const { head, id, at } = await propose();
    expect(await message(forge.bob.graphql(ENABLE, { id }))).toContain(
      'Auto merge is not allowed for this repository',
    );
    await forge.alice.rest.repos.update({ ...REPO, allow_auto_merge: true });
    forge.hooks();
    expect(await forge.bob.graphql(ENABLE, { id })).toMatchObject({
      enablePullRequestAutoMerge: {
        pullRequest: { autoMergeRequest: { mergeMethod: 'SQUASH', enabledBy: { login: 'bob' } } },
      },
    });
    expect((await forge.bob.rest.pulls.get(at)).data.auto_merge?.merge_method).toBe('squash');
    await forge.bob.graphql(DISABLE, { id });
    await forge.bob.graphql(ENABLE, { id });
    expect(names(forge.hooks())).toEqual([
      'pull_request.auto_merge_enabled',
      'pull_request.auto_merge_disabled',
      'pull_request.auto_merge_enabled',
    ]);
    await forge.carol.rest.pulls.createReview({ ...at, event: 'APPROVE' });
    await forge.forge.settled();
    expect((await forge.bob.rest.pulls.get(at)).data.merged).toBe(false);
    await check(head, 'success');
    await forge.forge.settled();
    const pull = (await forge.bob.rest.pulls.get(at)).data;
    expect(pull).toMatchObject({ merged: true, merged_by: { login: 'bob' }, auto_merge: null });
  });

  test('waits for the rules also where who asked for it could pass them by', async () => {
    await protect({
      enforce_admins: false,
      required_status_checks: { strict: false, contexts: ['portico'] },
      required_pull_request_reviews: { required_approving_review_count: 1 },
    });
    await forge.alice.rest.repos.update({ ...REPO, allow_auto_merge: true });
    const { head, id, at } = await propose();
    await forge.alice.graphql(ENABLE, { id });
    await check(head, 'success');
    await forge.forge.settled();
    expect((await forge.bob.rest.pulls.get(at)).data.merged).toBe(false);
    await forge.carol.rest.pulls.createReview({ ...at, event: 'APPROVE' });
    await forge.forge.settled();
    expect((await forge.bob.rest.pulls.get(at)).data).toMatchObject({ merged: true });
  });

  test('is refused where nothing is in the way', async () => {
    await forge.alice.rest.repos.update({ ...REPO, allow_auto_merge: true });
    const { id, number } = await propose();
    await forge.known(number);
    expect(await message(forge.bob.graphql(ENABLE, { id }))).toContain('Pull request is in clean status');
    expect(await message(forge.eve.graphql(ENABLE, { id }))).toContain(
      'does not have the correct permissions',
    );
  });

  test('a merge takes the branch along where the repository says so', async () => {
    await forge.alice.rest.repos.update({ ...REPO, delete_branch_on_merge: true });
    const { number } = await propose();
    await merge(number);
    expect(await forge.git(forge.clone, 'ls-remote', 'origin', 'refs/heads/draft')).toBe('');
  });
});
