/** Who may use a command, as written in `spec.access`: a role, `@org/team`, `@login` or `author`. */
import { closestWord } from '../package/closest-word.ts';
import type { Grant } from './repository-config.ts';
import { TEAM_MENTION } from './repository-name.ts';
import { parseRole, ROLES } from './role.ts';

const PERSON = /^@([A-Za-z0-9][A-Za-z0-9_-]{0,79})$/;

/** A grant, or the sentence that says why the text is none. */
export function parseGrant(text: string): Grant | string {
  if (text === 'author') return { kind: 'author' };
  const team = TEAM_MENTION.exec(text)?.[1];
  if (team !== undefined) return { kind: 'team', team };
  const login = PERSON.exec(text)?.[1];
  if (login !== undefined) return { kind: 'person', login };
  const role = parseRole(text);
  if (role === 'none')
    return 'no entry grants access to everyone; to grant it to no one, write an empty list';
  if (role !== undefined) return { kind: 'role', role };
  const near = closestWord(text, ROLES.slice(1));
  const names = `a role (${ROLES.slice(1).join(', ')}), @org/team, @login or author`;
  return near === undefined ? `must be ${names}` : `must be ${names}; did you mean ${near}?`;
}
