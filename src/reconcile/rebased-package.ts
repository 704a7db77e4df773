import { shown } from '../command/arguments.ts';
import type { UpstreamWish } from '../command/draft-request.ts';
import { type Refusal, refuse } from '../command/refusal.ts';
import { withPlace } from '../package/clone.ts';
import { readKptfile, type Kptfile } from '../package/kptfile.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import type { PackageFiles } from '../package/package.ts';
import type { RebaseRecord } from './commit-seal.ts';
import type { DraftSetting } from './draft-content.ts';
import { findUpstream } from './draft-upstream.ts';
import { filesAt } from './package-files.ts';
import { strategyOf } from './update-content.ts';
import { openUpstream } from './upstream.ts';
import { contentMayFlow } from './visibility.ts';

/** Longer, a record would be most of its commit's message. */
const LONGEST_RECORD = 40_000;

export interface RebasedPackage {
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly record: Pick<RebaseRecord, 'kind' | 'to' | 'conflicts' | 'bare'>;
  told(path: string): { readonly title: string; readonly trailers: readonly string[] };
}

/**
 * A package moved onto another upstream: what changed from the upstream that it is locked to, to the one that is
 * wished for, merged into it. The Kptfile is locked there.
 */
export async function rebasedPackage(
  setting: Pick<DraftSetting, 'world' | 'access' | 'asker'>,
  { directory, local }: { readonly directory: string; readonly local: PackageFiles },
  wish: UpstreamWish,
  signal?: AbortSignal,
): Promise<RebasedPackage | Refusal> {
  const { world, access, asker } = setting;
  const file = local.get('Kptfile');
  if (file === undefined) {
    return refuse('no-such-package', `there is no package in ${shown(directory)}`, 'Name a package.');
  }
  const { kptfile } = readKptfile(file.bytes);
  const base = await lockedFiles(setting, kptfile, signal);
  if (!(base instanceof Map)) return base as Refusal;
  const next = await findUpstream(world, access, asker, wish, signal);
  if ('kind' in next) return next;
  const place = { repo: next.repo, directory: `/${next.directory}`, ref: next.ref };
  const upstream = await filesAt(next.git, next.commit, next.directory, signal);
  const strategy = strategyOf(local) ?? 'resource-merge';
  const merged = await world.content.merge({ base, upstream, local, strategy }, signal);
  const bytes = withPlace(
    (merged.files.get('Kptfile') ?? file).bytes,
    { upstream: place, lock: { ...place, commit: next.commit }, strategy },
    kptfile.upstream,
  );
  const fresh = [...merged.files.keys()].filter((path) => !local.has(path) && upstream.has(path));
  const marked = await world.content.markMerged(merged.files, fresh, signal);
  const files = new Map([...marked, ['Kptfile', { mode: file.mode, bytes }] as const]);
  return {
    files,
    conflicts: merged.conflicts,
    record: { kind: 'rebase', to: next.name, ...recorded(merged.conflicts) },
    told: (path) => ({
      title: `Rebase ${path} onto ${next.name}`,
      trailers: [`Rebased-Onto: ${next.name}`],
    }),
  };
}

/** The upstream's files that the package was made from. */
async function lockedFiles(
  { world, access, asker }: Pick<DraftSetting, 'world' | 'access' | 'asker'>,
  kptfile: Kptfile,
  signal: AbortSignal | undefined,
): Promise<PackageFiles | Refusal> {
  const lock = kptfile.upstreamLock?.git;
  if (lock === undefined) {
    return refuse(
      'no-upstream',
      'the package has no upstreamLock, so nobody knows what it was made from',
      'Only a package that was cloned can be moved onto another upstream.',
    );
  }
  const registered = await openUpstream(world, kptfile, signal);
  // What the package was made from is told where it conflicts, and a Kptfile may name anything. What may not come here is
  // as if it were not there.
  const upstream = registered.kind === 'upstream' ? registered.upstream : undefined;
  const from = upstream && { access: upstream.access, facts: await upstream.access.forge.get(signal) };
  if (upstream !== undefined && from !== undefined && (await contentMayFlow(from, asker, signal))) {
    const { baseCommit, directory, access: opened } = upstream;
    if (baseCommit !== null) return filesAt(opened.git, baseCommit, directory, signal);
  } else {
    const plain = lock.directory.replaceAll(/^\/+|(?<!\/)\/+$/g, '') || '.';
    const ref = lock.commit.length === 40 ? lock.commit : lock.ref;
    const wish = { kind: 'url', repo: lock.repo.replace(/\.git$/, ''), directory: plain } as const;
    const byCommit = await findUpstream(world, access, asker, { ...wish, ref }, signal);
    // kpt writes the id of an annotated tag into the lock, which lies on no branch.
    const found =
      'kind' in byCommit
        ? await findUpstream(world, access, asker, { ...wish, ref: lock.ref }, signal)
        : byCommit;
    if (!('kind' in found)) return filesAt(found.git, found.commit, found.directory, signal);
    if (found.code === 'upstream-not-allowed') return found;
  }
  return refuse(
    'base-missing',
    'the commit that the package was made from is not in its upstream any more',
    'Set upstreamLock to a commit that is.',
  );
}

/** With their values where those fit, so that they can be settled by command. */
function recorded(conflicts: readonly Conflict[]): Pick<RebaseRecord, 'conflicts' | 'bare'> {
  if (JSON.stringify(conflicts).length <= LONGEST_RECORD) return { conflicts };
  const bare = conflicts.map(({ id, file, resource, path, taken }) => ({ id, file, resource, path, taken }));
  return { conflicts: bare as Conflict[], bare: true };
}
