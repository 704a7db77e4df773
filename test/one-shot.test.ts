// @module-tag story
/** A package goes from draft to update with no server running: every step is one run that ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge, type LocalForge } from '@portico/localforge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { readOneShotEnvironment } from '../src/config/one-shot-environment.ts';
import { createContentPools } from '../src/isolation/content.ts';
import { runOnce, type OneShotReport } from '../src/one-shot.ts';
import { createLog } from '../src/telemetry/log.ts';
import { readGivenEvent } from '../src/webhook/given-event.ts';
import { octokitAs } from './e2e/octokit-as.ts';
import { below, configuration, locked } from './e2e/packages.ts';
import { copyStarted } from './queue/store-templates.ts';
import { configMap, smallPackage } from './reconcile/small-package.ts';
import { stageRepository, type StageRepository } from './reconcile/stage-repository.ts';
import type { Login } from './reconcile/stage.ts';

const PEOPLE: readonly Login[] = ['alice', 'bob', 'mallory'];
/** What workflows/portico-run.yml asks for. */
const PERMISSIONS = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'read',
  deployments: 'read',
} as const;

let forge: LocalForge;
let root: string;
const pools = createContentPools();

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'portico-once-'));
  const repos = ['blueprints', 'deploy', 'alone', 'other'].map((name) => ({
    owner: 'acme',
    name,
    collaborators: { bob: 'write' as const },
  }));
  forge = await startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    config: {
      tokens: Object.fromEntries(PEOPLE.map((login) => [`${login}-token`, { login }])),
      users: PEOPLE.map((login) => ({ login })),
      orgs: [{ login: 'acme', members: { alice: 'admin' } }],
      repos,
      app: { installations: [{ account: 'acme' }] },
    },
  });
  const spec = 'branch: main\npublish: { requireApprovals: 1 }';
  for (const name of ['blueprints', 'deploy', 'alone'])
    await repository(name).seed({ '.github/portico.yaml': configuration(name, spec) });
});

afterAll(async () => {
  await forge.close();
  rmSync(root, { recursive: true, force: true });
});

function repository(name: string): StageRepository {
  const as = (login: Login) => octokitAs(forge.apiUrl, `${login}-token`);
  return stageRepository({ forge, as, idle: () => forge.settled(), owner: 'acme', name });
}

/** What a runner sets beside what a workflow gives. */
function environmentOf(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    GITHUB_API_URL: forge.apiUrl,
    GITHUB_SERVER_URL: forge.url,
    FORGE_RETRY_MS: '1',
    AUTOMERGE_SETTLE_SECONDS: '0',
    DASHBOARD_SECONDS: '0',
    CONTENT_PER_MINUTE: '10000',
    CONTENT_PER_HOUR: '100000',
    POINTS_PER_MINUTE: '1000000',
    ...given,
  };
}

const asApp = () => environmentOf({ APP_ID: String(forge.app.id), PRIVATE_KEY: forge.app.privateKeyPem });

const asWorkflow = (name: string) =>
  environmentOf({
    GITHUB_REPOSITORY: `acme/${name}`,
    GITHUB_TOKEN: forge.workflowToken(`acme/${name}`, PERMISSIONS),
    SEAL_KEYS: 'a'.repeat(64),
  });

