/** What Portico counts, for Prometheus. Labels are few and bounded: never a repository, a person or a path with names in it. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

import { MACHINE_TROUBLES } from '../error.ts';
import { VERSION } from '../version.ts';
import { addDisk, addLockWaits, addStall, type LockWait } from './process-gauges.ts';

export interface Metrics {
  readonly registry: Registry;
  /** A webhook was answered; `event` is counted as `other` unless it is one that Portico knows. */
  delivery(event: string, outcome: string): void;
  jobEnded(kind: string, outcome: string, seconds: number): void;
  /** `route` is the template (`GET /repos/{owner}/{repo}/pulls`), never the filled-in path; `status` 0 for no answer. */
  githubCall(route: string, status: number, seconds: number): void;
  /** The forge wants the calls of an installation to pause until then, in milliseconds since 1970; null: those of the App itself. */
  paused(installationId: number | null, calls: 'rest' | 'graphql', until: number): void;
  rendered(outcome: string, seconds: number): void;
  /** Work on foreign content ended: `answer`, `lost`, or the limit that it met. */
  contentWork(share: string, outcome: string, cpuSeconds: number): void;
  command(name: string, outcome: string): void;
  /** A comment with commands was answered so long after its webhook came. */
  commented(seconds: number): void;
  /** `by`: `pull-request` or `direct`. */
  updateBrought(by: string): void;
  /** The API was asked for one of its collections, or `other`. */
  apiRequest(collection: string, status: number): void;
  /** Asked anew for every scrape; a failing source is left out of that scrape. */
  observeDepth(read: () => Promise<readonly Depth[]>): void;
  observeInbox(read: () => number): void;
  /** Installation → the content-creating calls that it may still make at once. */
  observeBudget(read: () => Promise<ReadonlyMap<number, number>>): void;
  observeFleet(read: () => Promise<Fleet>): void;
  /** A wait for a lock has lasted 10 seconds. */
  lockAwaited(lock: 'key' | 'database'): void;
  observeLockWaits(read: () => readonly LockWait[]): void;
  /** Something failed because the machine lacks disk space, memory, files …; `trouble` is the code of the system or of PostgreSQL. */
  machineTrouble(trouble: string): void;
  /** Bytes where the data directory is. */
  observeDisk(read: () => Promise<{ readonly free: number; readonly total: number }>): void;
  /** Counts of these are told as 0 from the start: a count that begins at 1 would be no increase, and nobody would be alerted. */
  expect(names: { readonly kinds?: readonly string[]; readonly events?: readonly string[] }): void;
}

/** How the downstream packages of all repositories stand. Each word is one of few. */
interface Fleet {
  readonly rollouts: ReadonlyMap<string, number>;
  readonly waves: ReadonlyMap<string, number>;
  readonly updates: ReadonlyMap<string, number>;
  readonly variants: { readonly ready: number; readonly notReady: number; readonly stalled: number };
  readonly behind: ReadonlyMap<string, number>;
  readonly lagSeconds: ReadonlyMap<string, number>;
}

