import type { ForgeContext } from './context.ts';
import type { GitPerson } from './git-objects.ts';
import type { AccountRecord, RepositoryRecord } from './records.ts';

/** The forge itself, the committer of merges made through it. */
export function forgePerson(context: ForgeContext): GitPerson {
  return { name: 'GitHub', email: 'noreply@github.com', date: context.now() };
}

/** Emits a webhook about a repository; `action` '' is for events without one. */
export function emitFor(
  context: ForgeContext,
  repository: RepositoryRecord,
  sender: AccountRecord,
  event: string,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): void {
  context.emit({ event, ...(action === '' ? {} : { action }), sender, repository, payload });
}
