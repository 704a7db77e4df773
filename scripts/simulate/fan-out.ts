/**
 * One upstream revision on its way into many repositories, by a clock that only the simulation moves. What is decided is
 * decided by the code that decides it in the server: the index, the update target, the waves, the turns of repositories,
 * the budget's windows. What the world answers is assumed, and said in the options.
 */

import { createCatalog, type Catalog } from '../../src/catalog/catalog.ts';
import { planRollout, NO_ORDERS, verdictOn } from '../../src/package/rollout/plan.ts';
import type { Wave } from '../../src/package/rollout/rollout.ts';
import { earliestCall, type CallWindows } from '../../src/queue/call-windows.ts';
import { updateTarget } from '../../src/reconcile/downstream/update-target.ts';
import { inTurn, updateJobs } from '../../src/reconcile/repository/update-jobs.ts';
import { followersOf, type RolloutMember } from '../../src/reconcile/rollout/facts.ts';
import { newestOf, rolloutsOf } from '../../src/reconcile/rollout/scope.ts';
import { selects } from '../../src/reconcile/rollout/selectors.ts';
import { inTurns } from '../../src/reconcile/text/in-turns.ts';
import { TOP } from '../../src/revision/package-path.ts';

export interface FanOutOptions {
  readonly repositories: number;
  /** Packages of each that are made from the upstream. */
  readonly packages: number;
  /** How many installations (organisations) the repositories are spread over: limits are of each. */
  readonly installations: number;
  readonly waves: readonly Wave[];
  readonly contentPerMinute: number;
  readonly contentPerHour: number;
  readonly restPerHour: number;
  /** Points. */
  readonly graphqlPerHour: number;
  /** Of one update until its pull request is open and checked, and from its approval until it is released. */
  readonly opening: Cost;
  readonly publishing: Cost;
  /** Seconds of work for one update in one worker, and workers of all replicas together. */
  readonly workSeconds: number;
  readonly workers: number;
  /** Seconds from the opening of a pull request to the publishing of what it brings. */
  readonly mergeSeconds: number;
}

/** Calls that count for the hour of REST, how many of them create content, and points of GraphQL. */
interface Cost {
  readonly rest: number;
  readonly graphql: number;
  readonly content: number;
}

export interface FanOutResult {
  readonly updates: number;
  readonly contentCalls: number;
  readonly restCalls: number;
  readonly graphqlPoints: number;
  /** Hours until the last pull request is open, and until all is published. */
  readonly openHours: number;
  readonly doneHours: number;
  /** When each repository had its first pull request, in hours: the middle one and the last. */
  readonly firstHours: { readonly median: number; readonly last: number };
  /** Hours at which each wave had opened its last pull request. */
  readonly waves: readonly { readonly name: string; readonly updates: number; readonly hours: number }[];
  /** Real milliseconds that all planning took, and plans that were made. */
  readonly planMs: number;
  readonly plans: number;
  /** Real bytes that the index takes. */
  readonly indexBytes: number;
}

const SECOND = 1_000_000n;

