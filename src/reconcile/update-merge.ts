/** Updates that merge themselves, where the downstream's configuration says so. */
import type { UpdatePolicy } from '../config/repository-config.ts';
import { compareRevisions, parseRevisionName } from '../revision/revision-name.ts';
import { AGGREGATE_CHECK } from './check-names.ts';
import type { Downstream } from './downstream.ts';
import type { Pull } from './forge-port.ts';
import { proposalJob, publicationJob } from './jobs.ts';
import { mergeMessage } from './merge-message.ts';
import { pauseOf } from './paused.ts';
import type { World } from './ports.ts';
import { consentCheck, ourApproval } from './proposal-approval.ts';
import { hasForeignOrders } from './rollouts.ts';
import { isNobodys, loadBeneath } from './unpublished-beneath.ts';
import type { Bundle, Member } from './update-bundle.ts';
import type { UpdatePull } from './update-pull.ts';
import { hasPeoplesCommits } from './update-replay.ts';

/** Conclusions that hold nothing up. */
const FINE: readonly (string | null)[] = ['success', 'neutral', 'skipped'];

/**
 * Merges an update that is current, if the policy allows so big a step of each package, every check at its head is
 * green, ours included, and all its commits are Portico's: whoever edits it merges it. No way back merges itself, nor what would
 * publish something else along. Null
 * where it waits.
 */
export async function mergedAlone(
  world: World,
  { home, head, before }: Bundle,
  members: readonly Member[],
  pull: Pull,
  signal?: AbortSignal,
): Promise<UpdatePull | null> {
  const { access, config, facts } = home;
  // The way back is ordered elsewhere: by a rollout, a channel, a tag that is gone. A person has to see it.
  if (members.some(({ down, to }) => isBack(down.upstream.current, to))) return null;
  // Whoever writes documents elsewhere may propose here, and no more.
  if (members.some(({ down: { planned } }) => planned !== undefined && planned.control.ref.id !== facts.id))
    return null;
  const { automerge } = config.updates;
  const steps = members.map(({ down, to }) => (down.exists ? stepOf(down.upstream.current, to) : 'all'));
  if (pull.draft || !steps.every((step) => allows(automerge, step))) return null;
  // What was pushed past the rules would be published along, with nobody's approval.
  const beneath = {
    facts,
    config,
    base: home.base.oid,
    directories: members.map(({ down }) => down.directory),
  };
  if (!isNobodys(await loadBeneath(world, access, beneath, signal))) return null;
  // A pause or an order that nobody can vouch for: somebody looks before anything merges.
  for (const { down } of members) if (await hasForeignRecord(world, down, signal)) return null;
  if (head !== pull.headSha || before?.commit.oid !== head || before.record.conflicts !== undefined)
    return null;
  // What people committed below it is not Portico's to merge either.
  if (await hasPeoplesCommits(world, access.git, { base: home.base.oid, head }, signal)) return null;
  const checks = await access.forge.listChecks(pull.headSha, signal);
  const ours = checks.find(({ name, appId }) => name === AGGREGATE_CHECK && appId === world.app.id);
  if (ours?.status !== 'completed') return null;
  // What waits for approvals alone has the configuration's; the aggregate follows, and with it the next look.
  const approval = ours.conclusion === 'action_required' ? ourApproval(world, checks) : undefined;
  const open = checks.filter((run) => approval === undefined || (run !== approval && run !== ours));
  if (!open.every(({ status, conclusion }) => status === 'completed' && FINE.includes(conclusion)))
    return null;
  const { state, statuses } = await access.forge.combinedStatus(pull.headSha, signal);
  if (statuses.length > 0 && state !== 'success') return null;
  if (approval !== undefined) {
    const consent = consentCheck(config, pull.headSha, ours.externalId);
    if (ours.externalId === '' || approval.externalId === consent.externalId) return null;
    await access.forge.putCheck(consent, signal);
    await world.enqueue(proposalJob(access.ref, pull.number));
    return null;
  }
  const place = { repository: facts.id, pull: pull.number, head: pull.headSha };
  const message = mergeMessage({ requestedBy: world.app.slug }, place, world.seals);
  const title = `${pull.title} (#${pull.number})`;
  const stillStands = async (s?: AbortSignal): Promise<boolean> =>
    (await access.forge.listChecks(pull.headSha, s)).some(
      ({ id, conclusion, externalId }) =>
        id === ours.id && conclusion === ours.conclusion && externalId === ours.externalId,
    );
  const request = { sha: pull.headSha, method: 'merge' as const, title, message, stillStands };
  const answer = await access.forge.mergePull(pull.number, request, signal);
  if (!answer.ok) {
    const { reason } = answer;
    world.log.info({ pull: pull.number, reason, err: answer.message }, 'the update did not merge itself');
    return null;
  }
  await world.enqueue(publicationJob(access.ref));
  return { kind: 'merged', pull: pull.number, to: members[0]?.to ?? '' };
}

/** A ref that Portico has not written stands where a pause or orders would. */
async function hasForeignRecord(
  world: World,
  down: Downstream,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const pause = await pauseOf(world, down.access, down.directory, signal);
  return (pause !== null && pause.by === null) || hasForeignOrders(world, down, signal);
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
