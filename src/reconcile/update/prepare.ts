/** From what stands to the commit that is to be pushed: nothing is written here but what closes a pull request or merges it. */

import { nothingComes } from '../downstream/not-shared.ts';
import { withheld, type Withheld, type WithheldReason } from '../downstream/update-target.ts';
import { proposalJob } from '../jobs.ts';
import { conflictKey, updateConflicts, type OpenConflict } from '../merge/open-conflicts.ts';
import { updatedPackage } from '../merge/update-content.ts';
import type { Ports } from '../ports.ts';
import { isWithdrawn } from '../repository/indexed-channels.ts';
import { filesAt } from '../repository/package-files.ts';
import { asksApproval } from '../review/proposal-approval.ts';
import { packagesOf, readConflicts } from '../seal/update-record.ts';
import { closeObsolete } from './close-obsolete.ts';
import { decideRevision, type Decided } from './decision.ts';
import { stageDirect } from './direct-commit.ts';
import { withoutArrived } from './direct.ts';
import { declinedBefore, isCurrent, mergedBy } from './existing-pull.ts';
import { mergeAutomatically } from './merge.ts';
import type { VariantOutcome } from './outcome.ts';
import { recordedUpdate, type UpdatePlan, type Candidate, type Member } from './plan.ts';
import { closeOurs, putLabels, type UpdateWords } from './pull.ts';
import { stageUpdate, type PackageUpdate, type Staged } from './push.ts';
import { heldByOthers, type UpdateQuota } from './quota.ts';
import { revisionQuestions } from './revision-questions.ts';
import { routeOf, type Route } from './route.ts';
import { settledByCommand } from './settled-before.ts';
import { decideSources, renewedPackage } from './source-update.ts';
import { tooEarly } from './timing.ts';
import type { IsUpToDate } from './up-to-date.ts';

/** What outlives one look. */
export interface UpdateMemory extends UpdateWords {
  readonly inStep: IsUpToDate;
}

export interface Prepared {
  readonly plan: UpdatePlan;
  /** Absent where there is nothing to push or report. */
  readonly staged?: Staged;
  /** How what is staged comes. */
  readonly route?: Route;
  /** Package → what came of it so far. */
  readonly outcomes: Map<string, VariantOutcome>;
}

/** Decides what the pull request of a plan brings, and makes its commit. */
export async function prepareUpdatePlan({
  ports,
  plan: given,
  memory,
  quota,
  signal,
}: {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly memory: UpdateMemory;
  readonly quota: UpdateQuota;
  readonly signal?: AbortSignal | undefined;
}): Promise<Prepared> {
  const outcomes = new Map<string, VariantOutcome>();
  const plan = await withoutArrived(given, signal);
  const done: Prepared = { plan, outcomes };
  const visible = await visibleOnly(ports, plan, outcomes, signal);
  if (plan.group !== undefined && plan.candidates.length === 0) {
    await closeOurs(ports, plan, GROUP_GONE, signal);
    return done;
  }
  if (plan.open !== undefined && holdsWithdrawnRevision(plan)) {
    await ports.enqueue(proposalJob(plan.downstreamRepository.access.ref, plan.open.number));
  }
  const decided = await decideAll({
    ports,
    plan,
    candidates: visible,
    inStep: memory.inStep,
    outcomes,
    signal,
  });
  const { open } = plan;
  if (
    open !== undefined &&
    decided.length > 0 &&
    (await isCurrent({ ports, plan, members: decided, pull: open, signal }))
  ) {
    await recordUnchanged({ ports, plan, members: decided, memory, outcomes, signal });
    return done;
  }
  for (const [path, outcome] of decided.length === 0 && open !== undefined ? outcomes : []) {
    if (outcome.kind !== 'withheld' || (await closeObsolete(ports, plan, outcome, signal))) continue;
    if (open !== undefined) outcomes.set(path, { ...outcome, pull: open.number });
  }
  const members = await dueMembers({ ports, plan, members: decided, outcomes, signal });
  if (members.length === 0) return done;
  if (
    open !== undefined &&
    members !== decided &&
    (await isCurrent({ ports, plan, members, pull: open, signal }))
  ) {
    await recordUnchanged({ ports, plan, members, memory, outcomes, signal });
    return done;
  }
  const wait = (held: Withheld): Prepared => {
    for (const { down, to } of members) outcomes.set(down.path, { ...held, to });
    return done;
  };
  let route = await routeOf({ ports, plan, members, signal });
  const held = await heldByOthers(plan, members, route, quota);
  if (held !== null) return wait(held);
  const wanted = await contentOf({ ports, plan, members, outcomes, signal });
  if (wanted.every(({ keptBecause }) => keptBecause !== undefined)) return done;
  if (route.kind === 'direct') {
    const direct = await stageDirect(ports, plan, wanted, signal);
    if (direct.kind === 'staged') {
      if (direct.push !== null) quota.isDirectUnderWay = true;
      return { plan, staged: direct, route, outcomes };
    }
    route = direct;
    const full = await heldByOthers(plan, members, route, quota);
    if (full !== null) return wait(full);
  }
  const staged = await stageUpdate(ports, plan, wanted, signal);
  if (staged.kind === 'withheld') return wait(staged);
  for (const { down, keptBecause } of staged.brought)
    if (keptBecause !== undefined) outcomes.set(down.path, keptBecause);
  if (open === undefined) quota.take();
  return { plan, staged, route, outcomes };
}

