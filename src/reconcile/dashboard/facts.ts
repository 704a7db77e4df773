/** What the dashboard tells of a repository beside what the index holds: open pull requests, retired revisions, users. */
import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { fileIn, isBelow, packagePathOf, pathInRepository } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import { AGGREGATE_CHECK, CONFLICTS_CHECK } from '../check-names.ts';
import { pendingRetirements, type PendingRetirement } from '../draft/pending-retirements.ts';
import type { Pull } from '../forge/pulls.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import { allRevisions, loadRevisionRefs, taggedRevisions } from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { mayKnow } from '../repository/visibility.ts';
import { channelFollowers, type ChannelFollower } from './channels.ts';

/** An open pull request into the registered branch that is no update. */
export interface DashboardDraft {
  readonly number: number;
  /** As people wrote it. */
  readonly title: string;
  /** The packages that it changes. */
  readonly paths: readonly string[];
  readonly isDraft: boolean;
  /** It removes the package that its branch is named for. */
  readonly removes: boolean;
  /** What the required check says of its head. */
  readonly check: 'passes' | 'fails' | 'waits' | 'unknown';
}

/** A downstream package that may be named here. */
export interface DashboardUser {
  /** `owner/name:path` */
  readonly name: string;
  /** The revision or ref that it is locked to. */
  readonly at: string;
}

export interface DashboardFacts {
  readonly drafts: readonly DashboardDraft[];
  /** Revisions that somebody asks to retire. */
  readonly pending: readonly PendingRetirement[];
  /** Open update pull requests by package path below the registered directory. */
  readonly updates: ReadonlyMap<string, number>;
  /** Those of them in which a conflict is open. */
  readonly conflicting: ReadonlySet<number>;
  /** Directory of a package → its retired revisions, oldest first. */
  readonly retired: ReadonlyMap<string, readonly string[]>;
  /** Directory of a package → who is made from it. */
  readonly users: ReadonlyMap<string, readonly DashboardUser[]>;
  /** Directory of a package with a channel file → who follows its channels. */
  readonly channelFollowers: ReadonlyMap<string, readonly ChannelFollower[]>;
}

/** Proposals whose checks are read for one dashboard: each costs a call. */
const MAX_CHECKED = 50;

export async function loadDashboardFacts(
  {
    ports,
    access,
    signal,
  }: RepositoryWork<'catalog' | 'memories' | 'app' | 'seals' | 'log' | 'enqueue' | 'now', 'git' | 'forge'>,
  config: Pick<RepositoryConfig, 'branch' | 'directory'>,
  repository: CatalogRepository,
): Promise<DashboardFacts> {
  const { git, forge } = access;
  const open = (await forge.listOpenPulls(signal)).filter(({ baseRef }) => baseRef === config.branch);
  const drafts: DashboardDraft[] = [];
  const updates = new Map<string, number>();
  const conflicting = new Set<number>();
  let read = 0;
  for (const pull of open.toSorted((a, b) => a.number - b.number)) {
    const parsed = parseBranch(pull.headRef);
    const path = parsed === undefined ? undefined : packagePathOf(repository.directory, parsed.path);
    if (parsed?.kind === 'update') {
      if (path !== undefined) updates.set(path, pull.number);
      // A group's branch names no package.
      if ((read += 1) <= MAX_CHECKED && (await hasConflict(forge, pull, signal)))
        conflicting.add(pull.number);
      continue;
    }
    const { number, title, draft: isDraft } = pull;
    const removes = path !== undefined && (await isRemoved({ git, pull, repository, path, signal }));
    const named = path === undefined ? [] : [path];
    const paths = removes ? named : await changedPackages({ git, pull, config, repository, named, signal });
    const check = drafts.length < MAX_CHECKED ? await checkOf(forge, pull, signal) : 'unknown';
    drafts.push({ number, title, paths, isDraft, removes, check });
  }
  const refs = await loadRevisionRefs(git, signal);
  const retired = new Map<string, readonly string[]>();
  for (const { directory } of repository.packages) {
    const tagged = new Set(taggedRevisions(refs, directory).map(({ name }) => name));
    const gone = allRevisions(refs, directory).flatMap(({ name }) => (tagged.has(name) ? [] : [name]));
    if (gone.length > 0) retired.set(directory, gone);
  }
  const pending = await pendingRetirements({ ports, access, facts: repository.ref, config, signal });
  return {
    drafts,
    pending,
    updates,
    conflicting,
    retired,
    users: usersOf(ports.catalog, repository),
    channelFollowers: channelFollowers(ports.catalog, repository),
  };
}

