/** What a rollout is planned from: its downstreams, what they have published, and what is said of that. */
import {
  repositoryName,
  type Catalog,
  type CatalogPackage,
  type CatalogRepository,
} from '../../catalog/catalog.ts';
import type { Standing } from '../../catalog/last-looks.ts';
import type { Health, RolloutDownstream } from '../../package/rollout/plan.ts';
import type { WaveGate } from '../../package/rollout/rollout.ts';
import { fileIn, packagePathOf, pathInRepository, repositoryDirectory } from '../../revision/package-path.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Ports } from '../ports.ts';
import { readKptfileAt, withMappedLock } from '../repository/kptfile-at.ts';
import { loadRevisionRefs, publishedAt, tagOf, taggedRevisions } from '../repository/package-revisions.ts';
import { isSameOwner, mayKnow } from '../repository/visibility.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { askHealth } from './health.ts';
import { revisionOf } from './history.ts';
import type { QuestionBudget } from './question-budget.ts';
import type { Governed } from './scope.ts';
import { descriptions, type Described } from './selectors.ts';

export interface RolloutMember extends RolloutDownstream {
  /**
   * The repository with the document may not know of it, or it is another account's, whose statuses and tags are anybody's:
   * no wave selects it, and no gate counts it.
   */
  readonly hidden: boolean;
  readonly repository: CatalogRepository;
  /** Below the registered directory. */
  readonly path: string;
  readonly position: Standing | undefined;
  /** What the documents beside the rollout say of its repository. */
  readonly described: Described;
  /** Revision of the upstream that it is locked to on the registered branch. */
  readonly at: string | undefined;
}

/** A commit of a downstream that published the revision, or a newer one. */
interface Published {
  readonly commit: string;
  readonly at: number;
}

/** Of each kind: one for each downstream of a rollout. */
export const MAX_REMEMBERED = 50_000;

/** What was said of a commit that was not healthy then. */
interface Heard {
  readonly at: number;
  readonly health: Health;
  readonly mark: string | undefined;
}

/** What does not change, kept from look to look: commits that published something, and those that are healthy. */
export interface RolloutMemory {
  readonly published: Map<string, { readonly of: string; readonly list: readonly Published[] }>;
  readonly healthy: Map<string, number>;
  /** What was told of those that were not healthy, when, and under which mark of the catalog's `reported`. */
  readonly unhealthy: Map<string, Heard>;
  readonly since: Map<string, number>;
  /** When a branch came to the lock that it has. */
  readonly locked: Map<string, number>;
}

export function createRolloutMemory(): RolloutMemory {
  return {
    published: new Map(),
    healthy: new Map(),
    unhealthy: new Map(),
    since: new Map(),
    locked: new Map(),
  };
}

/** As many revisions of a downstream are looked through for the first that holds the upstream's revision. */
const MAX_REVISIONS = 20;

/** Everything that is made from the package, and what variants are about to make from it. */
export function followersOf(catalog: Catalog, { control, upstream, directory }: Governed): RolloutMember[] {
  const found = new Map<string, RolloutMember>();
  const describe = descriptions(catalog, control);
  const add = (repository: CatalogRepository, path: string, package_: CatalogPackage | undefined): void => {
    const id = `${repository.ref.id}:${path}`;
    const position = catalog.standings(repository.ref.id).get(path);
    const at = package_?.lock && revisionOf(package_.lock.ref);
    const name = `${repositoryName(repository)}:${path}`;
    const hidden = !isSameOwner(repository, control) || !mayKnow(control, repository);
    const standing = hidden ? 'out' : 'waiting';
    const described = describe(repository);
    found.set(id, { id, name, hidden, repository, path, position, at: at ?? undefined, described, standing });
  };
  for (const follower of catalog.followers(upstream.ref.id, directory)) {
    const { repository } = follower;
    const own = repositoryDirectory(follower.package.directory);
    add(repository, packagePathOf(repository.directory, own) ?? own, follower.package);
  }
  for (const { upstream: from, downstream } of variantPlan(catalog).planned) {
    if (from.repository.ref.id !== upstream.ref.id || from.directory !== directory) continue;
    const { repository, path } = downstream;
    if (found.has(`${repository.ref.id}:${path}`)) continue;
    // A variant may be about to change its upstream: what it was made from so far says nothing.
    add(repository, path, undefined);
  }
  return [...found.values()];
}

/** True where a lock is at the revision or a newer one. */
function isAtLeast(at: string | undefined, revision: string): boolean {
  const a = at === undefined ? undefined : parseRevisionName(at);
  const b = parseRevisionName(revision);
  return a !== undefined && b !== undefined && compareRevisions(a, b) >= 0;
}

