/** What Prometheus and Grafana are given: the rules, their tests, their runbooks, and the series that all of them ask for. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { createMetrics } from '../../src/telemetry/metrics.ts';
import { ROOT } from '../cli/run-portico.ts';
import { askedSeries, metricOf } from './asked-series.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const RUNBOOKS = 'docs/runbooks.md';
const FIRING = 'count by (alertname) (ALERTS{alertstate="firing"})';

const alerts = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as {
  groups: { rules: Rule[] }[];
};
const names = alerts.groups.flatMap((group) => group.rules.map(({ alert }) => alert));
const dashboard = JSON.parse(readFileSync('deploy/grafana/portico.json', 'utf8')) as { panels: Panel[] };
const expressions = [
  ...alerts.groups.flatMap((group) => group.rules.map((rule) => [`alert ${rule.alert}`, rule.expr] as const)),
  ...dashboard.panels.flatMap((panel) =>
    panel.targets.map((target) => [`panel ${panel.title}`, target.expr] as const),
  ),
];

describe('what Prometheus and Grafana are given', () => {
  const metrics = createMetrics();
  metrics.observeDepth(async () => []);
  metrics.observeInbox(() => 0);
  metrics.observeLockWaits(() => []);
  metrics.observeDisk(async () => ({ free: 0, total: 0 }));
  metrics.observeBudget(async () => new Map());
  metrics.observeFleet(() => Promise.reject(new Error('nothing is scraped here')));
  const labels = new Map(
    metrics.registry
      .getMetricsAsArray()
      .map((metric) => [metric.name, (metric as unknown as { labelNames?: string[] }).labelNames ?? []]),
  );

  test.each(expressions)('%s asks for series that the server has: %s', (_what, expression) => {
    const names = askedSeries(expression);
    expect(names.length).toBeGreaterThan(0);
    const known = names.map(metricOf);
    for (const [index, name] of names.entries())
      expect(labels.has(name) || labels.has(known[index]!), name).toBe(true);
    const allowed = new Set(['le', 'job', 'instance', ...known.flatMap((name) => labels.get(name) ?? [])]);
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
      expect(annotations.runbook_url).toBe(`${RUNBOOKS}#${alert.toLowerCase()}`);
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

interface RuleTest {
  readonly name: string;
  readonly promql_expr_test: readonly {
    readonly expr: string;
    readonly exp_samples: readonly { readonly labels: string }[];
  }[];
}

describe('the tests of the alerts', () => {
  const { tests } = parse(readFileSync('deploy/prometheus/alerts.test.yaml', 'utf8')) as {
    tests: readonly RuleTest[];
  };

  test('let each alert fire, and rest before', () => {
    const moments = tests.flatMap((one) => one.promql_expr_test);
    const fired = moments.flatMap(({ exp_samples: samples }) =>
      samples.flatMap(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1] ?? []),
    );
    expect([...new Set(fired)].toSorted()).toEqual(names.toSorted());
    for (const { name, promql_expr_test: own } of tests) {
      const states = own
        .filter(({ expr }) => expr === FIRING)
        .map(({ exp_samples: samples }) => samples.length > 0);
      if (states.includes(true) && !name.includes('ever scraped')) expect(states, name).toContain(false);
    }
  });

  test('hold by what Prometheus itself says', { tags: ['promtool', 'story'] }, () => {
    const place = { cwd: join(ROOT, 'deploy/prometheus'), encoding: 'utf8' } as const;
    for (const args of [
      ['check', 'rules', '--lint-fatal', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, place);
      expect([status, status === 0 ? '' : stdout + stderr], args.join(' ')).toEqual([0, '']);
    }
  });
});
