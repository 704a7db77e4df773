/** People at work on many repositories for a while: pushes, questions, publications. */
import { Octokit } from '@octokit/rest';
import type { Effect } from '@portico/localforge/context';

import { quiet } from '../../test/e2e/bot-process.ts';
import { latencyOf, meansOf, slopeOf, type Latency, type Slope } from './figures.ts';
import { OWNER, TOKEN, type LoadGround } from './ground.ts';
import { memoryOf, watch, type Sample } from './watch.ts';

export interface Soak {
  readonly minutes: number;
  readonly actions: number;
  /** Actions that had no answer within a minute. */
  readonly unanswered: number;
  readonly latency: Readonly<Record<string, Latency>>;
  readonly acknowledgement: Latency;
  readonly queueAgeMost: number;
  readonly lagMost: number;
  readonly processesMost: number;
  readonly bots: readonly BotOverTime[];
}

/** One process, at the beginning and at the end. */
interface BotOverTime {
  readonly filesFirst: number;
  readonly filesLast: number;
  readonly processesLast: number;
  readonly memoryFirst: number;
  readonly memoryLast: number;
  readonly memoryPeak: number;
  /** The mean of each thirtieth of the time. */
  readonly memoryOverTime: readonly number[];
  /** MiB an hour, after the first third, and how sure that is. */
  readonly memorySlope: Slope;
}

interface Desk {
  readonly repo: string;
  pull: number;
  branch: string;
  /** How many branches and commits there were. */
  turn: number;
}

const WORKERS = 6;
const PATIENCE_MS = 60_000;

export async function soak(ground: LoadGround, minutes: number): Promise<Soak> {
  const { forge, bots } = ground;
  const octokit = new Octokit({ auth: TOKEN, baseUrl: forge.apiUrl });
  const desks = ground.repositories.map((repo): Desk => ({ repo, pull: 0, branch: '', turn: 0 }));
  const times: Record<string, number[]> = {
    'push → checks': [],
    'question → answer': [],
    'publish → tag': [],
  };
  const tally = { actions: 0, unanswered: 0 };
  const before = newestDelivery(forge);
  const looking = watch(bots, Math.max(1_000, minutes * 100));
  const end = performance.now() + minutes * 60_000;

  async function act(desk: Desk): Promise<void> {
    const name = desk.pull === 0 ? 'push → checks' : choose();
    const work = { 'push → checks': push, 'question → answer': ask, 'publish → tag': publish }[name];
    const took = await work?.(ground, octokit, desk);
    tally.actions += 1;
    if (took === undefined || took === null) tally.unanswered += 1;
    else times[name]?.push(took);
  }
  const free = [...desks];
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const [desk] = free.splice(Math.floor(Math.random() * free.length), 1);
      if (desk === undefined) return;
      await act(desk);
      free.push(desk);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WORKERS, desks.length) }, worker));
  for (const { port } of bots) await quiet(forge, port, 600);
  await looking.stop();
  const acknowledged = acknowledgedSince(forge, before);
  return {
    minutes,
    ...tally,
    ...figures(times, acknowledged, looking.samples),
    bots: bots.map(({ pid }, at) => ({
      ...overTime(looking.samples.filter(({ bot }) => bot === at)),
      memoryPeak: memoryOf(pid, 'VmHWM'),
    })),
  };
}

function newestDelivery({ context: { records } }: LoadGround['forge']): number {
  return records.deliveries.all({ order: 'desc', limit: 1 })[0]?.id ?? 0;
}

/** Milliseconds of each delivery after that one which was taken. Read in pieces: payloads are large, and there are many. */
function acknowledgedSince({ context: { records } }: LoadGround['forge'], delivery: number): number[] {
  const milliseconds: number[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; below > delivery;) {
    const piece = records.deliveries.all({ order: 'desc', limit: 500, below });
    for (const { id, statusCode, duration } of piece) {
      if (id > delivery && statusCode === 202) milliseconds.push(duration * 1_000);
    }
    below = piece.at(-1)?.id ?? 0;
  }
  return milliseconds;
}

function figures(times: Record<string, number[]>, acknowledged: number[], samples: readonly Sample[]) {
  const most = (of: (sample: Sample) => number): number =>
    Math.round(Math.max(0, ...samples.map(of)) * 10) / 10;
  return {
    latency: Object.fromEntries(Object.entries(times).map(([name, list]) => [name, latencyOf(list)])),
    acknowledgement: latencyOf(acknowledged),
    queueAgeMost: most(({ queueAge }) => queueAge),
    lagMost: most(({ lag }) => lag),
    processesMost: most(({ processes }) => processes),
  };
}

