/** What a slash-command is. One verb per file; table.ts lists them. */
import type { Role } from '../config/role.ts';
import type { Accepts, Arguments } from './arguments.ts';
import type { CommandState, PullPlace } from './command-state.ts';
import type { Refusal } from './refusal.ts';
import type { Step } from './step.ts';

/** What to do about a command. `reply` is set only where there is something to read. */
export type Decision =
  | Refusal
  | { readonly kind: 'do'; readonly steps: readonly Step[]; readonly reply?: string };

interface CommandBase {
  readonly name: string;
  /** As in the help, such as `publish [major|minor|patch] [@commit]`. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** Whole lines that work, each with what it does. */
  readonly examples: readonly { readonly line: string; readonly does: string }[];
  readonly accepts: Accepts;
  /** Lowest role that may use it where the configuration says nothing. */
  readonly minimumRole: Role;
  /** Who else may, where the configuration says nothing. */
  readonly mayAlso: readonly 'author'[];
  /** Its first argument may name a package of another repository, see elsewhere.ts: its steps are done where that package is. */
  readonly reachesElsewhere?: true;
  /** True where help shows it first, see fits.ts. Absent where it is one of the rest everywhere. */
  readonly fits?: (state: CommandState) => boolean;
}

export interface PullCommand extends CommandBase {
  readonly contexts: 'pull';
  /** `head`: only while the head is what the caller saw. `content`: only of content that Portico had checked by then. `open`: the pull request must be open. */
  readonly guard: 'content' | 'head' | 'open';
  /** It merges: checks that wait for people are made anew first, and a merge whose end was lost is answered, not refused. */
  readonly merges?: true;
  decide(state: CommandState, args: Arguments, pull: PullPlace): Decision;
}

export interface AnywhereCommand extends CommandBase {
  readonly contexts: 'pull-or-issue' | 'issue';
  /** `none`: answers even where nothing can be done any more. */
  readonly guard: 'content' | 'head' | 'open' | 'none';
  decide(state: CommandState, args: Arguments): Decision;
}

export type Command = PullCommand | AnywhereCommand;

/** Where a command works, for people. */
export const CONTEXTS: Readonly<Record<Command['contexts'], string>> = {
  pull: 'pull requests',
  issue: 'issues',
  'pull-or-issue': 'pull requests and issues',
};

/** Whether it may be used there at all. */
export function worksIn({ contexts }: Command, { kind }: CommandState['place']): boolean {
  return contexts === 'pull-or-issue' || contexts === kind;
}
