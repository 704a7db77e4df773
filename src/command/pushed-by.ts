/** Pure: who has a part in the content of a branch, from what its commits are and who pushed them. */
import type { Author, UnknownAuthor } from './author.ts';
import { compareTimes } from './moment.ts';

/** A branch moved, as the forge tells it. */
export interface Push {
  /** Null where the branch began. */
  readonly before: string | null;
  /** Null where it ended. */
  readonly after: string | null;
  readonly forced: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** Null where the forge names nobody. */
  readonly actor: {
    readonly login: string;
    readonly id?: number | undefined;
    readonly isBot: boolean;
  } | null;
}

export interface BranchCommit {
  readonly oid: string;
  readonly parents: readonly string[];
  /** `ours`: Portico made it. `merge`: it merges the base branch and holds nothing beside what both sides hold. */
  readonly kind: 'ours' | 'merge' | 'other';
}

export interface BranchHistory {
  /** Oldest first; null where the forge does not show them. */
  readonly pushes: readonly Push[] | null;
  /** False where there are older ones that were not read. */
  readonly complete: boolean;
}

export interface BranchContent {
  /** Commits that the branch has and its base has not, in any order. */
  readonly commits: readonly BranchCommit[];
  /** Commits of the base branch at which the branch stood; of those that it stood at before the last of them none is asked. */
  readonly inBase: ReadonlySet<string>;
  /** Portico's own login. */
  readonly bot: string;
  /**
   * For a branch that is not the proposal's: when each commit came to that one. Only who pushed it elsewhere before has
   * a part in it.
   */
  readonly reachedProposalAt?: ReadonlyMap<string, string>;
}

export interface Pushers {
  readonly authors: readonly Author[];
  readonly unknown: readonly UnknownAuthor[];
  /** Commits that some known person pushed, with the time. */
  readonly explained: ReadonlyMap<string, string>;
}

/**
 * Everybody who pushed a commit that is in the content, and, since the branch last stood at its base, everybody who
 * pushed at all: what a forced push took away may have come back in other words.
 */
export function pushersOf({ pushes, complete }: BranchHistory, content: BranchContent): Pushers {
  if (pushes === null) return { authors: [], unknown: ['not-told'], explained: new Map() };
  const own = new Map(content.commits.map((commit) => [commit.oid, commit]));
  const begin = pushes.findLastIndex(
    ({ before, after }) => before === null || after === null || content.inBase.has(after),
  );
  const authors: Author[] = [];
  const unknown: UnknownAuthor[] = complete || begin >= 0 ? [] : ['too-many'];
  const explained = new Map<string, string>();
  for (const [at, push] of pushes.entries()) {
    const brought =
      push.after === null ? [] : broughtBy(push, own).filter(({ oid }) => isFirst(push, oid, content));
    const present = at >= begin && content.reachedProposalAt === undefined;
    if (!hasPart(push, brought, { present, inBase: content.inBase })) continue;
    if (push.actor?.login === content.bot) continue;
    if (push.actor === null || push.actor.isBot) unknown.push('app');
    else {
      authors.push({ login: push.actor.login, id: push.actor.id, because: 'pushed' });
      for (const { oid } of brought) if (!explained.has(oid)) explained.set(oid, push.at);
    }
  }
  return { authors, unknown, explained };
}

/**
 * Whether somebody merged a branch into it by hand of which no one can tell who pushed it. `stood`: the commits at which the branch
 * itself was, and those that another branch explains. `byForge`: merges of other pull requests, whose authors are asked for.
 */
export function isMergedByHand(
  commits: readonly BranchCommit[],
  { stood, byForge }: { readonly stood: ReadonlySet<string>; readonly byForge: ReadonlySet<string> },
): boolean {
  const own = new Map(commits.map((commit) => [commit.oid, commit]));
  return commits.some(({ oid, kind, parents }) => {
    const sides = parents.filter((parent) => own.has(parent));
    // Of a merge of the base, the other side is the branch itself.
    if (kind === 'ours' || byForge.has(oid) || sides.length === 0 || parents.length < 2) return false;
    if (sides.length === 1 && sides[0] === parents[0]) return false;
    return sides.some((side) => own.get(side)?.kind === 'other' && !stood.has(side));
  });
}

/** Commits that somebody made and nobody is known to have pushed. */
export function unexplained(
  commits: readonly BranchCommit[],
  explained: ReadonlyMap<string, unknown>,
): readonly BranchCommit[] {
  return commits.filter(({ oid, kind }) => kind === 'other' && !explained.has(oid));
}

/** In doubt it was first: times are told by the second. */
function isFirst({ at }: Push, oid: string, { reachedProposalAt }: BranchContent): boolean {
  const came = reachedProposalAt?.get(oid);
  return came === undefined || (compareTimes(at, came) ?? -1) <= 0;
}

function hasPart(
  { before, after, forced }: Push,
  brought: readonly BranchCommit[],
  { present, inBase }: { readonly present: boolean; readonly inBase: ReadonlySet<string> },
): boolean {
  if (after === null) return false;
  if (brought.some(({ kind }) => kind !== 'merge')) return true;
  if (!present || inBase.has(after)) return false;
  // What is not in the content any more, a branch put back to where it was, and one that begins at another's commit.
  return forced || before === null || brought.length === 0;
}

/** What the branch got by a push and still has. */
function broughtBy({ before, after }: Push, own: ReadonlyMap<string, BranchCommit>): readonly BranchCommit[] {
  const had = before === null ? new Set<string>() : reachable(before, own);
  return [...reachable(after ?? '', own)].flatMap((oid) => (had.has(oid) ? [] : (own.get(oid) ?? [])));
}

function reachable(from: string, own: ReadonlyMap<string, BranchCommit>): Set<string> {
  const found = new Set<string>();
  const left = [from];
  for (let oid = left.pop(); oid !== undefined; oid = left.pop()) {
    const commit = own.get(oid);
    if (commit === undefined || found.has(oid)) continue;
    found.add(oid);
    left.push(...commit.parents);
  }
  return found;
}
