/** Hostile proposals from forks, many at once, against a server of its own process, and honest ones in between. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Octokit } from '@octokit/rest';
import { startForge, type LocalForge } from '@portico/localforge';

import { startBotProcess } from '../../test/e2e/bot-process.ts';
import { octokitAs } from '../../test/e2e/octokit-as.ts';
import { freePort, type PorticoProcess } from '../../test/e2e/portico-process.ts';
import { CONFIG_MAP, HOSTILE, kptfile } from '../../test/isolation/hostile-packages.ts';
import { buildImage } from '../build.ts';
import { memoryOf } from '../load/watch.ts';

export interface Siege {
  readonly hostile: number;
  /** The longest time that the server's event loop stood still, in milliseconds. */
  readonly stallMs: number;
  /** How long its thread waited for a processor in the quarter of a second or so that had this stall: that is the machine. */
  readonly stallWaitedMs: number;
  /** Of the machine, over the last minute: on a busy one, times say little. */
  readonly load: number;
  /** The most memory, in MiB: resident, of the server; proportional, of it with all processes below it. */
  readonly serverMebibytes: number;
  readonly treeMebibytes: number;
  /** From opening an honest proposal until its checks stand, in milliseconds: of a branch, and of a fork. */
  readonly ownMs: readonly number[];
  readonly forkMs: readonly number[];
  /** From the first of the hostile proposals: until the last was open, and until the last was answered, in milliseconds. */
  readonly openedMs: number;
  readonly answeredMs: number;
  /** Hostile proposals that had an answer when it was over, and those of them that passed. */
  readonly answered: number;
  readonly passed: number;
  /** Which of them that were, by what they do. */
  readonly passedKinds: readonly string[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACE = { owner: 'acme', repo: 'packages' };
const WAIT_MS = 600_000;

/** Opens so many hostile proposals of so many strangers, and an honest one of a branch and of a fork now and then. */
export async function lay(options: {
  readonly hostile: number;
  readonly strangers: number;
  readonly honest: number;
  /** Told of each honest proposal as its checks stand. */
  readonly told?: (line: string) => void;
}): Promise<Siege> {
  await using started = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'portico-hostile-'));
  started.defer(() => rmSync(root, { recursive: true, force: true }));
  const strangers = Array.from({ length: options.strangers }, (_, at) => `mallory${at}`);
  const people = ['alice', 'rita', ...strangers];
  const forge = started.use(await forgeOf(root, people));
  const port = await freePort();
  const data = join(root, 'bot');
  mkdirSync(data);
  const env = { LOG_LEVEL: 'error' };
  const program = await programOfImage(join(root, 'image'));
  const bot = started.use(await startBotProcess({ forge, data, port, env, program }));
  forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
  const as = (login: string): Octokit['rest'] => octokitAs(forge.apiUrl, `${login}-token`).rest;
  for (const login of people.slice(1)) await as(login).repos.createFork(PLACE);
  await forge.settled();
  const watch = watchServer(bot, port);
  // The first proposal of all starts what the others find started.
  await latencyOf(forge, as('alice'), 'acme', 'warm');
  await watch.begin();
  const kinds = Object.entries(HOSTILE);
  const heads: string[] = [];
  const began = performance.now();
  const ownMs: number[] = [];
  const forkMs: number[] = [];
  const between = Math.max(1, Math.floor(options.hostile / options.honest));
  for (let at = 0; at < options.hostile; at += 1) {
    const login = strangers[at % strangers.length] ?? '';
    const files = { ...kinds[at % kinds.length]?.[1](), 'number.txt': String(at) };
    heads.push((await propose(as(login), login, `hostile-${at}`, files)).sha);
    if (at % between !== between - 1) continue;
    ownMs.push(await latencyOf(forge, as('alice'), 'acme', `own-${at}`));
    forkMs.push(await latencyOf(forge, as('rita'), 'rita', `fork-${at}`));
    const { stallMs, stallWaitedMs, serverMebibytes, treeMebibytes } = watch.seen();
    options.told?.(
      `after ${at + 1}: ${ownMs.at(-1)} ms of a branch, ${forkMs.at(-1)} ms of a fork; until now ${stallMs} ms of stall, ${stallWaitedMs} ms of it at most without a processor, ${serverMebibytes} MiB of the server, ${treeMebibytes} MiB in all`,
    );
  }
  const openedMs = Math.round(performance.now() - began);
  const conclusions = await allConclusions(as('alice'), heads);
  const answeredMs = Math.round(performance.now() - began);
  const seen = await watch.end();
  return {
    hostile: options.hostile,
    ...seen,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    ownMs,
    forkMs,
    openedMs,
    answeredMs,
    answered: conclusions.filter((one) => one !== undefined).length,
    passed: conclusions.filter((one) => one === 'success').length,
    passedKinds: kinds
      .map(([name]) => name)
      .filter((_name, at) =>
        conclusions.some((one, number) => number % kinds.length === at && one === 'success'),
      ),
  };
}

/** What the image runs, in a directory like its own: options of Node, and the packed server. */
async function programOfImage(directory: string): Promise<readonly string[]> {
  await buildImage(join(directory, 'dist'));
  for (const name of ['package.json', 'app.yml']) symlinkSync(join(ROOT, name), join(directory, name));
  const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const [node, ...program] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(image)?.[1] ?? '[]') as readonly string[];
  const file = program.pop();
  if (node !== 'node' || file === undefined) throw new Error('the Dockerfile has no ENTRYPOINT of node');
  return [...program, join(directory, file)];
}

