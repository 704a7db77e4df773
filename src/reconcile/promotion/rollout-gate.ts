import type { CatalogRepository } from '../../catalog/catalog.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import type { PromotionGate } from '../check/channels-check.ts';
import type { CommitHealth } from '../forge/checks.ts';
import type { Ports } from '../ports.ts';
import { answered } from '../repository/caller.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** A state, what is known of it, and when to ask again where more is to be known by then. */
export type GateAnswer = readonly [state: PromotionGate['state'], what: string, due?: Date];

/** Downstreams that are asked for their health in one look, whatever it is about; those that were asked longest ago come first. */
const MAX_ASKED = 50;
/** How long after a look that did not ask all of them comes the next, in milliseconds. */
const AGAIN_MS = 60_000;
/** Healthy downstreams that are remembered, of all channels. */
const MAX_REMEMBERED = 20_000;
const createHealthy = (): Map<string, number> => new Map();

const HOLDS: readonly string[] = ['success', 'inactive', 'neutral', 'skipped'];
const FAILS: readonly string[] = ['failure', 'error'];

type Health = 'healthy' | 'failed' | 'unknown';

/** What was asked in one look: each downstream is asked once, and so many in all. */
export type AskedHealth = Map<string, Promise<Health>>;

/**
 * Whether the downstreams of the channel that a revision comes from are healthy with it: all that have it, or `percent` of a hundred, rounded up,
 * and at least one. What is said by statuses and checks counts, of the commit that brought it there and of the newest one.
 */
export async function rolloutGate(
  ports: Pick<Ports, 'open' | 'memories' | 'now'>,
  {
    followers,
    percent = 100,
  }: {
    readonly followers: readonly {
      readonly name: string;
      readonly repository: CatalogRepository;
      readonly path: string;
    }[];
    readonly percent?: number | undefined;
  },
  asked: AskedHealth,
  signal?: AbortSignal,
): Promise<GateAnswer> {
  const now = ports.now().getTime();
  const memory = ports.memories.of(createHealthy);
  // With the next commit of its branch a downstream is asked again.
  const lastHealthy = followers.map((one) => {
    const key = `${one.repository.ref.id}:${one.path}@${one.repository.commit}`;
    return { ...one, key, at: memory.get(key) ?? -1 };
  });
  // Whoever is past what one look asks counts as it was in the looks that it takes to come round to it.
  const believed = 2 * (1 + Math.ceil(followers.length / MAX_ASKED)) * AGAIN_MS;
  let healthy = 0;
  const failed: string[] = [];
  let unasked = 0;
  for (const { name, repository, path, key, at } of lastHealthy.toSorted((a, b) => a.at - b.at)) {
    const known = asked.get(name);
    if (known === undefined && asked.size >= MAX_ASKED) {
      if (at >= 0 && now - at < believed) healthy += 1;
      else unasked += 1;
      continue;
    }
    const answer = known ?? healthOf(ports, repository, path, signal);
    asked.set(name, answer);
    const state = await answer;
    if (state === 'healthy') {
      healthy += 1;
      keepNewest(memory, key, now, MAX_REMEMBERED);
    } else memory.delete(key);
    if (state === 'failed') failed.push(name);
  }
  const needed = Math.ceil((percent * followers.length) / 100);
  const share = percent === 100 ? '' : `, ${needed} are needed`;
  const of = `${healthy} of ${counted(followers.length, 'downstream')} that have it are healthy${share}`;
  if (failed.length > followers.length - needed)
    return ['failing', `${of}; it fails in ${failed.slice(0, 5).join(', ')}`];
  if (followers.length === 0) return ['waiting', 'no downstream of its source channel has it yet'];
  if (unasked > 0 && healthy < needed)
    return [
      'waiting',
      `${of}; ${unasked} are asked in the next looks, ${MAX_ASKED} in each`,
      new Date(now + AGAIN_MS),
    ];
  return [healthy >= needed ? 'passed' : 'waiting', of];
}

async function healthOf(
  ports: Pick<Ports, 'open'>,
  repository: CatalogRepository,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Health> {
  return (await answered(stateOf(ports, repository, path, signal))) ?? 'unknown';
}

async function stateOf(
  ports: Pick<Ports, 'open'>,
  repository: CatalogRepository,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Health> {
  const { git, forge } = await ports.open(repository.ref, signal);
  await git.fetch({}, signal);
  const head = await git.resolve(`refs/heads/${repository.branch ?? ''}`, signal);
  if (head === null) return 'unknown';
  const directory = pathInRepository(repository.directory, path);
  const [brought] = await git.log({ to: head }, { path: directory, limit: 1, firstParent: true }, signal);
  for (const commit of new Set([head, brought?.oid ?? head])) {
    const state = judged(await forge.healthOf(commit, { statuses: true, environments: [] }, signal));
    if (state !== 'unknown') return state;
  }
  return 'unknown';
}

function judged({ statuses }: CommitHealth): Health {
  if (statuses.some(({ state }) => FAILS.includes(state))) return 'failed';
  return statuses.length > 0 && statuses.every(({ state }) => HOLDS.includes(state)) ? 'healthy' : 'unknown';
}
