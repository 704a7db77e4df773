/**
 * Pure: which packages of an upstream the globs of a rollout mean. The server itself works it out whenever the index
 * changes, and both the globs and the packages are anybody's, so what it takes is bounded.
 */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import { globCost, matchesGlob } from '../../config/glob.ts';
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';

export interface RolloutPackage {
  /** From the top of the repository; '.' is the top. */
  readonly directory: RepositoryDirectory;
  /** Below the registered directory. */
  readonly path: string;
}

export interface RolloutPackages {
  readonly packages: readonly RolloutPackage[];
  /** False where it takes too long to tell: then it is all that there are, so that nothing passes a wave by. */
  readonly isWhole: boolean;
}

/** Steps of matching for all rollouts of one repository: at worst some tenths of a second. */
const MAX_STEPS = 20_000_000;

interface Work {
  steps: number;
  readonly of: WeakMap<CatalogRepository, Map<readonly string[], RolloutPackages>>;
}

/** What the index holds of a repository never changes: it is worked out once for each pair. */
const works = new WeakMap<CatalogRepository, Work>();
const listed = new WeakMap<
  CatalogRepository,
  { readonly all: readonly RolloutPackage[]; readonly letters: number }
>();

export function rolloutPackages(
  upstream: CatalogRepository,
  control: CatalogRepository,
  globs: readonly string[],
): RolloutPackages {
  const { all, letters } = packagesOf(upstream);
  const work = works.get(control) ?? {
    steps: 0,
    of: new WeakMap<CatalogRepository, Map<readonly string[], RolloutPackages>>(),
  };
  works.set(control, work);
  const known = work.of.get(upstream) ?? new Map<readonly string[], RolloutPackages>();
  work.of.set(upstream, known);
  const before = known.get(globs);
  if (before !== undefined) return before;
  work.steps += globs.reduce((sum, glob) => sum + globCost(glob, all.length, letters), 0);
  const isWhole = work.steps <= MAX_STEPS;
  const meant = { isWhole, packages: isWhole ? all.filter(({ path }) => matchesGlob(path, globs)) : all };
  known.set(globs, meant);
  return meant;
}

/** The packages below the registered directory, published or not. */
export function packagesOf(upstream: CatalogRepository): {
  readonly all: readonly RolloutPackage[];
  readonly letters: number;
} {
  const before = listed.get(upstream);
  if (before !== undefined) return before;
  const directories = new Set([
    ...upstream.revisions.keys(),
    ...upstream.packages.map(({ directory }) => directory),
  ]);
  const all = [...directories].flatMap((directory) => {
    const path = packagePathOf(upstream.directory, directory);
    return path === undefined ? [] : [{ directory, path }];
  });
  const made = { all, letters: all.reduce((sum, { path }) => sum + path.length, 0) };
  listed.set(upstream, made);
  return made;
}
