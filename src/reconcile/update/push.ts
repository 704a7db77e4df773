import type { Account } from '../../command/account.ts';
import { PorticoError } from '../../error.ts';
import type { Conflict } from '../../package/merge/conflict.ts';
import { sameFiles, type PackageFiles } from '../../package/package.ts';
import { isBelow, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { UpdateWay } from '../downstream/channel-target.ts';
import type { Downstream } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import { variantDigest } from '../downstream/variant-content.ts';
import type { FileChanges, Git, RefUpdate, RejectedRef } from '../git-port.ts';
import { conflictKey } from '../merge/open-conflicts.ts';
import type { Wanted } from '../merge/update-content.ts';
import type { Ports } from '../ports.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { filesAt } from '../repository/package-files.ts';
import { isFinal, pushRefused } from '../repository/refused-push.ts';
import { botPerson } from '../seal/bot-commit.ts';
import {
  askersOfUpdate,
  conflictSeal,
  isConflictSeal,
  packagesOf,
  readSealed,
  sealedMessage,
  type UpdateConflict,
  type UpdatedPackage,
  type UpdateRecord,
} from '../seal/update-record.ts';
import { planTitle } from './body.ts';
import { recordedUpdate, type UpdatePlan } from './plan.ts';
import { replayOnUpdate } from './replay-sources.ts';
import { humanCommitRanges, replayHumanCommits } from './replay.ts';
import { withoutDecided } from './settled-before.ts';

/** One package as the update brings it. */
export interface PackageUpdate extends Wanted {
  readonly down: Downstream;
  /** Its conflicts that the pull request lists, and nobody has settled. */
  readonly openConflicts: readonly Conflict[];
  /** How its channel leads there, and what is deprecated. */
  readonly way?: UpdateWay;
  /** It stays as the branch has it, for that reason. */
  readonly keptBecause?: Withheld;
}

/** A commit that is made, and not pushed. */
export interface Staged {
  readonly kind: 'staged';
  /** Null when the branch holds it. */
  readonly push: RefUpdate | null;
  readonly brought: readonly PackageUpdate[];
}

interface Content {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly brought: readonly PackageUpdate[];
}

/** Makes the commit that puts the update on its branch, under what people committed there. */
export async function stageUpdate(
  ports: Ports,
  plan: UpdatePlan,
  wanted: readonly PackageUpdate[],
  signal?: AbortSignal,
): Promise<Staged | Withheld> {
  const { downstreamRepository, head, branch } = plan;
  const { git } = downstreamRepository.access;
  // A branch that was merged, or that nobody has made yet, starts again from the registered branch.
  const fresh = head === null || (await git.isAncestor(head, downstreamRepository.base.oid, signal));
  const content = fresh
    ? await onBase(plan, wanted, signal)
    : await onBranch({ ports, plan, wanted, head, signal });
  if ('kind' in content) return content;
  const { brought, tree, parents } = content;
  const record = recordOf(ports, plan, brought);
  if (head !== null && parents.length === 1) {
    const commit = await git.commit(head, signal);
    const recorded = readSealed(commit, ports.seals);
    const same =
      recorded !== null &&
      JSON.stringify(comparableRecord(recorded)) === JSON.stringify(comparableRecord(record));
    if (same && tree === commit.tree) return { kind: 'staged', push: null, brought };
  }
  const place = { repository: git.repository, tree, parents };
  const message = sealedMessage(planTitle(plan, brought), record, place, ports.seals);
  const committer = botPerson(ports.app);
  const to = await git.commitTree({ tree, parents, message, committer }, signal);
  return { kind: 'staged', push: { ref: `refs/heads/${branch}`, to, expect: head }, brought };
}

/** The conflicts of all packages, as the pull request lists them. */
export function allConflicts(
  { group }: Pick<UpdatePlan, 'group'>,
  brought: readonly PackageUpdate[],
): readonly UpdateConflict[] {
  return brought.flatMap(({ down, conflicts }) =>
    group === undefined ? conflicts : conflicts.map((one) => ({ ...one, directory: down.directory })),
  );
}

/**
 * Moves all these branches in one push; where that is refused, each by itself, so that one does not keep the others. The
 * answer tells for each ref what went wrong.
 */
export async function pushAll(
  git: Git,
  updates: readonly RefUpdate[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, PorticoError>> {
  const failed = new Map<string, PorticoError>();
  if (updates.length === 0) return failed;
  const answer = await git.push(updates, signal);
  if (answer.ok) return failed;
  if (updates.length > 1) {
    for (const update of updates) {
      for (const [ref, error] of await pushAll(git, [update], signal)) failed.set(ref, error);
    }
    return failed;
  }
  const ref = updates[0]?.ref ?? '';
  const [rejected] = answer.rejected;
  return failed.set(ref, pushError(ref, rejected));
}

const ALLOW_UPDATES =
  'Allow the App to push `portico/**`: add it as a bypass actor to the ruleset that forbids it.';

/** The error of a job whose push was not taken: PUSH_REFUSED, or REF_MOVED, after which it runs again. */
export function pushError(ref: string, rejected: RejectedRef | undefined): PorticoError {
  if (rejected !== undefined && isFinal(rejected)) {
    return pushRefused(ref, rejected, ALLOW_UPDATES);
  }
  const message = `${ref} moved while it was updated: ${rejected?.message ?? ''}`;
  return new PorticoError('REF_MOVED', message, { blame: 'forge', retryAfter: 1 });
}

/** What is remembered of an update, without how it comes. */
export function recordOf(ports: Ports, plan: UpdatePlan, brought: readonly PackageUpdate[]): UpdateRecord {
  const { downstreamRepository, branch } = plan;
  const [first, ...others] = brought.map(({ down, to, keptBecause }): UpdatedPackage => {
    const recorded = keptBecause === undefined ? undefined : recordedUpdate(plan, down.directory);
    if (recorded !== undefined) return recorded;
    return {
      directory: down.directory,
      upstream: down.upstreamName,
      to,
      ...(down.planned && { variant: { uid: down.planned.uid, digest: variantDigest(down.planned) } }),
      ...(isAskedFor(plan, { directory: down.directory, to }) && { asked: true }),
    };
  });
  if (first === undefined) throw new Error('an update brings at least one package');
  const key = conflictKey(downstreamRepository.facts.id, branch);
  const conflicts = allConflicts(plan, brought);
  // The same list keeps its seal, though another key signs now: nothing is committed for a new key alone.
  const known = plan.before?.record.conflicts;
  const seal = isConflictSeal(key, conflicts, known, ports.seals)
    ? known
    : conflictSeal(key, conflicts, ports.seals);
  const by = askersOf(plan);
  return {
    ...plain(first),
    base: downstreamRepository.base.oid,
    ...(others.length > 0 && { others: others.map(plain) }),
    ...(seal !== undefined && { conflicts: seal }),
    ...(by.length > 0 && {
      by: by.map(({ login }) => login),
      byIds: by.map(({ id }) => id ?? null),
    }),
  };
}

/** Whether a person asked by command for this very revision, now or while its pull request has been open. */
export function isAskedFor(
  plan: Pick<UpdatePlan, 'candidates' | 'open' | 'before'>,
  { directory, to }: Pick<UpdatedPackage, 'directory' | 'to'>,
): boolean {
  const candidate = plan.candidates.find(({ down }) => down.directory === directory);
  if (candidate?.target.to === to && candidate.target.askedBy !== undefined) return true;
  const recorded = recordedUpdate(plan, directory);
  return recorded?.to === to && recorded.asked === true;
}

/** Who asked for what the update brings, now or while its pull request has been open. */
function askersOf({ candidates, open, before }: UpdatePlan): Account[] {
  const now = candidates.flatMap(({ target }): Account[] =>
    target.to === undefined || target.askedBy === undefined
      ? []
      : [{ login: target.askedBy, id: target.askedById }],
  );
  const standing = open === undefined || before === null ? [] : askersOfUpdate(before.record);
  const all = new Map([...standing, ...now].map((one) => [`${one.login} ${one.id ?? ''}`, one]));
  return [...all.keys()].toSorted().flatMap((key) => all.get(key) ?? []);
}

/** What a record tells of one package, without what it tells of the whole update. */
function plain({ directory, upstream, to, variant, asked }: UpdatedPackage): UpdatedPackage {
  return { directory, upstream, to, ...(variant && { variant }), ...(asked && { asked }) };
}

/** What has to be the same for a branch to hold an update; the base may have moved beside the packages. */
export function comparableRecord(record: UpdateRecord): unknown {
  const packages = packagesOf(record).map(({ directory, to, variant, asked }) => [
    directory,
    to,
    variant?.digest,
    ...(asked === true ? [asked] : []),
  ]);
  return [packages, record.conflicts];
}

async function onBase(
  { downstreamRepository: { access, base } }: UpdatePlan,
  wanted: readonly PackageUpdate[],
  signal: AbortSignal | undefined,
): Promise<Content> {
  const brought = wanted.filter(({ keptBecause }) => keptBecause === undefined);
  const changes = new Map(
    brought.flatMap(({ down, local, files }) => [...changesBetween(down.directory, local, files)]),
  );
  return { tree: await access.git.writeTree(base.oid, changes, signal), parents: [base.oid], brought };
}

async function onBranch({
  ports,
  plan,
  wanted,
  head,
  signal,
}: {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly wanted: readonly PackageUpdate[];
  readonly head: string;
  readonly signal: AbortSignal | undefined;
}): Promise<Content | Withheld> {
  const { downstreamRepository, branch, before, group } = plan;
  const { git } = downstreamRepository.access;
  if (before === null) {
    return withheld(
      'conflict',
      `The branch ${branch} was not created by Portico. Delete it, and Portico creates the update.`,
    );
  }
  const ranges = await humanCommitRanges(ports, git, { base: downstreamRepository.base.oid, head }, signal);
  if (ranges === null) {
    const message = `${branch} has more commits of its own than Portico searches. Merge or close its pull request.`;
    return withheld('conflict', message);
  }
  const brought: PackageUpdate[] = [];
  const desired = new Map<RepositoryDirectory, PackageFiles>();
  for (const one of wanted) {
    const { directory } = one.down;
    const range = { from: downstreamRepository.base.oid, to: head };
    const wish = { directory, to: one.to, files: one.files, standing: one.local };
    const under = one.keptBecause
      ? null
      : await replayOnUpdate({ ports, down: one.down, range, ranges, wish, signal });
    if (under !== null && 'kind' in under) return under;
    if (under !== null) {
      const { sides, ...rest } = one;
      const notes = [...(one.notes ?? []), ...under.notes];
      // The sides of the merge say nothing of what people committed after it.
      const isMerge = sides !== undefined && sameFiles(under.files, one.files);
      const of = { directory, local: one.local, merged: one.files, replayed: under.files };
      const conflicts = await withoutDecided(git, { ...of, conflicts: one.conflicts }, ranges, signal);
      brought.push({ ...rest, ...(isMerge && { sides }), conflicts, notes });
      desired.set(directory, under.files);
      continue;
    }
    const meets = one.keptBecause ?? conflictsWithHumanCommits(branch);
    if (group === undefined) return meets;
    const present = await filesAt(git, head, directory, signal);
    brought.push(...leftUnchanged(plan, one, present, meets));
    desired.set(directory, present);
  }
  if (brought.every(({ keptBecause }) => keptBecause !== undefined))
    return brought[0]?.keptBecause ?? conflictsWithHumanCommits(branch);
  for (const { directory } of packagesOf(before.record)) {
    if (desired.has(directory)) continue;
    // It does not belong to the update any more: what the registered branch has, under what people did.
    const standing = await filesAt(git, downstreamRepository.base.oid, directory, signal);
    const wish = { directory, to: undefined, files: standing, standing };
    const under = await replayHumanCommits({ ports, git, ranges, wish, signal });
    desired.set(directory, under?.files ?? (await filesAt(git, head, directory, signal)));
  }
  const behind = !(await git.isAncestor(downstreamRepository.base.oid, head, signal));
  const onto = behind ? await git.mergeTrees(head, downstreamRepository.base.oid, {}, signal) : null;
  const elsewhere = (onto?.conflicts ?? []).filter(
    (path) => ![...desired.keys()].some((directory) => isBelow(directory, path)),
  );
  if (elsewhere.length > 0) {
    return withheld(
      'conflict',
      `${branch} and the registered branch both changed ${elsewhere.join(', ')}. Merge them by hand.`,
    );
  }
  const changes: [string, FileChanges extends ReadonlyMap<string, infer Change> ? Change : never][] = [];
  for (const [directory, files] of desired) {
    const from = await filesAt(git, onto?.tree ?? head, directory, signal);
    changes.push(...changesBetween(directory, from, files));
  }
  const tree = await git.writeTree(onto?.tree ?? head, new Map(changes), signal);
  return { tree, parents: behind ? [head, downstreamRepository.base.oid] : [head], brought };
}

/** A package of a group that is left where the open pull request has it; one that is not in it yet stays out. */
function leftUnchanged(
  plan: UpdatePlan,
  one: PackageUpdate,
  present: PackageFiles,
  keptBecause: Withheld,
): readonly PackageUpdate[] {
  const to = recordedUpdate(plan, one.down.directory)?.to;
  // What was merged is of the revision that does not come.
  const { sides: _sides, notes: _notes, ...rest } = one;
  return to === undefined ? [] : [{ ...rest, to, files: present, conflicts: one.openConflicts, keptBecause }];
}

function conflictsWithHumanCommits(branch: string): Withheld {
  return withheld(
    'conflict',
    `Commits that people made on ${branch} and the newer revision change the same fields. Publish or close this pull request; the newer revision then gets its own pull request, which lists the conflicts.`,
  );
}
