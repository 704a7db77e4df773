/** The trail in the log: who asked for what, and what came of it. The tag of a revision tells the same for ever. */
import type { CommandState } from '../../command/command-state.ts';
import { COMMAND_NAMES } from '../../command/table.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import type { CommandOutcome } from './comment-reply.ts';

export interface Asking {
  /** Who, and in which comment; a form has the number of its issue below zero. */
  readonly author: string;
  readonly id: number;
  /** Of the pull request or issue. */
  readonly number: number;
  /** The repository of that, where the command is about another one. */
  readonly from?: RepositoryRef | undefined;
}

/**
 * One line for each command. Whoever may comment chooses the words, so only names of commands and stable codes are
 * written; `digest` is the content that an approval or a merge was asked for.
 */
export function logCommand({
  ports: { log },
  access: { ref },
  asking: { author, id, number, from: said },
  verb,
  outcome,
  code,
  state: { digest, caller },
}: {
  readonly ports: Pick<Ports, 'log'>;
  readonly access: Pick<RepositoryAccess, 'ref'>;
  readonly asking: Asking;
  readonly verb: string;
  readonly outcome: CommandOutcome['outcome'];
  readonly code?: string;
  readonly state: Pick<CommandState, 'digest' | 'caller'>;
}): void {
  // Bulk closes, which no command of its own does.
  const known = verb === 'close' || COMMAND_NAMES.includes(verb);
  const command = known ? verb : 'unknown';
  const { role } = caller;
  const repository = `${ref.owner}/${ref.name}`;
  const from = said && `${said.owner}/${said.name}`;
  log.info(
    { repository, from, number, by: author, role, comment: id, command, outcome, code, digest },
    'command',
  );
}