function overTime(samples: readonly Sample[]): Omit<BotOverTime, 'memoryPeak'> {
  const settled = samples.slice(Math.floor(samples.length / 3));
  const [first] = samples;
  const last = samples.at(-1);
  return {
    filesFirst: first?.files ?? 0,
    filesLast: last?.files ?? 0,
    processesLast: last?.processes ?? 0,
    memoryFirst: first?.mebibytes ?? 0,
    memoryLast: last?.mebibytes ?? 0,
    memoryOverTime: meansOf(
      samples.map(({ mebibytes }) => mebibytes),
      30,
    ),
    memorySlope: slopeOf(settled.map(({ at, mebibytes }) => [at / 3600, mebibytes])),
  };
}

function choose(): string {
  const dice = Math.random();
  return dice < 0.5 ? 'push → checks' : dice < 0.8 ? 'question → answer' : 'publish → tag';
}

/** A commit on the draft, whose pull request is opened with the first; until the aggregate check stands at its head. */
async function push({ forge }: LoadGround, octokit: Octokit, desk: Desk): Promise<number | null> {
  const where = { owner: OWNER, repo: desk.repo };
  desk.turn += 1;
  if (desk.pull === 0) {
    const { data: main } = await octokit.rest.git.getRef({ ...where, ref: 'heads/main' });
    desk.branch = `drafts/web/w${desk.turn}`;
    await octokit.rest.git.createRef({ ...where, ref: `refs/heads/${desk.branch}`, sha: main.object.sha });
  }
  const path = 'web/config.yaml';
  const { data: present } = await octokit.rest.repos.getContent({ ...where, path, ref: desk.branch });
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  labels:\n    team: shop\ndata:\n  run: "${desk.turn}"\n`;
  const { data } = await octokit.rest.repos.createOrUpdateFileContents({
    ...where,
    path,
    branch: desk.branch,
    message: `Turn ${desk.turn}`,
    content: Buffer.from(text).toString('base64'),
    sha: 'sha' in present ? present.sha : '',
  });
  const seen = waitFor(
    forge,
    ({ route, detail, repo }) =>
      repo === `${OWNER}/${desk.repo}` &&
      route.endsWith('/check-runs') &&
      isCheckOf(detail, data.commit.sha ?? ''),
  );
  if (desk.pull === 0) {
    const opened = await octokit.rest.pulls.create({
      ...where,
      title: `Turn ${desk.turn}`,
      head: desk.branch,
      base: 'main',
    });
    desk.pull = opened.data.number;
  }
  return seen;
}

function isCheckOf(detail: Effect['detail'], sha: string): boolean {
  const body = detail['body'] as { name?: string; head_sha?: string } | undefined;
  return body?.name === 'portico' && body.head_sha === sha;
}

/** Until the rocket stands on the comment. */
async function ask({ forge }: LoadGround, octokit: Octokit, desk: Desk): Promise<number | null> {
  const where = { owner: OWNER, repo: desk.repo, issue_number: desk.pull };
  let id = 0;
  const seen = waitFor(
    forge,
    ({ route, detail }) =>
      route.endsWith('/reactions') &&
      String(detail['path']).includes(`/comments/${id}/`) &&
      JSON.stringify(detail['body']).includes('rocket'),
  );
  id = (await octokit.rest.issues.createComment({ ...where, body: '/portico explain' })).data.id;
  return seen;
}

/** Until the tag of the revision is pushed; then the desk is free for a new draft. */
async function publish({ forge }: LoadGround, octokit: Octokit, desk: Desk): Promise<number | null> {
  const seen = waitFor(
    forge,
    ({ kind, repo, detail }) =>
      kind === 'push' && repo === `${OWNER}/${desk.repo}` && JSON.stringify(detail).includes('refs/tags/'),
  );
  const where = { owner: OWNER, repo: desk.repo, issue_number: desk.pull };
  await octokit.rest.issues.createComment({ ...where, body: '/portico publish' });
  desk.pull = 0;
  return seen;
}

/** Milliseconds until an effect of that kind; null when there is none for too long. */
function waitFor(forge: LoadGround['forge'], is: (effect: Effect) => boolean): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const began = performance.now();
  const off = forge.onEffect((effect) => {
    if (is(effect)) resolve(performance.now() - began);
  });
  const patience = setTimeout(() => resolve(null), PATIENCE_MS);
  return promise.finally(() => {
    off();
    clearTimeout(patience);
  });
}
