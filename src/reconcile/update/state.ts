/**
 * Pure: the parts of an update's body that follow its state: the first lines, the last ones, and the local changes, which
 * are removed when the branch has other content. The rest is about the upstream revision and the merge, and stays true. The difference itself
 * is in the comment alone, which each look writes again.
 */

import type { Conflict } from '../../package/merge/conflict.ts';
import { counted, isOrAre } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import { markedPart, withPart } from '../../text/marked-part.ts';
import { revisionsText, upstreamText } from '../../text/revision-text.ts';
import { scrubSecrets } from '../../text/secrets.ts';
import type { PublishedRevision } from '../review/published-proposal.ts';
import { code, conflictTable } from '../text/markdown-blocks.ts';

/** A conflict as the table of a pull request shows it; in a group its file is told from the top of the repository. */
export interface ShownConflict extends Conflict {
  readonly number: number;
}

/** What a package is published as once the update is merged. */
export interface Publishes {
  readonly path: string;
  /** The newest revision here. */
  readonly newest?: string;
  readonly revision: string;
  /** Revision of the upstream. */
  readonly from: string;
}

export type UpdateState =
  | {
      readonly kind: 'open';
      readonly publishes: readonly Publishes[];
      readonly conflicts: { readonly open: readonly ShownConflict[]; readonly listed: number };
      /** Commits of people or decisions are on top of the merge whose local changes the body lists. */
      readonly isChanged?: boolean;
      /** Packages whose updates are paused, and by whom. */
      readonly paused: readonly { readonly path: string; readonly by: string }[];
      /** Name of the group that is updated together. */
      readonly group?: string;
      /** Markdown: the rollout that holds it, and why. */
      readonly held?: string;
    }
  /** `revisions` is null where they are still to come. */
  | { readonly kind: 'merged'; readonly revisions: readonly PublishedRevision[] | null }
  /** Merged without the approvals that it needed: these packages have no revision of it. */
  | { readonly kind: 'unapproved'; readonly paths: readonly string[] }
  /** `why` where Portico closed it; it brings nothing where its branch no longer held the update. */
  | {
      readonly kind: 'closed';
      readonly brings: readonly Omit<Publishes, 'revision' | 'newest'>[];
      readonly why?: string;
      /** As for an open one. */
      readonly isChanged: boolean;
    };

/** The parts of a body, to be put where they belong. */
export interface StateParts {
  readonly first: string;
  readonly last: string;
}

const PARTS = ['first', 'last'] as const;
/** Conflicts that the table shows; the check has all. */
const MAX_CONFLICTS = 20;

/** The local changes as Portico merged them; other commits on the branch make them untrue. */
export const KEPT_PART = 'kept';

const POINTER = "What this changes is in Portico's comment below, which follows the branch.";

/** The parts with marks around them, so that they are found again. */
export function stateParts(state: UpdateState): StateParts {
  const { first, last } = textsOf(state);
  return { first: markedPart('first', first), last: markedPart('last', last) };
}

/** The body with what is so now; one in which somebody took the marks out stays as it is. */
export function withState(body: string, state: UpdateState): string {
  const parts = textsOf(state);
  // Line ends as the forge gives them back.
  const plain = body.replaceAll('\r\n', '\n');
  const followed = PARTS.reduce((text, part) => withPart(text, part, parts[part]), plain);
  const mayHold = state.kind === 'open' || state.kind === 'closed';
  const isAsMerged = mayHold && state.isChanged !== true;
  const now = isAsMerged ? followed : withPart(followed, KEPT_PART, '');
  return now === plain ? body : now;
}

function textsOf(state: UpdateState): StateParts {
  // As the client writes it: what is compared with what the forge holds must not differ by that.
  return { first: scrubSecrets(firstOf(state)), last: scrubSecrets(lastOf(state)) };
}

function firstOf(state: UpdateState): string {
  switch (state.kind) {
    case 'open':
      return joined([
        heldText(state),
        conflictsText(state.conflicts),
        pausedText(state),
        willBe(state.publishes),
        POINTER,
      ]);
    case 'merged':
      return mergedText(state.revisions);
    case 'unapproved':
      return `**Merged without the required approvals**, so there is no revision of ${state.paths.map(code).join(', ')}. The next approved proposal that changes the package publishes this content with it.`;
    case 'closed':
      return closedText(state);
  }
}

