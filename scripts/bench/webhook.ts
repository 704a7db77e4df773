/** The bot as a process of its own against the local forge: webhook to checks, acknowledgement, start, writes of a second look. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Octokit } from '@octokit/rest';
import { startForge, type LocalForge } from '@portico/localforge';

import { generatedPackage, writePackage } from './generated-package.ts';
import { figure, within, type Row } from './row.ts';
import { PORTICO } from './workspace.ts';

const where = { owner: 'acme', repo: 'blueprints' };
const PIPELINE = '  mutators:\n    - image: set-labels:v0.2\n      configMap: { team: shop }\n';

export async function benchWebhook(options: {
  readonly quick: boolean;
  readonly say: (text: string) => void;
}): Promise<Row[]> {
  const runs = options.quick ? 10 : 50;
  options.say(`webhook: ${runs} pushes to a package of 100 resources`);
  const root = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const forge = await startBlueprints(root);
  const port = await freePort();
  forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
  const first = await startBot(forge, root, port);
  try {
    const octokit = new Octokit({ auth: 'alice-token', baseUrl: forge.apiUrl });
    const number = await openProposal(octokit);
    await checked(octokit, number);
    const seconds: number[] = [];
    for (let run = 0; run < runs; run += 1) seconds.push(await pushAndWait(forge, octokit, run));
    const acknowledged = forge.context.records.deliveries
      .all()
      .filter(({ statusCode }) => statusCode === 202)
      .map(({ duration }) => duration);
    const writes = await writesOfSecondLook(forge, octokit, number);
    await end(first.child);
    const again = await startBot(forge, root, port);
    await end(again.child);
    return [
      figure('webhook → checks, package of 100 resources, p50, s', quantile(seconds, 0.5)),
      within('webhook → checks, package of 100 resources, p95, s', quantile(seconds, 0.95), 1),
      figure(`webhook acknowledged (${acknowledged.length}), p50, s`, quantile(acknowledged, 0.5)),
      within(`webhook acknowledged (${acknowledged.length}), p99, s`, quantile(acknowledged, 0.99), 0.05),
      within('a second look at an unchanged proposal, REST writes', writes, 0),
      figure('start on a new store, s', first.seconds),
      within('start on an existing store, s', again.seconds, 2),
    ];
  } finally {
    await end(first.child);
    await forge.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function startBlueprints(root: string): Promise<LocalForge> {
  const seed = join(root, 'seed');
  const labelled = [...generatedPackage({ resources: 100, pipeline: PIPELINE })];
  writePackage(join(seed, 'generated'), new Map(labelled));
  writePackage(
    seed,
    new Map([
      [
        '.github/portico.yaml',
        'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: blueprints }\nspec: { branch: main }\n',
      ],
    ]),
  );
  return startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [] }],
      repos: [{ owner: 'acme', name: 'blueprints', private: true, collaborators: {}, from: seed }],
      app: { installations: [{ account: 'acme', repositories: 'all' }] },
    },
  });
}

async function openProposal(octokit: Octokit): Promise<number> {
  const { data: main } = await octokit.rest.git.getRef({ ...where, ref: 'heads/main' });
  await octokit.rest.git.createRef({
    ...where,
    ref: 'refs/heads/drafts/generated/next',
    sha: main.object.sha,
  });
  await commit(octokit, -1);
  const { data } = await octokit.rest.pulls.create({
    ...where,
    title: 'Next',
    head: 'drafts/generated/next',
    base: 'main',
  });
  return data.number;
}

/** One commit on the draft that changes one resource. */
async function commit(octokit: Octokit, run: number): Promise<void> {
  const path = 'generated/extra.yaml';
  const branch = 'drafts/generated/next';
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n  labels:\n    team: shop\ndata:\n  run: "${run}"\n`;
  const present = await octokit.rest.repos.getContent({ ...where, path, ref: branch }).catch(() => null);
  const sha = present === null || Array.isArray(present.data) ? undefined : present.data.sha;
  await octokit.rest.repos.createOrUpdateFileContents({
    ...where,
    path,
    branch,
    message: `Run ${run}`,
    content: Buffer.from(text).toString('base64'),
    ...(sha !== undefined && { sha }),
  });
}

/** From the push, just before its webhooks are sent, to the aggregate check at the new head. */
async function pushAndWait(forge: LocalForge, octokit: Octokit, run: number): Promise<number> {
  const done = Promise.withResolvers<number>();
  let started = Number.NaN;
  const stop = forge.onEffect((effect) => {
    const what = `${effect.method} ${effect.route}`;
    if (/PUT .*\/contents\//.test(what)) started = performance.now();
    const text = JSON.stringify(effect.detail);
    if (/POST .*\/check-runs$/.test(what) && /"name":"portico"/.test(text)) done.resolve(performance.now());
  });
  await commit(octokit, run);
  const ended = await done.promise;
  stop();
  await forge.settled();
  return (ended - started) / 1000;
}

/** The first look ends what the pushes before it began; the second must find nothing to write. */
async function writesOfSecondLook(forge: LocalForge, octokit: Octokit, number: number): Promise<number> {
  await look(forge, octokit, number);
  return look(forge, octokit, number);
}

/** Edits the title, which makes the bot look, and counts what it writes. */
async function look(forge: LocalForge, octokit: Octokit, pull_number: number): Promise<number> {
  let writes = 0;
  const stop = forge.onEffect(({ route }) => {
    // A look asks by GraphQL, which is a POST, too.
    if (!/\/(?:access_tokens|graphql)$/.test(route)) writes += 1;
  });
  await octokit.rest.pulls.update({ ...where, pull_number, title: `Next ${performance.now()}` });
  await forge.settled();
  await pause(1_500);
  stop();
  return writes - 1;
}

async function checked(octokit: Octokit, pull_number: number): Promise<void> {
  for (;;) {
    const { data } = await octokit.rest.pulls.get({ ...where, pull_number });
    const checks = await octokit.rest.checks.listForRef({
      ...where,
      ref: data.head.sha,
      check_name: 'portico',
    });
    if (checks.data.total_count > 0) return;
    await pause(50);
  }
}

async function startBot(
  forge: LocalForge,
  root: string,
  port: number,
): Promise<{ readonly child: ChildProcess; readonly seconds: number }> {
  const key = join(root, 'key.pem');
  writeFileSync(key, forge.app.privateKeyPem);
  const started = performance.now();
  const child = spawn(process.execPath, [PORTICO, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      APP_ID: String(forge.app.id),
      PRIVATE_KEY_PATH: key,
      WEBHOOK_SECRET: forge.app.webhookSecret,
      GHE_HOST: new URL(forge.url).host,
      GHE_PROTOCOL: 'http',
      HOST: '127.0.0.1',
      PORT: String(port),
      PORTICO_DATA: join(root, 'bot'),
      LOG_LEVEL: 'error',
      CONTENT_PER_MINUTE: '10000',
      CONTENT_PER_HOUR: '100000',
      POINTS_PER_MINUTE: '1000000',
      AUTOMERGE_SETTLE_SECONDS: '0',
    },
  });
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (ready?.ok === true) return { child, seconds: (performance.now() - started) / 1000 };
    if (child.exitCode !== null) throw new Error('the bot did not start');
    await pause(20);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(at * sorted.length) - 1)] ?? Number.NaN;
}
