/** Whether a pull request can be merged: computed in the background, as on GitHub, and forgotten when a side moves. */

import { forgePerson } from '../acting.ts';
import { runLater } from '../background.ts';
import { isUnstable } from '../checks-of-commit.ts';
import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { GitPerson } from '../git-objects.ts';
import type { GitRepository } from '../git-repository.ts';
import { mergeCommit, rebaseCommits } from '../merge-engine.ts';
import { drawDelay } from '../realism/chances.ts';
import type { RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import type { PullStats, PullVerdict } from '../shapes/pull.ts';
import { requirementsOf, unmet } from './requirements.ts';

const REMEMBERED_STATS = 1000;
/** Commits that the rebase method takes, as on GitHub. */
const MAX_REBASED = 100;

const UNKNOWN: PullVerdict = { mergeable: null, rebaseable: null, state: 'unknown' };

interface Memory {
  /** By pull request: the computation under way, replaced when a side moves. */
  readonly computing: Map<number, object>;
  readonly stats: Map<string, PullStats>;
}

const memories = new WeakMap<ForgeContext, Memory>();

/** What is known by now. */
export function verdictOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
): PullVerdict {
  const { testMerge } = pull;
  if (pull.mergedAt !== null || testMerge === null || testMerge.headSha !== pull.headSha) return UNKNOWN;
  const { clean, rebaseable } = testMerge;
  return { mergeable: clean, rebaseable: clean && rebaseable, state: stateOf(context, repository, pull) };
}

/** Starts the test merge of an open pull request unless it is known or under way. */
export function startTestMerge(context: ForgeContext, repository: RepositoryRecord, pull: PullRecord): void {
  const { computing } = memoryOf(context);
  if (pull.testMerge !== null || computing.has(pull.id) || issueOf(context, pull).state === 'closed') return;
  const token = {};
  computing.set(pull.id, token);
  runLater(context, drawDelay(context, 'mergeabilityLag'), 'test merge', async () => {
    try {
      await computeTestMerge(context, repository, pull, () => computing.get(pull.id) === token);
    } finally {
      if (computing.get(pull.id) === token) computing.delete(pull.id);
    }
  });
}

/** Forgets the test merge, because a side of it moved. */
export function forgetTestMerge(context: ForgeContext, pull: PullRecord): PullRecord {
  memoryOf(context).computing.delete(pull.id);
  return collaborationStore(context.store).pulls.update(pull.id, { testMerge: null });
}

/** The commit that a pull request is compared with: the base's tip while it is open, where it was afterwards. */
export async function baseOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
): Promise<string> {
  if (issueOf(context, pull).state === 'closed') return pull.baseSha;
  const tip = await context.git(repository).ref(`refs/heads/${pull.baseRef}`);
  return tip?.sha ?? pull.baseSha;
}

/** The number of commits, files and lines of a pull request. */
export async function pullStats(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
): Promise<PullStats> {
  const base = await baseOf(context, repository, pull);
  const { stats } = memoryOf(context);
  const key = `${repository.id}:${base}:${pull.headSha}`;
  const known = stats.get(key);
  if (known !== undefined) return known;
  const git = context.git(repository);
  const from = (await git.mergeBase(base, pull.headSha)) ?? null;
  const files = await git.diff(from, pull.headSha, { patch: false });
  const commits = await git.log({ include: [pull.headSha], exclude: [base] });
  const counted: PullStats = {
    commits: commits.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: files.length,
  };
  if (stats.size >= REMEMBERED_STATS) stats.clear();
  stats.set(key, counted);
  return counted;
}

async function computeTestMerge(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  stillWanted: () => boolean,
): Promise<void> {
  const git = context.git(repository);
  const base = await baseOf(context, repository, pull);
  const head = pull.headSha;
  const forge = forgePerson(context);
  const message = `Merge ${head} into ${base}`;
  const merged = await mergeCommit(git, { base, head, message, author: forge, committer: forge });
  const rebased = merged.clean && (await isRebaseable(git, base, head, forge));
  const behind = !(await git.isAncestor(base, head));
  if (!stillWanted()) return;
  const sha = merged.clean ? merged.sha : null;
  await git.updateRefs([{ ref: `refs/pull/${pull.number}/merge`, before: undefined, after: sha }]);
  if (!stillWanted()) return;
  collaborationStore(context.store).pulls.update(pull.id, {
    testMerge: { baseSha: base, headSha: head, clean: merged.clean, behind, rebaseable: rebased, sha },
  });
}

/** GitHub does not rebase more than a hundred commits. */
async function isRebaseable(
  git: GitRepository,
  base: string,
  head: string,
  committer: GitPerson,
): Promise<boolean> {
  const commits = await git.log({ include: [head], exclude: [base], limit: MAX_REBASED + 1 });
  return commits.length <= MAX_REBASED && (await rebaseCommits(git, base, head, committer)).clean;
}

function stateOf(context: ForgeContext, repository: RepositoryRecord, pull: PullRecord): string {
  if (pull.testMerge?.clean !== true) return 'dirty';
  if (pull.draft) return 'draft';
  const requirements = requirementsOf(context, repository, pull.baseRef);
  if (unmet(context, repository, pull, requirements).length > 0) return 'blocked';
  if (requirements.strict && pull.testMerge.behind) return 'behind';
  return isUnstable(context, repository.id, pull.headSha) ? 'unstable' : 'clean';
}

function memoryOf(context: ForgeContext): Memory {
  const memory = memories.get(context) ?? { computing: new Map(), stats: new Map() };
  memories.set(context, memory);
  return memory;
}