/** A person said no, or may still let it come. */
const REFUSED: readonly string[] = ['declined', 'paused'];
/** No update comes there whatever anybody does about this one. */
const OUT: readonly string[] = [
  'not-followed',
  'archived',
  'blocked-visibility',
  'upstream-unknown',
  'not-owned',
  'variant-error',
  'base-missing',
  'unreadable',
  'no-such-revision',
  'deletion-proposed',
];

/** Of these, the ones that no person chose, and that leave unknown what the downstream would follow. */
const UNRESOLVED: readonly string[] = [
  'upstream-unknown',
  'blocked-visibility',
  'variant-error',
  'base-missing',
  'unreadable',
  'no-such-revision',
];

/** The same downstreams, with what they have published of the revision and how that is. */
export async function withFacts({
  ports,
  governed,
  revision,
  gateOf,
  memory,
  asking,
  signal,
}: {
  readonly ports: Ports;
  readonly governed: Governed;
  readonly revision: string;
  readonly gateOf: (id: string) => WaveGate | undefined;
  readonly memory: RolloutMemory;
  readonly asking: QuestionBudget;
  readonly signal?: AbortSignal | undefined;
}): Promise<RolloutMember[]> {
  const all = new Map<string, RolloutMember>();
  const reports: Reports[] = [];
  for (const one of followersOf(ports.catalog, governed)) {
    if (one.hidden) {
      all.set(one.id, one);
      continue;
    }
    if (!isAtLeast(one.at, revision)) {
      const standing = standingOf(one, revision);
      const isUnresolved = UNRESOLVED.includes(one.position?.reason ?? '');
      all.set(one.id, { ...one, standing, isUnresolved });
      continue;
    }
    const published = await publishedOf({ ports, governed, one, revision, memory, asking, signal });
    const [first] = published;
    if (first === undefined) {
      all.set(one.id, one);
      continue;
    }
    all.set(one.id, { ...one, standing: 'published', publishedAt: first.at });
    const gate = gateOf(one.id);
    if (gate === undefined || gate.statuses.length + gate.deployments.length === 0) continue;
    reports.push(reportsOf(ports, one, { gate, published, memory }));
  }
  // Whose news led here comes first, then who was asked longest ago.
  const rank = ({ one, heardAt }: Reports): number => (one.repository.ref.id === asking.about ? -1 : heardAt);
  for (const report of reports.toSorted((a, b) => rank(a) - rank(b))) {
    const { id } = report.one;
    const health = await healthOf(ports, report, { memory, asking }, signal);
    const known = all.get(id);
    if (known !== undefined && health !== undefined) all.set(id, { ...known, health });
  }
  return [...all.values()];
}

/** Downstreams of one look whose branch is looked through. */
const MAX_LOCKS = 500;

/** The same downstreams; those that wait, with when their branch came to the lock that it has. */
export async function withLockTimes(
  ports: Pick<Ports, 'open'>,
  members: readonly RolloutMember[],
  { locked }: Pick<RolloutMemory, 'locked'>,
  signal?: AbortSignal,
): Promise<RolloutMember[]> {
  const waiting = members.filter(({ standing, at }) => standing === 'waiting' && at !== undefined);
  const times = new Map<string, number>();
  for (const { id, repository, path } of waiting.slice(0, MAX_LOCKS)) {
    const key = `${id} ${repository.commit}`;
    const known = locked.get(key);
    const at = known ?? (await lockedAt(ports, { repository, path }, signal));
    if (at === undefined) continue;
    if (known === undefined) keepNewest(locked, key, at, MAX_REMEMBERED);
    times.set(id, at);
  }
  return members.map((one) => {
    const at = times.get(one.id);
    return at === undefined ? one : { ...one, lockedAt: at };
  });
}

async function lockedAt(
  ports: Pick<Ports, 'open'>,
  { repository, path }: Pick<RolloutMember, 'repository' | 'path'>,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { git } = await ports.open(repository.ref, signal);
  await git.fetch({}, signal);
  const file = fileIn(pathInRepository(repository.directory, path), 'Kptfile');
  const options = { path: file, limit: 1, firstParent: true };
  const [commit] = await git.log({ to: repository.commit }, options, signal);
  return commit === undefined ? undefined : Date.parse(commit.committer.date);
}

/** What may be said of a downstream's revisions. */
interface Reports {
  readonly one: RolloutMember;
  readonly gate: WaveGate;
  /** Oldest first, each with the name under which it is remembered. */
  readonly published: readonly { readonly commit: string; readonly key: string }[];
  /** When it was heard last; 0: never, or another process has heard newer. */
  readonly heardAt: number;
}

