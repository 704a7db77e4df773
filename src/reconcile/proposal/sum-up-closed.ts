/** What a proposal came to, once it is merged or closed: its comment says so, and so does the body of an update. */
import { partIn } from '../../text/marked-part.ts';
import { overdueJob } from '../jobs.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { ourSummary, summaryLock } from '../publication/tell-downstream.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { acceptedAtMerge } from '../review/accepted-at-merge.ts';
import type { Authorship } from '../review/authors.ts';
import { removedPackages } from '../review/known-users.ts';
import { approvalOfMerge } from '../review/merged-approval.ts';
import { publishedOf, type PublishedRevision } from '../review/published-proposal.ts';
import { revisionBefore } from '../review/revision-before.ts';
import { loadBeneath, movedFiles } from '../review/unpublished-beneath.ts';
import { downstreamPart, SUMMARY_MARKER } from '../text/summary-marker.ts';
import { closedUpdate, tellUpdateState } from '../update/tell-update-state.ts';
import { closedSummary, mergedSummary, publishedSummary, unapprovedSummary } from './summary.ts';

/** Says which revisions a merged proposal became, that nobody approved it, or that it was closed. */
export async function sumUpClosed(
  ports: Ports,
  access: RepositoryAccess,
  snapshot: ProposalSnapshot,
  signal?: AbortSignal,
): Promise<void> {
  const { pull } = snapshot;
  if (!pull.merged) {
    await sumUpUnmerged(ports, access, snapshot, signal);
    return;
  }
  const result = await resultOf(ports, access, snapshot, signal);
  if (result.kind === 'pending' && isRecent(ports, pull.mergedAt)) {
    // Mostly it is published a moment later, and asks for another look itself.
    await ports.enqueue(overdueJob(access.ref, pull.number, PATIENCE_SECONDS));
    return;
  }
  await ports.runExclusive(summaryLock(access.ref, pull.number), async () => {
    const comments = await access.forge.lookingAt(pull.number).listComments(pull.number, signal);
    const before = (ourSummary(ports, comments)?.body ?? '').replaceAll('\r\n', '\n');
    const downstream = (path: string): string => partIn(before, downstreamPart(path));
    const text = summaryOfMerge(result, snapshot, downstream);
    await access.forge.upsertStickyAmong(
      comments,
      { number: pull.number, marker: SUMMARY_MARKER, body: text },
      signal,
    );
  });
  const state =
    result.kind === 'unapproved'
      ? result
      : ({ kind: 'merged', revisions: result.kind === 'published' ? result.revisions : null } as const);
  await tellUpdateState({ ports, access, signal }, snapshot, state);
}

/** So long a merge waits for its revision before its comment says that it is still to come. */
const PATIENCE_SECONDS = 120;

function isRecent({ now }: Pick<Ports, 'now'>, mergedAt: string | null): boolean {
  return mergedAt !== null && now().getTime() - Date.parse(mergedAt) < PATIENCE_SECONDS * 1_000;
}

type MergeResult =
  | { readonly kind: 'published'; readonly revisions: readonly PublishedRevision[] }
  | { readonly kind: 'unapproved'; readonly paths: readonly string[]; readonly missing: readonly string[] }
  | { readonly kind: 'pending' };

function summaryOfMerge(
  result: MergeResult,
  snapshot: ProposalSnapshot,
  downstream: (path: string) => string,
): string {
  if (result.kind === 'pending') return mergedSummary();
  if (result.kind === 'unapproved') return unapprovedSummary(result.paths, result.missing);
  const removed = removedPackages(snapshot).map(({ path }) => path);
  return publishedSummary(result.revisions, removed, downstream);
}

async function resultOf(
  ports: Ports,
  access: RepositoryAccess,
  snapshot: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<MergeResult> {
  const revisions = await publishedOf(access, snapshot, signal);
  if (revisions !== null) return { kind: 'published', revisions };
  const left = await unapprovedPaths(ports, access, snapshot, signal);
  if (left.length === 0) return { kind: 'pending' };
  const missing = [...new Set(left.flatMap((one) => one.missing))];
  return { kind: 'unapproved', paths: left.map(({ path }) => path), missing };
}

interface Unapproved {
  readonly path: string;
  readonly missing: readonly string[];
}

/** Packages that have no revision of it because nobody approved what came to the branch. */
async function unapprovedPaths(
  ports: Ports,
  access: RepositoryAccess,
  { facts, config, pull, packages }: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<readonly Unapproved[]> {
  if (pull.mergeCommitSha === null || config.publish.directPushes === 'publish') return [];
  const oid = await access.git.resolve(pull.mergeCommitSha, signal);
  if (oid === null) return [];
  const commit = await access.git.commit(oid, signal);
  const refs = await loadRevisionRefs(access.git, signal);
  const left: Unapproved[] = [];
  const removed = packages.filter(({ trees }) => trees.head === null);
  for (const one of packages.filter(({ trees }) => trees.head !== null)) {
    const merged = { package: one, commit, pull };
    const base = commit.parents[0] ?? oid;
    const { directory } = one;
    const tree = await access.git.treeId(base, directory, signal);
    const before = { snapshot: { facts, config, base, mergeBase: base }, refs, directory, tree };
    const published = await revisionBefore({ ports, access, signal }, before);
    const directories = [one, ...removed].map((found) => found.directory);
    const beneath = async (at: string): Promise<Authorship> => {
      const files = await movedFiles(access, { packages, from: at, to: oid }, signal);
      return loadBeneath(ports, access, { facts, config, base: at, merge: oid, directories, files }, signal);
    };
    const accepted = acceptedAtMerge(ports);
    const counted = { ports, access, facts, config, merged, published, beneath, accepted, signal };
    const { approved, missing, waits } = await approvalOfMerge(counted);
    if (!approved && waits !== true) left.push({ path: one.path, missing });
  }
  return left;
}

/** Where nothing was said of it there is nothing to take back. */
async function sumUpUnmerged(
  ports: Ports,
  access: RepositoryAccess,
  snapshot: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { number } = snapshot.pull;
  const comments = await access.forge.listComments(number, signal);
  const update = await closedUpdate({ ports, access, signal }, snapshot, comments);
  if (ourSummary(ports, comments) !== undefined)
    await access.forge.upsertStickyAmong(
      comments,
      { number, marker: SUMMARY_MARKER, body: closedSummary(update) },
      signal,
    );
  if (update !== undefined) await tellUpdateState({ ports, access, signal }, snapshot, update);
}
