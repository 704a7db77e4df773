/** Which packages a pull request is about, for commands that make or change drafts. */
import { packagePathOf } from '../revision/package-path.ts';
import { parseBranch } from '../revision/ref-name.ts';
import { shown } from './arguments.ts';
import type { CommandState } from './command-state.ts';
import type { Decision } from './command.ts';
import type { DraftRequest, DraftSource } from './draft-request.ts';
import { readPackagePath, readWorkspace } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Paths of the packages that a pull request touches, and of the one that its branch is named after. */
export function packagesHere({ place, packages, config }: CommandState): string[] {
  if (place.kind !== 'pull') return [];
  const branch = parseBranch(place.headRef);
  const own =
    branch?.kind === 'draft' || branch?.kind === 'update'
      ? packagePathOf(config.directory, branch.path)
      : undefined;
  return [...new Set([...packages.map(({ path }) => path), ...(own === undefined ? [] : [own])])];
}

/** The one package that a command is about: the one named, or the only one here. */
export function packageHere(state: CommandState, named: string | undefined): string | Refusal {
  const here = packagesHere(state);
  if (named !== undefined) {
    const path = readPackagePath(named);
    if (typeof path !== 'string' || here.includes(path)) return path;
    return refuse(
      'no-such-package',
      `this pull request does not change ${shown(path)}`,
      here.length === 0 ? 'It changes no package.' : `It changes ${here.map(shown).join(', ')}.`,
    );
  }
  const [only, another] = here;
  if (only === undefined) {
    return refuse(
      'no-package',
      'this pull request changes no package',
      'Run it in a pull request that changes a package.',
    );
  }
  if (another === undefined) return only;
  return refuse(
    'which-package',
    `this pull request changes several packages: ${here.map(shown).join(', ')}`,
    'Name one of them.',
  );
}

/** Why nothing may be added to the branch of this pull request. */
export function branchProblem({ place, config }: CommandState): Refusal | undefined {
  if (place.kind !== 'pull') return undefined;
  if (place.fork) {
    return refuse(
      'from-fork',
      'the branch is in a fork, where Portico may not write',
      'Push the change yourself.',
    );
  }
  if (place.baseRef === config.branch && place.headRef !== config.branch) return undefined;
  return refuse(
    'other-base',
    `this pull request targets \`${place.baseRef}\`, but packages are on \`${config.branch}\``,
    `Change the base of the pull request to ${config.branch}.`,
  );
}

/**
 * A new package as a draft of its own; where a pull request changes a package above it, as a subpackage in that
 * pull request.
 */
export function newPackage(
  state: CommandState,
  written: string,
  workspace: string | true | undefined,
  source: Extract<DraftSource, { kind: 'init' | 'clone' }>,
): Decision {
  const path = readPackagePath(written);
  if (typeof path !== 'string') return path;
  const inside = insideOf(state, path);
  if (inside === undefined) return newDraft(path, workspace, source);
  if (workspace !== undefined) {
    return refuse(
      'unexpected-workspace',
      `${shown(path)} becomes a subpackage in this pull request, which already has a branch`,
      'Remove --workspace.',
    );
  }
  return (
    branchProblem(state) ?? {
      kind: 'do',
      steps: [{ do: 'change-draft', change: { kind: 'subpackage', ...inside, source } }],
    }
  );
}

/** Where a pull request changes a package above it, a path is a subpackage, removed there; undefined elsewhere. */
export function removeSubpackage(state: CommandState, written: string): Decision | undefined {
  const path = readPackagePath(written);
  const inside = typeof path === 'string' ? insideOf(state, path) : undefined;
  if (inside === undefined) return undefined;
  return (
    branchProblem(state) ?? {
      kind: 'do',
      steps: [{ do: 'change-draft', change: { kind: 'remove-subpackage', ...inside } }],
    }
  );
}

/** The package of this pull request that a path lies in, and where in it. */
function insideOf(
  state: CommandState,
  path: string,
): { readonly package: string; readonly below: string } | undefined {
  if (path === '.') return undefined;
  const parent = packagesHere(state).find((one) => one === '.' || path.startsWith(`${one}/`));
  if (parent === undefined) return undefined;
  return { package: parent, below: parent === '.' ? path : path.slice(parent.length + 1) };
}

/** A draft of its own. */
export function newDraft(path: string, written: string | true | undefined, source: DraftSource): Decision {
  const workspace = readWorkspace(written);
  if (typeof workspace === 'object') return workspace;
  const draft: DraftRequest = { path, source, ...(workspace !== undefined && { workspace }) };
  return { kind: 'do', steps: [{ do: 'create-draft', draft }] };
}
