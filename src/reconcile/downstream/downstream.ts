import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { Kptfile } from '../../package/kptfile-types.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import { updateBranch } from '../../revision/ref-name.ts';
import type { NoBusiness } from '../answer.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo } from '../git-port.ts';
import type { PackageRequest } from '../job.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import type { PackageChannelState } from '../repository/channel-files.ts';
import { channelNamedBy } from '../repository/follow-mark.ts';
import { readKptfileAt, withMappedLock } from '../repository/kptfile-at.ts';
import { outsideOf, type Outside, type UpstreamAccess } from '../repository/outside-upstream.ts';
import { openRegistered } from '../repository/registered.ts';
import { upstreamChannels } from '../repository/upstream-channels.ts';
import { readMark } from '../repository/variant-mark.ts';
import { contentMayFlow, controlMayFlow } from '../repository/visibility.ts';
import { nothingComes } from './not-shared.ts';
import type { SourceRenewal } from './source-renewal.ts';
import { withheld, type Withheld } from './update-target.ts';
import { openPlanned, openUpstream, type Upstream } from './upstream.ts';
import { variantPlan, type PlannedVariant } from './variant-plan.ts';

/** A downstream package that is to be looked at. */
export type VariantTarget = PackageRequest & {
  /** An update branch that stands for it. */
  readonly branch?: string;
};

/** Everything about one downstream package that the update is made from. */
export interface Downstream {
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly base: CommitInfo;
  readonly path: string;
  readonly directory: RepositoryDirectory;
  readonly upstream: Upstream;
  readonly upstreamName: string;
  /** Page of its repository. */
  readonly upstreamUrl: string;
  /** False where this repository may not have the upstream's content: nothing of it comes here, not its name. */
  readonly visible: boolean;
  /** The channel file of the upstream; null where it has none, and where nothing of it may come here. */
  readonly channels: PackageChannelState | null;
  /** The channel that its Kptfile names. */
  readonly channel?: string;
  readonly branch: string;
  /** False where the variant has yet to make it. */
  readonly exists: boolean;
  /** What the package is kept in step by, where that is a variant. */
  readonly planned?: PlannedVariant;
  /** The package is not the variant's yet. */
  readonly fresh: boolean;
  /** What is newer of its sources, where it is looked at for those; its upstream is then the package itself. */
  readonly renewal?: SourceRenewal;
}

/** The repository that downstream packages are in, read once for all of them. */
export interface DownstreamRepository {
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  /** Head of the registered branch. */
  readonly base: CommitInfo;
  /** What is known of another repository, asked once. */
  readonly factsOf: (other: UpstreamAccess, signal?: AbortSignal) => Promise<RepositoryFacts>;
  /** Whether the repository has the label, asked once. */
  readonly hasLabel: (name: string, signal?: AbortSignal) => Promise<boolean>;
}

/** Reads the repository, or says why nothing in it is updated. */
export async function loadDownstreamRepository(
  ports: Ports,
  repository: RepositoryRef,
  signal?: AbortSignal,
): Promise<DownstreamRepository | Withheld> {
  const access = await ports.open(repository, signal);
  const found = await openRegistered(access, {}, signal);
  if (found.kind === 'none') return NOT_UPDATED[found.reason];
  const { facts, config, head } = found;
  const known = new Map<UpstreamAccess['git'] | number, Promise<RepositoryFacts>>();
  const labels = new Map<string, Promise<boolean>>();
  return {
    access,
    facts,
    config,
    base: await access.git.commit(head, signal),
    factsOf(other, asked) {
      const key = other.ref.id > 0 ? other.ref.id : other.git;
      const answer = known.get(key) ?? other.forge.get(asked);
      known.set(key, answer);
      return answer;
    },
    hasLabel(name, asked) {
      const answer = labels.get(name) ?? access.forge.hasLabel(name, asked);
      labels.set(name, answer);
      return answer;
    },
  };
}

export const NO_PACKAGE = 'The registered branch has no such package.';

/** Why nothing in a repository is updated that is not open to Portico. */
const NOT_UPDATED: Readonly<Record<NoBusiness, Withheld>> = {
  archived: withheld('archived', 'The repository is archived.'),
  'not-registered': withheld('not-followed', 'The repository is not registered.'),
  'no-branch': withheld('not-followed', NO_PACKAGE),
};

/** Reads it, or says why the package is not one that is updated. */
export async function loadDownstream(
  ports: Ports,
  target: Pick<VariantTarget, 'repository' | 'package'>,
  signal?: AbortSignal,
): Promise<Downstream | Withheld> {
  const downstreamRepository = await loadDownstreamRepository(ports, target.repository, signal);
  return 'kind' in downstreamRepository
    ? downstreamRepository
    : downstreamIn(ports, downstreamRepository, target.package, signal);
}

