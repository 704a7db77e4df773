// @module-tag story
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

let box: TestForge;
let work: string;
let count = 0;
const repo = { owner: 'acme', repo: 'open' };
const status = (code: number, message?: RegExp) =>
  expect.objectContaining({
    status: code,
    ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  });

beforeAll(async () => {
  box = await testForge();
  work = join(box.directory, 'work');
  await box.as('alice-token').rest.repos.addCollaborator({ ...repo, username: 'bob', permission: 'push' });
  await box.git(box.directory, 'init', '-q', '-b', 'main', work);
  await commit();
  await box.git(work, 'remote', 'add', 'bob', box.remote('bob-token', 'acme/open'));
  await box.git(work, 'remote', 'add', 'alice', box.remote('alice-token', 'acme/open'));
  await box.git(work, 'push', '-q', 'alice', 'main');
});
afterAll(() => box[Symbol.asyncDispose]());

async function commit(): Promise<void> {
  count += 1;
  await writeFile(join(work, `f${count}`), String(count));
  await box.git(work, 'add', '-A');
  await box.git(work, 'commit', '-qm', `Commit ${count}`);
}

const refs = async (): Promise<string[]> =>
  (await box.git(work, 'ls-remote', 'alice'))
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[1]!);

const OPEN = {
  required_status_checks: null,
  enforce_admins: true,
  required_pull_request_reviews: null,
  restrictions: null,
} as const;

describe('branch protection', () => {
  beforeEach(async () => {
    await commit();
  });

  test('refuses a direct push where a pull request is demanded, and says so as GitHub does', async () => {
    const { rest } = box.as('alice-token');
    await rest.repos.updateBranchProtection({
      ...repo,
      branch: 'main',
      ...OPEN,
      enforce_admins: false,
      required_pull_request_reviews: { required_approving_review_count: 1 },
    });
    const refused = await box.tryGit(work, 'push', 'bob', 'main');
    expect(refused.output).toContain('GH006: Protected branch update failed for refs/heads/main');
    expect(refused.output).toContain('Changes must be made through a pull request');
    expect(refused.output).toMatch(/\[remote rejected\] +main -> main \(protected branch hook declined\)/);
    const file = { ...repo, path: 'direct', message: 'x', content: '' };
    await expect(box.as('bob-token').rest.repos.createOrUpdateFileContents(file)).rejects.toEqual(
      status(409),
    );
    // An administrator is exempt unless told otherwise, but not from force-pushes and deletion.
    await box.git(work, 'push', '-q', 'alice', 'main');
    expect((await box.tryGit(work, 'push', 'alice', '+main~1:main')).output).toContain('Cannot force-push');
    expect((await rest.repos.getBranch({ ...repo, branch: 'main' })).data.protected).toBe(true);
    expect(
      (await rest.repos.getBranchProtection({ ...repo, branch: 'main' })).data.enforce_admins!.enabled,
    ).toBe(false);
    await expect(
      box.as('bob-token').rest.repos.getBranchProtection({ ...repo, branch: 'main' }),
    ).rejects.toEqual(status(403));
    await rest.repos.deleteBranchProtection({ ...repo, branch: 'main' });
    await expect(rest.repos.getBranchProtection({ ...repo, branch: 'main' })).rejects.toEqual(status(404));
  });

  test('refuses one ref of a push, or all of an atomic one', async () => {
    const { rest } = box.as('alice-token');
    await box.git(work, 'push', '-q', 'alice', 'main', 'main:stable');
    await rest.repos.updateBranchProtection({ ...repo, branch: 'stable', ...OPEN });
    const both = ['+main~1:stable', 'main:refs/heads/beside'];
    const atomic = await box.tryGit(work, 'push', '--atomic', 'bob', ...both);
    expect(atomic.ok).toBe(false);
    expect(await refs()).not.toContain('refs/heads/beside');
    const single = await box.tryGit(work, 'push', 'bob', ...both);
    expect(single.output).toMatch(/\[new branch\] +main -> beside/);
    expect(single.output).toMatch(/rejected\] +main~1 -> stable/);
    expect(await refs()).toContain('refs/heads/beside');
    expect((await box.tryGit(work, 'push', 'bob', ':stable')).output).toContain(
      'Cannot delete a protected branch',
    );
    expect((await box.tryGit(work, 'push', 'bob', ':main')).output).toContain(
      'refusing to delete the current branch',
    );
    await expect(
      rest.git.updateRef({ ...repo, ref: 'heads/stable', sha: await sha('main~1'), force: true }),
    ).rejects.toEqual(status(422, /Cannot force-push/));
    await box.git(work, 'push', '-q', 'bob', 'main:stable');
  });

  test('demands verified signatures where that is switched on, in pushes and merges', async () => {
    const { rest } = box.as('alice-token');
    const where = { ...repo, branch: 'signed' };
    await box.git(work, 'push', '-q', 'alice', 'main~1:refs/heads/signed', 'main:refs/heads/unsigned');
    await expect(rest.repos.createCommitSignatureProtection(where)).rejects.toEqual(
      status(404, /Branch not protected/),
    );
    await rest.repos.updateBranchProtection({ ...where, ...OPEN });
    expect((await rest.repos.getCommitSignatureProtection(where)).data.enabled).toBe(false);
    expect((await rest.repos.createCommitSignatureProtection(where)).data.enabled).toBe(true);
    const { data: put } = await rest.repos.updateBranchProtection({ ...where, ...OPEN });
    expect(put.required_signatures?.enabled).toBe(true);

    const refused = await box.tryGit(work, 'push', 'alice', 'main:signed');
    expect(refused.output).toMatch(
      /GH006: Protected branch update failed for refs\/heads\/signed\.\s+remote: error: Commits must have verified signatures\.\s*\n/,
    );
    const { data: pull } = await rest.pulls.create({ ...repo, title: 'x', head: 'unsigned', base: 'signed' });
    const merge = { ...repo, pull_number: pull.number };
    for (const merge_method of ['merge', 'rebase'] as const) {
      await expect(rest.pulls.merge({ ...merge, merge_method })).rejects.toEqual(
        status(405, /^Commits must have verified signatures\./),
      );
    }
    // What is squashed becomes one commit of the forge, which signs it.
    expect((await rest.pulls.merge({ ...merge, merge_method: 'squash' })).data.merged).toBe(true);

    await rest.repos.updateBranchProtection({ ...where, ...OPEN, enforce_admins: false });
    await box.git(work, 'fetch', '-q', 'alice', 'signed');
    await box.git(work, 'checkout', '-q', 'FETCH_HEAD');
    await commit();
    expect((await box.tryGit(work, 'push', 'bob', 'HEAD:signed')).output).toContain('verified signatures');
    await box.git(work, 'push', '-q', 'alice', 'HEAD:signed');
    await rest.repos.deleteCommitSignatureProtection(where);
    await commit();
    await box.git(work, 'push', '-q', 'bob', 'HEAD:signed');
    await box.git(work, 'checkout', '-q', 'main');
  });

  test('keeps a push within the people named, and required checks', async () => {
    const { rest } = box.as('alice-token');
    const branch = 'guarded';
    await box.git(work, 'push', '-q', 'alice', 'main~1:refs/heads/guarded');
    await rest.repos.updateBranchProtection({
      ...repo,
      branch,
      ...OPEN,
      restrictions: { users: [], teams: ['platform'], apps: [] },
    });
    expect((await box.tryGit(work, 'push', 'bob', 'main:guarded')).output).toContain(
      "You're not authorized to push",
    );
    await box.git(work, 'push', '-q', 'alice', 'main:guarded');
    await commit();
    await rest.repos.updateBranchProtection({
      ...repo,
      branch,
      ...OPEN,
      required_status_checks: { strict: false, contexts: ['portico'] },
    });
    expect((await box.tryGit(work, 'push', 'alice', 'main:guarded')).output).toContain(
      'Required status check "portico" is expected',
    );
  });
});

