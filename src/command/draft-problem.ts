/** Pure: whether a draft can be made of what there is. */
import { draftBranch } from '../revision/ref-name.ts';
import { shown } from './arguments.ts';
import type { DraftSource } from './draft-request.ts';
import { noSuchPackage } from './not-found.ts';
import { type Refusal, refuse } from './refusal.ts';

/** What stands in the repository, paths from its top ('.' for the top itself). */
export interface DraftGround {
  /** Packages on the registered branch, subpackages included. */
  readonly packages: readonly string[];
  /** Short names of branches and tags. */
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  /** True where the directory holds any file on the registered branch. */
  readonly hasFiles: boolean;
  /** How people write the path of a package: below the registered directory. */
  readonly named: (path: string) => string;
}

/** The refusal, or undefined. `path` is from the top of the repository. Whether the branch exists is not looked at. */
export function draftProblem(
  path: string,
  branch: string,
  source: Pick<DraftSource, 'kind'>,
  ground: DraftGround,
): Refusal | undefined {
  const isNew = source.kind === 'init' || source.kind === 'clone';
  return (
    (isNew ? newPackageProblem(path, source.kind, ground) : presenceProblem(path, source.kind, ground)) ??
    clashProblem('branch', branch, ground.branches) ??
    (isNew ? clashProblem('tag', path === '.' ? 'v1' : `${path}/v1`, ground.tags) : undefined)
  );
}

function newPackageProblem(
  path: string,
  verb: string,
  { packages, hasFiles, named }: DraftGround,
): Refusal | undefined {
  if (packages.includes(path)) {
    return refuse(
      'package-exists',
      `the package ${shown(named(path))} already exists`,
      `To work on it, use /portico edit ${named(path)}; or choose another path.`,
    );
  }
  const above = packages.find((one) => one === '.' || path.startsWith(`${one}/`));
  if (above !== undefined) {
    return refuse(
      'inside-package',
      `${shown(named(path))} is inside the package ${shown(named(above))}`,
      `Open a draft of that package (/portico edit ${named(above)}), and run /portico ${verb} there to create a subpackage.`,
    );
  }
  const below = packages.find((one) => path === '.' || one.startsWith(`${path}/`));
  if (below !== undefined) {
    return refuse(
      'above-package',
      `${shown(named(path))} would contain the package ${shown(named(below))}`,
      'Choose a path that does not contain another package.',
    );
  }
  const twin = packages.find((one) => one.toLowerCase() === path.toLowerCase());
  if (twin !== undefined) {
    return refuse(
      'case-clash',
      `${shown(named(path))} and the package ${shown(named(twin))} differ only in upper and lower case`,
      'Choose another path: some file systems treat them as the same.',
    );
  }
  // What lies there would be overwritten or swallowed; an empty package may be put around it.
  if (verb === 'init' || !hasFiles) return undefined;
  return refuse(
    'directory-in-use',
    `${shown(named(path))} is not empty`,
    'Choose another path, or remove the files there.',
  );
}

function presenceProblem(
  path: string,
  verb: string,
  { packages, tags, named }: DraftGround,
): Refusal | undefined {
  if (packages.includes(path)) return undefined;
  // A package that was removed comes back by its revisions.
  const back = verb === 'rollback' || verb === 'copy';
  if (back && (path === '.' || tags.some((tag) => tag.startsWith(`${path}/`)))) return undefined;
  return noSuchPackage(
    named(path),
    back ? 'on the registered branch, and no tag of one' : 'on the registered branch',
    packages.map(named),
    `To create it, use /portico init ${named(path)}.`,
  );
}

/** Git keeps a ref as a file: `a` and `a/b` cannot both be. */
function clashProblem(what: string, name: string, names: readonly string[]): Refusal | undefined {
  const clash = names.find((one) => name.startsWith(`${one}/`) || one.startsWith(`${name}/`));
  if (clash === undefined) return undefined;
  return refuse(
    'ref-clash',
    `the ${what} ${shown(clash)} prevents ${shown(name)}`,
    what === 'branch' ? 'Choose another workspace, or delete that branch.' : 'Choose another path.',
  );
}

/** The branch of a draft, or why there can be none. */
export function draftBranchOf(path: string, workspace: string): string | Refusal {
  try {
    return draftBranch(path, workspace);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refuse('bad-path', message, 'Choose a shorter or simpler path and workspace.');
  }
}
