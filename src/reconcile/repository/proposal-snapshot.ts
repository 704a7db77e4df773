/**
 * Everything that decides about a proposal, read once: the pull request, the configuration in force, and which
 * packages its content touches. Content is taken from git, where it cannot change while we read.
 */

import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import { otherFile, type OtherFile } from '../../revision/digest.ts';
import { isBelow, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { NoBusiness } from '../answer.ts';
import type { Pull } from '../forge/pulls.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo, PackageDir, PathChange } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';
import { fetchedHead } from './pull-head.ts';
import { registrationOf } from './registered.ts';

export interface ProposalSnapshot {
  readonly facts: RepositoryFacts;
  readonly pull: Pull;
  readonly config: RepositoryConfig;
  /** Head of the branch that it goes into. */
  readonly base: string;
  readonly head: CommitInfo;
  /** Where the proposal left it. */
  readonly mergeBase: string;
  readonly packages: readonly ProposalPackage[];
  /** Changed files that belong to no package. */
  readonly otherFiles: readonly OtherFile[];
  /** False for a proposal from a fork: Portico writes nothing there. */
  readonly writable: boolean;
}

export interface ProposalPackage {
  /** Below the registered directory; '.' is the directory itself. */
  readonly path: string;
  readonly directory: RepositoryDirectory;
  /** Git's ids of the directory; null where the package is absent. */
  readonly trees: {
    readonly mergeBase: string | null;
    /** What the directory held at the merge base, where it was no package either. */
    readonly left: string | null;
    readonly base: string | null;
    readonly head: string | null;
  };
}

export type SnapshotResult =
  | { readonly kind: 'snapshot'; readonly snapshot: ProposalSnapshot }
  /** Nothing for Portico to do: no such pull request, repository or branch not registered. */
  | {
      readonly kind: 'none';
      readonly reason: NoBusiness | 'absent' | 'other-branch';
      /** The pull request that offers to register the repository, where it is that. */
      readonly offer?: Pull;
    };

/** Branch on which a repository with packages is offered its configuration. */
export const ONBOARDING_BRANCH = 'portico/onboarding';

/**
 * Reads a proposal; with `anyBase` also a pull request into another branch, which is then what it is compared with.
 * Throws HEAD_NOT_FETCHED (try again) when git does not have what the forge speaks of, and MERGE_BASES for branches that were merged into
 * each other.
 */
export async function loadProposal(
  access: RepositoryAccess,
  number: number,
  options: { readonly anyBase?: boolean } = {},
  signal?: AbortSignal,
): Promise<SnapshotResult> {
  const { git, forge } = access;
  const [pull] = await Promise.all([forge.getPull(number, signal), git.fetch({}, signal)]);
  if (pull === null) return { kind: 'none', reason: 'absent' };
  const facts = pull.baseRepository ?? (await forge.get(signal));
  const registration = await registrationOf(access, facts, signal);
  if (registration.kind === 'none') {
    const { reason } = registration;
    const isOffer = pull.headRef === ONBOARDING_BRANCH && pull.headRepositoryId === facts.id;
    return { kind: 'none', reason, ...(isOffer && reason === 'not-registered' && { offer: pull }) };
  }
  const { config } = registration;
  if (pull.baseRef !== config.branch && options.anyBase !== true) {
    return { kind: 'none', reason: 'other-branch' };
  }

  const writable = pull.headRepositoryId === facts.id;
  const base = await git.resolve(`refs/heads/${pull.baseRef}`, signal);
  const headOid = await resolveHead(access, pull, writable, signal);
  const beside = await besideProposal(access, pull, base, signal);
  const mergeBases = beside === null || headOid === null ? [] : await git.mergeBases(beside, headOid, signal);
  const [mergeBase = null] = mergeBases;
  if (base === null || headOid === null || mergeBase === null) {
    throw new PorticoError('HEAD_NOT_FETCHED', `git does not have the head of #${number} yet`, {
      blame: 'forge',
    });
  }
  // Against one of several bases, a proposal does not show what git's merge takes from it.
  if (!pull.merged && mergeBases.length > 1) {
    throw new PorticoError(
      'MERGE_BASES',
      `${pull.headRef} and ${pull.baseRef} were merged into each other, so what a merge changes cannot be shown`,
      { blame: 'user', hint: `Merge ${pull.baseRef} into ${pull.headRef}, and push it.` },
    );
  }
  const changes = await git.changedPaths(mergeBase, headOid, signal);
  const changed = changes.map(({ path }) => path);
  const packages = await touchedPackages({
    access,
    registered: config.directory,
    changed,
    commits: { mergeBase, base, head: headOid },
    signal,
  });
  return {
    kind: 'snapshot',
    snapshot: {
      facts,
      pull,
      config,
      base,
      head: await git.commit(headOid, signal),
      mergeBase,
      packages,
      otherFiles: filesBeside(changes, packages),
      writable,
    },
  };
}

/** Changed files that belong to no package. What configures is never a part of one, whatever lies above it. */
export function filesBeside(
  changes: readonly PathChange[],
  packages: readonly ProposalPackage[],
): ProposalSnapshot['otherFiles'] {
  return changes
    .filter(
      ({ path }) =>
        path.startsWith('.github/') || !packages.some(({ directory }) => isBelow(directory, path)),
    )
    .map(otherFile);
}

/** What the proposal is compared with: the registered branch, for a merged one as it was before the merge. */
async function besideProposal(
  { git }: RepositoryAccess,
  { merged, mergeCommitSha }: Pull,
  base: string | null,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (!merged || mergeCommitSha === null || (await git.resolve(mergeCommitSha, signal)) === null) return base;
  return (await git.commit(mergeCommitSha, signal)).parents[0] ?? base;
}

/** The branch as git has it, which may be newer than what the forge's answer says; a merged branch may be gone. */
async function resolveHead(
  { git }: RepositoryAccess,
  pull: Pull,
  writable: boolean,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (writable && pull.state === 'open') {
    const ref = `refs/heads/${pull.headRef}`;
    // What the forge speaks of and git does not know was pushed after the last fetch.
    if ((await git.resolve(pull.headSha, signal)) === null) {
      await git.fetch({ refspecs: [`+${ref}:${ref}`] }, signal);
    }
    const branch = await git.resolve(ref, signal);
    if (branch !== null) return branch;
  }
  return fetchedHead(git, pull, signal);
}

/** The packages that have a changed file, with their trees at the three commits. */
export async function touchedPackages({
  access: { git },
  registered,
  changed,
  commits,
  signal,
}: {
  readonly access: RepositoryAccess;
  readonly registered: RepositoryDirectory;
  readonly changed: readonly string[];
  readonly commits: { readonly mergeBase: string; readonly base: string; readonly head: string };
  readonly signal: AbortSignal | undefined;
}): Promise<ProposalPackage[]> {
  const [before, after] = await Promise.all([
    rootPackages({ git }, commits.mergeBase, registered, signal),
    rootPackages({ git }, commits.head, registered, signal),
  ]);
  const directories = new Map([...before, ...after].map((found) => [found.directory, found]));
  const touched = [...directories.values()].filter(({ directory }) =>
    changed.some((path) => isBelow(directory, path)),
  );
  const packages = await Promise.all(
    touched.map(async ({ path, directory }) => {
      const treeIn = async (list: readonly PackageDir[], commit: string): Promise<string | null> =>
        list.some((found) => found.directory === directory) ? git.treeId(commit, directory, signal) : null;
      return {
        path,
        directory,
        trees: {
          mergeBase: await treeIn(before, commits.mergeBase),
          left: await git.treeId(commits.mergeBase, directory, signal),
          base: await git.treeId(commits.base, directory, signal),
          head: await treeIn(after, commits.head),
        },
      };
    }),
  );
  return packages.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Packages, subpackages left out: those belong to the package above and share its revision. */
export async function rootPackages(
  { git }: Pick<RepositoryAccess, 'git'>,
  commit: string,
  registered: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<PackageDir[]> {
  const all = await git.findPackages(commit, registered, signal);
  return all.filter(({ parent }) => parent === null);
}
