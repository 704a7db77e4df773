/** What the commits of a proposal tell of the commands that made it. */

import type { Account } from '../../command/account.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import { guardrailOf, WAIVED } from '../check-names.ts';
import type { Pull } from '../forge/pulls.ts';
import type { CommitInfo, Git } from '../git-port.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { tagOf, taggedRevisions, type RevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { fetchedHead } from '../repository/pull-head.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { commandRecord, readCommitRecord } from '../seal/commit-seal.ts';

/** A branch of more commits of its own is not looked through. */
const HISTORY = 300;

/**
 * Who asked for a pull request that Portico opened: to Portico he is its author, so that nobody approves what he had
 * made himself. Null where a person opened it.
 */
export async function askedFor(
  { app, seals }: Pick<Ports, 'app' | 'seals'>,
  git: Git,
  pull: Pull,
  signal?: AbortSignal,
): Promise<Account | null> {
  if (pull.author !== app.botLogin) return null;
  const first = (await ownCommits(git, pull, signal)).at(-1);
  const record = first === undefined ? null : readCommitRecord(first, seals);
  return record !== null && 'by' in record ? { login: record.by, id: record.byId } : null;
}

/** Revisions that are compared for one that came back. */
const MAX_COMPARED = 50;

/**
 * The revision whose content a commit brings back to the package in a directory, undefined for any other content. A
 * rollback by command says so, however it is rendered today, as long as nothing is added to it; one that a person
 * made, by git or at a terminal, is known by its tree.
 */
export async function restoredFrom({
  ports: { seals },
  git,
  refs,
  due,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals'>;
  readonly git: Git;
  readonly refs: RevisionRefs;
  readonly due: {
    readonly pull: Pull | null;
    readonly commit: CommitInfo;
    readonly directory: RepositoryDirectory;
  };
  readonly signal?: AbortSignal | undefined;
}): Promise<string | undefined> {
  const { pull, commit, directory } = due;
  const tree = await git.treeId(commit.oid, directory, signal);
  if (pull !== null && parseBranch(pull.headRef)?.kind === 'draft') {
    const [head, ...earlier] = await ownCommits(git, pull, signal);
    // What else came to the branch, or with the merge, makes it other content.
    const asProposed = head !== undefined && (await git.treeId(head.oid, directory, signal)) === tree;
    const made = asProposed ? [head, ...earlier].find((one) => !isRenderCommit(one, seals)) : undefined;
    const record = made === undefined ? null : commandRecord(made, seals);
    if (record?.kind === 'draft' && record.source === 'rollback' && record.directory === directory) {
      return record.from;
    }
  }
  for (const { name } of taggedRevisions(refs, directory).slice(-MAX_COMPARED).toReversed()) {
    const tag = tagOf(refs, directory, name);
    if (tag !== undefined && (await git.treeId(tag.commit, directory, signal)) === tree) return name;
  }
  return undefined;
}

/**
 * Packages whose failing guardrails somebody who may approve has waived, by path: as long as the branch holds what that
 * command put there, and renders of it.
 */
export async function waivedPackages({
  ports: { app, seals },
  git,
  snapshot: { mergeBase, packages, pull },
  head,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly git: Git;
  readonly snapshot: Pick<ProposalSnapshot, 'mergeBase' | 'packages' | 'pull'>;
  readonly head: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<ReadonlyMap<string, string>> {
  if (pull.author !== app.botLogin) return new Map();
  const log = await git.log({ from: mergeBase, to: head }, { firstParent: true, limit: HISTORY }, signal);
  const waiver = waiverIn(log, seals);
  const waived = packages.find(({ directory }) => directory === waiver?.directory);
  return new Map(waiver === null || waived === undefined ? [] : [[waived.path, waiver.by]]);
}

/** A command that waived the guardrails of a package, and nothing but renders above it; commits are newest first. */
function waiverIn(
  commits: readonly CommitInfo[],
  seals: Ports['seals'],
): { readonly directory: RepositoryDirectory; readonly by: string } | null {
  const newest = commits.find((commit) => !isRenderCommit(commit, seals));
  const record = newest === undefined ? null : readCommitRecord(newest, seals);
  return record?.kind === 'draft' && record.anyway === true ? record : null;
}

/**
 * The guardrails that a package failed when its proposal was merged and that stood in nobody's way, because somebody had
 * waived them, as the checks at the proposal's head tell.
 */
export async function waivedGuardrails(
  { ports: { app, seals }, access: { git, forge }, signal }: RepositoryWork<'app' | 'seals', 'git' | 'forge'>,
  pull: Pull,
  directory: RepositoryDirectory,
): Promise<readonly { readonly guardrail: string; readonly by: string }[]> {
  if (pull.author !== app.botLogin) return [];
  const waiver = waiverIn(await ownCommits(git, pull, signal), seals);
  if (waiver === null || waiver.directory !== directory) return [];
  const runs = await forge.ourChecks(pull.headSha, signal);
  return runs
    .filter(({ title }) => title?.endsWith(WAIVED) === true)
    .map(({ name }) => ({ guardrail: guardrailOf(name) ?? name, by: waiver.by }));
}

/** The commits that a pull request brings, newest first, also once it is merged. */
async function ownCommits(
  git: Git,
  pull: Pull,
  signal: AbortSignal | undefined,
): Promise<readonly CommitInfo[]> {
  const sides = await sidesOf(git, pull, signal);
  if (sides === null) return [];
  return git.log({ from: sides.beside, to: sides.head }, { firstParent: true, limit: HISTORY }, signal);
}

/** The head of a pull request and what it is compared with, also once it is merged; null where git has them no more. */
export async function sidesOf(
  git: Git,
  pull: Pull,
  signal?: AbortSignal,
): Promise<{ readonly head: string; readonly beside: string } | null> {
  const head = await fetchedHead(git, pull, signal);
  if (head === null) return null;
  const merged =
    pull.merged && pull.mergeCommitSha !== null ? await git.resolve(pull.mergeCommitSha, signal) : null;
  const beside =
    merged === null
      ? await git.resolve(`refs/heads/${pull.baseRef}`, signal)
      : ((await git.commit(merged, signal)).parents[0] ?? null);
  return beside === null ? null : { head, beside };
}
