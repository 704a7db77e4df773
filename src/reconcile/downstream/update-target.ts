/** Pure: which revision a downstream should be at, or why it is left where it is. */
import { newestInRange } from '../../config/follow.ts';
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';
import type { WITHHELD_REASONS } from './withheld-reason.ts';

export type WithheldReason = keyof typeof WITHHELD_REASONS;

/** An update that is not made: a stable reason and a sentence that says what to do. */
export interface Withheld {
  readonly kind: 'withheld';
  readonly reason: WithheldReason;
  readonly message: string;
  /** The revision that would be brought. */
  readonly to?: string;
  /** The upstream's newest revision when that was decided. */
  readonly newest?: string;
  /** The update pull request that brought the revision which the package is at. */
  readonly merged?: number;
  /** The update pull request that is open meanwhile. */
  readonly pull?: number;
}

export type Target = { readonly kind: 'target'; readonly revision: string } | Withheld;

export interface TargetInput {
  readonly policy: UpdatePolicy;
  /** Somebody asked for this revision by command: the policy is passed over. */
  readonly asked: string | undefined;
  readonly current: string | undefined;
  readonly newest: string | undefined;
  /** All revisions of the upstream that have their tag, oldest first. */
  readonly available: readonly string[];
  /** The revision that a channel of the upstream points at. */
  readonly channel: (name: string) => string | undefined;
}

export function updateTarget(input: TargetInput): Target {
  const wanted = input.asked ?? followed(input);
  if (typeof wanted !== 'string') return wanted;
  if (!input.available.includes(wanted)) {
    return withheld('no-such-revision', `The upstream has no revision ${wanted}.`);
  }
  if (input.current === wanted) return withheld('up-to-date', `It is already at ${wanted}.`);
  if (input.asked === undefined && !mayGoBack(input) && isOlder(wanted, input.current)) {
    return withheld(
      'up-to-date',
      `It is at ${input.current ?? 'another commit'}, which is newer than ${wanted}.`,
    );
  }
  return { kind: 'target', revision: wanted };
}

function followed({ policy: { follow }, newest, available, channel }: TargetInput): string | Withheld {
  switch (follow.kind) {
    case 'none':
      return withheld(
        'not-followed',
        'The configuration does not follow the upstream. Use `/portico update <revision>`.',
      );
    case 'latest':
      return newest ?? withheld('no-revision', 'The upstream has no published revision.');
    case 'pin':
      return follow.revision;
    case 'channel':
      return (
        channel(follow.channel) ??
        withheld('no-channel', `The upstream has no channel ${follow.channel}: no such tag is at a revision.`)
      );
    case 'range':
      return (
        newestInRange(follow.range, available) ??
        withheld('no-revision', `The upstream has no revision in ${follow.range}.`)
      );
  }
}

/** A pin and a channel are told where to be, and from a retired revision there is a way back. */
function mayGoBack({ policy: { follow }, current, available }: TargetInput): boolean {
  if (follow.kind === 'pin' || follow.kind === 'channel') return true;
  return current !== undefined && !available.includes(current);
}

function isOlder(wanted: string, current: string | undefined): boolean {
  const a = parseRevisionName(wanted);
  const b = current === undefined ? undefined : parseRevisionName(current);
  return a !== undefined && b !== undefined && compareRevisions(a, b) < 0;
}

/** An update that is not made, with its stable reason and a sentence for the dashboard. */
export function withheld(reason: WithheldReason, message: string): Withheld {
  return { kind: 'withheld', reason, message };
}
