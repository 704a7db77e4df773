import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { startForge, type LocalForge } from '@portico/localforge';
import { putStatus } from '@portico/localforge/checks/put-status';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';

import { hasPart } from '../parts.ts';
import { startPostgres } from '../queue/postgres.ts';
import { REALISTIC } from '../realistic.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { stageRepository, type StageRepository } from '../reconcile/stage-repository.ts';
import { quiet, startBotProcess } from './bot-process.ts';
import { eventually } from './eventually.ts';
import { callsOf, callsTable, since, type FleetCalls } from './fleet-calls.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, locked } from './packages.ts';
import { freePort, type PorticoProcess } from './portico-process.ts';
import { relayWebhooks } from './webhook-relay.ts';

/**
 * A fleet as its operator has it: six blueprints, an inventory, two sets of variants and a rollout of three waves in a control repository, and twelve
 * edge repositories, on `portico serve`; with the embedded database, and with two processes on one PostgreSQL. It is registered and taken
 * over, a release goes through the waves, a bad one stops in the first and is taken back, the fix goes out, and a second bad one comes while the server
 * is down. What it is decided by is read from the API. It takes minutes: `npm run fleet`.
 */
const IS_WANTED = hasPart('fleet');
const OWNER = 'acme';
const BLUEPRINTS = ['web', 'api', 'cache', 'queue', 'dash', 'mesh'] as const;
/** Cloned by hand, one each, into the first edges. */
const CLONED = BLUEPRINTS.slice(2);
const EDGES = Array.from({ length: 12 }, (_one, at) => `edge-${at + 1}`);
const CANARIES = ['edge-1', 'edge-2'];
/** In the inventory these are clusters in the EU: every other one of the first eight. */
const EUROPE = ['edge-1', 'edge-3', 'edge-5', 'edge-7'];
const SECOND = EUROPE.filter((name) => !CANARIES.includes(name));
const REST = EDGES.filter((name) => !CANARIES.includes(name) && !EUROPE.includes(name));
const TOKEN = 'alice-token';

const blueprint = (name: string, color: string): Record<string, string> => ({
  ...smallPackage(name, { data: { color } }),
  'config.yaml': configMap(name, { color }),
});

const postgres = IS_WANTED ? await startPostgres() : null;

test('the fleet, on the embedded database', { tags: ['fleet'], timeout: 1_800_000 }, () => play(undefined));

test(
  'the fleet, on two processes and one PostgreSQL',
  { tags: ['fleet', 'postgresql'], timeout: 1_800_000 },
  async () => play(await postgres!.createDatabase()),
);

// Also where only the other one is played.
afterAll(async () => postgres?.[Symbol.asyncDispose]());

