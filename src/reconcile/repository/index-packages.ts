import type { CatalogPackage, CatalogRepository } from '../../catalog/catalog.ts';
import { BUNDLE_PLACES } from '../../channels/operator-entry.ts';
import { SOURCES_FILE } from '../../package/sources/source-files.ts';
import type { MappedAddress } from '../../package/upstream-map.ts';
import { fileIn, pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import { channelNamedBy } from './follow-mark.ts';
import { readKptfileAt, withMappedLock } from './kptfile-at.ts';
import { readMark } from './variant-mark.ts';

/**
 * The packages below a directory (`.` is the top) at a commit, for the index. Only those are read whose tree is not
 * known already.
 */
export async function indexPackages({
  git,
  below,
  head,
  known,
  map,
  signal,
}: {
  readonly git: Pick<Git, 'findPackages' | 'readFile' | 'treeId'>;
  readonly below: RepositoryDirectory;
  readonly head: string;
  readonly known: Pick<CatalogRepository, 'packages' | 'upstreamMap'> | undefined;
  /** Where addresses that locks name are now. */
  readonly map: readonly MappedAddress[];
  readonly signal?: AbortSignal | undefined;
}): Promise<CatalogPackage[]> {
  const isSameMap = JSON.stringify(known?.upstreamMap ?? []) === JSON.stringify(map);
  const kept = isSameMap ? (known?.packages ?? []) : [];
  const before = new Map(kept.map((found) => [`${found.directory} ${found.tree}`, found]));
  const packages: CatalogPackage[] = [];
  for (const { directory, tree } of await git.findPackages(head, below, signal)) {
    const same = before.get(`${directory} ${tree}`);
    if (same !== undefined) {
      packages.push(same);
      continue;
    }
    const { kptfile } = withMappedLock(await readKptfileAt(git, head, directory, signal), map);
    const mark = kptfile === null ? undefined : readMark(kptfile);
    const hasSources = (await git.readFile(head, fileIn(directory, SOURCES_FILE), signal)) !== null;
    const holdsBundle = await mayHoldBundle(git, head, directory, signal);
    const channel = kptfile === null ? undefined : channelNamedBy(kptfile);
    packages.push({
      directory,
      tree,
      lock: kptfile?.upstreamLock?.git ?? null,
      ...(mark && { variant: mark }),
      ...(hasSources && { hasSources }),
      ...(holdsBundle && { holdsBundle }),
      ...(channel !== undefined && { channel }),
    });
  }
  return packages;
}

/** False means: the package holds no operator's bundle. Cheap beside reading it. */
export async function mayHoldBundle(
  git: Pick<Git, 'readFile' | 'treeId'>,
  commit: string,
  directory: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<boolean> {
  const [record, metadata] = BUNDLE_PLACES;
  return (
    (await git.treeId(commit, pathInRepository(directory, metadata), signal)) !== null ||
    (await git.readFile(commit, fileIn(directory, record), signal)) !== null
  );
}
