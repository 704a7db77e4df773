/**
 * The names of refs. Branches and tags are Porch's, so that Porch and kpt can read what Portico writes. `path` is
 * always the package's directory from the root of the repository, because that is where kpt looks for
 * `<directory>/v3`; a package at the root has path `.`, tag `v3` and draft `drafts/<workspace>`, as kpt looks for it.
 */

import { createHash } from 'node:crypto';

import { PorticoError } from '../error.ts';
import { shortenValue } from '../text/cut-text.ts';
import { repositoryDirectory, type RepositoryDirectory } from './package-path.ts';
import { refProblem, type RefProblem } from './ref-rules.ts';
import { parseRevisionName } from './revision-name.ts';

export type NamedRef =
  | { readonly kind: 'draft' | 'proposed'; readonly path: RepositoryDirectory; readonly workspace: string }
  /** Porch marks a revision, or by workspace an unnumbered one. */
  | { readonly kind: 'deletion-proposed'; readonly path: RepositoryDirectory; readonly version: string }
  | { readonly kind: 'revision' | 'ledger'; readonly path: RepositoryDirectory; readonly revision: string }
  | { readonly kind: 'update'; readonly path: string; readonly identity: string };

/** `drafts/<path>/<workspace>`, without `refs/heads/`. @throws PorticoError BAD_REF_NAME */
export function draftBranch(path: string, workspace: string): string {
  return branch('drafts', path, workspace);
}

/** Porch's `deletionProposed/<path>/<v3 or workspace>`. @throws PorticoError BAD_REF_NAME */
export function deletionProposedBranch(path: string, version: string): string {
  return branch('deletionProposed', path, version);
}

/** The tag `<path>/v3`, without `refs/tags/`. @throws PorticoError BAD_REF_NAME */
export function revisionTag(path: string, revision: string): string {
  return checked(joined(path, leaf(revision)));
}

/** The full ref `refs/portico/published/<path>/v3`, which stays when the tag goes. @throws PorticoError BAD_REF_NAME */
export function ledgerRef(path: string, revision: string): string {
  return checked(`refs/portico/published/${joined(path, leaf(revision))}`);
}

/** The tag of a channel, `<path>/stable`, without `refs/tags/`. @throws PorticoError BAD_REF_NAME */
export function channelTag(path: string, channel: string): string {
  return checked(joined(path, leaf(channel)));
}

/** Below it stands where Portico has put the tags of channels that have a file. */
export const CHANNEL_LEDGER = 'refs/portico/channels/';

/** The full ref that says where Portico has put the tag of a channel. @throws PorticoError BAD_REF_NAME */
export function channelLedgerRef(path: string, channel: string): string {
  return checked(`${CHANNEL_LEDGER}${channelTag(path, channel)}`);
}

/**
 * The full ref that stands while updates of a package are paused. The last part keeps the ref of one package from being
 * a folder of another's. @throws PorticoError BAD_REF_NAME
 */
export function pausedRef(path: string): string {
  return checked(`refs/portico/paused/${joined(path, 'updates')}`);
}

/**
 * The one branch on which a downstream package is updated from one upstream: `portico/update/<path>/<identity>`.
 * The identity is a hash of both, so the name stays the same from revision to revision, two upstreams of one package
 * do not meet, and no package's branch is a folder of another's. `upstream` is any stable text, such as
 * `acme/blueprints:basens`. @throws PorticoError BAD_REF_NAME
 */
export function updateBranch(path: string, upstream: string): string {
  const identity = createHash('sha256')
    .update(JSON.stringify([path, upstream]))
    .digest('hex')
    .slice(0, 10);
  return branch('portico/update', path, identity);
}

/** Below it are the branches on which Portico changes channel files. */
export const CHANNEL_BRANCHES = 'portico/channels/';

/**
 * The branch on which the channels of a package are changed, and the one for withdrawals and deprecations, which must not wait for a
 * promotion. @throws PorticoError BAD_REF_NAME
 */
