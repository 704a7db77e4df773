/**
 * Who brought to the registered branch what a package has before its first revision: that revision publishes it, and the
 * proposal that makes it shows only what changes. What stood there when the repository was registered is as its owners put it
 * there.
 */

import type { Author, UnknownAuthor } from '../../command/author.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { fileDigest } from '../../revision/digest.ts';
import { isBelow, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { BranchActivity, BranchPush, RepositoryFacts } from '../forge/repository.ts';
import type { Git, PathChange } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { holdsConfiguration, registeredAt, registration } from '../repository/registration.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { catchUserError } from '../text/why-refused.ts';
import { activityOf, type Authorship } from './authors.ts';

/** Merges: who gave them no approval is asked elsewhere, so that nobody is named for them here. */
const MERGES: readonly string[] = ['pr_merge', 'merge_queue_merge'];

/**
 * The files beside packages that a change may move into one: all that go, where any file comes. The forge shows a file that goes and one
 * that comes as a move, without most of the content. Copied or new content is in the diff of the proposal, and the person who
 * pushed it is its author.
 */
export function filesMovedIn(
  changes: readonly PathChange[],
  packagesBefore: readonly RepositoryDirectory[],
  packagesAfter: readonly RepositoryDirectory[],
): string[] {
  const gone = changes.filter(({ path, after }) => after === null && !isInPackage(packagesBefore, path));
  const isAdded = changes.some(
    ({ path, before, after }) => before === null && after !== null && isInPackage(packagesAfter, path),
  );
  return isAdded ? gone.map(({ path }) => path) : [];
}

/** What configures is never a part of a package, whatever lies above it. */
function isInPackage(packages: readonly RepositoryDirectory[], path: string): boolean {
  return !path.startsWith('.github/') && packages.some((directory) => isBelow(directory, path));
}

/**
 * Everybody who pushed a part of these directories and files to the registered branch since the registration, up to `base`. A change that
 * no push explains, and one by a merge, is somebody's whom nobody can name.
 */
export async function authorsOfFirstContent(
  ports: Pick<Ports, 'app' | 'now'>,
  access: RepositoryAccess,
  {
    facts,
    config,
    base,
    merge,
    directories,
    files = [],
  }: {
    readonly facts: Pick<RepositoryFacts, 'defaultBranch'>;
    readonly config: Pick<RepositoryConfig, 'branch'>;
    readonly base: string;
    /** The commit that was made of `base`, where the branch has moved on to it. */
    readonly merge?: string | undefined;
    readonly directories: readonly RepositoryDirectory[];
    /** From the top of the repository. */
    readonly files?: readonly string[] | undefined;
  },
  signal?: AbortSignal,
): Promise<Authorship> {
  if (directories.length + files.length === 0) return { authors: [], unknown: [] };
  const trees = treesOf(access.git, { directories, files });
  if (await trees.same(base, null, signal)) return { authors: [], unknown: [] };
  const activity = await activityUpTo(ports, access, { branch: config.branch, commit: base }, signal);
  if (activity === null) return { authors: [], unknown: ['not-told'] };
  const since = await pushesSinceRegistration(access, activity, { facts, config }, signal);
  const authors: Author[] = [];
  const unknown: UnknownAuthor[] = [];
  let standing = since.from;
  for (const push of upTo(since.pushes, base, merge)) {
    if (!(await trees.same(standing, push.before, signal))) unknown.push('not-told');
    standing = push.after;
    if (await trees.same(push.before, push.after, signal)) continue;
    if (MERGES.includes(push.type)) unknown.push('beneath');
    else if (push.actor === null || push.actor.isBot) {
      if (push.actor?.login !== ports.app.botLogin) unknown.push('app');
    } else authors.push({ login: push.actor.login, id: push.actor.id, because: 'beneath' });
  }
  if (!(await trees.same(standing, base, signal))) unknown.push('not-told');
  return { authors, unknown: [...new Set(unknown)] };
}

interface Led {
  readonly activity: BranchActivity;
  /** In milliseconds. */
  readonly until: number;
}

/** By repository, branch and commit, what led to the commit. */
const led = new Map<string, Led>();
/** Branches whose activity is remembered. */
const MAX_LED = 200;
/** A push that a forge does not tell yet it may tell soon. */
const UNTOLD_MS = 10_000;

/**
 * The activity of a branch, at least up to a commit. Hundreds of proposals may stand on one commit, and what led to it
 * does not change by what the branch does later, so that it is asked for once.
 */
async function activityUpTo(
  ports: Pick<Ports, 'now'>,
  access: Pick<RepositoryAccess, 'forge' | 'ref'>,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  signal: AbortSignal | undefined,
): Promise<BranchActivity | null> {
  const key = `${access.ref.installationId} ${access.ref.id} ${branch} ${commit}`;
  const known = led.get(key);
  const now = ports.now().getTime();
  if (known !== undefined && now < known.until) return known.activity;
  const activity = await activityOf(access, `refs/heads/${branch}`, {}, signal);
  if (activity !== null) {
    const isWhole = activity.complete && activity.pushes.at(-1)?.after === commit;
    const until = isWhole ? Number.POSITIVE_INFINITY : now + UNTOLD_MS;
    keepNewest(led, key, { activity, until }, MAX_LED);
  }
  return activity;
}

/** The pushes after the registration, and what the branch held then; all of them from nothing where nobody can tell. */
async function pushesSinceRegistration(
  access: RepositoryAccess,
  { pushes }: BranchActivity,
  {
    facts,
    config,
  }: {
    readonly facts: Pick<RepositoryFacts, 'defaultBranch'>;
    readonly config: Pick<RepositoryConfig, 'branch'>;
  },
  signal: AbortSignal | undefined,
): Promise<{ readonly from: string | null; readonly pushes: readonly BranchPush[] }> {
  const { git } = access;
  if (config.branch === facts.defaultBranch) {
    const first = await registration(git, pushes, signal);
    // One that the branch had the configuration before is none: the registration is further back than what is told.
    if (first === undefined || (await holdsConfiguration(git, first.before, signal)))
      return { from: null, pushes };
    return { from: first.after, pushes: pushes.slice(pushes.indexOf(first) + 1) };
  }
  const at = await registeredAt(access, facts.defaultBranch, signal);
  if (at === null) return { from: null, pushes };
  // Times are told by the second, and what came within that one counts.
  const later = pushes.filter((push) => !(Date.parse(push.at) < Date.parse(at)));
  return { from: pushes.at(-later.length - 1)?.after ?? null, pushes: later };
}

/** Those that made what stands at `base`, without the merge that was made of it. */
function upTo(pushes: readonly BranchPush[], base: string, merge: string | undefined): readonly BranchPush[] {
  const last = pushes.findLastIndex(({ after }) => after === base);
  if (last >= 0) return pushes.slice(0, last + 1);
  const merged = pushes.findLastIndex(({ after }) => after !== null && after === merge);
  return merged >= 0 ? pushes.slice(0, merged) : pushes;
}

/** Compares what two commits hold in some directories and files; one that is gone holds something else than any other. */
function treesOf(
  git: Git,
  {
    directories,
    files,
  }: { readonly directories: readonly RepositoryDirectory[]; readonly files: readonly string[] },
): { same(a: string | null, b: string | null, signal?: AbortSignal): Promise<boolean> } {
  const known = new Map<string, Promise<string>>();
  const read = async (commit: string, signal: AbortSignal | undefined): Promise<string> => {
    if ((await git.resolve(commit, signal)) === null) return commit;
    const trees = directories.map((directory) => git.treeId(commit, directory, signal));
    const digests = files.map((file) => digestAt(git, commit, file, signal));
    return JSON.stringify(await Promise.all([...trees, ...digests]));
  };
  const nothing = JSON.stringify([...directories, ...files].map(() => null));
  const treeOf = (commit: string | null, signal: AbortSignal | undefined): Promise<string> => {
    if (commit === null) return Promise.resolve(nothing);
    const found = known.get(commit) ?? read(commit, signal);
    known.set(commit, found);
    return found;
  };
  return {
    same: async (a, b, signal) => a === b || (await treeOf(a, signal)) === (await treeOf(b, signal)),
  };
}

/** A file that is too large to be read counts as changed by every push. */
function digestAt(
  git: Git,
  commit: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  return catchUserError(
    async () => {
      const bytes = await git.readFile(commit, file, signal);
      return bytes && fileDigest(bytes);
    },
    () => commit,
  );
}
