import type { GitLocation } from '../../package/kptfile-types.ts';
import { readKptfile, withUpstream } from '../../package/kptfile.ts';
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import { UPDATE_STRATEGIES, type MergeNote, type UpdateStrategy } from '../../package/merge/merge-types.ts';
import type { PackageFiles } from '../../package/package.ts';
import { repositoryDirectory, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Downstream } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import { asVariant, likeVariant } from '../downstream/variant-content.ts';
import type { PlannedVariant } from '../downstream/variant-plan.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { packageRenderer } from '../render/rendered-package.ts';
import { filesAt } from '../repository/package-files.ts';
import { publishedRefs, tagOf } from '../repository/package-revisions.ts';
import type { SourceReport } from '../source-port.ts';
import { withoutFollowing } from './follow-conflicts.ts';

/** The package as the update wants it on top of the registered branch. */
export interface Wanted {
  readonly to: string;
  readonly files: PackageFiles;
  readonly local: PackageFiles;
  readonly conflicts: readonly Conflict[];
  /** Conflicts in fields that functions write: they are settled with those that they follow from. */
  readonly following?: readonly Conflict[];
  /** What the merge decided by itself, and tells. */
  readonly notes?: readonly MergeNote[];
  /** The upstream revisions that were merged; absent where nothing was. */
  readonly sides?: UpstreamSides;
  /** Where sources are renewed: what that does, and what processors left out. */
  readonly source?: SourceReport & { readonly left: readonly string[] };
}

interface UpstreamSides {
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
}

/** Merges the upstream revision into the package, locks it there and renders it. */
export async function updatedPackage(
  ports: Ports,
  down: Downstream,
  to: string,
  signal?: AbortSignal,
): Promise<Wanted | Withheld> {
  const made = await decidedUpdate(ports, down, to, signal);
  if ('kind' in made) return made;
  const first = await made(NONE);
  if ('kind' in first) return first;
  const sorted = await withoutFollowing(first.conflicts, first.merged, async (decisions) => {
    const now = decisions.size === 0 ? first : await made(decisions);
    return 'kind' in now || !now.ok ? null : now.files;
  });
  const { local, files, sides, notes } = first;
  return { to, local, files, ...sorted, ...(notes && { notes }), ...(sides && { sides }) };
}

/** An update with conflicts settled, rendered. */
interface DecidedUpdate {
  readonly files: PackageFiles;
  /** False where a function failed. */
  readonly ok: boolean;
  /** As it was before it was rendered. */
  readonly merged: PackageFiles;
  readonly local: PackageFiles;
  /** All that are not settled, in fields that functions write too. */
  readonly conflicts: readonly Conflict[];
  readonly notes?: readonly MergeNote[];
  readonly sides?: UpstreamSides;
}

const NONE: ReadonlyMap<string, Choice> = new Map();

/** The update as often as it is asked for, with these conflicts settled: what it is made of is read once. */
export async function decidedUpdate(
  ports: Ports,
  down: Downstream,
  to: string,
  signal?: AbortSignal,
): Promise<Withheld | ((decisions: ReadonlyMap<string, Choice>) => Promise<DecidedUpdate | Withheld>)> {
  const { upstream, access, directory, config, base, path } = down;
  const tag = tagOf(upstream.refs, upstream.directory, to);
  if (tag === undefined) return withheld('no-such-revision', `The upstream has no revision ${to}.`);
  const local = await filesAt(access.git, base.oid, directory, signal);
  const merge = down.exists
    ? await mergedPackage({ ports, down, to, commit: tag.commit, local, signal })
    : await newPackage({ ports, down, to, commit: tag.commit, local, signal });
  if ('kind' in merge) return merge;
  const render = await packageRenderer(ports, { git: access.git, config, base: base.oid, path }, signal);
  return async (decisions) => {
    const made = await merge(decisions);
    const own =
      down.planned === undefined
        ? made
        : await kept({ ports, made, planned: down.planned, fresh: down.fresh, signal });
    if ('kind' in own) return own;
    const { ok, files } = await render(own.files);
    const { conflicts, notes, sides } = made;
    return {
      files,
      ok,
      merged: made.files,
      local,
      conflicts,
      ...(notes && { notes }),
      ...(sides && { sides }),
    };
  };
}

interface Made {
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly notes?: readonly MergeNote[];
  readonly sides?: UpstreamSides;
}

type Merge = (decisions: ReadonlyMap<string, Choice>) => Promise<Made>;

/** What is to be merged into a downstream package. */
interface MergeRequest {
  readonly ports: Pick<Ports, 'content'>;
  readonly down: Downstream;
  readonly to: string;
  readonly commit: string;
  readonly local: PackageFiles;
  readonly signal: AbortSignal | undefined;
}

