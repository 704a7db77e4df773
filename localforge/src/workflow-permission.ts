/** What an App without the Workflows permission may not do: to push or to merge other workflow files. */
import { permits } from './access.ts';
import type { PullRecord } from './collaboration-records.ts';
import type { ForgeContext } from './context.ts';
import type { GitRepository } from './git-repository.ts';
import type { RepositoryRecord } from './records.ts';
import type { Actor } from './viewer.ts';

export const WORKFLOWS = '.github/workflows';

/**
 * A workflow file of this commit (or of the commit that a tag leads to) that no branch has at its tip, which is what GitHub
 * takes for creating or updating it, also where the commit is not new: a tag on a commit of the main branch is refused once a
 * workflow file has changed after it (RafPe/pod-certificate-signer#128, spinframework/spin#1226), and so is a merge whose
 * workflow files are those of neither side (chdsbd/kodiak#853, radius-project/docs#1271). "Workflow files can be committed
 * without this scope if the same file (with both the same path and contents) exists on another branch in the same
 * repository" (https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps). Taking one away is
 * allowed. The hook of pushes does the same with git's own commands.
 */
export async function newWorkflowFile(git: GitRepository, sha: string): Promise<string | undefined> {
  const own = await workflowFiles(git, `${sha}^{commit}`);
  if (own.length === 0) return undefined;
  const known = new Set<string>();
  for (const branch of await git.refs('refs/heads/')) {
    for (const file of await workflowFiles(git, branch.sha)) known.add(file);
  }
  return own.find((file) => !known.has(file))?.replace(/^.*\t/, '');
}

/**
 * Why an App without the Workflows permission may not merge a pull request, where that changes a workflow: from a fork
 * GitHub says only that it is not accessible (chdsbd/kodiak#641), else it names the file (getmydia/mydia#634,
 * KeisukeYamashita/auto-pull-request-merge#481).
 */
export async function forbiddenMerge({
  context,
  repository,
  pull,
  base,
  actor,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly base: string;
  readonly actor: Actor;
}): Promise<string | undefined> {
  if (actor.kind !== 'installation' || permits(actor.permissions, 'workflows:write')) return undefined;
  const git = context.git(repository);
  const from = await git.mergeBase(base, pull.headSha);
  const [before, after] = await Promise.all([
    from === undefined ? undefined : git.entry(from, WORKFLOWS),
    git.entry(pull.headSha, WORKFLOWS),
  ]);
  if (before?.sha === after?.sha) return undefined;
  if (pull.headRepositoryId !== undefined) return 'Resource not accessible by integration';
  const isTree = before?.type !== 'blob' && after?.type !== 'blob';
  const [changed] = isTree ? await git.changedPaths(before?.sha, after?.sha) : [];
  return workflowRefusal(changed === undefined ? WORKFLOWS : `${WORKFLOWS}/${changed.path}`);
}

/** Lines of `git ls-tree`: mode, kind, id and path. */
async function workflowFiles(git: GitRepository, commit: string): Promise<string[]> {
  const { code, stdout } = await git.run(['ls-tree', '-r', commit, '--', WORKFLOWS]);
  return code === 0
    ? stdout
        .toString()
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

/** GitHub's words to an App without the permission. */
export const workflowRefusal = (file: string): string =>
  `refusing to allow a GitHub App to create or update workflow \`${file}\` without \`workflows\` permission`;
