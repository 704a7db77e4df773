/** The workflows that users copy, each step played as the runner would, and what their texts may not hold. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

import { startForge, type LocalForge } from '@portico/localforge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { buildAction } from '../scripts/build.ts';
import { readInputs } from '../src/action/inputs.ts';
import { commitFiles, initRepository, kptfile, tag } from './channels/git-fixture.ts';
import { WEB_CHANNELS } from './channels/web-channels.ts';
import { ROOT, run, scratch, type Outcome } from './cli/run-portico.ts';
import { octokitAs } from './e2e/octokit-as.ts';
import { below, configuration } from './e2e/packages.ts';
import { documentsOf, type TestEntry } from './fbc/catalog-text.ts';
import { longTest } from './long-test.ts';
import { startMemoryRegistry } from './oci/memory-registry.ts';
import { smallPackage } from './reconcile/small-package.ts';
import { stageRepository, type StageRepository } from './reconcile/stage-repository.ts';
import type { Login } from './reconcile/stage.ts';

interface Step {
  readonly name: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | boolean>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, 'read' | 'write' | 'none'>>;
  readonly concurrency: { readonly 'cancel-in-progress': boolean };
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly environment?: { readonly name: string; readonly deployment: boolean };
        readonly steps: readonly Step[];
        readonly 'timeout-minutes': number;
      }
    >
  >;
}

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly main: string };
}

const OURS = /^OWNER\/portico@v\d/;
const ACTION = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as ActionFile;
const workflows = globSync(join(ROOT, 'workflows/*.yml')).map((file) => ({
  name: basename(file),
  workflow: parse(readFileSync(file, 'utf8')) as Workflow,
}));
const workflowNamed = (wanted: string): Workflow => workflows.find(({ name }) => name === wanted)!.workflow;

describe.each(workflows)('$name', ({ workflow }) => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  const writes = Object.values(workflow.permissions).includes('write');

  test('with rights it checks out and runs nothing, and it ends', () => {
    const uses = steps.map((step) => step.uses ?? '');
    // What was pushed to the default branch was reviewed.
    const isReviewed = Object.keys(workflow.on).join() === 'push';
    if (isReviewed) expect(workflow.permissions).toMatchObject({ contents: 'read' });
    else if (writes || 'pull_request_target' in workflow.on) {
      expect(uses.every((one) => OURS.test(one))).toBe(true);
      expect(workflow.concurrency['cancel-in-progress']).toBe(false);
    }
    const isIdle = Object.keys(workflow.permissions).length === 0;
    expect(steps.map((step) => step.run)).toEqual(
      steps.map(({ uses }) => (isIdle && uses === undefined ? 'true' : undefined)),
    );
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  test('a job with secrets runs on the default branch alone, in an environment that its step checks', () => {
    for (const { environment, steps: ours } of Object.values(workflow.jobs)) {
      if (!JSON.stringify(ours).includes('secrets.')) continue;
      expect(environment).toEqual({ name: 'portico', deployment: false });
      expect(ours.map((step) => step.with?.['environment'])).toEqual(ours.map(() => environment?.name));
      expect(workflow.permissions).toMatchObject({ actions: 'read' });
      // These run with the workflow of a pull request's branch.
      for (const event of ['pull_request', 'pull_request_review', 'pull_request_review_comment'])
        expect(Object.keys(workflow.on)).not.toContain(event);
    }
  });

  test('actions of others are pinned to commits and leave no token behind; inputs of ours are there', () => {
    for (const { uses = '', with: inputs = {} } of steps) {
      if (OURS.test(uses)) {
        expect(Object.keys(ACTION.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)));
        continue;
      }
      if (uses === '') continue;
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      if (uses.startsWith('actions/checkout@'))
        expect(inputs).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('no text of a pull request, a comment or a branch is in an expression', () => {
    const texts = [...JSON.stringify(workflow.jobs).matchAll(/\$\{\{(.*?)\}\}/g)].map(
      ([, text = '']) => text,
    );
    for (const text of texts)
      expect(text.trim()).toMatch(/^(?:secrets|vars|runner|steps\.\w+\.outputs)\.\w+$/);
  });
});

test('what the workflow of one repository may do is what the run needs', () => {
  expect(workflowNamed('portico-run.yml').permissions).toEqual({
    contents: 'write',
    'pull-requests': 'write',
    issues: 'write',
    checks: 'write',
    statuses: 'read',
    deployments: 'read',
    actions: 'read',
  });
  expect(workflowNamed('portico-sweep.yml').permissions).toEqual({ actions: 'read' });
  expect(workflowNamed('portico-review.yml').permissions).toEqual({});
  expect(workflowNamed('portico-run.yml').on['workflow_run']).toMatchObject({
    workflows: ['portico-review'],
  });
});

const runner = scratch();
const built = runner.path('portico');

beforeAll(async () => {
  // Nothing is installed beside it, as in a release.
  mkdirSync(built);
  await buildAction(join(built, 'dist-action'));
  for (const file of ['action.yml', 'app.yml', 'package.json']) cpSync(join(ROOT, file), join(built, file));
});
afterAll(() => runner[Symbol.dispose]());

interface Played extends Outcome {
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Plays the step of ours, with the values that stand for expressions. */
async function play(
  workflow: string,
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Played> {
  const steps = Object.values(workflowNamed(workflow).jobs).flatMap((job) => job.steps);
  const given = steps.find(({ uses = '' }) => OURS.test(uses))!.with ?? {};
  const defaults = Object.entries(ACTION.inputs).map(([name, one]) => [name, one.default ?? ''] as const);
  const inputs = new Map([
    ...defaults,
    ...Object.entries(given).map(([name, value]) => [name, String(value)] as const),
  ]);
  const filled = [...inputs].map(([name, value]): [string, string] => [
    `INPUT_${name.toUpperCase()}`,
    value.replaceAll(/\$\{\{ *([\w.]+) *\}\}/g, (_, expression: string) => values[expression] ?? ''),
  ]);
  const files = { GITHUB_OUTPUT: runner.path('output'), GITHUB_STEP_SUMMARY: runner.path('summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const done = await run(process.execPath, [join(built, ACTION.runs.main)], {
    cwd: runner.path('workspace'),
    env: { ...Object.fromEntries(filled), ...files, RUNNER_TEMP: runner.path('.'), ...env },
  });
  const outputs = readFileSync(files.GITHUB_OUTPUT, 'utf8').matchAll(/^(\w+)<<(end_\w+)\n([^]*?)\n\2$/gm);
  return {
    ...done,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
    outputs: Object.fromEntries([...outputs].map(([, name = '', , value = '']) => [name, value])),
  };
}

function service(namespace: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: ${namespace}\n`;
}

const KPTFILE =
  'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\npipeline:\n  mutators:\n  - image: set-namespace:v0.4\n    configMap: {namespace: shop}\n';

function inWorkspace(files: Readonly<Record<string, string>>): void {
  runner.write(below('workspace', files));
}

function check(): Promise<Played> {
  return play('portico-check.yml', { 'runner.temp': runner.path('.') });
}

describe('portico-check.yml, played', () => {
  beforeAll(() => inWorkspace({ '.git/HEAD': 'ref: refs/heads/main\n' }));

  test('a repository in order passes; a package within a package counts as its part', async () => {
    inWorkspace({
      'web/Kptfile': KPTFILE,
      'web/service.yaml': service('shop'),
      'web/sub/Kptfile': KPTFILE.replace(/pipeline:[\s\S]*/, ''),
      'web-two/Kptfile': KPTFILE,
      'web-two/service.yaml': service('shop'),
      'README.md': '# Packages\n',
    });
    const { code, outputs, summary } = await check();
    expect([code, outputs['packages'], outputs['failed']]).toEqual([0, '2', '0']);
    expect(summary).toContain('### Portico: 2 packages in order');
  });

  test('what is not in order is annotated where it is, and in the summary, the outputs and SARIF', async () => {
    inWorkspace({
      'web/service.yaml': service('elsewhere'),
      'it\n::warning::it/Kptfile': KPTFILE,
      'it\n::warning::it/service.yaml': service('shop'),
      '.github/portico.yaml': configuration(
        'x',
        'guardrails:\n  validators: [{ name: few, cel: "false", message: "no\\n::error::no" }]',
      ),
    });
    const { code, stdout, outputs, summary } = await check();
    expect([code, outputs['packages'], outputs['failed']]).toEqual([1, '3', '3']);
    expect(stdout).toMatch(/^::error title=not-rendered,file=web\/service\.yaml::/m);
    expect(stdout).toMatch(/^::error title=few,file=web\/service\.yaml,line=1::/m);
    // Text of packages is no command of the runner.
    expect(stdout).not.toMatch(/^::(?:warning|error)::/m);
    expect(summary).toContain('### Portico: 3 of 3 packages not in order');
    const report = JSON.parse(readFileSync(outputs['sarif']!, 'utf8'));
    const [{ results }] = report.runs;
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toContain('few');
    rmSync(runner.path('workspace/.github'), { recursive: true });
  });

  test('a work tree that pull_request_target has taken from a fork is refused', async () => {
    const env = { GITHUB_EVENT_NAME: 'pull_request_target' };
    const { code, stdout } = await play('portico-check.yml', {}, env);
    expect([code, stdout]).toEqual([64, expect.stringContaining('use mode run, which checks out nothing')]);
  });
});

test('portico-catalog.yml, played: what changes in a catalog is in the summary, and a mistake fails the step', async () => {
  const workspace = runner.path('workspace');
  rmSync(workspace, { recursive: true, force: true });
  const git = async (...args: string[]): Promise<void> => {
    expect(await run('git', args, { cwd: workspace })).toMatchObject({ code: 0 });
  };
  const commit = async (entries: readonly TestEntry[]): Promise<void> => {
    const documents = documentsOf({ stable: entries }).map((one) => JSON.stringify(one));
    inWorkspace({ 'catalog/p/catalog.json': documents.join('\n') });
    await git('add', '-A');
    await git('commit', '-qm', 'catalog');
  };
  inWorkspace({ 'README.md': '# Catalog\n' });
  await git('init', '-q', '-b', 'main');
  await commit([{ name: 'p.v1.0.0' }]);
  const two = [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', replaces: 'p.v1.0.0' }];
  await commit(two);
  const { code, summary } = await play('portico-catalog.yml', {});
  expect(code).toBe(0);
  expect(summary).toContain('| `added` | `entry` | `p` | `stable` | `p.v1.1.0` |  | `p.v1.0.0 (replaces)` |');
  expect(summary.match(/```mermaid\n/g)).toHaveLength(2);
  await commit([...two, { name: 'p.v2.0.0' }]);
  const broken = await play('portico-catalog.yml', {});
  expect([broken.code, broken.summary]).toEqual([65, expect.stringContaining('is not valid')]);
  expect(broken.stderr).toContain('multiple channel heads found in graph: p.v1.1.0, p.v2.0.0');
  // What mends a catalog is compared with nothing, also where the base cannot be read.
  for (const before of [undefined, 'a: [']) {
    if (before !== undefined) {
      inWorkspace({ 'catalog/p/catalog.json': before });
      await git('commit', '-qam', 'broken');
    }
    await commit(two);
    const mended = await play('portico-catalog.yml', {});
    expect([mended.code, mended.summary]).toEqual([
      0,
      expect.stringContaining('| `added` | `package` | `p` |'),
    ]);
  }
});