/** The upstream's revision merged into the package; one that is at that revision stays as it is. */
async function mergedPackage({
  ports: { content },
  down,
  to,
  commit,
  local,
  signal,
}: MergeRequest): Promise<Merge | Withheld> {
  const { upstream, planned } = down;
  if (planned !== undefined && upstream.current === to) return async () => ({ files: local, conflicts: [] });
  const from = upstream.base ?? upstream;
  const base =
    upstream.baseCommit === null
      ? null
      : await packageAt(from.access, upstream.baseCommit, from.directory, signal);
  const next = await packageAt(upstream.access, commit, upstream.directory, signal);
  if (base === null || next === null) {
    return withheld(
      'base-missing',
      'The commit that this package was cloned from is no longer in its upstream. Set upstreamLock to a commit that exists there.',
    );
  }
  const like = async (files: PackageFiles): Promise<PackageFiles> =>
    planned === undefined ? files : likeVariant(content, files, planned, signal);
  const strategy = strategyOf(local);
  const sides = { base: await like(base), upstream: await like(next) };
  return async (decisions) => {
    const merged = await content.merge({ ...sides, local, ...(strategy && { strategy }), decisions }, signal);
    const { conflicts, notes } = merged;
    return { files: lockTo(merged.files, down, to, commit), conflicts, notes, sides };
  };
}

/** The upstream's revision as a package of its own, beside what stands in its directory. */
async function newPackage({
  ports: { content },
  down,
  to,
  commit,
  local,
  signal,
}: MergeRequest): Promise<Merge | Withheld> {
  const { upstream, path, config } = down;
  const next = await packageAt(upstream.access, commit, upstream.directory, signal);
  if (next === null) return withheld('base-missing', `The upstream has no package at its revision ${to}.`);
  const place = placeOf(down, to);
  const options = {
    name: path.split('/').at(-1) ?? path,
    upstream: place,
    lock: { ...place, commit },
    strategy: 'resource-merge',
    deployment: config.deployment || next.has('package-context.yaml'),
  };
  const files = await content.clone(next, options, signal);
  return async () => ({ files: new Map([...local, ...files]), conflicts: [] });
}

async function kept({
  ports: { content },
  made,
  planned,
  fresh,
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly made: Made;
  readonly planned: PlannedVariant;
  readonly fresh: boolean;
  readonly signal: AbortSignal | undefined;
}): Promise<Made | Withheld> {
  const own = await asVariant({ content, files: made.files, planned, options: { fresh }, signal });
  return own.ok
    ? { ...made, files: own.value }
    : withheld('variant-error', `The variant ${planned.name} cannot be applied: ${own.message}.`);
}

/** Null where there is no such directory: nothing can be brought then. */
async function packageAt(
  { git }: Pick<RepositoryAccess, 'git'>,
  commit: string,
  directory: RepositoryDirectory,
  signal: AbortSignal | undefined,
): Promise<PackageFiles | null> {
  return (await git.readPackage(commit, directory, {}, signal))?.files ?? null;
}

/** The strategy that the downstream's Kptfile asks for. */
export function strategyOf(local: PackageFiles): UpdateStrategy | undefined {
  const kptfile = local.get('Kptfile');
  const named = kptfile && readKptfile(kptfile.bytes).kptfile.upstream?.updateStrategy;
  return UPDATE_STRATEGIES.find((known) => known === named);
}

/** The Kptfile says where the package stands now, as kpt writes it. */
function lockTo(files: PackageFiles, down: Downstream, to: string, commit: string): PackageFiles {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return files;
  const place = placeOf(down, to);
  const { upstream: intent, upstreamLock: lock } = readKptfile(kptfile.bytes).kptfile;
  const bytes = withUpstream(kptfile.bytes, {
    upstream: { ...intent, type: 'git', git: asWritten(place, intent?.git) },
    upstreamLock: { type: 'git', git: { ...asWritten(place, lock?.git), commit } },
  });
  return new Map([...files, ['Kptfile', { mode: kptfile.mode, bytes }]]);
}

/** The place in the words that stand there already, where these mean it: `/web` stays `/web`. */
function asWritten(place: GitLocation, before: GitLocation | undefined): GitLocation {
  if (before === undefined) return place;
  const { repo, directory } = before;
  return {
    repo: plainAddress(repo) === plainAddress(place.repo) ? repo : place.repo,
    directory:
      repositoryDirectory(directory) === repositoryDirectory(place.directory) ? directory : place.directory,
    ref: place.ref,
  };
}

function plainAddress(url: string): string {
  return url.replace(/\.git$/, '');
}

function placeOf({ upstream }: Downstream, to: string): GitLocation {
  const { repo, directory } = upstream.lock;
  const ref = publishedRefs(upstream.directory, to).tag;
  return { repo, directory: directory === TOP ? '/' : directory, ref };
}
