import { PorticoError } from '../error.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import { mergePackages } from '../package/merge/merge.ts';
import type { PackageFiles } from '../package/package.ts';
import type { Downstream } from './downstream.ts';
import type { FileChanges, Git, RefUpdate } from './git-port.ts';
import { conflictKey } from './open-conflicts.ts';
import type { World } from './ports.ts';
import { changesBetween } from './proposal-render.ts';
import { botPerson } from './render-commit.ts';
import { bundleTitle } from './update-body.ts';
import { saidOf, type Bundle } from './update-bundle.ts';
import type { Wanted } from './update-content.ts';
import {
  conflictSeal,
  packagesOf,
  readSealed,
  sealedMessage,
  type UpdateConflict,
  type UpdatedPackage,
  type UpdateRecord,
} from './update-record.ts';
import { withheld, type Withheld } from './update-target.ts';
import { variantDigest } from './variant-content.ts';

/** One package as the update brings it. */
export interface Brought extends Wanted {
  readonly down: Downstream;
  /** Its conflicts that the pull request lists, and nobody has settled. */
  readonly standing: readonly Conflict[];
  /** It stays as the branch has it, for that reason. */
  readonly stays?: Withheld;
}

/** A commit that is made, and not pushed. */
export interface Staged {
  readonly kind: 'staged';
  /** Null when the branch holds it. */
  readonly push: RefUpdate | null;
  readonly brought: readonly Brought[];
}

interface Content {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly brought: readonly Brought[];
}

/** Makes the commit that puts the update on its branch, under what people committed there. */
export async function stageUpdate(
  world: World,
  bundle: Bundle,
  wanted: readonly Brought[],
  signal?: AbortSignal,
): Promise<Staged | Withheld> {
  const { home, head, branch } = bundle;
  const { git } = home.access;
  // A branch that was merged, or that nobody has made yet, starts again from the registered branch.
  const fresh = head === null || (await git.isAncestor(head, home.base.oid, signal));
  const content = fresh ? await onBase(bundle, wanted, signal) : await onBranch(bundle, wanted, head, signal);
  if ('kind' in content) return content;
  const { brought, tree, parents } = content;
  const record = recordOf(world, bundle, brought);
  if (head !== null && parents.length === 1) {
    const commit = await git.commit(head, signal);
    const said = readSealed(commit, world.hmac);
    const same = said !== null && JSON.stringify(spoken(said)) === JSON.stringify(spoken(record));
    if (same && tree === commit.tree) return { kind: 'staged', push: null, brought };
  }
  const message = sealedMessage(bundleTitle(bundle, brought), record, content, world.hmac);
  const committer = botPerson(world.app);
  const to = await git.commitTree({ tree, parents, message, committer }, signal);
  return { kind: 'staged', push: { ref: `refs/heads/${branch}`, to, expect: head }, brought };
}

/** The conflicts of all packages, as the pull request lists them. */
export function allConflicts(
  { group }: Pick<Bundle, 'group'>,
  brought: readonly Brought[],
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
  const [update] = updates;
  const [rejected] = answer.rejected;
  const message = `${update?.ref ?? ''} moved while it was updated: ${rejected?.message ?? ''}`;
  return failed.set(
    update?.ref ?? '',
    new PorticoError('REF_MOVED', message, { blame: 'forge', retryAfter: 1 }),
  );
}

function recordOf(world: World, bundle: Bundle, brought: readonly Brought[]): UpdateRecord {
  const { home, branch } = bundle;
  const [first, ...others] = brought.map(({ down, to, stays }): UpdatedPackage => {
    const said = stays === undefined ? undefined : saidOf(bundle, down.directory);
    if (said !== undefined) return said;
    return {
      directory: down.directory,
      upstream: down.upstreamName,
      to,
      ...(down.planned && { variant: { uid: down.planned.uid, digest: variantDigest(down.planned) } }),
    };
  });
  if (first === undefined) throw new Error('an update brings at least one package');
  const seal = conflictSeal(conflictKey(home.facts.id, branch), allConflicts(bundle, brought), world.hmac);
  return {
    ...plain(first),
    base: home.base.oid,
    ...(others.length > 0 && { others: others.map(plain) }),
    ...(seal !== undefined && { conflicts: seal }),
  };
}

/** What a record tells of one package, without what it tells of the whole update. */
function plain({ directory, upstream, to, variant }: UpdatedPackage): UpdatedPackage {
  return { directory, upstream, to, ...(variant && { variant }) };
}

/** What has to be the same for a branch to hold an update; the base may have moved beside the packages. */
function spoken(record: UpdateRecord): unknown {
  const packages = packagesOf(record).map(({ directory, to, variant }) => [directory, to, variant?.digest]);
  return [packages, record.conflicts];
}

async function onBase(
  { home: { access, base } }: Bundle,
  wanted: readonly Brought[],
  signal: AbortSignal | undefined,
): Promise<Content> {
  const brought = wanted.filter(({ stays }) => stays === undefined);
  const changes = new Map(
    brought.flatMap(({ down, local, files }) => [...changesBetween(down.directory, local, files)]),
  );
  return { tree: await access.git.writeTree(base.oid, changes, signal), parents: [base.oid], brought };
}

