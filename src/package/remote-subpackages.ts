import type { GitLocation, Kptfile } from './kptfile-types.ts';
import { readKptfile } from './kptfile.ts';
import type { PackageFile, PackageFiles } from './package.ts';

export interface RemoteSubpackage {
  readonly name: string;
  readonly upstream: GitLocation;
  /** Absent where the package only points at its upstream: then kpt fetches it with the package. */
  readonly upstreamLock: (GitLocation & { readonly commit: string }) | undefined;
  /** As written; absent where nothing is. */
  readonly strategy: string | undefined;
}

/** The packages below that have an upstream of their own, by directory, parents first. */
export function remoteSubpackages(files: PackageFiles): Map<string, RemoteSubpackage> {
  const found = new Map<string, RemoteSubpackage>();
  for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!path.endsWith('/Kptfile')) continue;
    const kptfile = kptfileOf(file);
    const upstream = kptfile?.upstream?.git;
    if (kptfile === undefined || upstream === undefined) continue;
    found.set(path.slice(0, -'/Kptfile'.length), {
      name: kptfile.name,
      upstream,
      upstreamLock: kptfile.upstreamLock?.git,
      strategy: kptfile.upstream?.updateStrategy,
    });
  }
  return found;
}

/** A Kptfile that cannot be read counts as one without upstream: rendering and merging say what is wrong with it. */
function kptfileOf(file: PackageFile): Kptfile | undefined {
  try {
    return readKptfile(file.bytes).kptfile;
  } catch {
    return undefined;
  }
}
