/** One new version of a chart and many packages of it: what the update pull requests of all of them cost. */
import { readdirSync, readFileSync } from 'node:fs';

import { startForge, type LocalForge } from '@portico/localforge';

import { quiet, startBotProcess } from '../../test/e2e/bot-process.ts';
import { freePort } from '../../test/e2e/portico-process.ts';
import {
  chartRepository,
  crd,
  deployment,
  HELM,
  tools,
  type ChartRepository,
} from '../../test/reconcile/update/chart-repository.ts';
import { memoryOf } from '../load/watch.ts';
import { configuration, OWNER } from './downstream.ts';
import { writePackage } from './generated-package.ts';
import { figure, within, type Row } from './row.ts';
import type { Options } from './update.ts';
import { workspace, type Workspace } from './workspace.ts';

const REPOSITORIES = 10;

/** Where no Helm runs there are no rows. */
export async function benchChartUpdates({ quick, say }: Options): Promise<Row[]> {
  if (tools === undefined) return [];
  const packages = quick ? 1 : 20;
  const wanted = REPOSITORIES * packages;
  say(`${wanted} packages of one chart in ${REPOSITORIES} repositories`);
  using place = workspace();
  await using charts = await chartRepository();
  charts.publish('1.0.0', { web: deployment('shop:1.0'), crd: crd('carts') });
  await using forge = await startUsers(place, charts, packages);
  const port = await freePort();
  forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
  // One interval for the whole measurement.
  const env = { ...HELM, LOG_LEVEL: 'error', INSIDE_HOSTS: `http://${charts.host}`, SOURCE_MINUTES: '120' };
  const start = () => startBotProcess({ forge, data: place.path(), port, env });
  {
    await using before = await start();
    await quiet(forge, port, 1_800);
    await before.end('SIGTERM');
  }
  charts.publish('1.1.0', { web: deployment('shop:1.1'), crd: crd('carts') });
  charts.server.requests.length = 0;
  let opened = 0;
  let last = 0;
  forge.onEffect(({ method, route }) => {
    if (method !== 'POST' || !route.endsWith('/pulls')) return;
    opened += 1;
    last = performance.now();
  });
  // What it knows of sources it knows while it runs: a new start is a new interval.
  const began = performance.now();
  await using bot = await start();
  const pid = bot.child.pid ?? 0;
  let [own, all] = [0, 0];
  const watch = setInterval(() => {
    own = Math.max(own, memoryOf(pid, 'VmRSS'));
    all = Math.max(all, memoryOfAll(pid));
  }, 250);
  const progress = setInterval(
    () => say(`${opened} update pull requests after ${Math.round((performance.now() - began) / 1000)} s`),
    30_000,
  );
  await quiet(forge, port, 3_600);
  clearInterval(watch);
  clearInterval(progress);
  const done = performance.now();
  const { requests } = charts.server;
  const title = `${wanted} packages of one chart`;
  const count = (path: string): number => requests.filter((one) => one.startsWith(`GET ${path} `)).length;
  say(`${title}: asked of its repository: ${requests.join(', ')}`);
  return [
    figure(`${title}, update pull requests opened`, opened),
    within(`${title}, fetches of its index`, count('/index.yaml'), 1),
    within(`${title}, fetches of the new version`, count('/shop-1.1.0.tgz'), 1),
    figure(`${title}, start to last pull request, s`, (last - began) / 1000),
    figure(`${title}, start to last check, s`, (done - began) / 1000),
    figure(`${title}, calls of the forge's API for each`, (await apiCalls(port)) / wanted),
    within(`${title}, memory of the bot, MiB`, own, 600),
    figure(`${title}, memory of the bot and the processes below it, MiB`, all),
  ];
}

/** Repositories of so many packages at the newest version of the chart. */
async function startUsers(place: Workspace, charts: ChartRepository, packages: number): Promise<LocalForge> {
  const seed = place.path('seed');
  const more = '\n  updates: { follow: latest, maxOpen: 100 }';
  writePackage(seed, new Map([['.github/portico.yaml', configuration('users', more)]]));
  for (let at = 0; at < packages; at += 1) {
    const texts = Object.entries(await charts.package(`web-${at}`));
    writePackage(seed, new Map(texts.map(([path, text]) => [`p${at}/${path}`, text])));
  }
  return startForge({
    dataDir: place.path('forge'),
    manifestFile: 'app.yml',
    port: await freePort(),
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: OWNER, members: { alice: 'admin' }, teams: [] }],
      repos: Array.from({ length: REPOSITORIES }, (_, at) => ({
        owner: OWNER,
        name: `users-${at}`,
        private: true,
        collaborators: {},
        from: seed,
      })),
      app: { installations: [{ account: OWNER, repositories: 'all' }] },
    },
  });
}

/** Calls of the API that the bot has made since its start, by its own count. */
async function apiCalls(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = text.matchAll(/^portico_github_call_seconds_count(?:\{.*\})? (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Resident memory of a process and of all below it, in MiB; what they share counts for each. */
function memoryOfAll(pid: number): number {
  try {
    const below = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return memoryOf(pid, 'VmRSS') + below.reduce((sum, child) => sum + memoryOfAll(Number(child)), 0);
  } catch {
    // It ended while it was looked at.
    return 0;
  }
}
