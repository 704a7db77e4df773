import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge, type LocalForge } from '@portico/localforge';
import { expect, test } from 'vitest';

import { mergePackages } from '../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { startPostgres } from '../queue/postgres.ts';
import { REALISTIC } from '../realistic.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { stageRepository, type StageRepository } from '../reconcile/stage-repository.ts';
import { quiet, startBotProcess } from './bot-process.ts';
import type { FaultStage } from './fault-stage.ts';
import { forgeState, type ForgeState } from './forge-state.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, locked } from './packages.ts';
import { freePort, type PorticoProcess } from './portico-process.ts';
import { relayWebhooks } from './webhook-relay.ts';

/**
 * Two processes on one PostgreSQL, each of which gets every other webhook, and one of them is killed with SIGKILL when
 * a third of the pull requests of a fan-out are open. The end is that of a run in which nobody died: every package has one
 * pull request, nothing is there twice. The process that is left goes on with what it never read itself, and so does
 * one that joins it. Two servers and a database take long to start, so it is tried with PORTICO_LONG=1 (12x3), or as
 * REPLICAS=4x2 says.
 */
const SIZE = /^(\d+)x(\d+)$/.exec(
  process.env['REPLICAS'] ?? (process.env['PORTICO_LONG'] === '1' ? '12x3' : ''),
);
const NAMES = Array.from({ length: Number(SIZE?.[1] ?? 0) }, (_one, at) => `r${at}`);
const PATHS = Array.from({ length: Number(SIZE?.[2] ?? 0) }, (_one, at) => `apps/a${at}`);
const TOTAL = NAMES.length * PATHS.length;

const postgres = SIZE === null ? null : await startPostgres();

const owner = 'acme';
const PACKAGE = smallPackage('web', { data: { color: 'red' } });
const upstreamAt = (color: string): Record<string, string> => ({
  ...PACKAGE,
  'config.yaml': configMap('web', { color, size: 'small' }),
});

test(
  `two processes, one killed in the middle of a fan-out to ${TOTAL} packages: the end is the same`,
  { tags: ['campaign', 'postgresql'], timeout: 1_800_000 },
  async () => {
    await using server = postgres!;
    const undisturbed = await story(await server.createDatabase(), false);
    const disturbed = await story(await server.createDatabase(), true);
    expect(disturbed.killedAt).toBe(Math.ceil(TOTAL / 3));
    expect(disturbed.state).toEqual(undisturbed.state);
    process.stderr.write(
      `${TOTAL} pull requests, one of two processes killed after ${disturbed.killedAt}: the same ${disturbed.state.length} lines of state\n`,
    );
  },
);

async function story(
  databaseUrl: string,
  kill: boolean,
): Promise<{ readonly state: ForgeState; readonly killedAt: number }> {
  const root = mkdtempSync(join(tmpdir(), 'portico-replicas-'));
  await using forge = await openForge(root);
  const started: PorticoProcess[] = [];
  try {
    const rest = octokitAs(forge.apiUrl, 'alice-token');
    const repository = (name: string): StageRepository =>
      stageRepository({ forge, as: () => rest, idle: () => forge.settled(), owner, name });
    await seed(repository);

    const start = async (name: string): Promise<{ bot: PorticoProcess; port: number }> => {
      const [data, port] = [join(root, name), await freePort()];
      mkdirSync(data);
      const bot = await startBotProcess({ forge, data, port, databaseUrl });
      started.push(bot);
      return { bot, port };
    };
    const [a, b] = [await start('a'), await start('b')];
    const ports = [a.port, b.port];
    await using door = await balance(ports);
    forge.setAppWebhookUrl(`${door.url}/api/github/webhooks`);
    await quiet(forge, b.port, 600);

    let [opened, killedAt] = [0, 0];
    const off = forge.onEffect(({ method, route }) => {
      if (method !== 'POST' || !route.endsWith('/pulls')) return;
      opened += 1;
      if (!kill || opened !== Math.ceil(TOTAL / 3)) return;
      a.bot.child.kill('SIGKILL');
      ports.splice(ports.indexOf(a.port), 1);
      killedAt = opened;
    });
    await release(repository, 'v2', 'green');
    await settled(repository, 'v2');
    await quiet(forge, b.port, 600);
    off();
    expect(opened).toBe(TOTAL);
    await expectAll(repository, 'v2', 'red', 'green');

    // Whoever is left knows all that is made from the upstream, and so does one that starts now.
    if (kill) {
      const c = await start('c');
      ports.push(c.port);
    }
    await release(repository, 'v3', 'blue');
    await settled(repository, 'v3');
    await quiet(forge, b.port, 600);
    expect(opened).toBe(TOTAL);
    await expectAll(repository, 'v3', 'red', 'blue');
    const stage = { as: () => rest, repository } as unknown as FaultStage;
    const state = await forgeState(stage, ['up', ...NAMES]);
    // Kptfiles name the forge, whose port is another each time; the bot has no business on the registered branch.
    const plain = state.map((line) => line.replace(/(?<= ref refs\/heads\/main )[0-9a-f]{40}/, 'TREE'));
    return { state: plain, killedAt };
  } catch (error) {
    const logs = started.map((bot) => bot.log().slice(-3000)).join('\n---\n');
    throw new Error(`${String(error)}\n${logs}`, { cause: error });
  } finally {
    for (const bot of started) await bot.end('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
}

function openForge(root: string): Promise<LocalForge> {
  return startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    realistic: REALISTIC,
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: owner, members: { alice: 'admin' }, teams: [] }],
      repos: ['up', ...NAMES].map((name) => ({ owner, name, private: true, collaborators: {} })),
      app: { installations: [{ account: owner }] },
    },
  });
}

