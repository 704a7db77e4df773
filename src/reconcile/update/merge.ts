/** Updates that merge themselves, where the downstream's configuration says so. */
import { AGGREGATE_CHECK } from '../check-names.ts';
import type { MergeAnswer } from '../forge/merging.ts';
import type { Pull } from '../forge/pulls.ts';
import { proposalJob, publicationJob, settledBranchJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { mergeAsAllowed } from '../publication/merge.ts';
import { recordPublishRequest } from '../publication/publish-request.ts';
import { isDecidingFile } from '../repository/deciding-file.ts';
import { asksApproval, consentCheck, ourApproval } from '../review/proposal-approval.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import { lookAtChecks } from './automerge-look.ts';
import { hasForeignRecord, heldBy, whyNotByItself } from './automerge-policy.ts';
import { heldMeanwhile } from './held-meanwhile.ts';
import type { UpdatePlan, PlannedPull } from './plan.ts';
import type { UpdatePull } from './pull.ts';
import { hasPeoplesCommits } from './replay.ts';

/**
 * Merges an update that is current, if the policy allows so big a step of each package, every check at its head is
 * green, ours included, and all its commits are Portico's: whoever edits it merges it. No way back merges itself, nor what would
 * publish something else along. Null
 * where it waits.
 */
export async function mergeAutomatically({
  ports,
  plan: { downstreamRepository, branch, head, before },
  members,
  pull,
  signal,
}: PlannedPull): Promise<UpdatePull | null> {
  const { access, config, facts } = downstreamRepository;
  if (pull.draft || (await whyNotByItself({ ports, downstreamRepository, members, signal })) !== null)
    return null;
  if (head !== pull.headSha || before?.commit.oid !== head || before.record.conflicts !== undefined)
    return null;
  // What people committed below it is not Portico's to merge either.
  if (await hasPeoplesCommits(ports, access.git, { base: downstreamRepository.base.oid, head }, signal))
    return null;
  if (await changesDecidingFile(downstreamRepository, head, signal)) return null;
  const checks = await access.forge.listChecks(pull.headSha, signal);
  const ours = checks.find(({ name, appId }) => name === AGGREGATE_CHECK && appId === ports.app.id);
  if (ours?.status !== 'completed') return null;
  // Its checks are of a time at which nobody was asked to approve.
  if (asksApproval(config) && ourApproval(ports, checks) === undefined) {
    await ports.enqueue(proposalJob(access.ref, pull.number));
    return null;
  }
  // What waits for approvals alone has the configuration's; the aggregate follows, and with it the next look.
  const approval = ours.conclusion === 'action_required' ? ourApproval(ports, checks) : undefined;
  const waiting = approval === undefined ? [] : [approval, ours];
  if (heldBy(ports, checks, waiting).length > 0) return null;
  const base = downstreamRepository.base.oid;
  const others = await lookAtChecks({ ports, access, pull, base, runs: checks, signal });
  if (others.kind !== 'green') {
    ports.log.debug(
      { repository: facts.fullName, pull: pull.number, reason: others.what },
      'the update waits for checks of others',
    );
    if (others.kind === 'wait' && others.seconds !== undefined) {
      await ports.enqueue(settledBranchJob(access.ref, branch, Math.ceil(others.seconds)));
    }
    return null;
  }
  if (approval !== undefined) {
    const consent = consentCheck(config, pull.headSha, ours.externalId);
    if (ours.externalId === '' || approval.externalId === consent.externalId) return null;
    await access.forge.putCheck(consent, signal);
    await ports.enqueue(proposalJob(access.ref, pull.number));
    return null;
  }
  const isStoppedByPeople = async (s?: AbortSignal): Promise<boolean> =>
    (await heldMeanwhile(ports, members, s)) !== null || (await hasForeignRecord(ports, members, s));
  if (await isStoppedByPeople(signal)) return null;
  // What was asked for the decision may have changed while the forge was not ready to merge.
  const isStillValid = async (s?: AbortSignal): Promise<boolean> => {
    const runs = await access.forge.listChecks(pull.headSha, s);
    const isSame = runs.some(
      ({ id, conclusion, externalId }) =>
        id === ours.id && conclusion === ours.conclusion && externalId === ours.externalId,
    );
    if (!isSame || heldBy(ports, runs, []).length > 0 || (await isStoppedByPeople(s))) return false;
    return (await lookAtChecks({ ports, access, pull, base, runs, signal: s })).kind === 'green';
  };
  if (!(await mergeOrQueue({ ports, downstreamRepository, pull, isStillValid, signal }))) return null;
  await ports.enqueue(publicationJob(access.ref));
  return { kind: 'merged', pull: pull.number, to: members[0]?.to ?? '', isReviewed: false };
}

const NOT_LET: Readonly<Record<string, string>> = {
  blocked: 'rules of the branch do not allow it',
  forbidden: 'the forge does not allow the App to do it',
};
const HELPS: Readonly<Record<string, string>> = {
  blocked: 'Merge it yourself once the rules are satisfied.',
  forbidden:
    'If it changes workflow files, an App may merge it only with the permission Workflows. Merge it yourself, and Portico tags what was merged; or give the App that permission. ' +
    'Otherwise, check that the App has the permission `Contents: read and write` and that the installation accepted any new permission.',
};
const REFUSED_MARKER = '<!-- portico:automerge -->';

/**
 * True where it merged. By the method that the repository allows: the record of what an update brings is sealed in the commits of its branch,
 * which stay reachable by the pull request, so that a squash loses nothing. Where the branch takes what comes through a
 * queue alone, it goes there. A rule that stands against it is told once.
 */
async function mergeOrQueue({
  ports,
  downstreamRepository: { access, config, facts },
  pull,
  isStillValid,
  signal,
}: {
  readonly ports: Ports;
  readonly downstreamRepository: UpdatePlan['downstreamRepository'];
  readonly pull: Pull;
  readonly isStillValid: (signal?: AbortSignal) => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  const { forge } = access;
  const request = { requestedBy: ports.app.slug };
  const title = `${pull.title} (#${pull.number})`;
  const merging = { facts, pull, config, title };
  const answer = await mergeAsAllowed(
    { ports, access, signal },
    merging,
    { sha: pull.headSha, isStillValid },
    request,
  );
  if (answer.ok) return true;
  let refused: Pick<Exclude<MergeAnswer, { ok: true }>, 'reason' | 'message'> = answer;
  if (answer.reason === 'queue') {
    await recordPublishRequest({ ports, access, signal }, facts, pull, { ...request, head: pull.headSha });
    const queued = await forge.enqueuePull(pull.nodeId, pull.headSha, signal);
    if (queued.ok) return false;
    refused = queued;
  }
  const { reason, message: err } = refused;
  ports.log.info(
    { repository: facts.fullName, pull: pull.number, reason, err },
    'the update did not merge itself',
  );
  const why = NOT_LET[reason];
  if (why !== undefined) {
    const text = `**This update should merge automatically, but ${why}**: ${foreignSentence(err)}\n\n${HELPS[reason] ?? ''}`;
    await forge.upsertSticky(pull.number, REFUSED_MARKER, text, signal);
  }
  return false;
}

async function changesDecidingFile(
  { access: { git }, facts, base, config }: UpdatePlan['downstreamRepository'],
  head: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const from = await git.mergeBase(base.oid, head, signal);
  if (from === null) return true;
  return (await git.changedPaths(from, head, signal)).some(({ path }) =>
    isDecidingFile(config, facts.fullName, path),
  );
}
