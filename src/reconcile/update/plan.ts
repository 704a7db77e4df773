/** What one pull request brings: the update of one package, or those of a group. */
import { groupOf, priorityOf } from '../../config/update-order.ts';
import {
  packagePathOf,
  pathInRepository,
  TOP,
  type RepositoryDirectory,
} from '../../revision/package-path.ts';
import { groupBranch, groupOfBranch, groupSourcesBranch } from '../../revision/ref-name.ts';
import type { UpdateWay } from '../downstream/channel-target.ts';
import {
  downstreamIn,
  type Downstream,
  type DownstreamRepository,
  type VariantTarget,
} from '../downstream/downstream.ts';
import type { Withheld, WithheldReason } from '../downstream/update-target.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Pull } from '../forge/pulls.ts';
import type { CommitInfo } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { newestSealed, packagesOf, type UpdatedPackage, type UpdateRecord } from '../seal/update-record.ts';
import { branchPulls, type BranchPulls } from './branch-pulls.ts';
import { sourcesBranch, sourceUpdateIn } from './source-update.ts';

/** A package that was looked at. */
export interface Candidate {
  readonly down: Downstream;
  readonly target: VariantTarget;
}

export interface UpdatePlan {
  readonly downstreamRepository: DownstreamRepository;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** Name of the group; absent for one package alone. */
  readonly group?: string;
  readonly candidates: readonly Candidate[];
  /** Those of the branch that were not merged, and at least the last that was, newest first. */
  readonly pulls: () => Promise<readonly Pull[]>;
  readonly open: Pull | undefined;
  /** Head of the branch; null where it is not there. */
  readonly head: string | null;
  /** Our newest commit on the branch. */
  readonly before: { readonly commit: CommitInfo; readonly record: UpdateRecord } | null;
}

/** One package of a plan, and the revision to update it to. */
export interface Member {
  readonly down: Downstream;
  readonly to: string;
  readonly asked: boolean;
  /** How its channel leads there, and what is deprecated. */
  readonly way?: UpdateWay;
}

/** The open pull request of a plan, and whom it brings what. */
export interface PlannedPull {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly members: readonly Member[];
  readonly pull: Pull;
  readonly signal?: AbortSignal | undefined;
}

/** What the open pull request says that it brings to a package. */
export function recordedUpdate(
  { open, before }: Pick<UpdatePlan, 'open' | 'before'>,
  directory: RepositoryDirectory,
): UpdatedPackage | undefined {
  if (open === undefined || before === null) return undefined;
  return packagesOf(before.record).find((one) => one.directory === directory);
}

export interface PlannedUpdates {
  readonly plans: readonly UpdatePlan[];
  /** Package → why it is in none. */
  readonly withheld: ReadonlyMap<string, Withheld>;
}

/**
 * Reads what these packages, and whoever is grouped with them, are updated by. A group that nobody is in any more is a
 * plan without candidates as long as its pull request is open. `guarded` takes what goes wrong with one of them.
 */
