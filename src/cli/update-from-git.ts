import { PorticoError } from '../error.ts';
import { readResourceFile } from '../package/diff/resource-file.ts';
import type { GitLocation, Kptfile } from '../package/kptfile-types.ts';
import { readKptfile, withUpstream } from '../package/kptfile.ts';
import { withMergeMarkers } from '../package/merge-marker.ts';
import type { MarkedResource } from '../package/merge-marker.ts';
import type { Choice, Side } from '../package/merge/conflict.ts';
import type { MergeResult, UpdateStrategy } from '../package/merge/merge-types.ts';
import { mergePackages } from '../package/merge/merge.ts';
import { filesBelow } from '../package/package.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { remoteSubpackages } from '../package/remote-subpackages.ts';
import { withoutEnd } from '../text/ends.ts';
import { fetchPackage } from './fetch-package.ts';
import type { Update } from './merged-update.ts';
import { strategyOf } from './strategy.ts';
import type { Terminal } from './terminal.ts';
import type { UpstreamReader } from './user-git.ts';

export interface GitUpdate {
  readonly directory: string;
  /** The revision to move to; the Kptfile's own ref when absent. */
  readonly ref: string | undefined;
  /** Wins over the Kptfile's and is stored in it. */
  readonly strategy: UpdateStrategy | undefined;
  readonly onConflict: Side;
  /** Conflicts that are settled, by id. */
  readonly decisions: ReadonlyMap<string, Choice>;
  readonly terminal: Terminal;
}

/**
 * Updates a package from the upstream that its Kptfile names, then its subpackages that have an upstream of their
 * own; those that came from the same revision of the same repository move along with it, as in kpt. Throws
 * `UPSTREAM_MISSING`, and what fetching and merging throw.
 */
export async function updateFromGit(
  git: UpstreamReader,
  before: PackageFiles,
  request: GitUpdate,
): Promise<Update> {
  const root = originOf(before, request.directory);
  const ref = request.ref ?? root.upstream.ref;
  const first = await updateOne(
    git,
    before,
    { ...root, ref, strategy: request.strategy ?? root.strategy },
    request,
  );
  let files = first.files;
  const conflicts = [...first.conflicts];
  const notes = [...first.notes];
  // Stray is what no merge has a conflict for.
  let { strayDecisions } = first;

  for (const [below, sub] of remoteSubpackages(files)) {
    const own = filesBelow(files, below);
    const along = movesAlong(sub.upstream, root.upstream);
    const subRef = along ? ref : sub.upstream.ref;
    const strategy = along && request.strategy !== undefined ? request.strategy : strategyOf(sub.strategy);
    const updated =
      sub.upstreamLock === undefined
        ? await fetchNew({
            git,
            local: own,
            upstream: { ...sub.upstream, ref: subRef },
            copy: { name: sub.name, strategy },
            request,
          })
        : await updateOne(
            git,
            own,
            { upstream: sub.upstream, base: sub.upstreamLock.commit, ref: subRef, strategy },
            request,
          );
    files = replaceBelow(files, below, updated.files);
    strayDecisions = strayDecisions.filter((id) => updated.strayDecisions.includes(id));
    conflicts.push(
      ...updated.conflicts.map((conflict) => ({ ...conflict, file: `${below}/${conflict.file}` })),
    );
    notes.push(...updated.notes.map((note) => ({ ...note, file: `${below}/${note.file}` })));
  }
  return { files, conflicts, notes, strayDecisions };
}

interface Target {
  readonly upstream: GitLocation;
  /** The commit of upstreamLock; undefined where there is none, and then everything counts as added on both sides. */
  readonly base: string | undefined;
  readonly ref: string;
  readonly strategy: UpdateStrategy;
}

/** What the Kptfile of a package says of its upstream. Throws `KPTFILE_MISSING`, `UPSTREAM_REFUSED` and `UPSTREAM_MISSING`. */
export function originOf(
  files: PackageFiles,
  directory: string,
): Omit<Target, 'ref'> & { readonly kptfile: Kptfile } {
  const file = files.get('Kptfile');
  if (file === undefined) {
    throw new PorticoError('KPTFILE_MISSING', `there is no Kptfile in ${directory}`, {
      blame: 'user',
      hint: 'Name the directory of a package.',
    });
  }
  const { kptfile, problems } = readKptfile(file.bytes);
  const upstream = kptfile.upstream?.git;
  const unusable = problems.find(({ path }) => path === 'upstream.git.repo');
  if (unusable !== undefined) {
    throw new PorticoError('UPSTREAM_REFUSED', `the Kptfile in ${directory}: ${unusable.message}`, {
      blame: 'user',
      hint: 'Fix the address in the Kptfile and try again.',
    });
  }
  if (upstream === undefined) {
    throw new PorticoError('UPSTREAM_MISSING', `the Kptfile in ${directory} has no git upstream`, {
      blame: 'user',
      hint: 'Packages copied with portico get have one. For others, name what to compare (portico diff A B) or to merge (portico update with --base, --upstream, --local and --output).',
    });
  }
  return {
    kptfile,
    upstream,
    base: kptfile.upstreamLock?.git?.commit,
    strategy: strategyOf(kptfile.upstream?.updateStrategy),
  };
}