/** What a process tells Prometheus of rollouts. */
async function rolloutsTold(port: number): Promise<readonly string[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text.split('\n').filter((line) => /^portico_rollout(?:s|_waves)\{/.test(line));
}

interface Fleet {
  readonly forge: LocalForge;
  readonly repository: (name: string) => StageRepository;
  /** Ports of the processes that run. */
  readonly ports: number[];
  /** Kills all processes as a power failure does, and starts them again on what they left. */
  readonly crash: (work: () => Promise<unknown>) => Promise<void>;
  readonly say: (line: string) => void;
}

async function play(databaseUrl: string | undefined): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'portico-fleet-'));
  const running = new Map<string, PorticoProcess>();
  await using forge = await openForge(root);
  try {
    const rest = octokitAs(forge.apiUrl, TOKEN);
    const repository = (name: string): StageRepository =>
      stageRepository({ forge, as: () => rest, idle: () => forge.settled(), owner: OWNER, name });
    await seed(repository);
    const names = databaseUrl === undefined ? ['a'] : ['a', 'b'];
    const portOf = new Map<string, number>();
    for (const name of names) {
      portOf.set(name, await freePort());
      mkdirSync(join(root, name));
    }
    const ports = [...portOf.values()];
    let turn = 0;
    await using door = await relayWebhooks((hand) => hand(ports[(turn += 1) % ports.length]!));
    const start = async (): Promise<void> => {
      for (const [name, port] of portOf) {
        const data = join(root, name);
        const env = { DASHBOARD_SECONDS: '5', SWEEP_MINUTES: '60' };
        running.set(
          name,
          await startBotProcess({
            forge,
            data,
            port,
            env,
            ...(databaseUrl !== undefined && { databaseUrl }),
          }),
        );
      }
    };
    const crash: Fleet['crash'] = async (work) => {
      forge.setAppWebhookUrl(`${forge.url}/nobody-listens`);
      for (const bot of running.values()) await bot.end('SIGKILL');
      await work();
      await forge.settled();
      forge.setAppWebhookUrl(`${door.url}/api/github/webhooks`);
      await start();
    };
    forge.setAppWebhookUrl(`${door.url}/api/github/webhooks`);
    await start();
    const where = databaseUrl === undefined ? 'embedded database' : 'two processes on PostgreSQL';
    const say = (line: string): void => void process.stderr.write(`fleet, ${where}: ${line}\n`);
    await story({ forge, repository, ports, crash, say });
  } catch (error) {
    const logs = [...running.values()].map((bot) => bot.log().slice(-4_000)).join('\n---\n');

    throw new Error(`${String(error)}\n${logs}`, { cause: error });
  } finally {
    for (const bot of running.values()) await bot.end('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
}

async function story(fleet: Fleet): Promise<void> {
  const { forge, repository, crash, say } = fleet;
  const phases: [string, FleetCalls][] = [];
  const phase = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const before = await callsOf(fleet.ports);
    const started = performance.now();
    await work();
    await still(fleet);
    phases.push([name, since(before, await callsOf(fleet.ports))]);
    say(`${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  };

  await phase('16 variants are made and published, wave by wave', async () => {
    for (const wave of [CANARIES, SECOND, REST]) {
      for (const name of wave) {
        const packages = EUROPE.includes(name) ? ['api', 'web'] : ['web'];
        const pulls = await eventually(`variants in ${name}`, async () => {
          const offered = await repository(name).pulls();
          return offered.length === packages.length && offered;
        });
        for (const { number } of pulls) await repository(name).press(number);
        await published(
          fleet,
          name,
          packages.map((path) => `${path}/v1`),
        );
      }
      await report(fleet, 'web', wave, 'success');
      await report(
        fleet,
        'api',
        wave.filter((name) => EUROPE.includes(name)),
        'success',
      );
    }
    for (const name of ['web', 'api']) await state(fleet, name, 'done');
  });

  await phase('a release goes through three waves', async () => {
    await release(fleet, 'web', 'v2', 'green');
    await bring(fleet, 'web', 'v2', CANARIES);
    await report(fleet, 'web', CANARIES, 'success');
    await bring(fleet, 'web', 'v2', SECOND);
    await report(fleet, 'web', SECOND, 'success');
    await bring(fleet, 'web', 'v2', REST);
    await state(fleet, 'web', 'done');
  });

  await phase('a bad release stops in the first wave', async () => {
    await release(fleet, 'web', 'v3', 'red');
    await bring(fleet, 'web', 'v3', CANARIES);
    const failed = performance.now();
    await report(fleet, 'web', ['edge-2'], 'failure');
    await stopped(fleet, 1);
    say(`the failing status stopped it after ${((performance.now() - failed) / 1_000).toFixed(2)} s`);
    await still(fleet);
    await state(fleet, 'web', 'stopped');
    expect(await open(fleet, 'web')).toEqual([]);
    const told = await ownersTold(fleet);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('`acme/blueprints:web` `v3` is stopped');
    // Whichever process looked, all tell the same, also one that has nothing to do.
    const rollouts = await Promise.all(fleet.ports.map(rolloutsTold));
    for (const lines of rollouts) expect(lines).toEqual(rollouts[0]);
    expect(rollouts[0]).toContain('portico_rollouts{state="stopped"} 1');
  });

  await phase('one order takes it back from those who have it', async () => {
    const { number } = (
      await octokitAs(forge.apiUrl, TOKEN).rest.issues.create({
        owner: OWNER,
        repo: 'fleet',
        title: 'Friday',
      })
    ).data;
    const question = await repository('fleet').say(number, '/portico rollout plan apps');
    const { reply } = await eventually('the plan of the rollout', async () => {
      const answer = await repository('fleet').answerTo(number, question);
      return answer.reply !== undefined && answer;
    });
    const waveOf = (name: string): string =>
      reply?.split('\n').find((line) => line.includes(`acme/${name}:web\``) && line.startsWith('| `')) ?? '';
    for (const name of CANARIES) expect(waveOf(name)).toContain('| `canary` | failed |');
    for (const name of SECOND) expect(waveOf(name)).toContain('| `europe` | waiting |');
    for (const name of REST) expect(waveOf(name)).toContain('| `all` | waiting |');
    await repository('fleet').say(number, '/portico rollout rollback apps web@v3');
    await bring(fleet, 'web', 'v2', CANARIES);
    for (const name of CANARIES)
      expect(await repository(name).read('web/config.yaml')).toContain('color: green');
    for (const name of [...SECOND, ...REST])
      expect((await repository(name).pulls('all')).map(({ title }) => title)).not.toContain(
        'Update web to upstream v3',
      );
  });

  await phase('the fix goes out through the waves', async () => {
    await release(fleet, 'web', 'v4', 'blue');
    await bring(fleet, 'web', 'v4', CANARIES);
    await report(fleet, 'web', CANARIES, 'success');
    await bring(fleet, 'web', 'v4', SECOND);
    await report(fleet, 'web', SECOND, 'success');
    await bring(fleet, 'web', 'v4', REST);
    await state(fleet, 'web', 'done');
    for (const name of EDGES) expect(await repository(name).read('web/config.yaml')).toContain('color: blue');
    expect(await ownersTold(fleet)).toHaveLength(1);
  });
  for (const line of callsTable(phases)) say(line);
  await answersFitTheirDescription(fleet);

  // The webhook of the failing status is lost, and the server is killed before and after it.
  await release(fleet, 'api', 'v2', 'red');
  await bring(fleet, 'api', 'v2', ['edge-1']);
  await still(fleet);
  await crash(() => report(fleet, 'api', ['edge-1'], 'failure'));
  const started = performance.now();
  await stopped(fleet, 1);
  say(
    `with the webhook lost and the server killed, it stopped ${((performance.now() - started) / 1_000).toFixed(2)} s after the start`,
  );
  await still(fleet);
  await state(fleet, 'api', 'stopped');
  expect(await open(fleet, 'api')).toEqual([]);
  await eventually('the owners are told of it', async () => (await ownersTold(fleet)).length === 2);
}