async function seed(repository: (name: string) => StageRepository): Promise<void> {
  const up = repository('up');
  const spec = 'branch: main\nupdates: { follow: latest, maxOpen: 1000 }\nsharing: { within: organization }';
  await up.seed({
    ...below('web', upstreamAt('red')),
    '.github/portico.yaml': configuration('up', spec),
  });
  const first = await up.head('main');
  await up.tag('web/v1', first);
  for (const name of NAMES) {
    const files = PATHS.map((path) => below(path, localOf(name, path, up.url, first)));
    await repository(name).seed({
      ...(Object.assign({}, ...files) as Record<string, string>),
      '.github/portico.yaml': configuration(name, spec),
    });
  }
}

/** What people changed in a package since it was cloned. */
function localOf(name: string, path: string, url: string, first: string): Record<string, string> {
  const size = `${name}-${path.replace('/', '-')}`;
  return {
    ...upstreamAt('red'),
    'config.yaml': configMap('web', { color: 'red', size }),
    Kptfile: locked(PACKAGE['Kptfile']!, url, 'web', 'web/v1', first),
  };
}

async function release(
  repository: (name: string) => StageRepository,
  revision: string,
  color: string,
): Promise<void> {
  const up = repository('up');
  await up.tag(`web/${revision}`, await up.push('main', below('web', upstreamAt(color))));
}

/** Every package is offered the revision. A death is noticed by the other process after its heartbeats. */
async function settled(repository: (name: string) => StageRepository, revision: string): Promise<void> {
  const end = Date.now() + 600_000;
  for (const name of NAMES) {
    for (;;) {
      const titles = (await repository(name).pulls()).map(({ title }) => title);
      if (PATHS.every((path) => titles.includes(`Update ${path} to upstream ${revision}`))) break;
      if (Date.now() > end) throw new Error(`${name} has ${titles.join(', ')}`);
      await new Promise((resolve) => void setTimeout(resolve, 250));
    }
  }
}

async function expectAll(
  repository: (name: string) => StageRepository,
  revision: string,
  before: string,
  after: string,
): Promise<void> {
  const up = repository('up');
  const first = (await up.tags()).get('web/v1')!;
  for (const name of NAMES) {
    const repo = repository(name);
    const pulls = await repo.pulls('all');
    expect(pulls.map(({ title }) => title).toSorted()).toEqual(
      PATHS.map((path) => `Update ${path} to upstream ${revision}`).toSorted(),
    );
    for (const path of PATHS) {
      const { head, number } = pulls.find(({ title }) => title === `Update ${path} to upstream ${revision}`)!;
      const { files } = mergePackages({
        base: filesOf(upstreamAt(before)),
        upstream: filesOf(upstreamAt(after)),
        local: filesOf(localOf(name, path, up.url, first)),
      });
      const wanted = new TextDecoder().decode(files.get('config.yaml')!.bytes);
      expect(await repo.read(`${path}/config.yaml`, head.sha)).toBe(wanted);
      // One comment that sums it up, and no other twice.
      await repo.sticky(number);
      const first_lines = (await repo.comments(number)).map(({ body }) => body?.split('\n')[0]);
      expect(new Set(first_lines).size).toBe(first_lines.length);
    }
  }
}

function filesOf(files: Readonly<Record<string, string>>): PackageFiles {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );
}

/** A door that hands each webhook to one of them in turn, and to another where that one is dead, or dies now. */
function balance(ports: readonly number[]): ReturnType<typeof relayWebhooks> {
  let turn = 0;
  return relayWebhooks(async (hand) => {
    for (let tries = 0; tries < 4; tries += 1) {
      turn += 1;
      const status = await hand(ports[turn % ports.length]!);
      if (status !== 502) return status;
    }
    return 502;
  });
}
