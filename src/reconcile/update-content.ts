import { readKptfile, withUpstream } from '../package/kptfile.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import type { UpdateStrategy } from '../package/merge/merge-types.ts';
import { mergePackages } from '../package/merge/merge.ts';
import type { PackageFiles } from '../package/package.ts';
import { renderPackage } from '../package/render/render.ts';
import type { Downstream } from './downstream.ts';
import { runtimeFor } from './foreign-functions.ts';
import { loadGuardrails } from './guardrails.ts';
import { publishedRefs, tagOf } from './package-revisions.ts';
import type { Access, World } from './ports.ts';
import { withheld, type Withheld } from './update-target.ts';

/** The package as the update wants it on top of the registered branch. */
export interface Wanted {
  readonly to: string;
  readonly files: PackageFiles;
  readonly local: PackageFiles;
  readonly conflicts: readonly Conflict[];
}

/** Merges the upstream revision into the package, locks it there and renders it. */
export async function updatedPackage(
  world: World,
  down: Downstream,
  to: string,
  signal?: AbortSignal,
): Promise<Wanted | Withheld> {
  const { upstream, access, directory } = down;
  const tag = tagOf(upstream.refs, upstream.directory, to);
  const read = async (from: Access, commit: string, where: string): Promise<PackageFiles | null> =>
    (await from.git.readPackage(commit, where, {}, signal))?.files ?? null;
  const base =
    upstream.baseCommit === null
      ? null
      : await read(upstream.access, upstream.baseCommit, upstream.directory);
  const next = tag === undefined ? null : await read(upstream.access, tag.commit, upstream.directory);
  const local = await read(access, down.base.oid, directory);
  if (base === null || next === null || local === null || tag === undefined) {
    return withheld(
      'base-missing',
      'The commit that this package was made from is not in its upstream any more. Set upstreamLock to a commit that is.',
    );
  }
  const strategy = strategyOf(local);
  const merged = mergePackages({ base, upstream: next, local, ...(strategy && { strategy }) });
  const locked = lockTo(merged.files, down, to, tag.commit);
  const loaded = await loadGuardrails(access.git, down.config, down.base.oid, signal);
  const guardrails = loaded.forPackage(down.path).filter(({ type }) => type === 'mutator');
  const rendered = await renderPackage({
    files: locked,
    runtime: runtimeFor(world.runtime, loaded),
    guardrails,
    ...(signal && { signal }),
  });
  return { to, local, files: rendered.files, conflicts: merged.conflicts };
}

const STRATEGIES: readonly UpdateStrategy[] = [
  'resource-merge',
  'fast-forward',
  'force-delete-replace',
  'copy-merge',
];

/** The strategy that the downstream's Kptfile asks for. */
export function strategyOf(local: PackageFiles): UpdateStrategy | undefined {
  const kptfile = local.get('Kptfile');
  const named = kptfile && readKptfile(kptfile.bytes).kptfile.upstream?.updateStrategy;
  return STRATEGIES.find((known) => known === named);
}

/** The Kptfile says where the package stands now, as kpt writes it. */
function lockTo(files: PackageFiles, { upstream }: Downstream, to: string, commit: string): PackageFiles {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return files;
  const { repo, directory } = upstream.lock;
  const ref = publishedRefs(upstream.directory, to).tag;
  const place = { repo, directory: directory === '.' ? '/' : directory, ref };
  const intent = readKptfile(kptfile.bytes).kptfile.upstream;
  const bytes = withUpstream(kptfile.bytes, {
    upstream: { ...intent, type: 'git', git: place },
    upstreamLock: { type: 'git', git: { ...place, commit } },
  });
  return new Map([...files, ['Kptfile', { mode: kptfile.mode, bytes }]]);
}
