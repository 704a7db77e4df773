import { permits } from '../access.ts';
import type { PullRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import type { Actor } from '../viewer.ts';
import { workflowRefusal } from '../workflow-rule.ts';

const WORKFLOWS = '.github/workflows';

/**
 * Why an App without the Workflows permission may not merge a pull request, where that changes a workflow: from a fork
 * GitHub says only that it is not accessible (chdsbd/kodiak#641), else it names the file (getmydia/mydia#634,
 * KeisukeYamashita/auto-pull-request-merge#481).
 */
export async function forbiddenMerge(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  base: string,
  actor: Actor,
): Promise<string | undefined> {
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
  const path = changed === undefined ? WORKFLOWS : `${WORKFLOWS}/${changed.path}`;
  return workflowRefusal(path);
}