test('portico-catalog-image.yml, played: the catalog of a clone, or of a directory, is pushed, and its digest is an output', async () => {
  await using registry = await startMemoryRegistry();
  const workspace = runner.path('workspace');
  rmSync(workspace, { recursive: true, force: true });
  const env = {
    INPUT_IMAGE: `${registry.host}/acme/catalog:latest`,
    'INPUT_BUNDLE-IMAGES': `${registry.host}/acme/bundles`,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REPOSITORY: 'acme/operators',
  };
  const clone = initRepository(workspace);
  const files = {
    'web/Kptfile': kptfile('web'),
    'web/service.yaml': service('shop'),
    '.github/portico/channels/web.yaml': `${WEB_CHANNELS}  members: [v1]\n`,
  };
  tag(clone, 'web/v1', commitFiles(clone, files, 1), 1);
  const first = await play('portico-catalog-image.yml', {}, env);
  expect(first.stderr).toBe('');
  const { digest = '', image } = first.outputs;
  expect([first.code, image]).toEqual([0, `${registry.host}/acme/catalog`]);
  expect(first.summary).toContain(`${image}@${digest}`);
  const byTag = registry.manifests.get('acme/catalog:latest');
  expect(byTag?.bytes).toEqual(registry.manifests.get(`acme/catalog@${digest}`)?.bytes);
  // A merge that changes nothing of the catalog moves nothing.
  commitFiles(clone, { ...files, 'README.md': 'Hello.\n' }, 2);
  expect((await play('portico-catalog-image.yml', {}, env)).outputs['digest']).toBe(digest);
  const early = await play('portico-catalog-image.yml', {}, { ...env, GITHUB_EVENT_NAME: 'pull_request' });
  expect([early.code, early.stdout]).toEqual([64, expect.stringContaining('before it is merged')]);
});

