import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { READY_POLICIES } from '../../src/cel/policies/table.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const scratch = mkdtempSync(join(tmpdir(), 'portico-deploy-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const alerts = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as {
  groups: { rules: Rule[] }[];
};
const dashboard = JSON.parse(readFileSync('deploy/grafana/portico.json', 'utf8')) as { panels: Panel[] };
const expressions = [
  ...alerts.groups.flatMap((group) => group.rules.map((rule) => [`alert ${rule.alert}`, rule.expr] as const)),
  ...dashboard.panels.flatMap((panel) =>
    panel.targets.map((target) => [`panel ${panel.title}`, target.expr] as const),
  ),
];

describe('what Prometheus and Grafana are given', () => {
  const { registry } = createMetrics();
  const labels = new Map(
    registry
      .getMetricsAsArray()
      .map((metric) => [metric.name, (metric as unknown as { labelNames?: string[] }).labelNames ?? []]),
  );
  labels.set('portico_database_up', []);
  labels.set('portico_queue_jobs', ['lane', 'state']);
  labels.set('portico_queue_age_seconds', ['lane']);
  labels.set('portico_rollouts', ['state']);
  labels.set('portico_variants', ['condition']);
  labels.set('portico_updates', ['reason']);
  labels.set('portico_downstreams_behind', ['revisions']);
  labels.set('portico_rollout_waves', ['state']);
  labels.set('portico_downstream_lag_seconds', ['quantile']);

  test.each(expressions)('%s asks for series that the server has: %s', (_what, expression) => {
    const names = expression.match(/\b(?:portico|nodejs|process)_\w+/g) ?? [];
    expect(names.length).toBeGreaterThan(0);
    const known = names.map((name) => name.replace(/_(?:count|sum|bucket)$/, ''));
    for (const [index, name] of names.entries())
      expect(labels.has(name) || labels.has(known[index]!), name).toBe(true);
    const allowed = new Set(['le', 'job', ...known.flatMap((name) => labels.get(name) ?? [])]);
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap((match) =>
      match[1]!.split(',').map((label) => label.trim()),
    );
    const selected = [...expression.matchAll(/[{,]\s*(\w+)\s*[=!]/g)].map((match) => match[1]!);
    for (const label of [...grouped, ...selected]) expect([...allowed], expression).toContain(label);
  });
});

describe('runbooks', () => {
  const manual = readFileSync('docs/runbooks.md', 'utf8');
  const rules = alerts.groups.flatMap((group) => group.rules);

  test('are there for each alert, in its order, and for nothing else', () => {
    const headings = [...manual.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
      expect(manual).toMatch(new RegExp(`^## ${alert}\n\n\\*${labels.severity}\\* .+\n\n1\\. `, 'm'));
    }
  });

  test.each([
    'portico_rollouts',
    'portico_variants',
    'portico_updates',
    'portico_downstream_lag_seconds',
    'portico_sweep_age_seconds',
    'kind="notice"',
  ])('%s has an alert and a panel', (series) => {
    for (const kind of ['alert', 'panel'])
      expect(expressions.some(([what, expr]) => what.startsWith(kind) && expr.includes(series))).toBe(true);
  });
});

describe('the manifests', () => {
  test('are a package that renders to itself and passes its own validator', () => {
    const copy = join(scratch, 'kubernetes');
    cpSync('deploy/kubernetes', copy, { recursive: true });
    const render = (): void =>
      void execFileSync(process.execPath, ['src/portico.js', 'render', copy], { stdio: 'pipe' });
    render();
    for (const file of readdirSync('deploy/kubernetes'))
      expect(readFileSync(join(copy, file), 'utf8'), file).toBe(
        readFileSync(join('deploy/kubernetes', file), 'utf8'),
      );
  });

  test('keep to every ready-made policy', () => {
    const params: Record<string, string> = {
      'allowed-registries': '{ registries: [ghcr.io/portico] }',
      'required-labels': '{ labels: [app.kubernetes.io/name] }',
      'namespace-by-path': '{ namespace: portico }',
    };
    const policies = READY_POLICIES.map(
      ({ name }) =>
        `    - { name: ${name}, policy: ${name}${name in params ? `, params: ${params[name]}` : ''} }`,
    );
    const config = join(scratch, 'portico.yaml');
    writeFileSync(
      config,
      `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: deploy }\nspec:\n  guardrails:\n    validators:\n${policies.join('\n')}\n`,
    );
    const said = execFileSync(
      process.execPath,
      ['src/portico.js', 'check', 'deploy/kubernetes', '--config', config],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    expect(said).toContain('The package is valid and rendered.');
  });

  test('start the server with an environment that it accepts', () => {
    const deployment = parse(readFileSync('deploy/kubernetes/deployment.yaml', 'utf8')) as {
      spec: { template: { spec: { containers: { env: { name: string }[] }[] } } };
    };
    const compose = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
      services: { portico: { environment: Record<string, string>; read_only: boolean; cap_drop: string[] } };
    };
    const [container] = deployment.spec.template.spec.containers;
    const { portico } = compose.services;
    expect(container!.env.map((one) => one.name).toSorted()).toEqual(
      Object.keys(portico.environment).toSorted(),
    );
    expect(portico).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const values: Record<string, string> = {
      APP_ID: '1',
      PRIVATE_KEY_PATH: '/secrets/private-key',
      WEBHOOK_SECRET: 'a long random text',
      DATABASE_URL: 'postgres://portico:secret@postgres:5432/portico',
    };
    const environment = readEnvironment(
      Object.fromEntries(Object.keys(portico.environment).map((name) => [name, values[name]])),
      { read: () => privateKey },
    );
    expect(environment).toMatchObject({ appId: 1, databaseUrl: expect.stringContaining('postgres:5432') });
  });
});
