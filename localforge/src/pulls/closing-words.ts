import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { changeIssue } from '../issues/change-issue.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';

/** GitHub's words, before the number of an issue of the same repository. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d{1,9})\b/gi;

/** Closes the open issues that the description of a merged pull request says it closes. */
export async function closeNamedIssues(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  by: AccountRecord,
): Promise<void> {
  const { issues } = collaborationStore(context.store);
  const numbers = [...(issueOf(context, pull).body ?? '').matchAll(CLOSING)].map((match) => Number(match[1]));
  for (const number of new Set(numbers)) {
    const issue = issues.first('number', [repository.id, number]);
    if (issue === undefined || issue.pullId !== null || issue.state === 'closed') continue;
    await changeIssue({
      context,
      repository,
      issue,
      sender: by,
      action: 'closed',
      change: () => {
        const now = context.now();
        issues.update(issue.id, {
          state: 'closed',
          stateReason: 'completed',
          closedAt: now,
          closedById: by.id,
          updatedAt: now,
        });
      },
    });
  }
}