export function simulateFanOut(options: FanOutOptions): FanOutResult {
  const before = heap();
  const catalog = filled(options);
  const indexBytes = Math.max(0, heap() - before);
  const governed = rolloutsOf(catalog).governed[0];
  const revision = governed && newestOf(governed);
  if (governed === undefined || revision === undefined) throw new Error('the rollout governs nothing');
  const limits = new Map<number, Limits>();
  const opened = new Map<string, bigint>();
  const published = new Map<string, bigint>();
  const waves = new Map<string, { updates: number; at: bigint }>();
  const workers = Array.from({ length: options.workers }, () => 0n);
  const all = followersOf(catalog, governed);
  let now = 0n;
  let planMs = 0;
  let plans = 0;
  for (;;) {
    const started = performance.now();
    const downstreams = all.map((one) => asPublished(one, published, now));
    const input = { rollout: governed.rollout, downstreams, selects, since: 0, orders: NO_ORDERS };
    const plan = planRollout({ ...input, now: milliseconds(now) });
    const ready = new Set<RolloutMember>();
    for (const { members, state } of plan.waves) {
      if (state === 'waiting') continue;
      for (const one of members) if (!opened.has(one.id) && isDue(one, revision)) ready.add(one);
    }
    const byPlace = new Map([...ready].map((one) => [placeOf(one.repository.ref, one.path), one]));
    // Jobs that put off a part of their work ask for it behind all that wait.
    const waiting = inTurns(updateJobs([...ready]));
    planMs += performance.now() - started;
    plans += 1;
    for (const { data } of waiting) {
      if (data.about === 'branch') continue;
      const { repository } = data;
      const packages = data.about === 'packages' ? data.packages : [data.package];
      const newest = limits.get(repository.installationId)?.content.at(-1) ?? now;
      const { now: these, later } = inTurn({ ...data, packages }, secondsTo(newest, now));
      if (later !== undefined) waiting.push(later);
      for (const path of these) {
        const one = byPlace.get(placeOf(repository, path));
        if (one === undefined || verdictOn(plan, one.id) !== 'may-open') continue;
        const at = openOne({
          id: one.id,
          installation: repository.installationId,
          now,
          workers,
          limits,
          published,
          options,
        });
        opened.set(one.id, at);
        const wave = plan.waveOf.get(one.id)?.name ?? '';
        const known = waves.get(wave) ?? { updates: 0, at: 0n };
        waves.set(wave, { updates: known.updates + 1, at: known.at > at ? known.at : at });
      }
    }
    if (plan.state === 'done') break;
    for (const one of limits.values()) publishUntil(undefined, one, published, options);
    now = nextMoment(now, published, plan.next);
  }
  const last = [...opened.values()].reduce((a, b) => (a > b ? a : b), 0n);
  return {
    updates: opened.size,
    contentCalls: opened.size * (options.opening.content + options.publishing.content),
    restCalls: opened.size * (options.opening.rest + options.publishing.rest),
    graphqlPoints: opened.size * (options.opening.graphql + options.publishing.graphql),
    openHours: hours(last),
    doneHours: hours(now),
    firstHours: firsts(opened),
    waves: [...waves].map(([name, { updates, at }]) => ({ name, updates, hours: hours(at) })),
    planMs,
    plans,
    indexBytes,
  };
}

function placeOf({ id }: { readonly id: number }, path: string): string {
  return `${id}:${path}`;
}

function secondsTo(at: bigint, now: bigint): number {
  return Number(at - now) / Number(SECOND);
}

/** What was used of an hour of GitHub, which begins anew each time. */
interface Hour {
  hour: bigint;
  used: number;
}

/** The installation's calls so far: of both windows, and of the hours of REST and of GraphQL. */
interface Limits {
  readonly content: bigint[];
  readonly rest: Hour;
  readonly graphql: Hour;
  /** Open updates in the order in which they are approved and merged, and when. */
  readonly merges: { readonly id: string; readonly at: bigint }[];
}

/** When the pull request of one update is open. */
function openOne({
  id,
  installation,
  now,
  workers,
  limits,
  published,
  options,
}: {
  readonly id: string;
  readonly installation: number;
  readonly now: bigint;
  readonly workers: bigint[];
  readonly limits: Map<number, Limits>;
  readonly published: Map<string, bigint>;
  readonly options: FanOutOptions;
}): bigint {
  const mine = limits.get(installation) ?? newLimits();
  limits.set(installation, mine);
  let free = 0;
  for (const [at, until] of workers.entries()) if (until < (workers[free] ?? 0n)) free = at;
  const start = (workers[free] ?? 0n) > now ? (workers[free] ?? 0n) : now;
  const ready = start + BigInt(Math.round(options.workSeconds * Number(SECOND)));
  publishUntil(ready, mine, published, options);
  const at = spend(mine, ready, options.opening, options);
  workers[free] = at;
  mine.merges.push({ id, at: at + BigInt(options.mergeSeconds) * SECOND });
  return at;
}

/** Publishes what is merged by then, or all of it: those calls count for the same limits. */
function publishUntil(
  until: bigint | undefined,
  limits: Limits,
  published: Map<string, bigint>,
  options: FanOutOptions,
): void {
  for (let [next] = limits.merges; next !== undefined; [next] = limits.merges) {
    if (until !== undefined && next.at > until) return;
    limits.merges.shift();
    published.set(next.id, spend(limits, next.at, options.publishing, options));
  }
}

/** When calls that are asked for then have been made. */
function spend(limits: Limits, then: bigint, cost: Cost, options: FanOutOptions): bigint {
  let at = then;
  for (let call = 0; call < cost.content; call += 1) at = contentCall(limits, at, options);
  at = inHour(limits.graphql, at, cost.graphql, options.graphqlPerHour);
  return inHour(limits.rest, at, cost.rest, options.restPerHour);
}