test.each([
  ['ghcr.io/acme/catalog:latest', { registry: 'ghcr.io', account: 'alice', token: 'secret' }],
  ['ghcr.io.evil.example/a:1', undefined],
  ['evil.example/ghcr.io/a:1', undefined],
  ['ghcr.io:5000/a:1', undefined],
])('of the workflow, %s gets the login %j', (image, login) => {
  const inputs = readInputs({
    INPUT_MODE: 'catalog',
    INPUT_IMAGE: image,
    INPUT_TOKEN: 'secret',
    GITHUB_ACTOR: 'alice',
    GITHUB_EVENT_NAME: 'push',
  });
  expect(inputs.login).toEqual(login);
  expect(JSON.stringify(inputs.environment)).not.toContain('secret');
});

/** A list of deployment branches, as the API gives it. */
function only(...policies: object[]): object {
  return { total_count: policies.length, branch_policies: policies };
}

describe('the environment of the secrets', () => {
  const custom = { protected_branches: false, custom_branch_policies: true };
  const seals = { 'secrets.PORTICO_SEAL_KEYS': 'k'.repeat(64), 'github.token': 'the-token' };

  test.each<[string, unknown, unknown, RegExp | undefined]>([
    ['the default branch alone', custom, only({ name: 'main', type: 'branch' }), undefined],
    ['every branch', null, only(), /::The environment portico is open to every branch/],
    [
      'protected branches',
      { protected_branches: true, custom_branch_policies: false },
      only(),
      /open to every protected branch/,
    ],
    [
      'a pattern of branches',
      custom,
      only({ name: 'main' }, { name: 'release/*' }),
      /open to branch release\/\*/,
    ],
    ['a tag of that name', custom, only({ name: 'main', type: 'tag' }), /open to tag main/],
    [
      'people whom the API does not name',
      undefined,
      only(),
      /cannot be checked .* answers 404.*actions: read/,
    ],
  ])('the step judges an environment that is open to %s', async (_whom, policy, policies, fault) => {
    const asked: (string | undefined)[] = [];
    const api = createServer(({ url, headers }, response) => {
      asked.push(headers.authorization);
      const answers: Readonly<Record<string, unknown>> = {
        '/repos/acme/web': { default_branch: 'main' },
        '/repos/acme/web/environments/portico':
          policy === undefined ? undefined : { deployment_branch_policy: policy },
        '/repos/acme/web/environments/portico/deployment-branch-policies?per_page=100': policies,
      };
      const answer = answers[url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const env = {
      GITHUB_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
      GITHUB_REPOSITORY: 'acme/web',
      GITHUB_EVENT_NAME: 'schedule',
      'INPUT_ENVIRONMENT-CHECK': 'fail',
    };
    const played = await play('portico-run.yml', seals, env);
    api.close();
    expect(new Set(asked)).toEqual(new Set(['Bearer the-token']));
    // What is not known to be safe does not run where that is demanded.
    expect(played.summary === '').toBe(fault !== undefined);
    if (fault === undefined) expect(played.stdout).not.toContain('::The environment');
    else expect([played.code, played.stdout]).toEqual([1, expect.stringMatching(fault)]);
  });

  test('that the step does not name is a warning with the way to go on, unless it is demanded', async () => {
    const env = { GITHUB_EVENT_NAME: 'schedule', INPUT_ENVIRONMENT: '' };
    const warned = await play('portico-run.yml', seals, env);
    expect(warned.stdout).toMatch(/^::warning::The step names no environment.*input environment\.$/m);
    expect(warned.summary).not.toBe('');
    const strict = await play('portico-run.yml', seals, { ...env, 'INPUT_ENVIRONMENT-CHECK': 'fail' });
    expect([strict.code, strict.summary]).toEqual([1, '']);
  });
});

describe('portico-run.yml and portico-sweep.yml, played', { tags: ['story'] }, () => {
  let forge: LocalForge;
  const PEOPLE: readonly Login[] = ['alice', 'bob', 'mallory'];

  beforeAll(async () => {
    forge = await startForge({
      manifestFile: 'app.yml',
      config: {
        tokens: Object.fromEntries(PEOPLE.map((login) => [`${login}-token`, { login }])),
        users: PEOPLE.map((login) => ({ login })),
        orgs: [{ login: 'acme', members: { alice: 'admin' } }],
        repos: [{ owner: 'acme', name: 'web', collaborators: { bob: 'write' } }],
        app: { installations: [{ account: 'acme' }] },
      },
    });
    await at().seed({ '.github/portico.yaml': configuration('web', 'publish: { requireApprovals: 1 }') });
  });
  afterAll(() => forge.close());

  function at(): StageRepository {
    const as = (login: Login) => octokitAs(forge.apiUrl, `${login}-token`);
    return stageRepository({ forge, as, idle: () => forge.settled(), owner: 'acme', name: 'web' });
  }

  /** What the runner sets for an event. */
  async function atEvent(name: string, more: object): Promise<Record<string, string>> {
    const { data } = await octokitAs(forge.apiUrl, 'alice-token').rest.repos.get(at().where);
    runner.write({ 'event.json': JSON.stringify({ repository: data, ...more }) });
    return {
      GITHUB_API_URL: forge.apiUrl,
      GITHUB_SERVER_URL: forge.url,
      GITHUB_REPOSITORY: 'acme/web',
      GITHUB_EVENT_NAME: name,
      GITHUB_EVENT_PATH: runner.path('event.json'),
      FORGE_RETRY_MS: '1',
      AUTOMERGE_SETTLE_SECONDS: '0',
      DASHBOARD_SECONDS: '0',
    };
  }

  /** What GitHub fills in for the workflow of one repository: its token has what `permissions` say. */
  function secrets(): Record<string, string> {
    const wanted = Object.entries(workflowNamed('portico-run.yml').permissions);
    const permissions = wanted.flatMap(([name, level]) =>
      level === 'none' ? [] : [[name.replaceAll('-', '_'), level] as const],
    );
    return {
      'secrets.PORTICO_SEAL_KEYS': 'k'.repeat(64),
      'github.token': forge.workflowToken('acme/web', Object.fromEntries(permissions)),
    };
  }

  longTest("a fork's pull request is looked at, and runs nothing of its own", async () => {
    const marker = runner.path('owned');
    const fork = await forkOf('mallory');
    const evil = {
      Kptfile: `${smallPackage('evil').Kptfile}pipeline:\n  mutators:\n  - exec: "touch ${marker}"\n  - image: ghcr.io/mallory/own:v1\n`,
      'config.yaml': smallPackage('evil')['config.yaml']!,
    };
    await fork.push('main', {
      ...below('evil', evil),
      '.github/portico.yaml': configuration('web', 'publish: { requireApprovals: 0 }'),
      '.gitattributes': '* filter=own diff=own\n',
      '.env': `NODE_OPTIONS=--import=data:text/javascript,process.exit(9)\n`,
      'package.json': `{"scripts":{"preinstall":"touch ${marker}"}}`,
      'action.yml': `runs: { using: composite, steps: [{ shell: bash, run: "touch ${marker}" }] }\n`,
    });
    const opened = await octokitAs(forge.apiUrl, 'mallory-token').rest.pulls.create({
      ...at().where,
      title: 'Evil',
      head: 'mallory:main',
      base: 'main',
    });
    const pull = await at().pull(opened.data.number);
    // As if a step before it had fetched the fork's work tree: it is not looked at.
    runner.write(
      below('workspace', { '.env': `PATH=${runner.path('.')}\n`, 'portico.js': 'process.exit(9)\n' }),
    );
    const env = await atEvent('pull_request_target', {
      action: 'opened',
      number: pull.number,
      pull_request: pull,
    });
    const { code, outputs, summary } = await play('portico-run.yml', secrets(), env);
    expect([code, outputs['failed'], outputs['complete']]).toEqual([0, '0', 'true']);
    expect(summary).toContain('`acme/web`');
    expect(existsSync(marker)).toBe(false);
    const checks = await at().checksOf(pull.number);
    expect(checks.get('portico')?.conclusion).not.toBe('success');
    expect(checks.get('portico/render')?.conclusion).toBe('failure');
  });

  longTest(
    'a proposal is published by the workflow of one repository, and a sweep of the App finds nothing left',
    async () => {
      await at().push('drafts/db/one', below('db', smallPackage('db')));
      const { data } = await at().create('drafts/db/one');
      const pull = await at().pull(data.number);
      const opened = await atEvent('pull_request_target', {
        action: 'opened',
        number: pull.number,
        pull_request: pull,
      });
      expect((await play('portico-run.yml', secrets(), opened)).code).toBe(0);
      await at().review(pull.number, 'APPROVE');
      const id = await at().say(pull.number, '/portico publish');
      const said = await atEvent('issue_comment', {
        action: 'created',
        comment: {
          id,
          body: '/portico publish',
          user: { login: 'alice', id: 1 },
          created_at: pull.created_at,
        },
        issue: { number: pull.number, pull_request: {}, user: pull.user, body: '' },
      });
      const { code, outputs, stderr } = await play('portico-run.yml', secrets(), said);
      expect([code, outputs['changed']]).toEqual([0, '["acme/web"]']);
      expect(stderr).toContain('What it pushes and opens starts no workflows');
      expect([...(await at().tags()).keys()]).toContain('db/v1');

      const app = {
        'vars.PORTICO_APP_ID': String(forge.app.id),
        'secrets.PORTICO_PRIVATE_KEY': forge.app.privateKeyPem,
      };
      const swept = await play('portico-sweep.yml', app, await atEvent('schedule', {}));
      expect([swept.code, swept.outputs['failed'], swept.outputs['complete']]).toEqual([0, '0', 'true']);
    },
  );

  longTest('without the secret, and on pull_request, it says what to do and does nothing', async () => {
    const env = await atEvent('schedule', {});
    const without = await play('portico-run.yml', { 'github.token': 'x' }, env);
    expect([without.code, without.summary]).toEqual([65, expect.stringContaining('openssl rand -hex 32')]);
    const plain = await play('portico-run.yml', secrets(), await atEvent('pull_request', {}));
    expect([plain.code, plain.stdout]).toEqual([64, expect.stringContaining('pull_request_target')]);
  });

  async function forkOf(login: Login): Promise<StageRepository> {
    await octokitAs(forge.apiUrl, `${login}-token`).rest.repos.createFork(at().where);
    await forge.settled();
    const as = (one: Login) => octokitAs(forge.apiUrl, `${one === 'alice' ? login : one}-token`);
    return stageRepository({ forge, as, idle: () => forge.settled(), owner: login, name: 'web' });
  }
});
