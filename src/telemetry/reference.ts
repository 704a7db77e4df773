/** The page of metrics, docs/metrics.md. */
import { z } from 'zod';

import { createMetrics } from './metrics.ts';

/** What prom-client keeps of a metric, which its types tell only in part. */
const metricSchema = z.object({
  name: z.string(),
  help: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram']),
  labelNames: z.array(z.string()).default([]),
});

/** All of Portico's metrics by name, as they are registered. */
function tableOfMetrics(): string[] {
  const metrics = createMetrics();
  // Nothing is scraped: what they would ask is not asked.
  metrics.observeDepth(async () => []);
  metrics.observeInbox(() => 0);
  metrics.observeLockWaits(() => []);
  metrics.observeDisk(async () => ({ free: 0, total: 0 }));
  metrics.observeBudget(async () => new Map());
  metrics.observeFleet(() => Promise.reject(new Error('nothing is scraped here')));
  return metrics.registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('portico_'))
    .map((metric) => metricSchema.parse(metric))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
    });
}

/** The page of metrics in Markdown. */
export function metricsReference(): string {
  return [
    '# Metrics',
    '',
    '<!-- Written by scripts/generate-docs.ts from src/telemetry/metrics.ts; a test keeps it true. -->',
    '',
    '`/metrics` of the server answers in the text format of Prometheus, unless `METRICS` is `off` ([variables](environment.md#logs-metrics-and-traces)).',
    'Labels have few values: none is the name of a repository, a package or a person. `installation` is the id of an installation.',
    '',
    '| metric | type | labels | what it says |',
    '|---|---|---|---|',
    ...tableOfMetrics(),
    '',
    'A histogram has its series `_bucket`, `_sum` and `_count`, as usual. The values of `reason` are [why an update waits](variants.md#why-an-update-waits), or what was done.',
    'All processes on one database tell the same of the queue, the budget, rollouts, waves, updates, variants and downstreams: count them once, with `max`. Counters and histograms are of each process: `sum`.',
    'Beside these, `process_…` and `nodejs_…` say how the process is: memory, processor time, open files, event loop, garbage collection.',
    '',
    'The rules in `deploy/prometheus/alerts.yaml` alert on them, each with its [runbook](runbooks.md); `deploy/grafana/portico.json` shows them.',
    '',
  ].join('\n');
}
