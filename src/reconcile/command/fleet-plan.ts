/**
 * A bulk command about update pull requests in other repositories. Whoever asks acts there as that person: with the rights
 * that the forge names in each repository, as its own base configuration reads them, and never as an author.
 */
import { repositoryName } from '../../catalog/catalog.ts';
import { authorize } from '../../command/authorize.ts';
import { isByLabels, isMeant, type BulkRequest } from '../../command/bulk-request.ts';
import { bulk } from '../../command/bulk.ts';
import type { CommandState } from '../../command/command-state.ts';
import { decideCommand } from '../../command/decide.ts';
import { matchesGlob } from '../../config/glob.ts';
import type { CommentSource } from '../comment-source.ts';
import type { CommentTarget } from '../job.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { isPorticosAlone } from '../review/same-change.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { catchUserError } from '../text/why-refused.ts';
import type { BulkItem } from './bulk-record.ts';
import { fleetTargets, reasonTold, type FleetTarget } from './fleet-targets.ts';
import { loadCommandPlace, type CommandPlace } from './place.ts';

/** What a plan can be made of, and what not, with the reason. */
export interface FleetItems {
  readonly items: readonly BulkItem[];
  /** By name, such as `acme/edge-1#7`. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
  /** Pull requests that were not looked at: the plan is full. */
  readonly unread: number;
}

/** Looks at each pull request as the person who asks would be judged there now. Nothing is written. */
export async function fleetItems({
  ports,
  access,
  source,
  request,
  most,
  signal,
}: RepositoryWork & {
  readonly source: CommentSource;
  readonly request: BulkRequest & Required<Pick<BulkRequest, 'fleet'>>;
  /** Items of one plan. */
  readonly most: number;
}): Promise<FleetItems | StepOutcome> {
  const targets = await fleetTargets(ports, access, request.fleet, signal);
  if ('kind' in targets) return targets;
  const meant = isByLabels(request)
    ? targets
    : targets.filter(({ repository }) => matchesGlob(repositoryName(repository), [request.match]));
  const items: BulkItem[] = [];
  const leftOut: { name: string; why: string }[] = [];
  const here = ports.catalog.get(access.ref.id);
  let read = 0;
  for (const target of meant) {
    if (items.length >= most) break;
    signal?.throwIfAborted();
    read += 1;
    const name = `${repositoryName(target.repository)}#${target.pull}`;
    const found = await catchUserError(
      () => itemOf({ ports, source, request, target, signal }),
      (why) => why,
    );
    if (typeof found !== 'string') {
      if (found !== null) items.push(found);
    } else if (here !== undefined) leftOut.push({ name, why: reasonTold(here, target.repository, found) });
  }
  return { items, leftOut, unread: meant.length - read };
}

/** Null where its labels are not those that are meant; a text says why nothing is done there. */
async function itemOf({
  ports,
  source,
  request,
  target,
  signal,
}: {
  readonly ports: Ports;
  readonly source: CommentSource;
  readonly request: BulkRequest;
  readonly target: FleetTarget;
  readonly signal: AbortSignal | undefined;
}): Promise<BulkItem | string | null> {
  const there = await ports.open(target.repository.ref, signal);
  const place = await loadCommandPlace(
    { ports, access: there, signal },
    fleetTargetOf(there, source, target.pull),
    source,
  );
  if (place === null || place.snapshot === null) return 'It no longer exists.';
  const { snapshot, state } = place;
  if (isByLabels(request) && !(await hasLabels(there, snapshot, request, signal))) return null;
  const line = lineOf(request, state);
  const why = whyNotPlanned({ state, snapshot }, target.paths, line);
  if (why !== undefined) return why;
  // Whoever approves for many looks at some: what somebody put onto an update is looked at by itself.
  if (line === 'approve' && !(await isPorticosAlone(ports, there, snapshot, signal))) {
    return 'It holds commits that Portico did not make, or open conflicts: approve it in the pull request.';
  }
  const packages = snapshot.packages.map(({ path }) => path).join(', ');
  return {
    repository: target.repository.ref.id,
    name: repositoryName(target.repository),
    pull: target.pull,
    head: snapshot.head.oid,
    digest: state.digest ?? '',
    what: packages,
    line,
  };
}

export function fleetTargetOf(
  { ref }: Pick<RepositoryAccess, 'ref'>,
  { kind, id }: CommentSource,
  number: number,
): CommentTarget {
  return { repository: ref, number, source: { kind, id } };
}

function lineOf({ action, bump }: BulkRequest, { config }: CommandState): string {
  return action === 'publish' && bump !== undefined && config.versioning === 'semver'
    ? `publish ${bump}`
    : action;
}

async function hasLabels(
  { git }: RepositoryAccess,
  { packages, head }: ProposalSnapshot,
  request: BulkRequest,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const { path, directory } of packages) {
    const labels = (await readKptfileAt(git, head.oid, directory, signal)).kptfile?.labels ?? {};
    if (!isMeant(request, { path, labels })) return false;
  }
  return packages.length > 0;
}

/** Pure: nobody approves more than was named, and a repository may keep the commands of a fleet out. */
function whyNotPlanned(
  { state, snapshot }: { readonly state: CommandState; readonly snapshot: ProposalSnapshot },
  paths: ReadonlySet<string>,
  line: string,
): string | undefined {
  const notAllowed = whyNotAllowed({ state });
  if (notAllowed !== undefined) return notAllowed;
  const other = snapshot.packages.find(({ path }) => !paths.has(path));
  if (other !== undefined) return `It also changes ${other.path}, which this command does not name.`;
  if (snapshot.otherFiles.length > 0) return 'It also changes files that belong to no package.';
  if (!snapshot.writable) return 'It comes from a fork.';
  const decision = decideCommand(commandLineOf(line, 0), state);
  if (decision.kind === 'ignore') return 'Bots cannot use this command.';
  if (decision.kind === 'refuse') return `${decision.message} ${decision.hint}`;
  const acts = decision.steps.some((step) => step.do === 'record-approval' || step.do === 'merge');
  return acts ? undefined : (decision.reply ?? 'There is nothing to do.');
}

/** A repository that grants `bulk` to nobody is acted on by hand alone. */
function whyNotAllowed({ state: { config, caller } }: Pick<CommandPlace, 'state'>): string | undefined {
  const allowed = authorize(config, bulk, caller);
  if (allowed.kind === 'allowed') return undefined;
  return allowed.kind === 'ignore' ? 'Bots cannot use this command.' : `${allowed.message} ${allowed.hint}`;
}

/** The command of an item as somebody would write it in its pull request. */
export function commandLineOf(line: string, index: number): Parameters<typeof decideCommand>[0] {
  const [verb = '', ...rest] = line.split(' ');
  return { index, line: 1, text: `/portico ${line}`, verb, rest: rest.join(' ') };
}

/** Pure: why an item that was confirmed is not carried out any more: what was planned is what is done, or nothing. */
export function whyNotCarriedOut(
  { digest, head }: Pick<BulkItem, 'digest' | 'head'>,
  { state, snapshot }: CommandPlace,
): string | undefined {
  const why = whyNotAllowed({ state });
  if (why !== undefined) return why;
  if (digest !== undefined && digest !== '' && snapshot?.head.oid === head && state.digest === digest) {
    return undefined;
  }
  return 'It changed after it was planned, so it was left out. Plan it again.';
}