/** The same in a repository that was read. */
export async function downstreamIn(
  ports: Ports,
  downstreamRepository: DownstreamRepository,
  path: string,
  signal?: AbortSignal,
): Promise<Downstream | Withheld> {
  const { access, facts, config, base } = downstreamRepository;
  const planned = variantPlan(ports.catalog).at(facts.id, path);
  const directory = pathInRepository(config.directory, path);
  const written = await readKptfileAt(access.git, base.oid, directory, signal);
  const { kptfile } = withMappedLock(written, config.upstreams.map);
  if (kptfile === null && planned === undefined) return withheld('not-followed', NO_PACKAGE);
  const outside = outsideOf(downstreamRepository);
  const followed = await followedBy({ ports, downstreamRepository, planned, kptfile, outside, signal });
  if ('reason' in followed) return followed;
  const { upstream, name } = followed;
  const channel = kptfile === null ? undefined : channelNamedBy(kptfile);
  const upstreamFacts = await downstreamRepository.factsOf(upstream.access, signal);
  const upstreamName = `${upstreamFacts.fullName}:${upstream.directory}`;
  const visible =
    (await contentMayFlow({ access: upstream.access, facts: upstreamFacts }, downstreamRepository, signal)) &&
    (await baseMayFlow(upstream, downstreamRepository, signal)) &&
    (await documentsMayCome(ports, planned, downstreamRepository, signal));
  return {
    access,
    facts,
    config,
    base,
    path,
    directory,
    upstream,
    upstreamName,
    upstreamUrl: upstreamFacts.htmlUrl,
    visible,
    channels: visible ? await upstreamChannels(ports, upstream, upstreamFacts, signal) : null,
    branch: updateBranch(directory, name),
    exists: kptfile !== null,
    fresh: planned !== undefined && (kptfile === null || readMark(kptfile)?.uid !== planned.uid),
    ...(channel !== undefined && { channel }),
    ...(planned && { planned }),
  };
}

/** The upstream, and what the update branch is named by: that of a variant stays when its upstream changes. */
async function followedBy({
  ports,
  downstreamRepository,
  planned,
  kptfile,
  outside,
  signal,
}: {
  readonly ports: Ports;
  readonly downstreamRepository: DownstreamRepository;
  readonly planned: PlannedVariant | undefined;
  readonly kptfile: Kptfile | null;
  readonly outside: Outside;
  readonly signal: AbortSignal | undefined;
}): Promise<{ readonly upstream: Upstream; readonly name: string } | Withheld> {
  if (planned !== undefined) {
    const mark = kptfile === null ? undefined : readMark(kptfile);
    const adopts = planned.variant.spec.adoptionPolicy === 'adoptExisting';
    if (kptfile !== null && mark?.uid !== planned.uid && !adopts) {
      return withheld(
        'not-owned',
        `The package already exists and was not created by the variant ${planned.name}. To let the variant take it over, set adoptionPolicy: adoptExisting.`,
      );
    }
    const owner = mark?.uid ?? planned.uid;
    if (owner !== planned.uid && isClaimed(ports, owner, planned)) {
      return withheld(
        'not-owned',
        `The package belongs to another variant, which may still ask for it. It comes to the variant ${planned.name} once the document of the other one is removed.`,
      );
    }
    const upstream = await openPlanned(ports, planned, kptfile, signal);
    return { upstream, name: variantBranchName(planned.uid) };
  }
  if (kptfile === null) return withheld('not-followed', NO_PACKAGE);
  if (readMark(kptfile)?.orphan === false) {
    // Followed as well, it would get a second pull request.
    return withheld(
      'variant-error',
      'Its variant is not known here. See the repository that holds the variant documents.',
    );
  }
  if (kptfile.upstream === undefined && kptfile.upstreamLock === undefined) {
    return withheld('not-followed', 'The package has no upstream.');
  }
  const found = await openUpstream(ports, kptfile, signal, outside);
  if (found.kind === 'none' && found.reason === 'unreachable') {
    return withheld(
      'upstream-unreachable',
      'The upstream could not be read. Portico retries at growing intervals.',
    );
  }
  if (found.kind === 'none' && found.reason === 'credentials') {
    return withheld('upstream-credentials', `${found.refusal.why} ${found.refusal.remedy}`);
  }
  if (found.kind === 'none' && found.reason === 'moved') {
    return withheld(
      'upstream-unreachable',
      'The upstream has moved to another address, which `spec.upstreams.allow` does not list. Add the address there, or lock the package to another upstream.',
    );
  }
  if (found.kind === 'none') return nothingComes(downstreamRepository, kptfile.upstreamLock?.git?.repo ?? '');
  const { upstream } = found;
  return { upstream, name: `${upstream.address ?? upstream.access.ref.id}:${upstream.directory}` };
}

/** Whether the variant that a package is marked with may still ask for it. */
function isClaimed(
  { catalog }: Pick<Ports, 'catalog'>,
  uid: string,
  { downstream: { repository, path } }: PlannedVariant,
): boolean {
  return variantPlan(catalog).isClaimed(uid, repository.ref.id, path);
}

/** What the update branch of a variant is named by. */
export function variantBranchName(uid: string): string {
  return `variant ${uid}`;
}

/** What a package was made from is told where it conflicts, and a Kptfile may name anything. */
async function baseMayFlow(
  { base }: Upstream,
  downstreamRepository: DownstreamRepository,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (base === undefined) return true;
  return contentMayFlow(
    { access: base.access, facts: await downstreamRepository.factsOf(base.access, signal) },
    downstreamRepository,
    signal,
  );
}

/** Documents and inventory are content too. */
async function documentsMayCome(
  ports: Ports,
  planned: PlannedVariant | undefined,
  downstreamRepository: DownstreamRepository,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (planned === undefined || planned.control.ref.id === downstreamRepository.facts.id) return true;
  const access = await ports.open(planned.control.ref, signal);
  return controlMayFlow(
    { access, facts: await downstreamRepository.factsOf(access, signal) },
    downstreamRepository,
    signal,
  );
}