function openForge(root: string): Promise<LocalForge> {
  return startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    realistic: REALISTIC,
    config: {
      tokens: { [TOKEN]: { login: 'alice' }, 'mallory-token': { login: 'mallory' } },
      users: [{ login: 'alice' }, { login: 'mallory' }],
      orgs: [
        { login: OWNER, members: { alice: 'admin' }, teams: [{ slug: 'platform', members: ['alice'] }] },
      ],
      repos: ['blueprints', 'fleet', ...EDGES].map((name) => ({ owner: OWNER, name, private: true })),
      app: { installations: [{ account: OWNER }] },
    },
  });
}

async function seed(repository: (name: string) => StageRepository): Promise<void> {
  const shared = 'branch: main\nsharing: { within: organization }\ncontrolledBy: [acme/fleet]';
  const up = repository('blueprints');
  const files = BLUEPRINTS.map((name) => below(name, blueprint(name, 'white')));
  const first = await up.seed({
    ...(Object.assign({}, ...files) as Record<string, string>),
    '.github/portico.yaml': configuration('blueprints', `${shared}\npublish: { requireApprovals: 0 }`),
  });
  for (const name of BLUEPRINTS) await up.tag(`${name}/v1`, first);
  for (const [at, name] of EDGES.entries()) {
    const cloned = CLONED[at];
    const copy =
      cloned === undefined
        ? {}
        : below(cloned, {
            ...blueprint(cloned, 'white'),
            Kptfile: locked(blueprint(cloned, '')['Kptfile']!, up.url, cloned, `${cloned}/v1`, first),
          });
    const spec = `${shared}\ndeployment: true\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }`;
    await repository(name).seed({ ...copy, '.github/portico.yaml': configuration(name, spec) });
  }
  await repository('fleet').seed({
    'README.md': '# Fleet\n',
    '.github/portico.yaml': configuration('fleet', shared),
    '.github/portico/repositories.yaml': ['blueprints', ...EDGES]
      .map((name) => repositoryDocument(name, repository(name).url))
      .join('---\n'),
    '.github/portico/inventory/clusters.yaml': EDGES.map(clusterDocument).join('---\n'),
    '.github/portico/sets.yaml': SETS,
    '.github/portico/rollout.yaml': ROLLOUT,
  });
}