export async function planUpdates({
  ports,
  downstreamRepository,
  asked,
  guarded,
  signal,
}: {
  readonly ports: Ports;
  readonly downstreamRepository: DownstreamRepository;
  readonly asked: { readonly targets: readonly VariantTarget[]; readonly groups: readonly string[] };
  readonly guarded: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
  readonly signal?: AbortSignal | undefined;
}): Promise<PlannedUpdates> {
  const wanted: WantedPlan[] = [];
  const withheld = new Map<string, Withheld>();
  const groups = { upstream: new Map<string, Candidate[]>(), sources: new Map<string, Candidate[]>() };
  const unread = { upstream: new Set<string>(), sources: new Set<string>() };
  for (const name of [...asked.groups, ...(await abandonedGroups(downstreamRepository, signal))]) {
    groups.upstream.set(name, []);
    groups.sources.set(name, []);
  }
  const targets = new Map(asked.targets.map((target) => [target.package, target]));
  const known = [...groups.upstream.keys()];
  const planned = { ports, downstreamRepository, signal };
  const place = async (candidate: Candidate, group: string | undefined, own: string): Promise<void> => {
    const kind = candidate.down.renewal === undefined ? 'upstream' : 'sources';
    if (group === undefined || (await hasOwn(downstreamRepository, own, signal))) {
      wanted.push({ branch: own, candidates: [candidate] });
      return;
    }
    const { down, target } = candidate;
    const branch = GROUP_BRANCH[kind](group);
    const others = groups[kind].get(group) ?? [];
    groups[kind].set(group, [...others, { down: { ...down, branch }, target }]);
  };
  for (const path of [
    ...targets.keys(),
    ...groupedWith(ports, downstreamRepository, [...targets.keys()], known),
  ]) {
    const target = targets.get(path) ?? { repository: downstreamRepository.access.ref, package: path };
    const group = groupOf(downstreamRepository.config.updates, path)?.name;
    const renewed = await guarded(async () => {
      const candidate = await renewalCandidate({ ...planned, path, target, withheld });
      if (candidate !== null) await place(candidate, group, candidate.down.branch);
      return candidate;
    });
    if (renewed === undefined || isUnsure(withheld.get(path))) unread.sources.add(group ?? '');
    const read = await guarded(async () => {
      const down = await downstreamIn(ports, downstreamRepository, path, signal);
      if ('kind' in down) {
        // A package of sources alone follows no upstream.
        const isNone = down.reason === 'not-followed' && (renewed !== null || withheld.has(path));
        if (!isNone) withheld.set(path, down);
        return !isUnsure(down);
      }
      await place({ down, target }, group, down.branch);
      return true;
    });
    if (read !== true) unread.upstream.add(group ?? '');
  }
  for (const kind of ['upstream', 'sources'] as const) {
    for (const [group, candidates] of groups[kind]) {
      // What could not be read must not look as if it had left the group.
      if (!unread[kind].has(group)) wanted.push({ branch: GROUP_BRANCH[kind](group), candidates, group });
    }
  }
  const heads = await headsOf(downstreamRepository, wanted, signal);
  const pulls = branchPulls(ports, downstreamRepository, heads, signal);
  const plans: UpdatePlan[] = [];
  for (const one of wanted) {
    await guarded(async () => {
      const plan = await updatePlanOf({
        ...planned,
        wanted: one,
        head: heads.get(one.branch) ?? null,
        pulls,
      });
      if (plan.candidates.length > 0 || plan.open !== undefined) plans.push(plan);
    });
  }
  return { plans, withheld };
}

type WantedPlan = Pick<UpdatePlan, 'branch' | 'candidates' | 'group'>;

