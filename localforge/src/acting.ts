import type { ForgeContext } from './context.ts';
import type { GitPerson } from './git-objects.ts';
import type { AccountRecord, RepositoryRecord } from './records.ts';

/** The forge itself, the committer of merges made through it. */
export function forgePerson(context: ForgeContext): GitPerson {
  return { name: 'GitHub', email: 'noreply@github.com', date: context.now() };
}

/** Emits a webhook about a repository; `action` '' is for events without one. */
export function emitFor({
  context,
  repository,
  sender,
  event,
  action,
  payload,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly sender: AccountRecord;
  readonly event: string;
  readonly action: string;
  readonly payload: Readonly<Record<string, unknown>>;
}): void {
  context.emit({ event, ...(action === '' ? {} : { action }), sender, repository, payload });
}