async function updateOne(
  git: UpstreamReader,
  local: PackageFiles,
  target: Target,
  request: GitUpdate,
): Promise<Update> {
  const { repo, directory } = target.upstream;
  const { terminal, onConflict, decisions } = request;
  terminal.progress(`fetching ${withoutEnd(repo, '/')}${directory}@${target.ref}`);
  const found = await git.resolve(repo, directory, target.ref);
  await git.fetch(repo, target.base === undefined ? [found.commit] : [found.commit, target.base]);
  const [upstream, base] = await Promise.all([
    git.read(repo, directory, found.commit),
    // Without a lock there is no base, and what both sides have was added by both.
    target.base === undefined ? undefined : git.read(repo, directory, target.base),
  ]);

  terminal.progress('merging');
  const merged = mergePackages({
    base: base?.files ?? new Map<string, PackageFile>(),
    upstream: upstream.files,
    local,
    strategy: target.strategy,
    onConflict,
    decisions,
  });
  const files = new Map(withNewMarked(merged, local));
  const kptfile = files.get('Kptfile');
  if (kptfile !== undefined) {
    const bytes = withUpstream(kptfile.bytes, {
      upstream: { type: 'git', git: { repo, directory, ref: target.ref }, updateStrategy: target.strategy },
      upstreamLock: { type: 'git', git: { repo, directory, ref: found.ref, commit: upstream.commit } },
    });
    files.set('Kptfile', { mode: kptfile.mode, bytes });
  }
  return { ...merged, files };
}

/** Marks the resources that came with this update; those that were there keep their text. */
function withNewMarked({ files, changed }: MergeResult, local: PackageFiles): PackageFiles {
  const touched = new Set(changed);
  const known = new Set<string>();
  for (const path of changed) {
    const file = local.get(path);
    const read = file === undefined ? { reason: undefined } : readResourceFile(path, file);
    if ('resources' in read) for (const { ref } of read.resources) known.add(nameOf(ref));
  }
  return withMergeMarkers(
    files,
    (path, resource) => touched.has(path) && (resource === undefined || !known.has(nameOf(resource))),
  );
}

function nameOf({ kind, namespace, name }: MarkedResource): string {
  return [kind, namespace, name].join('\n');
}

/** A subpackage that only pointed at its upstream: what is there is merged with what is fetched. */
async function fetchNew({
  git,
  local,
  upstream,
  copy,
  request: { terminal, onConflict, decisions },
}: {
  readonly git: UpstreamReader;
  readonly local: PackageFiles;
  readonly upstream: GitLocation;
  readonly copy: { readonly name: string; readonly strategy: UpdateStrategy };
  readonly request: GitUpdate;
}): Promise<Update> {
  const fetched = await fetchPackage({ git, origin: upstream, copy, terminal, depth: 1 });
  const merged = mergePackages({ base: new Map(), upstream: fetched, local, onConflict, decisions });
  const kptfile = fetched.get('Kptfile');
  const files = new Map(merged.files);
  const own = files.get('Kptfile');
  if (kptfile !== undefined && own !== undefined) {
    const lock = readKptfile(kptfile.bytes).kptfile.upstreamLock;
    if (lock !== undefined)
      files.set('Kptfile', { ...own, bytes: withUpstream(own.bytes, { upstreamLock: lock }) });
  }
  return { ...merged, files };
}

function movesAlong(sub: GitLocation, root: GitLocation): boolean {
  const prefix = root.directory.endsWith('/') ? root.directory : `${root.directory}/`;
  return sub.repo === root.repo && sub.ref === root.ref && sub.directory.startsWith(prefix);
}

function replaceBelow(files: PackageFiles, below: string, updated: PackageFiles): PackageFiles {
  const outside = [...files].filter(([path]) => !path.startsWith(`${below}/`));
  return new Map([...outside, ...[...updated].map(([path, file]) => [`${below}/${path}`, file] as const)]);
}