/** One run on a store of its own, which goes with it. */
async function run(
  env: Readonly<Record<string, string>>,
  event?: { readonly name: string; readonly payload: object },
): Promise<OneShotReport> {
  const data = mkdtempSync(join(root, 'run-'));
  await copyStarted(join(data, 'store'));
  const environment = {
    ...readOneShotEnvironment(env, { read: () => '' }),
    dataDirectory: data,
    logLevel: 'warn' as const,
  };
  const show = process.env['PORTICO_TEST_LOG'] === '1';
  const stream = { write: (line: string) => show && process.stderr.write(line) };
  try {
    return await runOnce({
      environment,
      event: event === undefined ? null : readGivenEvent(event.name, JSON.stringify(event.payload)),
      log: createLog({ level: 'warn', secrets: [], stream }),
      contentPools: pools,
      signal: AbortSignal.timeout(120_000),
    });
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** As Actions gives it: without an installation. */
async function payloadOf(name: string, more: object): Promise<object> {
  const { where } = repository(name);
  const { data } = await octokitAs(forge.apiUrl, 'alice-token').rest.repos.get(where);
  return { repository: data, ...more };
}

async function issuesOf(name: string) {
  const { where } = repository(name);
  const { data } = await octokitAs(forge.apiUrl, 'alice-token').rest.issues.listForRepo(where);
  return data.filter((issue) => issue.pull_request === undefined);
}

async function comment(name: string, number: number, body: string, login: Login = 'alice') {
  const id = await repository(name).say(number, body, login);
  const issue = await repository(name).pull(number);
  return {
    id,
    event: {
      name: 'issue_comment',
      payload: await payloadOf(name, {
        action: 'created',
        comment: { id, body, user: { login, id: 1 }, created_at: new Date().toISOString() },
        issue: { number, pull_request: {}, user: issue.user, body: '' },
      }),
    },
  };
}

async function publishOnce(
  env: () => Readonly<Record<string, string>>,
  name: string,
  files: Readonly<Record<string, string>>,
  branch: string,
): Promise<OneShotReport> {
  const at = repository(name);
  await at.push(branch, files);
  const { data } = await at.create(branch);
  const opened = { action: 'opened', number: data.number, pull_request: await at.pull(data.number) };
  const first = await run(env(), { name: 'pull_request_target', payload: await payloadOf(name, opened) });
  expect(first).toMatchObject({ complete: true, failed: [] });
  expect((await at.checksOf(data.number)).get('portico/render')?.conclusion).toBe('success');
  await at.review(data.number, 'APPROVE');
  const { id, event } = await comment(name, data.number, '/portico publish');
  const second = await run(env(), event);
  expect(await at.answerTo(data.number, id)).toMatchObject({ reaction: 'rocket' });
  return second;
}

describe('with the credentials of the App', () => {
  test('a proposal is published and followed by runs alone, each of which ends', async () => {
    const web = below('web', smallPackage('web', { data: { color: 'red' } }));
    const first = await publishOnce(asApp, 'blueprints', web, 'drafts/web/first');
    expect(first).toMatchObject({ complete: true, failed: [], changed: ['acme/blueprints'] });
    const v1 = (await repository('blueprints').tags()).get('web/v1')!;
    expect(v1).toBeDefined();

    const { Kptfile, ...rest } = smallPackage('web', { data: { color: 'red' } });
    const url = repository('blueprints').url;
    await repository('deploy').push(
      'main',
      below('web', { ...rest, Kptfile: locked(Kptfile!, url, 'web', 'web/v1', v1) }),
    );
    const changed = below('web', smallPackage('web', { data: { color: 'green' } }));
    const second = await publishOnce(asApp, 'blueprints', changed, 'drafts/web/second');
    expect(second.changed).toEqual(['acme/blueprints', 'acme/deploy']);
    const [update] = await repository('deploy').pulls();
    expect(update?.title).toContain('web to upstream v2');
    expect((await repository('deploy').checksOf(update!.number)).get('portico')?.conclusion).toBe(
      'action_required',
    );

    await repository('deploy').review(update!.number, 'APPROVE');
    const said = await repository('deploy').say(update!.number, '/portico publish');
    // Where it came from says how far it has got.
    const changedBoth = ['acme/blueprints', 'acme/deploy'];
    expect(await run(asApp())).toMatchObject({ complete: true, failed: [], changed: changedBoth });
    expect(await repository('deploy').answerTo(update!.number, said)).toMatchObject({ reaction: 'rocket' });
    expect(await repository('deploy').read('web/config.yaml')).toContain('color: green');

    // What waited for a later time may come first, on a busy machine in several runs: then nothing is left.
    let last = await run(asApp());
    for (let more = 0; more < 3 && (last.changed.length > 0 || last.rounds > 1); more += 1)
      last = await run(asApp());
    expect(last).toMatchObject({ rounds: 1, changed: [], failed: [], complete: true });
  });

  test('what is pushed after a command and before its run is not what was meant', async () => {
    const at = repository('blueprints');
    await at.push('drafts/late/one', below('late', smallPackage('late')));
    const { data } = await at.create('drafts/late/one');
    const { id, event } = await comment('blueprints', data.number, '/portico approve', 'bob');
    await at.push('drafts/late/one', { 'late/config.yaml': configMap('late', { color: 'black' }) });
    await run(asApp(), event);
    const answer = await at.answerTo(data.number, id);
    expect(answer.reaction).toBe('confused');
    expect(answer.reply).toContain('No record shows which commit you saw');
  });

  test('an event of a repository that is not reached, and one that cannot be read, are refused', async () => {
    const elsewhere = { repository: { id: 4711, full_name: 'other/web' } };
    await expect(run(asApp(), { name: 'push', payload: elsewhere })).rejects.toMatchObject({
      code: 'EVENT_ELSEWHERE',
    });
    const push = await payloadOf('other', { ref: 7 });
    await expect(run(asApp(), { name: 'push', payload: push })).rejects.toMatchObject({
      code: 'EVENT_UNREADABLE',
    });
  });
});

describe("with a workflow's token", () => {
  test('one repository goes the same way, and nothing is done beside it', async () => {
    const web = below('db', smallPackage('db'));
    const report = await publishOnce(() => asWorkflow('alone'), 'alone', web, 'drafts/db/first');
    expect(report).toMatchObject({ complete: true, failed: [], changed: ['acme/alone'] });
    expect([...(await repository('alone').tags()).keys()]).toContain('db/v1');
    const [dashboard] = await issuesOf('alone');
    expect(dashboard).toMatchObject({ user: { login: 'github-actions[bot]' } });
  });
});
