/** One published revision and everybody downstream: how many update pull requests a second, and what each costs. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Octokit } from '@octokit/rest';
import { startForge } from '@portico/localforge';

import { quiet, startBotProcess } from '../../test/e2e/bot-process.ts';
import { makeGround, type FaultStage } from '../../test/e2e/fault-stage.ts';
import { locked } from '../../test/e2e/packages.ts';
import { freePort } from '../../test/e2e/portico-process.ts';
import { memoryOf } from '../load/watch.ts';
import { configuration, files, KPTFILE, OWNER, publishV2, startDownstream, UPSTREAM } from './downstream.ts';
import { figure, within, type Row } from './row.ts';
import type { Options } from './update.ts';
import { workspace } from './workspace.ts';

const PACKAGES = 10;
const STILL_MS = 30_000;

export async function benchFanOut(options: Options): Promise<Row[]> {
  return [...(await oneUpdate(options)), ...(await fanOut(options))];
}

async function fanOut({ quick, say }: Options): Promise<Row[]> {
  const repositories = quick ? 10 : 100;
  const wanted = repositories * PACKAGES;
  say(`fan-out to ${wanted} packages in ${repositories} repositories`);
  using place = workspace();
  await using forge = await startDownstream(place, repositories, PACKAGES);
  const port = await freePort();
  forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
  await using bot = await startBotProcess({ forge, data: place.path(), port, env: { LOG_LEVEL: 'error' } });
  await quiet(forge, port, 1_800);
  const pid = bot.child.pid ?? 0;
  let opened = 0;
  let last = 0;
  let mebibytes = 0;
  const all = Promise.withResolvers<void>();
  forge.onEffect(({ method, route }) => {
    if (method !== 'POST' || !route.endsWith('/pulls')) return;
    opened += 1;
    last = performance.now();
    if (opened === wanted) all.resolve();
  });
  const watch = setInterval(() => {
    mebibytes = Math.max(mebibytes, memoryOf(pid, 'VmRSS'));
  }, 200);
  const began = performance.now();
  await publishV2(forge.apiUrl);
  await untilDone(all.promise, () => opened);
  if (opened < wanted) await quiet(forge, port, 3_600);
  clearInterval(watch);
  const rate = opened / ((last - began) / 1000);
  return [
    figure(`fan-out, pull requests opened of ${wanted}`, opened),
    atLeast(
      `fan-out to ${wanted} packages in ${repositories} repositories, pull requests a second`,
      rate,
      20,
    ),
    within(`fan-out to ${wanted} packages, memory of the bot, MiB`, mebibytes, 600),
  ];
}

/** Asks the bot nothing: what it is asked meanwhile it has to answer too. Given up when for so long nothing came. */
async function untilDone(all: Promise<void>, count: () => number): Promise<void> {
  for (let [before, done] = [-1, false]; !done && count() !== before;) {
    before = count();
    done = await Promise.race([all.then(() => true), pause(STILL_MS, false, { ref: false })]);
  }
}

/** What the bot asks of the downstream's repository for one update, and for looking again. */
async function oneUpdate({ say }: Options): Promise<Row[]> {
  say('one update pull request');
  const ground = await makeGround(['blueprints', 'deploy']);
  try {
    await using stage = await ground.open('one');
    const [up, down] = [stage.repository('blueprints'), stage.repository('deploy')];
    await up.seed(
      Object.fromEntries([
        ['.github/portico.yaml', configuration('blueprints', '')],
        ...files('web', '1', KPTFILE),
      ]),
    );
    const commit = await up.head('main');
    await up.tag('web/v1', commit);
    const Kptfile = locked(KPTFILE, `${up.url}.git`, 'web', 'web/v1', commit);
    await down.seed(
      Object.fromEntries([
        ['.github/portico.yaml', configuration('deploy', '')],
        ...files('shop', '1', Kptfile),
      ]),
    );
    await stage.startBot({ env: { LOG_LEVEL: 'error' } });
    await stage.quiet();
    const update = await callsOf(stage, () => publishV2(stage.forge.apiUrl));
    const until = update.findIndex((call) => /^POST .*\/pulls$/.test(call)) + 1;
    const opening = update.slice(0, until);
    const [pull] = await down.pulls();
    const again = await callsOf(stage, async () => {
      await stage
        .as('alice')
        .rest.pulls.update({ ...down.where, pull_number: pull?.number ?? 0, title: 'Again' });
    });
    const writes = /^(?!GET)\S+ \/api\/v3\/repos\//;
    return [
      within('one update pull request, fetches of the downstream', count(opening, /git-upload-pack$/), 1),
      within('one update pull request, pushes', count(opening, /git-receive-pack$/), 1),
      within('one update pull request, REST writes to open it', count(opening, writes), 2),
      figure('one update pull request, REST writes with its checks and comment', count(update, writes)),
      within('an update pull request looked at again, REST writes', count(again, writes), 0),
    ];
  } finally {
    ground.remove();
  }
}

