import type { RepositoryConfig } from '../config/repository-config.ts';
import { dueSteps } from '../revision/due.ts';
import { publishedOnBranch, type RevisionRefs } from './package-revisions.ts';
import type { Access, CommitInfo, PackageDir, Pull } from './ports.ts';

/** A state of the registered branch that is a revision of one package. */
export interface DueRevision {
  readonly package: PackageDir;
  readonly commit: CommitInfo;
  /** The merged proposal; null for a direct push, where the configuration publishes those. */
  readonly pull: Pull | null;
}

export interface DueRevisions {
  /** Oldest first. */
  readonly due: readonly DueRevision[];
  /** The newest state that came past any proposal and is left alone, null where what stands there is published or due. */
  readonly flagged: CommitInfo | null;
}

/** A branch's history is read so far back for merges that were not tagged. */
const HISTORY = 500;

/** The revisions of one package that are due, counted from the newest one that lies on the branch. */
export async function dueRevisions(
  { git, forge }: Access,
  config: RepositoryConfig,
  refs: RevisionRefs,
  found: PackageDir,
  head: string,
  signal?: AbortSignal,
): Promise<DueRevisions> {
  const newest = await publishedOnBranch(git, refs, found.directory, head, signal);
  const newestTree =
    newest === null ? undefined : ((await git.treeId(newest, found.directory, signal)) ?? undefined);
  if (newestTree === found.tree) return { due: [], flagged: null };
  const options = {
    firstParent: true,
    limit: HISTORY,
    ...(found.directory !== '' && { path: found.directory }),
  };
  const range = newest === null ? { to: head } : { from: newest, to: head };
  const log = (await git.log(range, options, signal)).toReversed();
  const steps = await Promise.all(
    log.map(async ({ oid }) => ({ commit: oid, tree: await git.treeId(oid, found.directory, signal) })),
  );
  const wanted = dueSteps(steps, newestTree).map(({ commit }) => commit);
  // Without a revision there is no history to make up for: only what stands on the branch can be published.
  const looked = new Set(newest === null ? wanted.slice(-1) : wanted);
  const due: DueRevision[] = [];
  let flagged: CommitInfo | null = null;
  for (const commit of log.filter(({ oid }) => looked.has(oid))) {
    const pull = await mergedProposal({ forge }, config.branch, commit.oid, signal);
    const published = pull !== null || config.publish.directPushes === 'publish';
    if (published) due.push({ package: found, commit, pull });
    flagged = published ? null : commit;
  }
  return { due, flagged };
}

/** The proposal that brought a commit to the registered branch; null for a direct push. */
async function mergedProposal(
  { forge }: Pick<Access, 'forge'>,
  branch: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Pull | null> {
  const pulls = await forge.pullsForCommit(commit, signal);
  return pulls.find((pull) => pull.merged && pull.baseRef === branch) ?? null;
}