interface Depth {
  readonly lane: string;
  readonly ready: number;
  readonly deferred: number;
  readonly active: number;
  readonly ageSeconds: number;
}

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** A registry of its own (so that two servers in one process do not mix) with all of Portico's metrics and the process's. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addStall(registry);
  new Gauge({
    name: 'portico_build_info',
    help: 'Always 1; the labels say which version of Portico and Node runs',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.versions.node }, 1);
  const deliveries = new Counter({
    name: 'portico_deliveries_total',
    help: 'Webhook deliveries by event and outcome',
    labelNames: ['event', 'outcome'],
    registers,
  });
  const jobs = new Histogram({
    name: 'portico_job_seconds',
    help: 'Run time of jobs by kind and outcome',
    labelNames: ['kind', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const calls = new Histogram({
    name: 'portico_github_call_seconds',
    help: 'Calls of GitHub by route and status',
    labelNames: ['route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const givenUp = new Counter({
    name: 'portico_jobs_given_up_total',
    help: 'Jobs that are not tried again, by kind and outcome: dead after the last attempt, refused because of what a person has to correct',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const renders = new Histogram({
    name: 'portico_render_seconds',
    help: 'Renders of a package by outcome',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const work = new Histogram({
    name: 'portico_content_work_cpu_seconds',
    help: 'Processor time of work on foreign content, by whose it is and how it ended',
    labelNames: ['share', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const commands = new Counter({
    name: 'portico_commands_total',
    help: 'Slash-commands by name and outcome',
    labelNames: ['command', 'outcome'],
    registers,
  });
  const answers = new Histogram({
    name: 'portico_command_seconds',
    help: 'From the webhook of a comment with commands to their answer; commands of people without write access, who wait for their turn, are left out',
    buckets: SECONDS,
    registers,
  });
  const updates = new Counter({
    name: 'portico_updates_brought_total',
    help: 'Updates by the way they came: a pull request that was opened, or direct to the branch',
    labelNames: ['by'],
    registers,
  });
  const requests = new Counter({
    name: 'portico_api_requests_total',
    help: 'Requests to the API by collection and status',
    labelNames: ['collection', 'status'],
    registers,
  });
  const lockWaits = new Counter({
    name: 'portico_lock_waits_total',
    help: 'Waits of more than ten seconds: for the lock of a pull request or repository (key), or for one of PostgreSQL (database)',
    labelNames: ['lock'],
    registers,
  });
  for (const lock of ['key', 'database']) lockWaits.inc({ lock }, 0);
  const troubles = new Counter({
    name: 'portico_machine_trouble_total',
    help: 'Failures because the machine, or that of the database, lacks something, by the code of the system or of PostgreSQL (ENOSPC: no disk space)',
    labelNames: ['trouble'],
    registers,
  });
  for (const trouble of MACHINE_TROUBLES) troubles.inc({ trouble }, 0);
  const swept = addSweepAge(registry);
  return {
    registry,
    delivery: (event, outcome) => deliveries.inc({ event, outcome }),
    jobEnded(kind, outcome, seconds) {
      jobs.observe({ kind, outcome }, seconds);
      if (isGivenUp(outcome)) givenUp.inc({ kind, outcome });
      if (kind === 'sweep' && outcome === 'done') swept();
    },
    githubCall: (route, status, seconds) => calls.observe({ route, status }, seconds),
    contentWork: (share, outcome, cpuSeconds) => work.observe({ share, outcome }, cpuSeconds),
    paused: addPauses(registry),
    rendered: (outcome, seconds) => renders.observe({ outcome }, seconds),
    command: (command, outcome) => commands.inc({ command, outcome }),
    commented: (seconds) => answers.observe(seconds),
    updateBrought: (by) => updates.inc({ by }),
    apiRequest: (collection, status) => requests.inc({ collection, status }),
    observeDepth: (read) => addDepth(registry, read),
    observeInbox: (read) => addInbox(registry, read),
    observeBudget: (read) => addBudget(registry, read),
    observeFleet: (read) => addFleet(registry, read),
    machineTrouble: (trouble) => troubles.inc({ trouble }),
    observeDisk: (read) => addDisk(registry, read),
    lockAwaited: (lock) => lockWaits.inc({ lock }),
    observeLockWaits: (read) => addLockWaits(registry, read),
    expect({ kinds = [], events = [] }) {
      for (const kind of kinds) for (const outcome of GIVEN_UP) givenUp.inc({ kind, outcome }, 0);
      for (const event of events) deliveries.inc({ event, outcome: 'unreadable' }, 0);
    },
  };
}

const GIVEN_UP = ['dead', 'refused'] as const;

function isGivenUp(outcome: string): boolean {
  return GIVEN_UP.some((one) => one === outcome);
}

/** What is left of pauses that the forge asked for; a pause that is over is told as 0 once more and then no longer. */
function addPauses(registry: Registry): Metrics['paused'] {
  const pauses = new Map<
    string,
    { readonly labels: Record<'installation' | 'calls', string>; until: number }
  >();
  const left = new Gauge({
    name: 'portico_forge_pause_seconds',
    help: 'Seconds for which the forge still wants the calls of an installation to pause',
    labelNames: ['installation', 'calls'],
    registers: [registry],
    collect() {
      left.reset();
      for (const [key, { labels, until }] of pauses) {
        const seconds = Math.max(0, until - Date.now()) / 1_000;
        left.set(labels, seconds);
        if (seconds === 0) pauses.delete(key);
      }
    },
  });
  return (installationId, calls, until) => {
    const installation = installationId === null ? 'app' : String(installationId);
    pauses.set(`${installation} ${calls}`, { labels: { installation, calls }, until });
  };
}

/** Each gauge asks for itself: prom-client collects all at once, and one must not be read before another has set it. */
function addDepth(registry: Registry, read: () => Promise<readonly Depth[]>): void {
  const lanes = (): Promise<readonly Depth[]> => read().catch(() => []);
  const database = new Gauge({
    name: 'portico_database_up',
    help: '1 where the database said how long the queue is, 0 where it did not answer',
    registers: [registry],
    async collect() {
      const isUp = await read().then(
        () => true,
        () => false,
      );
      database.set(isUp ? 1 : 0);
    },
  });
  const jobs = new Gauge({
    name: 'portico_queue_jobs',
    help: 'Jobs by lane and state',
    labelNames: ['lane', 'state'],
    registers: [registry],
    async collect() {
      const depths = await lanes();
      // What was known before the database went away is not how it is now.
      jobs.reset();
      for (const depth of depths) {
        for (const state of ['ready', 'deferred', 'active'] as const)
          jobs.set({ lane: depth.lane, state }, depth[state]);
      }
    },
  });
  const age = new Gauge({
    name: 'portico_queue_age_seconds',
    help: 'Age of the oldest ready job',
    labelNames: ['lane'],
    registers: [registry],
    async collect() {
      const depths = await lanes();
      age.reset();
      for (const { lane, ageSeconds } of depths) age.set({ lane }, ageSeconds);
    },
  });
}

function addInbox(registry: Registry, read: () => number): void {
  const waiting = new Gauge({
    name: 'portico_inbox_waiting',
    help: 'Deliveries that this process has acknowledged and not yet made into jobs',
    registers: [registry],
    collect() {
      waiting.set(read());
    },
  });
}

/** Asked for each scrape: what was left when a call was made last says nothing of now. */
function addBudget(registry: Registry, read: () => Promise<ReadonlyMap<number, number>>): void {
  const budget = new Gauge({
    name: 'portico_content_budget_left',
    help: 'Content-creating calls that an installation may still make at once; those that made none for an hour are left out',
    labelNames: ['installation'],
    registers: [registry],
    async collect() {
      const lefts = await read().catch(() => new Map<number, number>());
      budget.reset();
      for (const [installation, left] of lefts) budget.set({ installation }, left);
    },
  });
}

/** How long ago everything was last asked to be looked at; before the first time, how long ago the process began. */
function addSweepAge(registry: Registry): () => void {
  let at = performance.now();
  const age = new Gauge({
    name: 'portico_sweep_age_seconds',
    help: 'Seconds since this process last ran a sweep to its end',
    registers: [registry],
    collect() {
      age.set((performance.now() - at) / 1_000);
    },
  });
  return () => {
    at = performance.now();
  };
}

/** Of the index, which is read once for all gauges of a scrape: that costs no call. What cannot be read is left out. */
function addFleet(registry: Registry, read: () => Promise<Fleet>): void {
  let reading: Promise<Fleet | undefined> | undefined;
  const fleetNow = (): Promise<Fleet | undefined> =>
    (reading ??= read()
      .catch(() => undefined)
      .finally(() => (reading = undefined)));
  const gauge = (
    name: string,
    help: string,
    label: string,
    countsOf: (fleet: Fleet) => Iterable<readonly [string, number]>,
  ): void => {
    const one = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const fleet = await fleetNow();
        one.reset();
        for (const [word, count] of fleet === undefined ? [] : countsOf(fleet))
          one.set({ [label]: word }, count);
      },
    });
  };
  gauge(
    'portico_rollouts',
    'Newest revisions of governed packages by the state of their rollout',
    'state',
    (fleet) => fleet.rollouts,
  );
  gauge(
    'portico_rollout_waves',
    'Waves by state, of rollouts that are not done',
    'state',
    (fleet) => fleet.waves,
  );
  gauge(
    'portico_updates',
    'Downstream packages by what came of the last look at their update',
    'reason',
    (fleet) => fleet.updates,
  );
  gauge('portico_variants', 'Variants by condition', 'condition', ({ variants }) => [
    ['ready', variants.ready],
    ['not-ready', variants.notReady],
    ['stalled', variants.stalled],
  ]);
  gauge(
    'portico_downstreams_behind',
    'Downstream packages by how many revisions they are behind their upstream; revisions that are rolled back do not count',
    'revisions',
    (fleet) => fleet.behind,
  );
  gauge(
    'portico_downstream_lag_seconds',
    'For how long downstream packages with an update due have lacked a revision of their upstream; quantile 1 is the longest',
    'quantile',
    (fleet) => fleet.lagSeconds,
  );
}