async function onBranch(
  bundle: Bundle,
  wanted: readonly Brought[],
  head: string,
  signal: AbortSignal | undefined,
): Promise<Content | Withheld> {
  const { home, branch, before, group } = bundle;
  const { git } = home.access;
  if (before === null) {
    return withheld('conflict', `The branch ${branch} is not Portico's: delete it, and the update is made.`);
  }
  const sides = await readSides(bundle, wanted, { ours: before.commit.oid, head }, signal);
  const brought: Brought[] = [];
  const desired = new Map<string, PackageFiles>();
  for (const one of wanted) {
    const { directory } = one.down;
    const { ours, present, reverted } = sides(directory);
    // Whoever took an update back off the branch declined that revision, and this is another one.
    const taken = reverted && saidOf(bundle, directory)?.to !== one.to;
    const files = taken ? one.files : underPeoplesCommits({ ours, wanted: one.files, present });
    const meets = one.stays ?? (files === null ? meetsPeople(branch) : undefined);
    if (meets === undefined) brought.push(one);
    else if (group === undefined) return meets;
    else brought.push(...asItStands(bundle, one, present, meets));
    desired.set(directory, meets === undefined && files !== null ? files : present);
  }
  if (brought.every(({ stays }) => stays !== undefined)) return brought[0]?.stays ?? meetsPeople(branch);
  for (const { directory } of packagesOf(before.record)) {
    if (desired.has(directory)) continue;
    // It does not belong to the update any more: what the registered branch has, under what people did.
    const { ours, present, onBase: standing } = sides(directory);
    desired.set(directory, underPeoplesCommits({ ours, wanted: standing, present }) ?? present);
  }
  const behind = !(await git.isAncestor(home.base.oid, head, signal));
  const onto = behind ? await git.mergeTrees(head, home.base.oid, {}, signal) : null;
  const elsewhere = (onto?.conflicts ?? []).filter((path) =>
    [...desired.keys()].every((directory) => directory !== '' && !path.startsWith(`${directory}/`)),
  );
  if (elsewhere.length > 0) {
    return withheld(
      'conflict',
      `${branch} and the registered branch both changed ${elsewhere.join(', ')}: merge by hand.`,
    );
  }
  const changes: [string, FileChanges extends ReadonlyMap<string, infer Change> ? Change : never][] = [];
  for (const [directory, files] of desired) {
    const from = onto === null ? sides(directory).present : await filesAt(git, onto.tree, directory, signal);
    changes.push(...changesBetween(directory, from, files));
  }
  const tree = await git.writeTree(onto?.tree ?? head, new Map(changes), signal);
  return { tree, parents: behind ? [head, home.base.oid] : [head], brought };
}

/** A package of a group that is left where the open pull request has it; one that is not in it yet stays out. */
function asItStands(
  bundle: Bundle,
  one: Brought,
  present: PackageFiles,
  stays: Withheld,
): readonly Brought[] {
  const to = saidOf(bundle, one.down.directory)?.to;
  return to === undefined ? [] : [{ ...one, to, files: present, conflicts: one.standing, stays }];
}

interface Sides {
  /** As our newest commit has it. */
  readonly ours: PackageFiles;
  /** As the branch has it. */
  readonly present: PackageFiles;
  /** As the registered branch has it. */
  readonly onBase: PackageFiles;
  /** The branch has what the update was made from, and our commit has not. */
  readonly reverted: boolean;
}

async function readSides(
  { home: { access, base }, before }: Bundle,
  wanted: readonly Brought[],
  commits: { readonly ours: string; readonly head: string },
  signal: AbortSignal | undefined,
): Promise<(directory: string) => Sides> {
  const { git } = access;
  const known = new Map<string, Sides>();
  const record = before?.record;
  const left = record === undefined ? [] : packagesOf(record);
  for (const directory of new Set([
    ...wanted.map(({ down }) => down.directory),
    ...left.map((one) => one.directory),
  ])) {
    const [was, ours, now] = await Promise.all(
      [record?.base ?? base.oid, commits.ours, commits.head].map((at) => git.treeId(at, directory, signal)),
    );
    known.set(directory, {
      ours: await filesAt(git, commits.ours, directory, signal),
      present: await filesAt(git, commits.head, directory, signal),
      onBase: await filesAt(git, base.oid, directory, signal),
      reverted: was === now && was !== ours,
    });
  }
  const nothing: Sides = { ours: new Map(), present: new Map(), onBase: new Map(), reverted: false };
  return (directory) => known.get(directory) ?? nothing;
}

async function filesAt(
  git: Git,
  commit: string,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<PackageFiles> {
  return (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
}

function meetsPeople(branch: string): Withheld {
  return withheld(
    'conflict',
    `What people committed on ${branch} and the update change the same fields: update the branch by hand, or close it.`,
  );
}

/** The new update with the people's changes on top; null where they meet. */
function underPeoplesCommits(sides: {
  readonly ours: PackageFiles;
  readonly wanted: PackageFiles;
  readonly present: PackageFiles;
}): PackageFiles | null {
  const merged = mergePackages({ base: sides.ours, upstream: sides.wanted, local: sides.present });
  return merged.conflicts.length > 0 ? null : withKptfileOf(merged.files, sides.wanted);
}

/** The lock is the update's business: the merge of Kptfiles leaves it to its caller. */
function withKptfileOf(files: PackageFiles, wanted: PackageFiles): PackageFiles {
  const kptfile = wanted.get('Kptfile');
  return kptfile === undefined ? files : new Map([...files, ['Kptfile', kptfile]]);
}
