/** Where help shows a command first: where it would do something as things are, as far as that is known without arguments. */
import { parseBranch } from '../revision/ref-name.ts';
import type { Arguments } from './arguments.ts';
import type { CommandState, PullPlace } from './command-state.ts';
import type { Command } from './command.ts';

const NOTHING_GIVEN: Arguments = { positional: [], options: new Map(), values: new Map(), text: '' };

/** In an issue people start things. */
export function isIssue({ place }: Pick<CommandState, 'place'>): boolean {
  return place.kind === 'issue';
}

/** The pull request, while it is open. */
export function openPull({ place }: Pick<CommandState, 'place'>): PullPlace | undefined {
  return place.kind === 'pull' && place.state === 'open' && !place.merged ? place : undefined;
}

export function isMergedPull({ place }: Pick<CommandState, 'place'>): boolean {
  return place.kind === 'pull' && place.merged;
}

/** An open draft whose branch can be pushed to, and which no update is going to overwrite. */
export function isOwnDraft(state: Pick<CommandState, 'place'>): boolean {
  const pull = openPull(state);
  return pull?.draft === true && !pull.fork && !isUpdate(pull);
}

/** The open pull request of an update. */
export function isOpenUpdate(state: Pick<CommandState, 'place'>): boolean {
  const pull = openPull(state);
  return pull !== undefined && isUpdate(pull);
}

/** True in an open pull request where the command, written without arguments, would not be refused. */
export function wouldAct(command: Command, state: CommandState): boolean {
  const pull = openPull(state);
  if (pull === undefined) return false;
  const decision =
    command.contexts === 'pull'
      ? command.decide(state, NOTHING_GIVEN, pull)
      : command.decide(state, NOTHING_GIVEN);
  return decision.kind === 'do';
}

function isUpdate({ headRef }: PullPlace): boolean {
  return parseBranch(headRef)?.kind === 'update';
}
