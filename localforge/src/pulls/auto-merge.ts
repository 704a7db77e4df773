import { runInBackground } from '../background.ts';
import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import type { Actor } from '../viewer.ts';
import { mergePull } from './merge-pull.ts';
import { advanceQueueAt, enqueue, hasQueue } from './merge-queue.ts';
import { requirementsOf, unmet } from './requirements.ts';

/** Looks again, in the background, at the pull requests of a commit that wait for their requirements. */
export function retryAutoMergeAt(context: ForgeContext, repository: RepositoryRecord, sha: string): void {
  advanceQueueAt(context, repository, sha);
  for (const pull of collaborationStore(context.store).pulls.find('sha', [repository.id, sha])) {
    retryAutoMerge(context, repository, pull);
  }
}

/**
 * Merges, in the background, a pull request with auto-merge if nothing stands against it any more. It waits for the
 * rules of the branch also where the person who asked for it could pass them by.
 */
export function retryAutoMerge(context: ForgeContext, repository: RepositoryRecord, pull: PullRecord): void {
  const settings = pull.autoMerge;
  if (settings === null || issueOf(context, pull).state === 'closed') return;
  const user = context.records.account(settings.enabledById);
  // The forge acts for the person who asked for it; what that person may do was checked then.
  const actor: Actor = { kind: 'user', user, tokenId: 0 };
  runInBackground(context, 'auto-merge', async () => {
    const requirements = requirementsOf(context, repository, pull.baseRef);
    if (unmet(context, repository, pull, requirements).length > 0) return;
    if (hasQueue(context, repository, pull.baseRef)) {
      await enqueue(context, repository, pull, settings.enabledById);
      return;
    }
    await mergePull(context, repository, pull.id, {
      actor,
      method: settings.method,
      sha: pull.headSha,
      ...(settings.title === null ? {} : { title: settings.title }),
      ...(settings.message === null ? {} : { message: settings.message }),
    });
  });
}
