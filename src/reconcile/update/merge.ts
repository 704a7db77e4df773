/** Updates that merge themselves, where the downstream's configuration says so. */
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import type { UpdateWay } from '../downstream/channel-target.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { CheckRun } from '../forge/checks.ts';
import type { MergeAnswer } from '../forge/merging.ts';
import type { Pull } from '../forge/pulls.ts';
import { proposalJob, publicationJob, settledBranchJob } from '../jobs.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { mergeAsAllowed } from '../publication/merge.ts';
import { recordPublishRequest } from '../publication/publish-request.ts';
import { pauseOf } from '../repository/pause.ts';
import { mayMergeFor, partyOf } from '../repository/visibility.ts';
import { asksApproval, consentCheck, ourApproval } from '../review/proposal-approval.ts';
import { isAuthorless, loadBeneath } from '../review/unpublished-beneath.ts';
import { hasForeignOrders } from '../rollout/rollouts.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import { FINE } from './automerge-checks.ts';
import { lookAtChecks } from './automerge-look.ts';
import type { UpdatePlan, PlannedPull } from './plan.ts';
import type { UpdatePull } from './pull.ts';
import { hasPeoplesCommits } from './replay.ts';
import { isDowngrade as isWayBack } from './upgrade-path.ts';

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
  const base = downstreamRepository.base.oid;
  if (pull.draft || !isLetByPolicy(downstreamRepository, members)) return null;
  if (head !== pull.headSha || before?.commit.oid !== head || before.record.conflicts !== undefined)
    return null;
  if (await bringsMore(ports, { downstreamRepository, members, head }, signal)) return null;
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
  if (!areOursFine(ports, checks, waiting)) return null;
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
  // What was asked for the decision may have changed while the forge was not ready to merge.
  const isStillValid = async (s?: AbortSignal): Promise<boolean> => {
    const runs = await access.forge.listChecks(pull.headSha, s);
    const isSame = runs.some(
      ({ id, conclusion, externalId }) =>
        id === ours.id && conclusion === ours.conclusion && externalId === ours.externalId,
    );
    if (!isSame || !areOursFine(ports, runs, [])) return false;
    for (const { down } of members) if (await hasForeignRecord(ports, down, s)) return false;
    return (await lookAtChecks({ ports, access, pull, base, runs, signal: s })).kind === 'green';
  };
  if (!(await mergeOrQueue({ ports, downstreamRepository, pull, isStillValid, signal }))) return null;
  await ports.enqueue(publicationJob(access.ref));
  return { kind: 'merged', pull: pull.number, to: members[0]?.to ?? '' };
}

/** Whether the configuration lets steps of this size, and by whoever asks for them, merge themselves. */
function isLetByPolicy(
  { config, facts }: PlannedPull['plan']['downstreamRepository'],
  members: PlannedPull['members'],
): boolean {
  const { automerge, automergeFrom } = config.updates;
  const here = partyOf({ facts, config });
  return members.every(({ down, to, way }) => {
    const { planned, renewal, upstream } = down;
    // The way back is ordered elsewhere: by a rollout, a channel, a tag that is gone. A person has to see it.
    if (isBack(upstream.current, to) || isDowngradePath(way)) return false;
    // Whoever writes documents elsewhere may propose here, and no more unless this repository says so.
    if (planned && !mayMergeFor(here, automergeFrom, planned.control)) return false;
    return allows(automerge, renewal?.size ?? (down.exists ? stepOf(upstream.current, to) : 'all'));
  });
}

/** Whether the merge would bring, or publish along, what is not this update and Portico's alone. */
async function bringsMore(
  ports: Ports,
  update: {
    readonly downstreamRepository: PlannedPull['plan']['downstreamRepository'];
    readonly members: PlannedPull['members'];
    readonly head: string;
  },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { downstreamRepository, members, head } = update;
  const { access, config, facts } = downstreamRepository;
  const base = downstreamRepository.base.oid;
  // What was pushed past the rules would be published along, with nobody's approval.
  const directories = members.map(({ down }) => down.directory);
  const beneath = await loadBeneath(ports, access, { facts, config, base, directories }, signal);
  if (!isAuthorless(beneath)) return true;
  // A pause or an order that nobody can vouch for: somebody looks before anything merges.
  for (const { down } of members) if (await hasForeignRecord(ports, down, signal)) return true;
  // What people committed below it is not Portico's to merge either.
  if (await hasPeoplesCommits(ports, access.git, { base, head }, signal)) return true;
  // A package at the top of its repository holds the configuration: what an upstream brings there a person decides.
  return changesConfiguration(access.git, { base, head }, signal);
}

/** All checks of ours at the head hold, but those that wait for what this update need not have. */
function areOursFine({ app }: Ports, runs: readonly CheckRun[], waiting: readonly CheckRun[]): boolean {
  return runs
    .filter((run) => run.appId === app.id && !waiting.includes(run))
    .every(({ status, conclusion }) => status === 'completed' && FINE.includes(conclusion));
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

/** A ref that Portico has not written stands where a pause or orders would. */
async function hasForeignRecord(
  ports: Ports,
  down: Downstream,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const pause = await pauseOf(ports, down.access, down.directory, signal);
  return (pause !== null && pause.by === null) || hasForeignOrders(ports, down, signal);
}

async function changesConfiguration(
  git: RepositoryAccess['git'],
  { base, head }: { readonly base: string; readonly head: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const from = await git.mergeBase(base, head, signal);
  if (from === null) return true;
  const changes = await git.changedPaths(from, head, signal);
  return changes.some(({ path }) => path.startsWith('.github/'));
}

/** Also where the position is known by its content alone. */
function isDowngradePath(way: UpdateWay | undefined): boolean {
  return way !== undefined && isWayBack(way);
}

function isBack(from: string | undefined, to: string): boolean {
  const a = from === undefined ? undefined : parseRevisionName(from);
  const b = parseRevisionName(to);
  return a !== undefined && b !== undefined && compareRevisions(b, a) < 0;
}

type Step = 'patch' | 'minor' | 'all';

/** How big a step is; numbers without dots, and values that change at one revision, tell nothing: any size. */
function stepOf(from: string | undefined, to: string): Step {
  const a = from === undefined ? undefined : parseRevisionName(from);
  const b = parseRevisionName(to);
  if (a?.kind !== 'semver' || b?.kind !== 'semver' || a.major !== b.major || a.name === b.name) return 'all';
  return a.minor === b.minor ? 'patch' : 'minor';
}

const SIZES: readonly UpdatePolicy['automerge'][] = ['none', 'patch', 'minor', 'all'];

function allows(policy: UpdatePolicy['automerge'], step: Step): boolean {
  return SIZES.indexOf(policy) >= SIZES.indexOf(step);
}