/** True where the open pull request holds what its channel has withdrawn: its checks have to say so until it is taken back. */
function holdsWithdrawnRevision(plan: UpdatePlan): boolean {
  const { follow } = plan.downstreamRepository.config.updates;
  return plan.candidates.some(({ down: { channels, directory } }) => {
    const recorded = recordedUpdate(plan, directory);
    return recorded !== undefined && channels !== null && isWithdrawn(channels, follow, recorded.to);
  });
}

const GROUP_GONE = 'Its packages are no longer updated as a group; each one gets its own pull request.';

/** What may not come here closes the pull request that brings it; a group goes on without it where it was not in yet. */
async function visibleOnly(
  ports: Ports,
  plan: UpdatePlan,
  outcomes: Map<string, VariantOutcome>,
  signal: AbortSignal | undefined,
): Promise<readonly Candidate[]> {
  const { candidates, group } = plan;
  const hidden = candidates.filter(({ down }) => !down.visible);
  if (hidden.length === 0) return candidates;
  const known = hidden.some(({ down }) => recordedUpdate(plan, down.directory) !== undefined);
  const closing = group === undefined || known ? plan : { ...plan, open: undefined };
  for (const { down } of hidden) {
    const blocked = nothingComes(
      plan.downstreamRepository,
      down.planned === undefined ? down.upstream.lock.repo : undefined,
    );
    if (outcomes.size === 0) await closeOurs(ports, closing, blocked.message, signal);
    outcomes.set(down.path, blocked);
  }
  if (!known) return candidates.filter(({ down }) => down.visible);
  for (const { down } of candidates) {
    if (down.visible)
      outcomes.set(down.path, withheld('declined', 'The pull request of its group was closed.'));
  }
  return [];
}

/** For these reasons a package keeps its place in the open pull request of its group. */
const KEEPS_PLACE: readonly WithheldReason[] = [
  'wave-waiting',
  'wave-stopped',
  'wave-rolled-back',
  'upstream-unreachable',
  'upstream-credentials',
  'no-such-revision',
];

async function decideAll({
  ports,
  plan,
  candidates,
  inStep,
  outcomes,
  signal,
}: {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly candidates: readonly Candidate[];
  readonly inStep: IsUpToDate;
  readonly outcomes: Map<string, VariantOutcome>;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const candidate of candidates) {
    const { down } = candidate;
    const recorded = recordedUpdate(plan, down.directory);
    const questions = revisionQuestions(ports, down, inStep, signal);
    const decided =
      down.renewal === undefined
        ? await decideRevision(down, { to: candidate.target.to, recorded: recorded?.to }, questions)
        : await decideSources(ports, down, candidate.target.to !== undefined, signal);
    if (decided.kind === 'decided') members.push({ down, ...memberOf(decided) });
    else {
      const merged = decided.reason === 'up-to-date' ? await mergedBy(ports, plan, down, signal) : undefined;
      outcomes.set(down.path, merged === undefined ? decided : { ...decided, merged });
      if (plan.group !== undefined && recorded !== undefined && KEEPS_PLACE.includes(decided.reason)) {
        if (plan.open !== undefined) outcomes.set(down.path, { ...decided, pull: plan.open.number });
        members.push({ down, to: recorded.to, asked: false });
      }
    }
  }
  return members.toSorted((a, b) => (a.down.directory < b.down.directory ? -1 : 1));
}

function memberOf({ to, asked, way }: Decided): Omit<Member, 'down'> {
  return { to, asked, ...(way && { way }) };
}

