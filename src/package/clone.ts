/** A package as a new downstream of another, as `kpt pkg get` makes it. */
import { packageContext } from './init.ts';
import type { GitLocation, Upstream } from './kptfile-types.ts';
import { withName, withUpstream } from './kptfile.ts';
import { withMergeMarkers } from './merge-marker.ts';
import { MERGE_FILE } from './merge/local-owns.ts';
import type { PackageFiles } from './package.ts';

export interface CloneOptions {
  /** Name of the copy. */
  readonly name: string;
  /** What the copy follows; `directory` starts with `/`. */
  readonly upstream: GitLocation;
  /** Where it stands: a ref, and the commit behind it. */
  readonly lock: GitLocation & { readonly commit: string };
  /** Absent, none is written. */
  readonly strategy?: string;
  /** Replaces the package context by one that says the copy's name: true in deployment repositories, as Porch and `kpt pkg get --for-deployment` do. */
  readonly deployment?: boolean;
}

/**
 * Upstream's files with the name, upstream and upstreamLock of the copy, marked with the names that resources have
 * upstream. Throws `KPTFILE_INVALID` when the Kptfile is no map; a package without one is returned marked.
 */
export function clonedPackage(files: PackageFiles, options: CloneOptions): PackageFiles {
  const result = new Map(withMergeMarkers(files));
  // What upstream owns of its package, nobody here has decided.
  result.delete(MERGE_FILE);
  const kptfile = files.get('Kptfile');
  if (kptfile !== undefined) {
    const bytes = withPlace(withName(kptfile.bytes, options.name), options);
    result.set('Kptfile', { mode: kptfile.mode, bytes });
  }
  if (options.deployment === true) {
    const bytes = new TextEncoder().encode(packageContext(options.name));
    result.set('package-context.yaml', { mode: '100644', bytes });
  }
  return result;
}

/** The Kptfile with where the package comes from. `intent` keeps what else its `upstream` says. */
export function withPlace(
  kptfile: Uint8Array,
  { upstream, lock, strategy }: Pick<CloneOptions, 'upstream' | 'lock' | 'strategy'>,
  intent?: Upstream,
): Uint8Array {
  return withUpstream(kptfile, {
    upstream: {
      ...intent,
      type: 'git',
      git: upstream,
      ...(strategy !== undefined && { updateStrategy: strategy }),
    },
    upstreamLock: { type: 'git', git: lock },
  });
}
