import { PorticoError } from '../error.ts';
import { mergePackages } from '../package/merge/merge.ts';
import type { PackageFiles } from '../package/package.ts';
import type { Downstream } from './downstream.ts';
import type { FileChanges } from './git-port.ts';
import { conflictKey } from './open-conflicts.ts';
import type { World } from './ports.ts';
import { changesBetween } from './proposal-render.ts';
import { botPerson } from './render-commit.ts';
import { updateTitle } from './update-body.ts';
import type { Wanted } from './update-content.ts';
import { conflictSeal, newestSealed, readSealed, sealedMessage, type UpdateRecord } from './update-record.ts';
import { withheld, type Withheld } from './update-target.ts';
import { variantDigest } from './variant-content.ts';

/**
 * Puts the update on its branch, under what people committed there; never by force over anybody's commit. Null when the
 * branch holds it.
 */
export async function pushUpdate(
  world: World,
  down: Downstream,
  wanted: Wanted,
  head: string | null,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  const { git } = down.access;
  // A branch that was merged, or that nobody has made yet, starts again from the registered branch.
  const fresh = head === null || (await git.isAncestor(head, down.base.oid, signal));
  const content = fresh
    ? await onBase(down, wanted, signal)
    : await onBranch(world, down, wanted, head, signal);
  if ('kind' in content) return content;
  const conflicts = conflictSeal(conflictKey(down.facts.id, down.branch), wanted.conflicts, world.hmac);
  const record: UpdateRecord = {
    directory: down.directory,
    upstream: down.upstreamName,
    to: wanted.to,
    base: down.base.oid,
    ...(down.planned && { variant: { uid: down.planned.uid, digest: variantDigest(down.planned) } }),
    ...(conflicts !== undefined && { conflicts }),
  };
  if (
    head !== null &&
    content.tree === (await git.commit(head, signal)).tree &&
    content.parents.length === 1
  ) {
    const said = readSealed(await git.commit(head, signal), world.hmac);
    const same = said?.to === wanted.to && said.conflicts === record.conflicts;
    if (same && said.variant?.digest === record.variant?.digest) return null;
  }
  const message = sealedMessage(updateTitle(down, wanted.to), record, content, world.hmac);
  const oid = await git.commitTree({ ...content, message, committer: botPerson(world.app) }, signal);
  const answer = await git.push([{ ref: `refs/heads/${down.branch}`, to: oid, expect: head }], signal);
  if (answer.ok) return null;
  const [rejected] = answer.rejected;
  throw new PorticoError(
    'REF_MOVED',
    `${down.branch} moved while it was updated: ${rejected?.message ?? ''}`,
    {
      blame: 'forge',
      retryAfter: 1,
    },
  );
}

async function onBase(
  { access: { git }, base, directory }: Downstream,
  wanted: Wanted,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: string; readonly parents: readonly string[] }> {
  const changes = changesBetween(directory, wanted.local, wanted.files);
  return { tree: await git.writeTree(base.oid, changes, signal), parents: [base.oid] };
}

async function onBranch(
  world: World,
  down: Downstream,
  wanted: Wanted,
  head: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: string; readonly parents: readonly string[] } | Withheld> {
  const { access, base, directory } = down;
  const { git } = access;
  const ours = await newestSealed(git, head, world.hmac, signal);
  if (ours === null) {
    return withheld(
      'conflict',
      `The branch ${down.branch} is not Portico's: delete it, and the update is made.`,
    );
  }
  const read = async (commit: string): Promise<PackageFiles> =>
    (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
  const present = await read(head);
  const files = await underPeoplesCommits({
    ours: await read(ours.commit.oid),
    wanted: wanted.files,
    present,
  });
  if (files === null) {
    return withheld(
      'conflict',
      `What people committed on ${down.branch} and the update change the same fields: update the branch by hand, or close it.`,
    );
  }
  const behind = !(await git.isAncestor(base.oid, head, signal));
  const onto = behind ? await git.mergeTrees(head, base.oid, {}, signal) : null;
  const elsewhere =
    onto?.conflicts.filter((path) => directory !== '' && !path.startsWith(`${directory}/`)) ?? [];
  if (elsewhere.length > 0) {
    return withheld(
      'conflict',
      `${down.branch} and the registered branch both changed ${elsewhere.join(', ')}: merge by hand.`,
    );
  }
  const from =
    onto === null ? present : ((await git.readPackage(onto.tree, directory, {}, signal))?.files ?? new Map());
  const changes: FileChanges = changesBetween(directory, from, files);
  const tree = await git.writeTree(onto?.tree ?? head, changes, signal);
  return { tree, parents: behind ? [head, base.oid] : [head] };
}

/** The new update with the people's changes on top; null where they meet. */
async function underPeoplesCommits(sides: {
  readonly ours: PackageFiles;
  readonly wanted: PackageFiles;
  readonly present: PackageFiles;
}): Promise<PackageFiles | null> {
  const merged = mergePackages({ base: sides.ours, upstream: sides.wanted, local: sides.present });
  return merged.conflicts.length > 0 ? null : withKptfileOf(merged.files, sides.wanted);
}

/** The lock is the update's business: the merge of Kptfiles leaves it to its caller. */
function withKptfileOf(files: PackageFiles, wanted: PackageFiles): PackageFiles {
  const kptfile = wanted.get('Kptfile');
  return kptfile === undefined ? files : new Map([...files, ['Kptfile', kptfile]]);
}