/** The branch holds it: it merges itself, or waits. */
async function recordUnchanged({
  ports,
  plan,
  members,
  memory,
  outcomes,
  signal,
}: MembersRequest & { readonly memory: UpdateMemory }): Promise<void> {
  const { open, downstreamRepository } = plan;
  if (open === undefined) return;
  await putLabels({ ports, downstreamRepository, pull: open, updateWords: memory, isNew: false, signal });
  const merged = await mergeAutomatically({ ports, plan, members, pull: open, signal });
  const isReviewed = asksApproval(downstreamRepository.config);
  for (const { down, to, way: { withdrawn } = {} } of members) {
    if (outcomes.has(down.path) && merged === null) continue;
    const kind = merged === null ? 'unchanged' : 'merged';
    const leaves = withdrawn !== undefined && { withdrawn };
    outcomes.set(down.path, { kind, pull: open.number, to, isReviewed, ...leaves });
  }
}

/** Members of a plan, and what becomes of each by its path. */
interface MembersRequest {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly members: readonly Member[];
  readonly outcomes: Map<string, VariantOutcome>;
  readonly signal: AbortSignal | undefined;
}

/** Those that may be brought now: in time, and not declined. The same list where that is all. */
async function dueMembers({
  ports,
  plan,
  members,
  outcomes,
  signal,
}: MembersRequest): Promise<readonly Member[]> {
  const kept: Member[] = [];
  for (const member of members) {
    const { down, to, asked } = member;
    const recorded = recordedUpdate(plan, down.directory);
    const declined =
      asked || plan.open !== undefined ? null : await declinedBefore(ports, plan, member, signal);
    const held = declined ?? (asked ? null : await tooEarly(ports, down, member, signal));
    if (held === null) {
      kept.push(member);
      continue;
    }
    // Outside of its schedule a repository is left alone as a whole.
    if (held.reason === 'not-scheduled' && !members.some((one) => one.asked)) {
      for (const one of members) {
        if (!outcomes.has(one.down.path)) outcomes.set(one.down.path, { ...held, to: one.to });
      }
      return [];
    }
    if (!outcomes.has(down.path)) outcomes.set(down.path, { ...held, to });
    if (recorded !== undefined && plan.group !== undefined)
      kept.push({ down, to: recorded.to, asked: false });
  }
  return kept.length === members.length && kept.every((one, at) => one === members[at]) ? members : kept;
}

/** The content of each; what cannot be made stays as the branch has it, if it is there. */
async function contentOf({
  ports,
  plan,
  members,
  outcomes,
  signal,
}: MembersRequest): Promise<readonly PackageUpdate[]> {
  const { git } = plan.downstreamRepository.access;
  const listed = await listedConflicts(ports, plan, signal);
  const wanted: PackageUpdate[] = [];
  for (const { down, to, way } of members) {
    const { directory, path } = down;
    const openConflicts = listed.open.filter((one) => one.directory === directory);
    const made =
      down.renewal === undefined
        ? await updatedPackage(ports, down, to, signal)
        : to === down.renewal.to
          ? await renewedPackage(ports, down, to, signal)
          : withheld('not-scheduled', `${to} stays in its group until something newer may come.`);
    if (!('kind' in made)) {
      const conflicts = made.conflicts.filter(({ id }) => !listed.settled.has(`${directory}:${id}`));
      wanted.push({ ...made, conflicts, down, openConflicts, ...(way && { way }) });
      continue;
    }
    outcomes.set(path, { ...made, to });
    const recorded = recordedUpdate(plan, directory);
    if (plan.group === undefined || recorded === undefined || plan.head === null) continue;
    const files = await filesAt(git, plan.head, directory, signal);
    const local = await filesAt(git, down.base.oid, directory, signal);
    wanted.push({
      to: recorded.to,
      files,
      local,
      conflicts: openConflicts,
      openConflicts,
      down,
      keptBecause: made,
    });
  }
  return wanted;
}

interface Listed {
  readonly open: readonly OpenConflict[];
  /** A conflict that somebody settled on the branch is not opened again while its three values are the same. */
  readonly settled: ReadonlySet<string>;
}

async function listedConflicts(
  ports: Ports,
  { downstreamRepository: { access, base, facts }, open: pull, head, before, branch }: UpdatePlan,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  if (pull === undefined || head === null || before === null) return { open: [], settled: new Set() };
  const snapshot = { pull, facts, base: base.oid };
  const { conflicts } = await updateConflicts({ ports, access, snapshot, head, signal });
  const open = new Set(conflicts.map(({ directory, id }) => `${directory}:${id}`));
  const [first] = packagesOf(before.record);
  const settled = readConflicts(conflictKey(facts.id, branch), pull.body, ports.seals)
    .map(({ directory = first?.directory ?? '', id }) => `${directory}:${id}`)
    .filter((name) => !open.has(name));
  const range = { from: base.oid, to: head };
  const commanded = await settledByCommand(ports, access.git, range, signal);
  return { open: conflicts, settled: new Set([...settled, ...commanded.filter((name) => !open.has(name))]) };
}
