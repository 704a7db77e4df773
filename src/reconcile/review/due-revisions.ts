import type { UnknownAuthor } from '../../command/author.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { dueSteps } from '../../revision/due.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Unapproved } from '../check/publication-check.ts';
import type { Pull } from '../forge/pulls.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo, PackageDir } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { CONFIGURATION_FILE } from '../repository/configuration.ts';
import {
  publishedOnBranch,
  taggedOnBranch,
  taggedOnly,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import type { Authorship } from './authors.ts';
import { authorsOfFirstContent, filesMovedIn } from './first-content.ts';
import { approvalOfMerge, type AcceptedAtMerge, type MergedApproval } from './merged-approval.ts';

/** A state of the registered branch that is a revision of one package. */
export interface DueRevision {
  readonly package: PackageDir;
  readonly commit: CommitInfo;
  /** The merged proposal; null for a direct push, where the configuration publishes those. */
  readonly pull: Pull | null;
  readonly approval: MergedApproval;
}

export interface DueRevisions {
  /** Oldest first. */
  readonly due: readonly DueRevision[];
  /** The newest state that nobody approved and that is left alone, null where what stands there is published or due. */
  readonly flagged: Unapproved | null;
  /** True where it cannot be told yet whether a later state was approved. */
  readonly waits?: true;
}

/** A branch's history is read so far back for merges that were not tagged. */
const HISTORY = 500;

/** Who brought a commit is asked again for so long: the forge may know a merge only a while after it. */
const SETTLED_MS = 3_600_000;
/** Packages whose state is remembered, so that an unchanged one is not read again. */
const MAX_REMEMBERED = 20_000;

export type LookForDue = (
  access: RepositoryAccess,
  look: {
    readonly facts: RepositoryFacts;
    readonly config: RepositoryConfig;
    readonly refs: RevisionRefs;
    readonly found: PackageDir;
    /** The commit that the registered branch is at. */
    readonly head: string;
  },
  signal?: AbortSignal,
) => Promise<DueRevisions>;

/**
 * Finds the revisions of a package that are due, counted from the newest one that lies on the branch. Packages that
 * are not published and do not change are looked at once, not at every push.
 */
export function createDueRevisions(
  ports: Pick<Ports, 'now' | 'app' | 'seals' | 'content'>,
  /** Absent: approvals of other repositories do not count. */
  accepted?: AcceptedAtMerge,
): LookForDue {
  const settled = new Map<string, Unapproved>();
  const look: LookForDue = async (access, { facts, config, refs, found, head }, signal) => {
    const { git, ref } = access;
    const newest = await publishedOnBranch({ git, refs, directory: found.directory, head, signal });
    const newestTree =
      newest === null ? undefined : ((await git.treeId(newest, found.directory, signal)) ?? undefined);
    if (newestTree === found.tree) return { due: [], flagged: null };
    const key = JSON.stringify([ref.id, found.directory, found.tree, newest, config.publish]);
    const known = settled.get(key);
    if (known !== undefined) return { due: [], flagged: known };
    const tagged = await taggedOnBranch({ git, refs, directory: found.directory, head, signal });
    const since = { ports, access, facts, config, found, newest, newestTree, tagged, head, accepted, signal };
    // What was moved here may have been pushed to where it was before.
    const moved = (base: string, commit: string): Promise<Authorship> =>
      beneathRemoved(ports, access, { facts, config, refs: taggedOnly(refs), base, commit, look }, signal);
    const result = await dueSince({ ...since, moved });
    const { due, flagged, waits } = result;
    const old = ports.now().getTime() - SETTLED_MS;
    if (
      due.length === 0 &&
      flagged !== null &&
      waits !== true &&
      Date.parse(flagged.commit.committer.date) < old
    ) {
      if (settled.size >= MAX_REMEMBERED) settled.clear();
      settled.set(key, flagged);
    }
    return result;
  };
  return look;
}

/** Who brought what the packages that a merge removed held on the branch, and no revision of them does; and what it moved into packages. */
async function beneathRemoved(
  ports: Pick<Ports, 'now' | 'app'>,
  access: RepositoryAccess,
  {
    facts,
    config,
    refs,
    base,
    commit,
    look,
  }: {
    readonly facts: RepositoryFacts;
    readonly config: RepositoryConfig;
    readonly refs: RevisionRefs;
    /** The branch before the merge. */
    readonly base: string;
    readonly commit: string;
    readonly look: LookForDue;
  },
  signal: AbortSignal | undefined,
): Promise<Authorship> {
  const { git } = access;
  const after = await rootPackages(access, commit, config.directory, signal);
  const left = new Set(after.map(({ directory }) => directory));
  const before = await rootPackages(access, base, config.directory, signal);
  const first: RepositoryDirectory[] = [];
  const unknown = new Set<UnknownAuthor>();
  for (const found of before.filter(({ directory }) => !left.has(directory))) {
    const { directory } = found;
    if ((await publishedOnBranch({ git, refs, directory, head: base, signal })) === null)
      first.push(directory);
    else if ((await look(access, { facts, config, refs, found, head: base }, signal)).flagged !== null)
      unknown.add('beneath');
  }
  const changes = await git.changedPaths(base, commit, signal);
  const [inBefore, inAfter] = [before, after].map((packages) => packages.map(({ directory }) => directory));
  const files = filesMovedIn(changes, inBefore ?? [], inAfter ?? []);
  const standing = { facts, config, base, merge: commit, directories: first, files };
  const pushed = await authorsOfFirstContent(ports, access, standing, signal);
  return { authors: pushed.authors, unknown: [...new Set([...pushed.unknown, ...unknown])] };
}

async function dueSince({
  ports,
  access,
  facts,
  config,
  found,
  newest,
  newestTree,
  tagged,
  head,
  moved,
  accepted,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals' | 'now' | 'content'>;
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly found: PackageDir;
  readonly newest: string | null;
  readonly newestTree: string | undefined;
  /** The newest revision that has its tag. */
  readonly tagged: string | null;
  readonly head: string;
  /** Who brought what the packages held that a merge, the second commit, removes from the branch as the first has it. */
  readonly moved: (base: string, commit: string) => Promise<Authorship>;
  readonly accepted: AcceptedAtMerge | undefined;
  readonly signal: AbortSignal | undefined;
}): Promise<DueRevisions> {
  const { git, forge } = access;
  const options = {
    firstParent: true,
    limit: HISTORY,
    path: found.directory,
  };
  const range = newest === null ? { to: head } : { from: newest, to: head };
  const log = (await git.log(range, options, signal)).toReversed();
  const steps = await Promise.all(
    log.map(async ({ oid }) => ({ commit: oid, tree: await git.treeId(oid, found.directory, signal) })),
  );
  const wanted = dueSteps(steps, newestTree).map(({ commit }) => commit);
  // Without a revision the history begins with the registration: what stood there before is only what it is now.
  const registered = newest === null ? await registeringCommit(git, head, signal) : undefined;
  const since = newest === null ? await commitsSinceRegistration(git, wanted, registered, signal) : wanted;
  const looked = new Set(since.length > 0 ? since : wanted.slice(-1));
  const proposed = new Set(since);
  const states: { readonly commit: CommitInfo; readonly pull: Pull | null }[] = [];
  for (const commit of log.filter(({ oid }) => looked.has(oid))) {
    const pull = proposed.has(commit.oid)
      ? await mergedProposal({ forge }, config.branch, commit.oid, signal)
      : null;
    // A rebase brings the commits of a proposal one by one: the last of them is the revision.
    if (pull !== null && states.at(-1)?.pull?.number === pull.number) states.pop();
    states.push({ commit, pull });
  }
  const due: DueRevision[] = [];
  let flagged: Unapproved | null = null;
  const beneath = ({ oid }: CommitInfo, base: string, isFlagged: boolean): Promise<Authorship> => {
    if (newest !== null || due.length > 0)
      return Promise.resolve({ authors: [], unknown: isFlagged ? ['beneath'] : [] });
    const standing = { facts, config, base, merge: oid, directories: [found.directory] };
    return authorsOfFirstContent(ports, access, standing, signal);
  };
  for (const { commit, pull } of states) {
    const merged = { package: found, commit, pull };
    const isFlagged = flagged !== null;
    const approval = await approvalOfMerge({
      ports,
      access,
      facts,
      config,
      merged,
      published: due.at(-1)?.commit.oid ?? tagged,
      beneath: async (base) => {
        const [own, other] = [await beneath(commit, base, isFlagged), await moved(base, commit.oid)];
        const unknown = new Set([...own.unknown, ...other.unknown]);
        return { authors: [...own.authors, ...other.authors], unknown: [...unknown] };
      },
      accepted,
      signal,
    });
    // A later state has it in it.
    if (approval.waits === true) return { due, flagged, waits: true };
    const isMerged = pull !== null || approval.direct === true;
    const published = (isMerged && approval.approved) || config.publish.directPushes === 'publish';
    if (published) due.push({ ...merged, approval });
    const { missing, lacksRight } = approval;
    flagged = published
      ? null
      : {
          commit,
          pull: pull?.number ?? null,
          missing,
          ...(lacksRight === true && { refused: found.directory }),
        };
  }
  return { due, flagged };
}

/** The commit that brought the configuration; undefined where the branch has none of its own. */
async function registeringCommit(
  git: RepositoryAccess['git'],
  head: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const options = { path: CONFIGURATION_FILE, firstParent: true, limit: HISTORY };
  return (await git.log({ to: head }, options, signal)).at(-1)?.oid;
}

/** Those of the commits that have the configuration in their history; all where the branch has none of its own. */
async function commitsSinceRegistration(
  git: RepositoryAccess['git'],
  commits: readonly string[],
  registered: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  // The configuration is on another branch: nobody can tell.
  if (registered === undefined) return commits.slice(-1);
  const since: string[] = [];
  for (const commit of commits) {
    if (await git.isAncestor(registered, commit, signal)) since.push(commit);
  }
  return since;
}

/** The proposal that brought a commit to the registered branch; null for a direct push. */
async function mergedProposal(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  branch: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Pull | null> {
  const pulls = await forge.pullsForCommit(commit, signal);
  return pulls.find((pull) => pull.merged && pull.baseRef === branch) ?? null;
}