const sha = async (word: string): Promise<string> => (await box.git(work, 'rev-parse', word)).trim();

describe('rulesets', () => {
  test('make tags that cannot be moved or deleted, except by those who may bypass', async () => {
    const { rest } = box.as('alice-token');
    const made = await rest.repos.createRepoRuleset({
      ...repo,
      name: 'releases',
      target: 'tag',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/tags/**/v*'], exclude: [] } },
      rules: [{ type: 'update' }, { type: 'deletion' }],
    });
    await box.git(work, 'push', '-q', 'bob', 'main:refs/tags/pkg/v1');
    await commit();
    const moved = await box.tryGit(work, 'push', 'bob', '+main:refs/tags/pkg/v1');
    expect(moved.output).toContain('GH013: Repository rule violations found for refs/tags/pkg/v1');
    expect(moved.output).toContain('(push declined due to repository rule violations)');
    expect((await box.tryGit(work, 'push', 'bob', ':refs/tags/pkg/v1')).output).toContain(
      'Cannot delete this protected ref',
    );
    await rest.repos.updateRepoRuleset({
      ...repo,
      ruleset_id: made.data.id,
      bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
    });
    await box.git(work, 'push', '-q', 'alice', ':refs/tags/pkg/v1');
    expect((await rest.repos.getRepoRuleset({ ...repo, ruleset_id: made.data.id })).data.rules).toHaveLength(
      2,
    );
  });

  test('are read per branch by anybody who may read', async () => {
    const { rest } = box.as('alice-token');
    await rest.repos.createRepoRuleset({
      ...repo,
      name: 'default',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
      rules: [
        {
          type: 'required_status_checks',
          parameters: {
            required_status_checks: [{ context: 'portico' }],
            strict_required_status_checks_policy: true,
          },
        },
      ],
    });
    const rules = (await box.as('bob-token').rest.repos.getBranchRules({ ...repo, branch: 'main' })).data;
    expect(rules).toMatchObject([{ type: 'required_status_checks', ruleset_source: 'acme/open' }]);
    expect((await box.as('bob-token').rest.repos.getBranchRules({ ...repo, branch: 'stable' })).data).toEqual(
      [],
    );
    expect((await box.tryGit(work, 'push', 'alice', 'main')).output).toContain('"portico" is expected');
  });
});
