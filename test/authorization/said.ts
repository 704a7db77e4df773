/** What of the words that people wrote is a command, and what it takes to give one. */
import type { Role } from '@portico/localforge/records';

import type { Audit, Commented } from './audit.ts';
import type { Rules } from './git-facts.ts';

const ROLES: readonly string[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
/** What a reader may use; everything else needs write, where the configuration says nothing. */
const FOR_READERS = new Set(['help', 'explain', 'plan']);
/** What the author of a proposal may use whatever the role. */
const FOR_AUTHORS = new Set(['render', 'propose', 'reject', 'cancel', 'diff', 'explain', 'help']);
/** After these the bot writes content that somebody asked for. */
const BRINGS_CONTENT = new Set([
  'init',
  'clone',
  'copy',
  'rollback',
  'update',
  'rebase',
  'resolve',
  'eval',
  'delete',
  'suggest',
  'fix',
]);

/** The command that a comment begins with; null where it is none. */
export function verbOf({ body }: Pick<Commented, 'body'>): string | null {
  return /^\/portico[ \t]+([a-z]+)/m.exec(body)?.[1] ?? null;
}

export function bringsContent(comment: Commented): boolean {
  return BRINGS_CONTENT.has(verbOf(comment) ?? '');
}

/** Whether this role is enough for a command, authorship left out. */
export function mayUse(role: Role, verb: string, rules: Rules | null): boolean {
  const wanted = rules?.access[verb] ?? [FOR_READERS.has(verb) ? 'read' : 'write'];
  return wanted.some((grant) => ROLES.includes(grant) && ROLES.indexOf(role) >= ROLES.indexOf(grant));
}

export function mayAsAuthor(verb: string, rules: Rules | null): boolean {
  return rules?.access[verb] === undefined && FOR_AUTHORS.has(verb);
}

export const canWrite = (role: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf('write');

/** Commands as they were first written: what an edit makes of a comment is none. */
export function commandsIn(audit: Audit, repo: string, until = Infinity): Commented[] {
  return audit.of('commented', repo).filter((one) => !one.isBot && one.seq < until && verbOf(one) !== null);
}