async function forgeOf(root: string, people: readonly string[]): Promise<LocalForge> {
  const seed = join(root, 'seed');
  const files = {
    '.github/portico.yaml':
      'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: packages }\nspec:\n  branch: main\n  publish: { requireApprovals: 0 }\n  guardrails:\n    validators:\n    - { name: named, cel: "has(object.metadata.name)", message: it has no name }\n',
    'web/Kptfile': kptfile('  - image: set-labels:v0.2\n    configMap: { team: shop }\n'),
    'web/map.yaml': CONFIG_MAP,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(seed, path)), { recursive: true });
    writeFileSync(join(seed, path), text);
  }
  return startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    config: {
      tokens: Object.fromEntries(people.map((login) => [`${login}-token`, { login }])),
      users: people.map((login) => ({ login })),
      orgs: [{ login: 'acme', members: { alice: 'admin' as const }, teams: [] }],
      repos: [{ owner: 'acme', name: 'packages', private: false, from: seed }],
      app: { installations: [{ account: 'acme', repositories: 'all' }] },
    },
  });
}

/** Commits a package on a branch of a repository, and opens a pull request for it. */
async function propose(
  rest: Octokit['rest'],
  owner: string,
  branch: string,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly sha: string; readonly number: number }> {
  const where = { owner, repo: PLACE.repo };
  const base = await rest.git.getRef({ ...where, ref: 'heads/main' });
  const parent = base.data.object.sha;
  const tree = await rest.git.createTree({
    ...where,
    base_tree: parent,
    tree: Object.entries(files).map(([path, content]) => ({
      path: `${branch}/${path}`,
      mode: '100644',
      type: 'blob',
      content,
    })),
  });
  const commit = await rest.git.createCommit({
    ...where,
    message: branch,
    tree: tree.data.sha,
    parents: [parent],
  });
  await rest.git.createRef({ ...where, ref: `refs/heads/${branch}`, sha: commit.data.sha });
  const head = owner === PLACE.owner ? branch : `${owner}:${branch}`;
  const { data } = await rest.pulls.create({ ...PLACE, title: branch, head, base: 'main' });
  return { sha: commit.data.sha, number: data.number };
}

/** An honest package, and how long its checks take from the opening of its pull request. */
async function latencyOf(
  forge: LocalForge,
  rest: Octokit['rest'],
  owner: string,
  branch: string,
): Promise<number> {
  const files = {
    Kptfile: kptfile('  - image: set-labels:v0.2\n    configMap: { team: shop }\n').replace(
      'name: web',
      'name: web\n  labels:\n    team: shop',
    ),
    'map.yaml': CONFIG_MAP.replace('name: web', 'name: web\n  labels:\n    team: shop'),
  };
  const { sha } = await propose(rest, owner, branch, files);
  const began = performance.now();
  const [conclusion] = await allConclusions(octokitAs(forge.apiUrl, 'alice-token').rest, [sha]);
  if (conclusion !== 'success') throw new Error(`the honest ${branch} came to ${conclusion}`);
  return Math.round(performance.now() - began);
}

/** What the aggregate says at each commit, when it says something; undefined where it never did. */
async function allConclusions(
  rest: Octokit['rest'],
  shas: readonly string[],
): Promise<(string | undefined)[]> {
  const until = performance.now() + WAIT_MS;
  const found = new Map<string, string>();
  for (const sha of shas) {
    while (!found.has(sha) && performance.now() < until) {
      const { data } = await rest.checks.listForRef({ ...PLACE, ref: sha, check_name: 'portico' });
      const conclusion = data.check_runs[0]?.conclusion;
      if (conclusion !== undefined && conclusion !== null) found.set(sha, conclusion);
      else await pause(25);
    }
  }
  return shas.map((sha) => found.get(sha));
}

type Seen = Pick<Siege, 'stallMs' | 'stallWaitedMs' | 'serverMebibytes' | 'treeMebibytes'>;

interface ServerWatch {
  begin(): Promise<void>;
  seen(): Seen;
  end(): Promise<Seen>;
}

function watchServer({ child }: PorticoProcess, port: number): ServerWatch {
  const pid = child.pid ?? 0;
  let stallMs = 0;
  let treeMebibytes = 0;
  let looks = 0;
  let stallWaitedMs = 0;
  let waitedBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    // Counting pages holds a process up for a moment, so it is done seldom.
    if ((looks += 1) % 8 === 0) treeMebibytes = Math.max(treeMebibytes, treeMemory(pid));
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const stall = /^portico_event_loop_stall_seconds (\S+)$/m.exec(text)?.[1];
    const waited = waitedOf(pid);
    if (Number(stall) * 1000 > stallMs) {
      stallMs = Number(stall) * 1000;
      stallWaitedMs = waited - waitedBefore;
    }
    waitedBefore = waited;
  };
  const seen = (): Seen => ({
    stallMs: Math.round(stallMs),
    stallWaitedMs: Math.round(stallWaitedMs),
    serverMebibytes: memoryOf(pid, 'VmHWM'),
    treeMebibytes,
  });
  return {
    seen,
    async begin() {
      await look();
      // What came before, the start among it, is not part of it.
      stallMs = 0;
      timer = setInterval(() => void look().catch(() => {}), 250);
    },
    async end() {
      clearInterval(timer);
      await look();
      return seen();
    },
  };
}

/** Milliseconds that the main thread of a process was ready to run and had no processor. */
function waitedOf(pid: number): number {
  const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}

/** MiB of a process and all below it; what several share is divided among them. */
function treeMemory(root: number): number {
  const all = [root];
  let mebibytes = 0;
  for (const pid of all) {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      mebibytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      all.push(...children.split(' ').filter(Boolean).map(Number));
    } catch {
      // It has ended meanwhile.
    }
  }
  return Math.round(mebibytes);
}
