import type { CatalogPackage } from '../../catalog/catalog.ts';
import type { Git } from '../git-port.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { refPath } from './package-revisions.ts';
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
  signal,
}: {
  readonly git: Pick<Git, 'findPackages' | 'readFile'>;
  readonly below: string;
  readonly head: string;
  readonly known: readonly CatalogPackage[];
  readonly signal?: AbortSignal | undefined;
}): Promise<CatalogPackage[]> {
  const before = new Map(known.map((found) => [`${found.directory} ${found.tree}`, found]));
  const packages: CatalogPackage[] = [];
  for (const { directory, tree } of await git.findPackages(head, below === '.' ? '' : below, signal)) {
    const place = refPath(directory);
    const same = before.get(`${place} ${tree}`);
    if (same !== undefined) {
      packages.push(same);
      continue;
    }
    const { kptfile } = await readKptfileAt(git, head, directory, signal);
    const mark = kptfile === null ? undefined : readMark(kptfile);
    packages.push({
      directory: place,
      tree,
      lock: kptfile?.upstreamLock?.git ?? null,
      ...(mark && { variant: mark }),
    });
  }
  return packages;
}