/** Calls of the downstream's repository while the work goes on and until all is quiet: `POST /acme/deploy.git/git-upload-pack`. */
async function callsOf(stage: FaultStage, work: () => Promise<void>): Promise<string[]> {
  const calls: string[] = [];
  stage.proxy.judge(({ method, path }) => {
    if (/\/deploy(?:\.git)?(?:\/|$)/.test(path)) calls.push(`${method} ${path}`);
    return undefined;
  });
  await work();
  await stage.quiet();
  stage.proxy.judge(null);
  return calls;
}

/** The index of a repository with many revisions, by the bot's own clock: from the job's start to its end, fetch included. */
export async function benchIndex({ quick, say }: Options): Promise<Row[]> {
  const packages = quick ? 100 : 1_000;
  const revisions = packages * 10;
  say(`index of ${revisions} revisions`);
  using place = workspace();
  const upstream = place.path('upstream');
  writeHistory(upstream, packages);
  await using forge = await startForge({
    dataDir: place.path('forge'),
    manifestFile: 'app.yml',
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: OWNER, members: { alice: 'admin' }, teams: [] }],
      repos: [{ owner: OWNER, name: 'blueprints', private: true, collaborators: {}, from: upstream }],
      app: { installations: [{ account: OWNER, repositories: 'all' }] },
    },
  });
  const port = await freePort();
  forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
  await using _bot = await startBotProcess({ forge, data: place.path(), port, env: { LOG_LEVEL: 'error' } });
  await quiet(forge, port, 600);
  const cold = await indexing(port);
  const { rest } = new Octokit({ auth: 'alice-token', baseUrl: forge.apiUrl });
  const runs = 5;
  for (let run = 0; run < runs; run += 1) {
    const file = { ...UPSTREAM, path: `p1/note-${run}.yaml`, branch: 'main', message: 'Note' };
    const content = Buffer.from(`apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note-${run}\n`);
    await rest.repos.createOrUpdateFileContents({ ...file, content: content.toString('base64') });
    await quiet(forge, port, 600);
  }
  const warm = await indexing(port);
  return [
    within(`index of ${revisions} revisions, cold, s`, cold.seconds, 5),
    within(
      `index of ${revisions} revisions, after one push, s`,
      (warm.seconds - cold.seconds) / Math.max(1, warm.jobs - cold.jobs),
      0.1,
    ),
  ];
}

/** Seconds that jobs of the kind `repository` took together, and how many there were. */
async function indexing(port: number): Promise<{ readonly seconds: number; readonly jobs: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (what: string): number =>
    [
      ...text.matchAll(
        new RegExp(`^portico_job_seconds_${what}\\{kind="repository"[^}]*\\} ([\\d.e+-]+)`, 'gm'),
      ),
    ].reduce((total, [, value]) => total + Number(value), 0);
  return { seconds: sum('sum'), jobs: sum('count') };
}

/** A repository of packages with ten tagged revisions each, by one `git fast-import`. */
function writeHistory(folder: string, packages: number): void {
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  const lines: string[] = [];
  const who = 'committer Bench <bench@example.com> 1700000000 +0000\n';
  for (let revision = 1; revision <= 10; revision += 1) {
    lines.push(`commit refs/heads/main\n${who}${data(`Revision ${revision}`)}`);
    if (revision === 1)
      lines.push(`M 100644 inline .github/portico.yaml\n${data(configuration('blueprints', ''))}`);
    for (let at = 0; at < packages; at += 1) {
      const named = KPTFILE.replace('name: web', `name: p${at}`);
      for (const [path, text] of files(`p${at}`, String(revision), named))
        lines.push(`M 100644 inline ${path}\n${data(text)}`);
    }
    for (let at = 0; at < packages; at += 1)
      lines.push(
        `tag p${at}/v${revision}\nfrom refs/heads/main\ntagger Bench <bench@example.com> 1700000000 +0000\n${data(`p${at} v${revision}`)}`,
      );
  }
  const script = join(folder, '.git', 'history');
  writeFileSync(script, lines.join(''));
  execFileSync('sh', ['-c', 'git fast-import --quiet < .git/history && git reset -q --hard'], {
    cwd: folder,
  });
}

function atLeast(what: string, ours: number, least: number): Row {
  return { ...within(what, ours, least), budget: `≥ ${least}`, verdict: ours >= least ? 'met' : 'not met' };
}

function count(calls: readonly string[], what: RegExp): number {
  return calls.filter((call) => what.test(call)).length;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