function contentCall({ content }: Limits, now: bigint, options: FanOutOptions): bigint {
  const windows: CallWindows = {
    perMinute: options.contentPerMinute,
    perHour: options.contentPerHour,
    minute: 60n * SECOND,
  };
  const at = earliestCall(
    now,
    {
      newest: content.at(-1) ?? null,
      minuteBefore: content.at(-windows.perMinute) ?? null,
      hourBefore: content.at(-windows.perHour) ?? null,
    },
    windows,
  );
  content.push(at);
  return at;
}

function newLimits(): Limits {
  return { content: [], rest: { hour: 0n, used: 0 }, graphql: { hour: 0n, used: 0 }, merges: [] };
}

function inHour(limit: Hour, now: bigint, calls: number, most: number): bigint {
  const hour = now / (3_600n * SECOND);
  if (hour > limit.hour) Object.assign(limit, { hour, used: 0 });
  limit.used += calls;
  const begins = (): bigint => limit.hour * 3_600n * SECOND;
  if (limit.used <= most) return now > begins() ? now : begins();
  Object.assign(limit, { hour: limit.hour + 1n, used: calls });
  return begins();
}

function isDue(one: RolloutMember, revision: string): boolean {
  const target = updateTarget({
    policy: { follow: { kind: 'latest' }, automerge: 'none', maxOpen: 1_000 },
    asked: undefined,
    current: one.at,
    newest: revision,
    available: ['v1', revision],
    channel: () => undefined,
  });
  return target.kind === 'target';
}

function asPublished(one: RolloutMember, published: ReadonlyMap<string, bigint>, now: bigint): RolloutMember {
  const at = published.get(one.id);
  return at === undefined || at > now
    ? one
    : { ...one, standing: 'published', publishedAt: milliseconds(at) };
}

/** The end of what is under way, or of a pause. */
function nextMoment(now: bigint, published: ReadonlyMap<string, bigint>, next: number | undefined): bigint {
  const last = [...published.values()].reduce((a, b) => (a > b ? a : b), 0n);
  if (last > now) return last;
  if (next === undefined) throw new Error('the rollout waits for nothing');
  return BigInt(Math.ceil(next)) * 1_000n;
}

function filled(options: FanOutOptions): Catalog {
  const catalog = createCatalog();
  const base = {
    directory: TOP,
    commit: 'c',
    visibility: 'private',
    sharing: { to: [], from: [], within: true },
    labels: {},
    automerge: false,
  } as const;
  const put = (id: number, more: object): void =>
    catalog.put({
      ...base,
      ref: { installationId: (id % options.installations) + 1, id, owner: 'acme', name: `r${id}` },
      urls: [`https://forge.example/acme/r${id}`],
      packages: [],
      revisions: new Map(),
      documents: [],
      inventory: [],
      ...more,
    });
  const rollout = { name: 'web', upstreams: [{ packages: ['web'] }], waves: options.waves };
  put(0, {
    revisions: new Map([['web', ['v1', 'v2']]]),
    documents: [
      { file: 'rollout.yaml', id: 'i', documents: [], problems: [], rollouts: [{ line: 1, rollout }] },
    ],
  });
  for (let id = 1; id <= options.repositories; id += 1) {
    const packages = Array.from({ length: options.packages }, (_one, at) => ({
      directory: `apps/a${at}`,
      tree: `${id}-${at}`.padEnd(40, '0'),
      lock: {
        repo: 'https://forge.example/acme/r0.git',
        directory: '/web',
        ref: 'web/v1',
        commit: 'c'.repeat(40),
      },
    }));
    put(id, { packages, revisions: new Map(packages.map(({ directory }) => [directory, ['v1']])) });
  }
  return catalog;
}

function firsts(opened: ReadonlyMap<string, bigint>): FanOutResult['firstHours'] {
  const first = new Map<string, bigint>();
  for (const [id, at] of opened) {
    const repository = id.slice(0, id.indexOf(':'));
    const known = first.get(repository);
    if (known === undefined || at < known) first.set(repository, at);
  }
  const sorted = [...first.values()].toSorted((a, b) => (a < b ? -1 : 1));
  return {
    median: hours(sorted[Math.floor(sorted.length / 2)] ?? 0n),
    last: hours(sorted.at(-1) ?? 0n),
  };
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function hours(at: bigint): number {
  return Number(at) / 3_600_000_000;
}

function milliseconds(at: bigint): number {
  return Number(at / 1_000n);
}