function lastOf(state: UpdateState): string {
  if (state.kind !== 'open') return '';
  const { group, publishes, paused } = state;
  const path = publishes[0]?.path ?? '';
  if (group !== undefined) {
    return `Commits that you push to this branch are kept. To decline all of these revisions, close the pull request. To decline one package, revert its changes in a commit, or comment ${code(`/portico pause ${path}`)}, which removes it from the group's update. \`/portico update <package>@<revision>\` brings another revision of a package.`;
  }
  const pause = paused.length > 0 ? '' : ` ${code(`/portico pause ${path}`)} stops updates of this package.`;
  return `Commits that you push to this branch are kept. To decline this revision, close the pull request.${pause} \`/portico update <revision>\` brings another one.`;
}

function heldText({ held }: Extract<UpdateState, { kind: 'open' }>): string {
  return held === undefined ? '' : `${held} **Do not merge it now**; Portico's comment says what to do.`;
}

function conflictsText({ open, listed }: Extract<UpdateState, { kind: 'open' }>['conflicts']): string {
  if (listed === 0) return '';
  if (open.length === 0) {
    return listed === 1 ? '**The only conflict is settled.**' : `**All ${listed} conflicts are settled.**`;
  }
  const settled = listed - open.length;
  const count = counted(open.length, 'conflict');
  const rest = settled <= 0 ? '' : ` (${settled} of ${listed} ${isOrAre(settled)} settled)`;
  return `**${count}${rest}:** upstream and this repository changed the same fields or lines. ${held(open)} Settle each conflict with \`/portico resolve <number> upstream\` or \`local\`, or commit the value that you want.\n\n${conflictTable(open, MAX_CONFLICTS)}`;
}

/** Whose values the branch has for now: where something whole was removed or replaced it may be local's. */
function held(open: readonly ShownConflict[]): string {
  const isUpstream = open.every(({ taken }) => taken === 'upstream');
  return isUpstream
    ? "The branch has upstream's value."
    : 'The column "taken" names the side that the branch has.';
}

function pausedText({ paused, held }: Extract<UpdateState, { kind: 'open' }>): string {
  const merged = held === undefined ? ' If you merge it, it is published as it is.' : '';
  return paused
    .map(
      ({ path, by }) =>
        `**Paused** by ${code(by)}: newer upstream revisions are not added to this pull request. Resume with ${code(`/portico resume ${path}`)}.${merged}`,
    )
    .join('\n\n');
}

function willBe(publishes: readonly Publishes[]): string {
  const each = publishes.map(({ path, newest, revision, from }) =>
    revisionsText({ path, upstream: { to: from }, here: { from: newest, to: revision } }, code),
  );
  return each.length === 0 ? '' : `After the merge, ${each.join('; ')}.`;
}

function mergedText(revisions: readonly PublishedRevision[] | null): string {
  if (revisions === null) return '**Merged.** Its revision will be published shortly.';
  if (revisions.length === 0) return '**Merged.** No package changed, so there is no new revision.';
  const each = revisions.map(({ path, revision, url, retired }) => {
    const name = code(`${path}@${revision}`);
    return retired === true ? `${name} (retired since)` : `[${name}](${url})`;
  });
  const without = revisions.some(({ unapproved }) => unapproved === true)
    ? ', without the required approvals'
    : '';
  return `**Merged and published here** as ${each.join(', ')}${without}.`;
}

function closedText({ brings, why }: Extract<UpdateState, { kind: 'closed' }>): string {
  if (why !== undefined) return `**Closed by Portico.** ${why}`;
  const [first] = brings;
  if (first === undefined) {
    return '**Closed**: its branch no longer held the update. While it is due, Portico proposes it again in a new pull request.';
  }
  const each = brings.map(({ path, from }) => `${upstreamText(from, code)} of ${code(path)}`).join(', ');
  const again = code(`/portico update ${first.path}@${first.from}`);
  return `**Closed**: ${each} will not be proposed again. To undo this, reopen the pull request, or comment ${again} in an issue. Newer revisions will still be proposed.`;
}