function repositoryDocument(name: string, url: string): string {
  const labels =
    name === 'blueprints' ? '' : `, labels: {edge: "yes"${CANARIES.includes(name) ? ', ring: canary' : ''}}`;
  return `apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: ${name}${labels}}\nspec: {type: git, git: {repo: ${url}.git}}\n`;
}

function clusterDocument(name: string): string {
  const region = EUROPE.includes(name) ? 'eu' : 'us';
  return `apiVersion: infra.example.com/v1\nkind: Cluster\nmetadata: {name: ${name}, labels: {region: ${region}}}\nspec: {}\n`;
}

const SETS = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: everywhere}
spec:
  upstream: {repo: blueprints, package: web, revision: -1}
  targets:
  - repositorySelector: {matchLabels: {edge: "yes"}}
---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: europe}
spec:
  upstream: {repo: blueprints, package: api, revision: -1}
  targets:
  - objectSelector: {apiVersion: infra.example.com/v1, kind: Cluster, matchLabels: {region: eu}}
    template: {downstream: {repoExpr: target.name}}
`;

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: apps }
spec:
  upstreams: [{ repo: blueprints, packages: [web, api] }]
  owners: ['@acme/platform']
  waves:
  - { name: canary, select: { labels: { ring: canary } }, gate: { statuses: [flux] } }
  - { name: europe, select: { inventory: { kind: Cluster, labels: { region: eu } } }, gate: { statuses: [flux] } }
  - { name: all }
`;

/** As people publish: a proposal that is merged, and the tag that Portico makes of it. */
async function release(fleet: Fleet, name: string, revision: string, color: string): Promise<void> {
  const up = fleet.repository('blueprints');
  const branch = `${name}-${revision}`;
  await up.push(branch, below(name, { 'config.yaml': configMap(name, { color }) }), { from: 'main' });
  const { data } = await up.create(branch);
  await up.press(data.number);
  await published(fleet, 'blueprints', [`${name}/${revision}`]);
}

async function published({ repository }: Fleet, name: string, tags: readonly string[]): Promise<void> {
  await eventually(`${tags.join(', ')} of ${name}`, async () => {
    const found = await repository(name).tags();
    return tags.every((tag) => found.has(tag));
  });
}

/** The edges that are offered an update of the package, as `edge-1 v2`. */
async function open({ repository }: Fleet, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of EDGES)
    for (const { title } of await repository(name).pulls())
      if (title.startsWith(`Update ${path} to upstream `)) found.push(`${name} ${title.split(' ').at(-1)}`);
  return found;
}

/** Exactly these are offered the revision; each merges it, and it is published there. */
async function bring(fleet: Fleet, path: string, revision: string, names: readonly string[]): Promise<void> {
  const wanted = names.map((name) => `${name} ${revision}`);
  await eventually(`${path} ${revision} for ${names.join(', ')}`, async () => {
    const offered = await open(fleet, path);
    return wanted.every((one) => offered.includes(one));
  });
  expect(await open(fleet, path)).toEqual(wanted);
  for (const name of names) {
    const repo = fleet.repository(name);
    const before = [...(await repo.tags()).keys()].filter((tag) => tag.startsWith(`${path}/`)).length;
    const pull = (await repo.pulls()).find(({ title }) => title === `Update ${path} to upstream ${revision}`);
    await repo.press(pull!.number);
    await published(fleet, name, [`${path}/v${before + 1}`]);
  }
}

