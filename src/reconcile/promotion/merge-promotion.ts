import { CHANNEL_BRANCHES } from '../../revision/ref-name.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';
import { publicationJob } from '../jobs.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { mergeAsAllowed } from '../publication/merge.ts';
import { packageChannels } from '../repository/channel-files.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { readCommitRecord, type AskedChange } from '../seal/commit-seal.ts';

/** Commits of one branch that are looked through; a longer one merges nothing by itself. */
const MAX_COMMITS = 50;

/**
 * Merges a promotion that Portico began by itself, where the base branch's channel file says `auto: merge` and all its checks are
 * green, approvals included. Whatever a person added to it a person merges.
 */
export async function mergePromotion(
  ports: Ports,
  access: RepositoryAccess,
  { snapshot, checks }: { readonly snapshot: ProposalSnapshot; readonly checks: readonly CheckInput[] },
  signal?: AbortSignal,
): Promise<void> {
  const { pull, head, facts, config } = snapshot;
  const isOurs = pull.author === ports.app.botLogin && pull.headRef.startsWith(CHANNEL_BRANCHES);
  if (!isOurs || pull.draft || head.oid !== pull.headSha || !isGreen(checks)) return;
  const changes = await ownPromotions(ports, access, snapshot, signal);
  if (changes.length === 0 || !(await allMayMerge(ports, access, { snapshot, changes }, signal))) return;
  const isStillValid = async (s?: AbortSignal): Promise<boolean> =>
    (await access.forge.listChecks(head.oid, s)).some(
      ({ name, appId, conclusion }) =>
        name === AGGREGATE_CHECK && appId === ports.app.id && conclusion === 'success',
    );
  const answer = await mergeAsAllowed(
    { ports, access, signal },
    { facts, pull, config, title: `${pull.title} (#${pull.number})` },
    { sha: head.oid, isStillValid },
    { requestedBy: ports.app.slug },
  );
  if (answer.ok) await ports.enqueue(publicationJob(access.ref));
  else {
    const { reason, message: err } = answer;
    ports.log.info(
      { repository: facts.fullName, pull: pull.number, reason, err },
      'the promotion did not merge itself',
    );
  }
}

function isGreen(checks: readonly CheckInput[]): boolean {
  return checks.some(({ name, conclusion }) => name === AGGREGATE_CHECK && conclusion === 'success');
}

/** The changes on the branch where Portico alone made and asked for all of it; else none. */
async function ownPromotions(
  ports: Pick<Ports, 'app' | 'seals'>,
  { git }: RepositoryAccess,
  { base, head }: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<readonly AskedChange[]> {
  const log = await git.log({ from: base, to: head.oid }, { limit: MAX_COMMITS + 1 }, signal);
  if (log.length > MAX_COMMITS) return [];
  const changes: AskedChange[] = [];
  for (const commit of log) {
    const record = readCommitRecord(commit, ports.seals);
    if (record?.kind !== 'channels') return [];
    changes.push(...record.changes);
  }
  return changes.every(({ change, by }) => change.do === 'promote' && by === ports.app.botLogin)
    ? changes
    : [];
}

async function allMayMerge(
  ports: Pick<Ports, 'content'>,
  { git }: RepositoryAccess,
  {
    snapshot: { base, config },
    changes,
  }: { readonly snapshot: ProposalSnapshot; readonly changes: readonly AskedChange[] },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const place = { git, head: base, refs: await loadRevisionRefs(git, signal), registered: config.directory };
  for (const { change } of changes) {
    const state = await packageChannels(ports, place, change.package, signal);
    const channel = state?.document?.channels.find(({ name }) => name === change.channel);
    if (channel?.promotion?.auto !== 'merge') return false;
  }
  return true;
}