/** The packages whose files a pull request changes; those that its branch is named for where git does not have it yet. */
async function changedPackages({
  git,
  pull: { headSha },
  config: { branch },
  repository,
  named,
  signal,
}: {
  readonly git: RepositoryAccess['git'];
  readonly pull: Pull;
  readonly config: Pick<RepositoryConfig, 'branch'>;
  readonly repository: CatalogRepository;
  readonly named: readonly string[];
  readonly signal: AbortSignal | undefined;
}): Promise<readonly string[]> {
  const head = await git.resolve(headSha, signal);
  const base = await git.resolve(`refs/heads/${branch}`, signal);
  const left = head === null || base === null ? null : await git.mergeBase(base, head, signal);
  if (head === null || left === null) return named;
  const changed = await git.changedPaths(left, head, signal);
  const roots = await rootPackages({ git }, head, repository.directory, signal);
  const paths = roots
    .filter(({ directory }) => changed.some(({ path }) => isBelow(directory, path)))
    .map(({ directory }) => packagePathOf(repository.directory, directory) ?? directory);
  return paths.length === 0 ? named : paths.toSorted();
}

async function checkOf(
  forge: RepositoryAccess['forge'],
  { headSha }: Pull,
  signal: AbortSignal | undefined,
): Promise<DashboardDraft['check']> {
  const run = (await forge.ourChecks(headSha, signal)).find(({ name }) => name === AGGREGATE_CHECK);
  switch (run?.conclusion) {
    case 'success':
      return 'passes';
    case 'failure':
      return 'fails';
    case 'action_required':
      return 'waits';
    default:
      return 'unknown';
  }
}

/** A person has to settle it before the update can be merged. */
async function hasConflict(
  forge: RepositoryAccess['forge'],
  { headSha }: Pull,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const run = (await forge.ourChecks(headSha, signal)).find(({ name }) => name === CONFLICTS_CHECK);
  return run !== undefined && run.conclusion === 'action_required';
}

async function isRemoved({
  git,
  pull: { headSha },
  repository,
  path,
  signal,
}: {
  readonly git: RepositoryAccess['git'];
  readonly pull: Pull;
  readonly repository: CatalogRepository;
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  const directory = pathInRepository(repository.directory, path);
  if (!repository.packages.some((one) => one.directory === directory)) return false;
  const head = await git.resolve(headSha, signal);
  if (head === null) return false;
  return (await git.readFile(head, fileIn(directory, 'Kptfile'), signal)) === null;
}

/** Those that may not be named to whoever reads the dashboard are left out, as if they were not there. */
function usersOf(
  catalog: Catalog,
  repository: CatalogRepository,
): ReadonlyMap<string, readonly DashboardUser[]> {
  const users = new Map<string, DashboardUser[]>();
  for (const { directory } of repository.packages) {
    const found = catalog
      .followers(repository.ref.id, directory)
      .filter((one) => mayKnow(repository, one.repository))
      .map((one): DashboardUser => {
        const { owner, name } = one.repository.ref;
        const path = packagePathOf(one.repository.directory, one.package.directory) ?? one.package.directory;
        return { name: `${owner}/${name}:${path}`, at: one.package.lock?.ref.split('/').at(-1) ?? '' };
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (found.length > 0) users.set(directory, found);
  }
  return users;
}
