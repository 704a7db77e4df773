import { shown } from '../../command/arguments.ts';
import type { UpstreamWish } from '../../command/draft-request.ts';
import { type Refusal, refuse } from '../../command/refusal.ts';
import { withPlace } from '../../package/clone.ts';
import type { Kptfile } from '../../package/kptfile-types.ts';
import { readKptfile } from '../../package/kptfile.ts';
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import type { MergeResult } from '../../package/merge/merge-types.ts';
import type { PackageFiles } from '../../package/package.ts';
import { packagePathOf, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { openUpstream } from '../downstream/upstream.ts';
import type { CommitInfo } from '../git-port.ts';
import { withoutFollowing } from '../merge/follow-conflicts.ts';
import { strategyOf } from '../merge/update-content.ts';
import { packageRenderer } from '../render/rendered-package.ts';
import { filesAt } from '../repository/package-files.ts';
import { contentMayFlow } from '../repository/visibility.ts';
import type { RebaseRecord } from '../seal/commit-seal.ts';
import { mergeNotes } from '../text/merge-notes.ts';
import type { DraftSetting } from './setting.ts';
import { findUpstream } from './upstream.ts';

/** Longer, a record would be most of its commit's message. */
const MAX_RECORD_LENGTH = 40_000;

export interface RebasedPackage {
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly record: Pick<RebaseRecord, 'kind' | 'to' | 'conflicts' | 'bare' | 'notes' | 'unpublished'>;
  commitText(name: string): { readonly title: string; readonly trailers: readonly string[] };
}

interface RebaseInput {
  readonly directory: RepositoryDirectory;
  /** Head of the registered branch, whose configuration counts. */
  readonly base: string;
  readonly local: PackageFiles;
}

/**
 * A package moved onto another upstream: what changed from the upstream that it is locked to, to the one that is
 * wished for, merged into it. The Kptfile is locked there.
 */
export async function rebasedPackage(
  setting: Pick<DraftSetting, 'world' | 'access' | 'asker'>,
  { directory, base: registered, local }: RebaseInput,
  wish: UpstreamWish,
  signal?: AbortSignal,
): Promise<RebasedPackage | Refusal> {
  const { world: ports, access, asker } = setting;
  const file = local.get('Kptfile');
  if (file === undefined) {
    return refuse('no-such-package', `${shown(directory)} holds no package`, 'Name a package.');
  }
  const { kptfile } = readKptfile(file.bytes);
  const base = await lockedFiles(setting, kptfile, signal);
  if (!(base instanceof Map)) return base as Refusal;
  const next = await findUpstream({ ports, access, asker, wish, signal });
  if ('kind' in next) return next;
  const place = { repo: next.repo, directory: `/${next.directory}`, ref: next.ref };
  const upstream = await filesAt(next.git, next.commit, next.directory, signal);
  const strategy = strategyOf(local) ?? 'resource-merge';
  const sides = { base, upstream, local, strategy };
  const merged = await ports.content.merge(sides, signal);
  const path = packagePathOf(asker.config.directory, directory) ?? directory;
  const where = { git: access.git, config: asker.config, base: registered, path };
  const render = await packageRenderer(ports, where, signal);
  const { conflicts } = await withoutFollowing(merged.conflicts, merged.files, async (decisions) => {
    const { files } =
      decisions.size === 0 ? merged : await ports.content.merge({ ...sides, decisions }, signal);
    const rendered = await render(files);
    return rendered.ok ? rendered.files : null;
  });
  const bytes = withPlace(
    (merged.files.get('Kptfile') ?? file).bytes,
    { upstream: place, lock: { ...place, commit: next.commit }, strategy },
    kptfile.upstream,
  );
  const fresh = [...merged.files.keys()].filter((path) => !local.has(path) && upstream.has(path));
  const marked = await ports.content.markMerged(merged.files, fresh, signal);
  const files = new Map([...marked, ['Kptfile', { mode: file.mode, bytes }] as const]);
  return {
    files,
    conflicts,
    record: {
      kind: 'rebase',
      to: next.name,
      ...(next.unpublished && { unpublished: next.unpublished }),
      ...recorded(conflicts),
      ...(merged.notes.length > 0 && { notes: mergeNotes(merged.notes) }),
    },
    commitText: (name) => ({
      title: `Rebase ${name} onto ${next.name}`,
      trailers: [`Rebased-Onto: ${next.name}`],
    }),
  };
}

/**
 * The merge of a commit that rebased the package in `directory`, as often as it is asked for, with these conflicts
 * settled; a refusal where its upstreams cannot be read any more. Whoever asked for the rebase is who reads them.
 */
export async function rebaseOf(
  setting: Pick<DraftSetting, 'world' | 'access' | 'asker'>,
  { parents: [parent = ''], oid }: CommitInfo,
  directory: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<Refusal | ((decisions: ReadonlyMap<string, Choice>) => Promise<MergeResult>)> {
  const { access, world: ports } = setting;
  const local = await filesAt(access.git, parent, directory, signal);
  const rebased = await filesAt(access.git, oid, directory, signal);
  const [old, now] = [local, rebased].map((files) => files.get('Kptfile'));
  if (old === undefined || now === undefined) {
    const hint = 'Settle the conflicts with a commit that changes these places.';
    return refuse('no-such-package', `${shown(directory)} holds no package`, hint);
  }
  const base = await lockedFiles(setting, readKptfile(old.bytes).kptfile, signal);
  if (!(base instanceof Map)) return base as Refusal;
  const upstream = await lockedFiles(setting, readKptfile(now.bytes).kptfile, signal);
  if (!(upstream instanceof Map)) return upstream as Refusal;
  const strategy = strategyOf(local) ?? 'resource-merge';
  return (decisions) => ports.content.merge({ base, upstream, local, strategy, decisions }, signal);
}

/** The upstream's files that the package was made from. */
async function lockedFiles(
  { world: ports, access, asker }: Pick<DraftSetting, 'world' | 'access' | 'asker'>,
  kptfile: Kptfile,
  signal: AbortSignal | undefined,
): Promise<PackageFiles | Refusal> {
  const lock = kptfile.upstreamLock?.git;
  if (lock === undefined) {
    return refuse(
      'no-upstream',
      'the package has no upstreamLock, so its origin is unknown',
      'Only a cloned package can be moved to another upstream.',
    );
  }
  const registered = await openUpstream(ports, kptfile, signal);
  // What the package was made from is told where it conflicts, and a Kptfile may name anything. What may not come here is
  // as if it were not there.
  const upstream = registered.kind === 'upstream' ? registered.upstream : undefined;
  const from = upstream && { access: upstream.access, facts: await upstream.access.forge.get(signal) };
  if (upstream !== undefined && from !== undefined && (await contentMayFlow(from, asker, signal))) {
    const { baseCommit, directory, access: opened } = upstream;
    if (baseCommit !== null) return filesAt(opened.git, baseCommit, directory, signal);
  } else {
    const ref = lock.commit.length === 40 ? lock.commit : lock.ref;
    const wish = {
      kind: 'url',
      repo: lock.repo.replace(/\.git$/, ''),
      directory: repositoryDirectory(lock.directory),
    } as const;
    const byCommit = await findUpstream({ ports, access, asker, wish: { ...wish, ref }, signal });
    // kpt writes the id of an annotated tag into the lock, which lies on no branch.
    const found =
      'kind' in byCommit
        ? await findUpstream({ ports, access, asker, wish: { ...wish, ref: lock.ref }, signal })
        : byCommit;
    if (!('kind' in found)) return filesAt(found.git, found.commit, found.directory, signal);
    if (found.code === 'upstream-not-allowed') return found;
  }
  return refuse(
    'base-missing',
    'the commit that the package was cloned from is no longer in its upstream',
    'Set upstreamLock to a commit that exists there.',
  );
}

/** With their values where those fit, so that they can be settled by command. */
function recorded(conflicts: readonly Conflict[]): Pick<RebaseRecord, 'conflicts' | 'bare'> {
  if (JSON.stringify(conflicts).length <= MAX_RECORD_LENGTH) return { conflicts };
  const bare = conflicts.map(({ id, file, resource, path, taken }) => ({ id, file, resource, path, taken }));
  return { conflicts: bare as Conflict[], bare: true };
}