export function channelBranch(path: string, what: 'channels' | 'withdrawals' = 'channels'): string {
  const identity = createHash('sha256')
    .update(JSON.stringify([what, path]))
    .digest('hex')
    .slice(0, 10);
  return branch('portico/channels', path, identity);
}

/**
 * The one branch on which a group of packages is updated together: `portico/update/<name>/<identity>`.
 * @throws PorticoError BAD_REF_NAME
 */
export function groupBranch(name: string): string {
  return updateBranch(name, `group ${name}`);
}

/** The one branch on which the sources of the packages of a group are updated together. @throws PorticoError BAD_REF_NAME */
export function groupSourcesBranch(name: string): string {
  return updateBranch(name, `sources of group ${name}`);
}

/** The name of the group that an update branch is for; undefined for the branch of one package. */
export function groupOfBranch(branchName: string): string | undefined {
  const parsed = parseBranch(branchName);
  if (parsed?.kind !== 'update' || parsed.path === '.') return undefined;
  const branches = [groupBranch(parsed.path), groupSourcesBranch(parsed.path)];
  return branches.includes(branchName) ? parsed.path : undefined;
}

const PREFIXES = [
  ['refs/heads/drafts/', 'draft'],
  ['refs/heads/proposed/', 'proposed'],
  ['refs/heads/deletionProposed/', 'deletion-proposed'],
  ['refs/heads/portico/update/', 'update'],
  ['refs/tags/', 'revision'],
  ['refs/portico/published/', 'ledger'],
] as const;

/** Reads a full ref name (`refs/…`); undefined for every ref that is not one of ours or Porch's. Never throws. */
export function parseRef(ref: string): NamedRef | undefined {
  const entry = PREFIXES.find(([prefix]) => ref.startsWith(prefix));
  if (entry === undefined || refProblem(ref) !== undefined) return undefined;
  const [prefix, kind] = entry;
  const rest = ref.slice(prefix.length);
  const slash = rest.lastIndexOf('/');
  const path = repositoryDirectory(rest.slice(0, Math.max(0, slash)));
  const last = rest.slice(slash + 1);
  switch (kind) {
    case 'draft':
    case 'proposed':
      return { kind, path, workspace: last };
    case 'deletion-proposed':
      return { kind, path, version: last };
    case 'update':
      return /^[0-9a-f]{10}$/.test(last) ? { kind, path, identity: last } : undefined;
    case 'revision':
    case 'ledger':
      return parseRevisionName(last) === undefined ? undefined : { kind, path, revision: last };
  }
}

/** The same for a branch's short name (`drafts/web/one`). */
export function parseBranch(name: string): NamedRef | undefined {
  return parseRef(`refs/heads/${name}`);
}

/**
 * Why a package at `path` cannot be drafted and published: its path would make a ref that git refuses. Undefined
 * where it can.
 */
export function packagePathProblem(path: string): RefProblem | undefined {
  return path === '.' ? undefined : refProblem(`${path}/v1`);
}

function branch(prefix: string, path: string, last: string): string {
  return checked(`${prefix}/${joined(path, leaf(last))}`);
}

function joined(path: string, last: string): string {
  return path === '.' ? last : `${path}/${last}`;
}

function leaf(name: string): string {
  if (!name.includes('/')) return name;
  throw badName(name, 'the last part of a ref holds a slash', 'Use a name without slashes.');
}

function checked(name: string): string {
  const problem = refProblem(name);
  if (problem === undefined) return name;
  throw badName(
    name,
    problem.message,
    'Rename the package directory or the workspace so that git accepts it.',
  );
}

function badName(name: string, message: string, hint: string): PorticoError {
  return new PorticoError(
    'BAD_REF_NAME',
    `${JSON.stringify(shortenValue(name, 80))} cannot be a ref: ${message}`,
    { blame: 'user', hint },
  );
}
