import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { ROOT, run, scratch } from './cli/run-portico.ts';
import type { Outcome } from './cli/run-portico.ts';
import { longTest, STORIES } from './long-test.ts';

interface Step {
  readonly name: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly Step[]; readonly 'timeout-minutes': number }>
  >;
}

const workflows = globSync(join(ROOT, 'workflows/*.yml')).map((file) => ({
  name: basename(file),
  workflow: parse(readFileSync(file, 'utf8')) as Workflow,
}));

describe.each(workflows)('$name', ({ workflow }) => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test('may only read, never runs on what a fork can steer with rights, and ends', () => {
    expect(
      Object.values(workflow.permissions).filter((right) => right !== 'read' && right !== 'none'),
    ).toEqual([]);
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeLessThan(60);
  });

  test('actions are pinned to commits and leave no token behind', () => {
    for (const { uses, with: inputs } of steps) {
      if (uses === undefined) continue;
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      if (uses.startsWith('actions/checkout@'))
        expect(inputs).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('no expression is put into a script', () => {
    for (const step of steps) expect(step.run ?? '').not.toContain('${{');
  });
});

function service(namespace: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: ${namespace}\n`;
}

describe('portico-check.yml', () => {
  const { workflow } = workflows.find(({ name }) => name === 'portico-check.yml')!;
  const steps = workflow.jobs['check']!.steps;
  const workspace = scratch();
  const outcomes = new Map<string, Outcome>();

  /** Runs a step as GitHub's runner does. */
  async function runStep(name: string): Promise<Outcome> {
    const step = steps.find((one) => one.name === name)!;
    return run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run!], {
      cwd: workspace.path(step['working-directory'] ?? '.'),
      env: { GITHUB_WORKSPACE: workspace.path('.').replace(/\/\.?$/, ''), npm_config_prefer_offline: 'true' },
    });
  }

  beforeAll(async () => {
    mkdirSync(workspace.path('portico'));
    for (const part of ['package.json', 'package-lock.json', '.npmrc', 'src']) {
      cpSync(join(ROOT, part), workspace.path(`portico/${part}`), { recursive: true });
    }
    // It takes as long as all the rest here.
    const installed = STORIES ? await runStep('Install Portico') : undefined;
    if (installed === undefined) {
      symlinkSync(join(ROOT, 'node_modules'), workspace.path('portico/node_modules'));
    } else if (/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENOTCACHED/.test(installed.stderr)) {
      process.stderr.write(
        'No registry can be reached: "Install Portico" is SKIPPED and the modules here are taken.\n',
      );
      symlinkSync(join(ROOT, 'node_modules'), workspace.path('portico/node_modules'));
    } else outcomes.set('install', installed);
  });
  afterAll(() => workspace[Symbol.dispose]());

  longTest('Portico installs without scripts and without what only development needs', () => {
    expect(outcomes.get('install')?.code ?? 0).toBe(0);
  });

  const KPTFILE =
    'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\npipeline:\n  mutators:\n  - image: set-namespace:v0.4\n    configMap: {namespace: shop}\n';
  test('a repository in order passes; a package within a package counts as its part', async () => {
    workspace.write({
      'packages/web/Kptfile': KPTFILE,
      'packages/web/service.yaml': service('shop'),
      'packages/web/sub/Kptfile': KPTFILE.replace(/pipeline:[\s\S]*/, ''),
      'packages/web-two/Kptfile': KPTFILE,
      'packages/web-two/service.yaml': service('shop'),
      'packages/README.md': '# Packages\n',
    });
    const { code, stdout } = await runStep('Check the packages');
    expect(stdout).toContain('2 packages checked, 0 not in order.');
    expect(code).toBe(0);
  });

  test('a package that is not rendered fails, and the others are still checked', async () => {
    workspace.write({ 'packages/web/service.yaml': service('elsewhere') });
    const { code, stdout, stderr } = await runStep('Check the packages');
    expect([code, stdout]).toEqual([1, expect.stringContaining('2 packages checked, 1 not in order.')]);
    expect(stdout).toMatch(/^::error::Package 1 /m);
    expect(stderr).toContain('service.yaml');
    workspace.write({ 'packages/web/service.yaml': service('shop') });
  });

  test('guardrails in the configuration are asked, and names of packages are no commands', async () => {
    workspace.write({
      'packages/it\n::warning::it/Kptfile': KPTFILE,
      'packages/.github/portico.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: x }
spec:
  guardrails:
    mutators: [{ name: team, image: set-labels:v0.2, configMap: { team: orders } }]
`,
    });
    const { code, stdout } = await runStep('Check the packages');
    expect([code, stdout]).toEqual([1, expect.stringContaining('3 packages checked, 3 not in order.')]);
    expect(stdout).not.toMatch(/^::warning::/m);
  });
});
