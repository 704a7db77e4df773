import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { createMetrics } from '../../src/telemetry/metrics.ts';
import { metricsReference } from '../../src/telemetry/reference.ts';

test('everything that is counted can be scraped', async () => {
  const metrics = createMetrics();
  metrics.delivery('push', 'stored');
  metrics.jobEnded('proposal', 'done', 0.2);
  metrics.githubCall('GET /repos/{owner}/{repo}', 304, 0.03);
  let lefts = new Map([[11, 79]]);
  metrics.observeBudget(async () => lefts);
  metrics.rendered('ok', 1.5);
  metrics.paused(11, 'rest', Date.now() + 3_600_000);
  metrics.paused(null, 'graphql', Date.now());
  metrics.command('publish', 'refused');
  let depth = [{ lane: 'quick', ready: 2, deferred: 1, active: 1, ageSeconds: 0.5 }];
  metrics.observeDepth(async () => depth);
  const text = await metrics.registry.metrics();
  for (const line of [
    'portico_deliveries_total{event="push",outcome="stored"} 1',
    'portico_job_seconds_count{kind="proposal",outcome="done"} 1',
    'portico_github_call_seconds_count{route="GET /repos/{owner}/{repo}",status="304"} 1',
    'portico_content_budget_left{installation="11"} 79',
    'portico_render_seconds_count{outcome="ok"} 1',
    'portico_commands_total{command="publish",outcome="refused"} 1',
    'portico_database_up 1',
    'portico_queue_jobs{lane="quick",state="ready"} 2',
    'portico_queue_jobs{lane="quick",state="deferred"} 1',
    'portico_queue_age_seconds{lane="quick"} 0.5',
    'portico_forge_pause_seconds{installation="app",calls="graphql"} 0',
    'process_resident_memory_bytes ',
  ]) {
    expect(text).toContain(line);
  }
  const left = /^portico_forge_pause_seconds\{installation="11",calls="rest"\} (\d+)/m.exec(text)?.[1];
  expect(Number(left)).toBeGreaterThan(3_500);
  // A pause that is over is told once.
  expect(await metrics.registry.metrics()).not.toContain('installation="app"');
  lefts = new Map([[12, 80]]);
  const later = await metrics.registry.metrics();
  expect(later).toContain('portico_content_budget_left{installation="12"} 80');
  expect(later).not.toContain('portico_content_budget_left{installation="11"}');
  depth = [{ lane: 'quick', ready: 0, deferred: 0, active: 0, ageSeconds: 0 }];
  expect(await metrics.registry.metrics()).toContain('portico_queue_jobs{lane="quick",state="ready"} 0');
});

test('a database that goes away is told, and nothing is told of the queue that was', async () => {
  const metrics = createMetrics();
  let isThere = true;
  metrics.observeDepth(async () => {
    if (!isThere) throw new Error('no database');
    return [{ lane: 'quick', ready: 2, deferred: 0, active: 0, ageSeconds: 1 }];
  });
  expect(await metrics.registry.metrics()).toContain('portico_queue_age_seconds{lane="quick"} 1');
  isThere = false;
  const text = await metrics.registry.metrics();
  expect(text).toContain('portico_database_up 0');
  expect(text).not.toContain('{lane="quick"');
});

test('what alerts wait for is told as 0 before it happens, and counted by each outcome that ends a job', async () => {
  const metrics = createMetrics();
  metrics.expect({ kinds: ['notice'], events: ['push'] });
  const told = async (): Promise<string[]> =>
    (await metrics.registry.metrics())
      .split('\n')
      .filter((line) => /^portico_(?:jobs_given_up|deliveries)_total/.test(line));
  expect(await told()).toEqual([
    'portico_deliveries_total{event="push",outcome="unreadable"} 0',
    'portico_jobs_given_up_total{kind="notice",outcome="dead"} 0',
    'portico_jobs_given_up_total{kind="notice",outcome="refused"} 0',
  ]);
  for (const outcome of ['done', 'retried', 'dead', 'refused', 'refused'])
    metrics.jobEnded('notice', outcome, 1);
  expect(await told()).toEqual([
    'portico_deliveries_total{event="push",outcome="unreadable"} 0',
    'portico_jobs_given_up_total{kind="notice",outcome="dead"} 1',
    'portico_jobs_given_up_total{kind="notice",outcome="refused"} 2',
  ]);
});

test('two in one process do not mix, and a source that fails does not fail the scrape', async () => {
  const [one, two] = [createMetrics(), createMetrics()];
  one.delivery('push', 'stored');
  two.observeDepth(() => Promise.reject(new Error('no database')));
  two.observeBudget(() => Promise.reject(new Error('no database')));
  two.observeFleet(() => Promise.reject(new Error('no database')));
  expect(await two.registry.metrics()).not.toContain('event="push"');
});

test('the page of metrics is what the code says, and has all of them', () => {
  const page = readFileSync('docs/metrics.md', 'utf8');
  expect(page, 'run: npm run docs').toBe(metricsReference());
  const source = readFileSync('src/telemetry/metrics.ts', 'utf8');
  const names = new Set([...source.matchAll(/'(portico_\w+)'/g)].map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});
