/** Who may use a command. */
import type { Grant, RepositoryConfig } from '../config/repository-config.ts';
import { atLeast, parseRole } from '../config/role.ts';
import type { Caller } from './command-state.ts';
import type { Command } from './command.ts';
import { type Refusal, refuse } from './refusal.ts';

export type Authorization =
  /** `by` says what gave the right, for the audit trail. */
  | { readonly kind: 'allowed'; readonly by: string }
  | Refusal
  /** Other bots get no answer, so that two bots never talk to each other. */
  | { readonly kind: 'ignore'; readonly code: 'bot' };

/** Decides on the roles that the forge named at this moment; whatever is unknown grants nothing. */
export function authorize(
  config: RepositoryConfig,
  command: Pick<Command, 'name' | 'minimumRole' | 'mayAlso'>,
  caller: Caller,
): Authorization {
  if (caller.isBot) return { kind: 'ignore', code: 'bot' };
  if (caller.role === undefined) {
    return refuse(
      'permission-unknown',
      'the forge did not report your rights here, so nothing was done',
      'Try again in a few minutes.',
    );
  }
  const grants = grantsOf(config, command);
  const granted = grants.find((grant) => holds(grant, caller));
  if (granted !== undefined) return { kind: 'allowed', by: nameOf(granted) };
  const needed = named(grants);
  return refuse(
    'not-permitted',
    `\`/portico ${command.name}\` is for ${needed === '' ? 'no one here' : needed}, and your role is ${roleName(caller)}`,
    needed === '' ? 'The repository has disabled this command.' : 'Ask someone who has that right.',
  );
}

/** Who may use a command, for people; nobody is mentioned by it. */
export function whoMay(
  config: RepositoryConfig,
  command: Pick<Command, 'name' | 'minimumRole' | 'mayAlso'>,
): string {
  const grants = grantsOf(config, command);
  return grants.length === 0 ? 'no one here' : named(grants);
}

function named(grants: readonly Grant[]): string {
  return grants.map(nameOf).join(', or ');
}

/** The configuration's grants, which replace the command's own. */
export function grantsOf(
  config: RepositoryConfig,
  command: Pick<Command, 'name' | 'minimumRole' | 'mayAlso'>,
): readonly Grant[] {
  const configured = config.access.get(command.name);
  if (configured !== undefined) return configured;
  return [{ kind: 'role', role: command.minimumRole }, ...command.mayAlso.map((kind) => ({ kind }))];
}

/** True for somebody whom a grant names. */
export function holds(grant: Grant, caller: Caller): boolean {
  switch (grant.kind) {
    case 'role': {
      const role = parseRole(caller.role);
      return role !== undefined && role !== 'none' && atLeast(role, grant.role);
    }
    case 'team':
      return caller.teams.some((team) => team.toLowerCase() === grant.team.toLowerCase());
    case 'person':
      return caller.login.toLowerCase() === grant.login.toLowerCase();
    case 'author':
      return caller.isAuthor;
  }
}

/** Team and people are named without a mention, so that a refusal notifies nobody. */
export function nameOf(grant: Grant): string {
  switch (grant.kind) {
    case 'role':
      return `the role ${grant.role}${grant.role === 'admin' ? '' : ' or higher'}`;
    case 'team':
      return `the team \`${grant.team}\``;
    case 'person':
      return `\`${grant.login}\``;
    case 'author':
      return 'the author';
  }
}

function roleName({ role = 'none' }: Caller): string {
  return parseRole(role) ?? 'unknown to Portico';
}