function reportsOf(
  { catalog }: Pick<Ports, 'catalog'>,
  one: RolloutMember,
  {
    gate,
    published,
    memory: { unhealthy },
  }: {
    readonly gate: WaveGate;
    readonly published: readonly Published[];
    readonly memory: RolloutMemory;
  },
): Reports {
  const mark = catalog.reported(one.repository.ref.id);
  const asked = JSON.stringify([gate.statuses, gate.deployments]);
  const named = published.map(({ commit }) => ({
    commit,
    key: `${one.repository.ref.id}:${commit}:${one.path} ${asked}`,
  }));
  return {
    one,
    gate,
    published: named,
    heardAt: Math.min(
      ...named.map(({ key }) => {
        const known = unhealthy.get(key);
        return known?.mark === mark ? (known?.at ?? 0) : 0;
      }),
    ),
  };
}

function standingOf({ position }: RolloutMember, revision: string): RolloutMember['standing'] {
  if (position === undefined) return 'waiting';
  const { reason, to, newest } = position;
  if (REFUSED.includes(reason)) return to === undefined || to === revision ? 'refused' : 'waiting';
  // A pin or a channel: it was asked when this revision was there, and wanted none.
  if (reason === 'up-to-date') return isAtLeast(newest, revision) ? 'out' : 'waiting';
  return OUT.includes(reason) ? 'out' : 'waiting';
}

/** Commits of the downstream's own revisions that hold the upstream's revision, oldest first. */
async function publishedOf({
  ports,
  governed: { upstream, directory: from },
  one: { id, repository, path },
  revision,
  memory,
  asking,
  signal,
}: {
  readonly ports: Ports;
  readonly governed: Governed;
  readonly one: RolloutMember;
  readonly revision: string;
  readonly memory: RolloutMemory;
  readonly asking: QuestionBudget;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly Published[]> {
  const plain = pathInRepository(repository.directory, path);
  const of = `${repository.commit} ${(repository.revisions.get(plain) ?? []).join(' ')}`;
  const key = `${upstream.ref.id}:${from}@${revision} ${id}`;
  const known = memory.published.get(key);
  if (known?.of === of) return known.list;
  if (asking.isOver()) {
    asking.leave();
    return known?.list ?? [];
  }
  const { git } = await ports.open(repository.ref, signal);
  await git.fetch({}, signal);
  const refs = await loadRevisionRefs(git, signal);
  const list: Published[] = [];
  for (const { name } of taggedRevisions(refs, plain).slice(-MAX_REVISIONS).toReversed()) {
    const tag = tagOf(refs, plain, name);
    if (tag === undefined) continue;
    const read = await readKptfileAt(git, tag.commit, plain, signal);
    const lock = withMappedLock(read, repository.upstreamMap).kptfile?.upstreamLock?.git;
    const isOurs = lock !== undefined && ports.catalog.byUrl(lock.repo)?.ref.id === upstream.ref.id;
    if (!isOurs || !isAtLeast(revisionOf(lock.ref), revision)) break;
    const at = await publishedAt(git, tag, signal);
    list.unshift({ commit: tag.commit, at });
  }
  keepNewest(memory.published, key, { of, list }, MAX_REMEMBERED);
  return list;
}

/** A later revision of the downstream may mend what was wrong with the first: any healthy one is enough. */
async function healthOf(
  ports: Ports,
  { one: { repository, path }, gate, published }: Reports,
  { memory, asking }: { readonly memory: RolloutMemory; readonly asking: QuestionBudget },
  signal: AbortSignal | undefined,
): Promise<Health | undefined> {
  const place = { tip: repository.commit, directory: pathInRepository(repository.directory, path) };
  let newest: Health | undefined;
  for (const { commit, key } of published) {
    const healthy = memory.healthy.get(key);
    if (healthy !== undefined) return { state: 'success', at: healthy, what: '' };
    const known = memory.unhealthy.get(key);
    const isAbout = repository.ref.id === asking.about;
    const mark = ports.catalog.reported(repository.ref.id);
    // Another process was told of it, or found it healthy: what is remembered here is from before that.
    const isOutdated = known !== undefined && known.mark !== mark;
    const isNews = known === undefined || isOutdated || known.at < asking.since || isAbout;
    newest = known?.health ?? newest;
    if (!isNews) continue;
    if (asking.isOver()) {
      if (known === undefined || isOutdated || asking.isThorough) asking.leave();
      continue;
    }
    const at = ports.now().getTime();
    const { git, forge } = await ports.open(repository.ref, signal);
    const health = await askHealth({ git, forge }, commit, { place, gate, asking }, signal);
    if (health === undefined) continue;
    newest = health;
    memory.unhealthy.delete(key);
    if (health.state === 'success') {
      keepNewest(memory.healthy, key, health.at, MAX_REMEMBERED);
      // Nobody told of it: the others have to ask, too.
      if (!isAbout && !isOutdated) ports.catalog.tellReported(repository.ref.id);
      return health;
    }
    keepNewest(memory.unhealthy, key, { at, health, mark }, MAX_REMEMBERED);
  }
  return newest;
}