async function headsOf(
  { access: { git } }: DownstreamRepository,
  wanted: readonly WantedPlan[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string | null>> {
  const heads = new Map<string, string | null>();
  for (const { branch } of wanted) heads.set(branch, await git.resolve(`refs/heads/${branch}`, signal));
  return heads;
}

/**
 * The update of a package's sources, which has a branch and a pull request of its own, or of its group; null where it has none, or why
 * there is none stands in `withheld`.
 */
async function renewalCandidate({
  ports,
  downstreamRepository,
  path,
  target,
  withheld,
  signal,
}: {
  readonly ports: Ports;
  readonly downstreamRepository: DownstreamRepository;
  readonly path: string;
  readonly target: VariantTarget;
  readonly withheld: Map<string, Withheld>;
  readonly signal: AbortSignal | undefined;
}): Promise<Candidate | null> {
  const { access, config, base } = downstreamRepository;
  const directory = pathInRepository(config.directory, path);
  const { kptfile } = await readKptfileAt(access.git, base.oid, directory, signal);
  const { to, ...plain } = target;
  // A revision is of the upstream where there is one.
  const isForUpstream = kptfile?.upstream !== undefined || kptfile?.upstreamLock !== undefined;
  const wish = isForUpstream ? undefined : to;
  const asked = wish ?? (await askedVersions(ports, downstreamRepository, directory, signal));
  const down = await sourceUpdateIn(ports, downstreamRepository, { path, asked }, signal);
  if (down === null) return null;
  if ('kind' in down) {
    withheld.set(path, down);
    return null;
  }
  return { down, target: wish === undefined ? plain : target };
}

/** What the open pull request brings, where somebody asked for that: it stays what it brings, until it is merged or closed. */
async function askedVersions(
  ports: Pick<Ports, 'seals'>,
  { access, base }: DownstreamRepository,
  directory: RepositoryDirectory,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { git, forge } = access;
  const branch = sourcesBranch(directory);
  const head = await git.resolve(`refs/heads/${branch}`, signal);
  const sides = head === null ? null : { head, base: base.oid };
  const record = (sides && (await newestSealed(git, sides, ports.seals, signal)))?.record;
  if (record?.by === undefined) return undefined;
  return (await forge.pullsForHead({ branch }, { state: 'open' }, signal)).length > 0 ? record.to : undefined;
}

/** For these reasons nobody knows what a package should be at. */
const UNSURE: readonly WithheldReason[] = ['upstream-unreachable', 'upstream-credentials', 'variant-error'];

function isUnsure(one: Withheld | undefined): boolean {
  return one !== undefined && UNSURE.includes(one.reason);
}

/** Upstreams and sources of a group are two pull requests: one package may have both. */
const GROUP_BRANCH = { upstream: groupBranch, sources: groupSourcesBranch } as const;

async function updatePlanOf({
  ports,
  downstreamRepository,
  wanted,
  head,
  pulls,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals'>;
  readonly downstreamRepository: DownstreamRepository;
  readonly wanted: WantedPlan;
  readonly head: string | null;
  readonly pulls: BranchPulls;
  readonly signal: AbortSignal | undefined;
}): Promise<UpdatePlan> {
  const { git } = downstreamRepository.access;
  const sides = head === null ? null : { head, base: downstreamRepository.base.oid };
  const known = head === null ? [] : await pulls.of(wanted.branch);
  return {
    downstreamRepository,
    ...wanted,
    pulls: () => pulls.of(wanted.branch),
    open: known.find(({ state }) => state === 'open'),
    head,
    before: sides && (await newestSealed(git, sides, ports.seals, signal)),
  };
}

/** A package that had a pull request of its own before it was grouped keeps it until that is merged or closed. */
async function hasOwn(
  { access: { git, forge } }: DownstreamRepository,
  branch: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if ((await git.resolve(`refs/heads/${branch}`, signal)) === null) return false;
  return (await forge.pullsForHead({ branch }, { state: 'open' }, signal)).length > 0;
}

/** Groups that have a branch, and are not in the configuration any more. */
async function abandonedGroups(
  { access: { git }, config }: DownstreamRepository,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { groups = [] } = config.updates;
  const refs = await git.refs('refs/heads/portico/update/', signal);
  return [...refs.keys()]
    .map((ref) => groupOfBranch(ref.slice('refs/heads/'.length)))
    .filter((name): name is string => groups.every((group) => group.name !== name) && name !== undefined);
}

/** The other packages of the groups that these packages are in, and all of these groups. */
function groupedWith(
  { catalog }: Ports,
  { access: { ref }, config: { updates } }: DownstreamRepository,
  paths: readonly string[],
  named: readonly string[],
): string[] {
  if (updates.groups === undefined) return [];
  const names = new Set([...named, ...paths.map((path) => groupOf(updates, path)?.name)]);
  return downstreamPaths(catalog, ref.id)
    .filter((path) => !paths.includes(path))
    .filter((path) => {
      const group = groupOf(updates, path);
      return group !== undefined && names.has(group.name);
    });
}

/**
 * The packages that the configuration puts before one of these: where there is no room for all, theirs come first, whoever
 * was looked at.
 */
export function packagesOfHigherPriority(
  { catalog }: Pick<Ports, 'catalog'>,
  { access: { ref }, config: { updates } }: DownstreamRepository,
  paths: readonly string[],
): string[] {
  const last = Math.max(...paths.map((path) => priorityOf(updates, path)));
  return downstreamPaths(catalog, ref.id).filter(
    (path) => !paths.includes(path) && priorityOf(updates, path) < last,
  );
}

/** Packages of a repository that have an upstream, sources or a variant, by name. */
function downstreamPaths(catalog: Ports['catalog'], id: number): string[] {
  const known = catalog.get(id);
  const followed = (known?.packages ?? []).flatMap(({ directory, lock, hasSources }) =>
    lock === null && hasSources !== true
      ? []
      : [packagePathOf(known?.directory ?? TOP, directory) ?? directory],
  );
  const kept = variantPlan(catalog)
    .planned.filter(({ downstream }) => downstream.repository.ref.id === id)
    .map(({ downstream }) => downstream.path);
  return [...new Set([...followed, ...kept])].toSorted();
}
