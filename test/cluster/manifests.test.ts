/** What is in `deploy/`, as a real API server takes it: defaults, validation, admission and the rules of definitions. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT, run, type Outcome } from '../cli/run-portico.ts';
import { EVERYTHING } from '../deploy/chart-values.ts';
import { realTools } from '../processors/real-tools.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { PROGRAMS } from './programs.ts';

let plane: ControlPlane;
const started = new AsyncDisposableStack();
const scratch = mkdtempSync(join(tmpdir(), 'portico-manifests-'));

beforeAll(async () => {
  if (PROGRAMS === undefined) return;
  plane = started.use(await startControlPlane(PROGRAMS));
  const definitions = join(PROGRAMS, 'definitions');
  expect(readdirSync(definitions).length).toBeGreaterThan(3);
  await done('create', '-f', definitions);
  await done('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
  for (const namespace of ['bots', 'portico', 'portico-functions']) {
    await done('create', 'namespace', namespace);
    // Warnings are for what makes pods, such as a Deployment; pods alone are refused.
    const labels = ['warn', 'enforce'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
    await done('label', 'namespace', namespace, ...labels);
  }
}, 600_000);

afterAll(async () => {
  rmSync(scratch, { recursive: true });
  await started.disposeAsync();
}, 120_000);

/** What kubectl does without a warning. */
async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await plane.kubectl(args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Names of the kinds that the API server takes, without a warning. */
async function taken({ code, stdout, stderr }: Outcome): Promise<string[]> {
  expect([code, stderr]).toEqual([0, '']);
  const flags = [
    'apply',
    '--server-side',
    '--force-conflicts',
    '--dry-run=server',
    '--validate=strict',
    '--output=name',
    '-f',
    '-',
  ];
  const applied = await plane.kubectl(flags, stdout);
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  return applied.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/[./]/)[0] ?? '');
}

function build(folder: string): Promise<Outcome> {
  return plane.kubectl(['kustomize', folder]);
}

function helm(...args: string[]): Promise<Outcome> {
  const env = { ...realTools(), HOME: scratch };
  return run('helm', args, { cwd: ROOT, env });
}

function chart(...values: string[]): string[] {
  const set = ['image.repository=registry.example.com/portico', ...values];
  return ['acme', 'deploy/chart', '--namespace', 'bots', ...set.flatMap((value) => ['--set', value])];
}

async function untilTrue(asked: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 60_000;
  while (!(await asked())) {
    if (performance.now() > until) throw new Error('it did not come to that in a minute');
    await delay(500);
  }
}

describe('a real API server takes', { tags: ['cluster'] }, () => {
  test('the chart with nothing but the App', async () => {
    expect((await taken(await helm('template', ...chart('app.id=7')))).sort()).toEqual([
      'deployment',
      'networkpolicy',
      'poddisruptionbudget',
      'service',
      'serviceaccount',
    ]);
  });

  test('the chart with everything', async () => {
    expect(await taken(await helm('template', ...chart(...EVERYTHING)))).toEqual(
      expect.arrayContaining(['externalsecret', 'httproute', 'ingress', 'prometheusrule', 'servicemonitor']),
    );
  });

  test('the chart from Helm itself, whose pods are admitted', async () => {
    const kubeconfig = ['--kubeconfig', plane.kubeconfig('admin')];
    for (const values of [['app.id=7'], ['app.id=7', 'replicas=3']]) {
      const { code, stderr } = await helm('upgrade', '--install', ...chart(...values), ...kubeconfig);
      expect([code, stderr]).toEqual([0, '']);
    }
    const pods = ['get', 'pods', '--namespace', 'bots', '--output', 'name'];
    await untilTrue(async () => (await done(...pods)).trim().split('\n').length === 3);
    expect((await helm('uninstall', 'acme', '--namespace', 'bots', ...kubeconfig)).code).toBe(0);
  });

  test('the base and the example of kustomize, and each component', async () => {
    expect(await taken(await build(join(ROOT, 'deploy/kubernetes')))).toContain('deployment');
    expect(await taken(await build(join(ROOT, 'deploy/kustomize/example')))).toContain('externalsecret');
    const components = readdirSync(join(ROOT, 'deploy/kustomize/components'));
    expect(components.length).toBeGreaterThan(3);
    for (const component of components) {
      const at = (path: string): string => relative(scratch, join(ROOT, 'deploy', path));
      const overlay = {
        resources: [at('kubernetes')],
        components: [at(`kustomize/components/${component}`)],
      };
      writeFileSync(join(scratch, 'kustomization.yaml'), JSON.stringify(overlay));
      expect(await taken(await build(scratch))).toContain('deployment');
    }
  });

  test('the base twice, the second time without a change, and its pods', async () => {
    const folder = join(ROOT, 'deploy/kubernetes');
    expect(await done('apply', '--server-side', '--force-conflicts', '-k', folder)).toContain(
      'deployment.apps/portico',
    );
    const generation = () =>
      done(
        'get',
        'deployment',
        'portico',
        '--namespace',
        'portico',
        '--output',
        'jsonpath={.metadata.generation}',
      );
    const before = await generation();
    await done('apply', '--server-side', '-k', folder);
    expect(await generation()).toBe(before);
    const pods = ['get', 'pods', '--namespace', 'portico', '--output', 'name'];
    await untilTrue(async () => (await done(...pods)).trim().split('\n').length === 2);
  });

  test('nothing that is wrong', async () => {
    const { stdout } = await helm('template', ...chart(...EVERYTHING));
    for (const [right, wrong, message] of [
      ['replicas: 2', 'replica: 2', /unknown field "spec\.replica"/],
      ['interval: 30s', 'interval: 30 s', /interval/],
      ['type: Exact, value: /api/github/webhooks', 'type: Exact, value: api', /value/],
      ['allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true', /would violate PodSecurity/],
    ] as const) {
      expect(stdout).toContain(right);
      const { stderr } = await plane.kubectl(
        ['apply', '--dry-run=server', '--validate=strict', '-f', '-'],
        stdout.replace(right, wrong),
      );
      expect(stderr).toMatch(message);
    }
  });
});
