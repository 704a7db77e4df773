/** Who approved exactly what was merged, as the forge heard it. */
import type { StageRepository } from '../reconcile/stage-repository.ts';
import type { Audit, Commented, Dismissed, Reviewed } from './audit.ts';
import { movesOf } from './authors.ts';
import { changesBetween, mergeBase, treeAt, type Rules } from './git-facts.ts';
import { commandsIn, mayUse, verbOf } from './said.ts';

/** A change of the registered branch. */
export interface Merge {
  readonly pull: number;
  /** When the branch moved. */
  readonly seq: number;
  readonly before: string;
  readonly after: string;
  /** Only this directory is asked about; absent: everything that changed. */
  readonly directory?: string;
}

interface Approval {
  readonly by: string;
  readonly seq: number;
  readonly step: number;
  readonly head: string;
  readonly base: string;
  readonly how: 'review' | 'comment';
}

/** People who approved what a merge brought and may approve there, authors included; and why others do not count. */
export async function approversOf(
  audit: Audit,
  repository: StageRepository,
  merge: Merge,
  rules: Rules,
): Promise<{ readonly approvers: Set<string>; readonly others: string[] }> {
  const repo = `${repository.owner}/${repository.repo}`;
  const approvers = new Set<string>();
  const others: string[] = [];
  for (const one of standing(audit, repo, merge, rules)) {
    const role = audit.roleOf(one.by, repo);
    if (!mayUse(role, 'approve', rules)) others.push(`${one.by} has the role ${role}`);
    else if (!(await covers(audit, repository, one, merge))) others.push(`${one.by} saw other content`);
    else approvers.add(one.by);
  }
  return { approvers, others };
}

/** What was said and not taken back before the merge. */
function standing(audit: Audit, repo: string, { pull, seq }: Merge, rules: Rules): Approval[] {
  const before = (one: { seq: number; pull: number }): boolean => one.seq < seq && one.pull === pull;
  const reviews = audit.of('reviewed', repo).filter(before);
  const dismissals = audit.of('dismissed', repo).filter(before);
  const commands = commandsIn(audit, repo, seq).filter(before);
  const rejected = commands
    .filter((one) => verbOf(one) === 'reject' && mayUse(one.role, 'reject', rules))
    .map((one) => one.seq);
  const lastRejection = Math.max(-1, ...rejected);
  const given = [
    ...reviews.filter(({ state }) => state === 'APPROVED').map((one) => approval(one, 'review')),
    ...commands.filter((one) => isApproval(one, rules)).map((one) => approval(one, 'comment')),
  ];
  return given.filter(
    (one) =>
      // A rejection in the same step may have come before it.
      (one.seq > lastRejection || audit.events[lastRejection]!.step === one.step) &&
      !reviews.some(
        (other) => other.by === one.by && other.state === 'CHANGES_REQUESTED' && other.seq > one.seq,
      ) &&
      !(one.how === 'review' && dismissals.some((taken) => isOf(taken, one, reviews))),
  );
}

function approval(one: Reviewed | Commented, how: Approval['how']): Approval {
  return { by: one.by, seq: one.seq, step: one.step, head: one.head ?? '', base: one.base ?? '', how };
}

function isApproval(one: Commented, rules: Rules): boolean {
  return verbOf(one) === 'approve' && one.head !== undefined && mayUse(one.role, 'approve', rules);
}

/** A dismissal takes back the review that it names, and earlier ones of that person. */
function isOf(taken: Dismissed, one: Approval, reviews: readonly Reviewed[]): boolean {
  const review = reviews.find(({ id }) => id === taken.review);
  return review !== undefined && review.by === one.by && review.seq >= one.seq && taken.seq > review.seq;
}

/**
 * Whether somebody saw what was merged: every change that the merge made to the registered branch was in the difference
 * that stood there when the approval was given, with the same outcome, and each package as a whole is what it was then.
 * What the bot put on the branch in the same step, as rendering does, counts as seen, until a person moves it again.
 */
async function covers(
  audit: Audit,
  repository: StageRepository,
  one: Approval,
  { pull, before, after, directory }: Merge,
): Promise<boolean> {
  const merged = await changesBetween(repository, before, after, directory);
  const base = await mergeBase(repository, one.head, one.base);
  if (base === null) return false;
  for (const head of [one.head, ...renderedAfter(audit, repository, pull, one)]) {
    const seen = await changesBetween(repository, base, head, directory);
    const changed = [...merged].every(([path, blob]) => seen.has(path) && seen.get(path) === blob);
    const trees = directory === undefined ? ['', ''] : [head, after];
    const [was, is] =
      directory === undefined
        ? trees
        : await Promise.all(trees.map((commit) => treeAt(repository, commit, directory)));
    if (changed && was === is) return true;
  }
  return false;
}

/** Heads that the bot made of what was approved, in the same step and before any person moved the branch. */
function renderedAfter(audit: Audit, repository: StageRepository, pull: number, one: Approval): string[] {
  const repo = `${repository.owner}/${repository.repo}`;
  const opened = audit.of('opened', repo).find((other) => other.pull === pull);
  if (opened === undefined) return [];
  const heads: string[] = [];
  const later = movesOf(audit, opened.headRepo, `refs/heads/${opened.headRef}`).filter(
    ({ seq }) => seq > one.seq,
  );
  for (const move of later) {
    if (!move.isBot || move.step !== one.step || move.after === null) break;
    heads.push(move.after);
  }
  return heads;
}