/** Flux says how it went on the newest commit of each. */
async function report(
  { forge, repository }: Fleet,
  path: string,
  names: readonly string[],
  result: 'success' | 'failure',
): Promise<void> {
  for (const name of names) {
    const record = forge.context.records.repositoryByName(OWNER, name)!;
    await putStatus(forge.context, {
      repository: record,
      sha: await repository(name).head('main'),
      by: forge.context.records.account(record.ownerId),
      context: `kustomization/${path}/0c9c2e41`,
      state: result,
    });
  }
}

async function ask(fleet: Fleet, path: string, token = TOKEN): Promise<Response> {
  return fetch(`http://127.0.0.1:${fleet.ports.at(-1)}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
}

/** What the API says of the rollout of a package, sooner or later. */
async function state(fleet: Fleet, path: string, wanted: string): Promise<void> {
  const query = `rollouts?repository=${OWNER}/fleet&rollout=apps&package=${OWNER}/blueprints:${path}`;
  await eventually(`${path} ${wanted}`, async () => {
    const { items } = (await (await ask(fleet, query)).json()) as {
      readonly items: readonly { readonly state: string }[];
    };
    if (items[0]?.state === wanted) return true;
    // A token may ask 120 times a minute.
    await pause(900);
    return false;
  });
}

/** As soon as any process counts that many stopped rollouts. */
async function stopped({ ports }: Fleet, count: number): Promise<void> {
  await eventually('a rollout stops', async () => {
    const texts = await Promise.all(
      ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
    return texts.some((text) => text.includes(`portico_rollouts{state="stopped"} ${count}`));
  });
}

async function ownersTold({ repository, forge }: Fleet): Promise<string[]> {
  const rest = octokitAs(forge.apiUrl, TOKEN);
  const { data } = await rest.rest.issues.listForRepo({ owner: OWNER, repo: 'fleet', state: 'all' });
  const issue = data.find(({ title }) => title === 'Rollout apps');
  if (issue === undefined) return [];
  const comments = await repository('fleet').comments(issue.number);
  return comments.flatMap(({ body }) => (body?.includes('@acme/platform') === true ? [body] : []));
}

async function still({ forge, ports }: Fleet): Promise<void> {
  for (const port of ports) await quiet(forge, port, 300);
}

/** Every collection, of every process, to its owner and to somebody else. */
async function answersFitTheirDescription(fleet: Fleet): Promise<void> {
  const description = (await (await ask(fleet, 'openapi.json')).json()) as {
    paths: Record<
      string,
      { get: { responses: { '200': { content: { 'application/json': { schema: object } } } } } }
    >;
  };
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
  const counts: Record<string, number> = {};
  for (const [path, { get }] of Object.entries(description.paths)) {
    const name = path.replace('/api/v1/', '');
    const check = ajv.compile(get.responses['200'].content['application/json'].schema);
    const bodies = await Promise.all(
      fleet.ports.map(async (port) => {
        const url = `http://127.0.0.1:${port}${path}?limit=500`;
        return (await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).json() as Promise<{
          readonly items: readonly object[];
        }>;
      }),
    );
    for (const body of bodies) {
      void check(body);
      expect({ name, errors: check.errors ?? [] }).toEqual({ name, errors: [] });
      // Processes on one database say the same.
      expect({ name, items: body.items.length }).toEqual({ name, items: bodies[0]!.items.length });
    }
    counts[name] = bodies[0]!.items.length;
    const other = (await (await ask(fleet, `${name}?limit=500`, 'mallory-token')).json()) as object;
    expect(other).toMatchObject({ items: [], next: null });
  }
  expect(counts).toMatchObject({
    repositories: 14,
    packages: 6 + 16 + 4,
    variants: 16,
    drift: 16 + 4,
    rollouts: 2,
    'rollout-members': 12 + 4,
  });
}
