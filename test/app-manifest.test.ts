import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { APP_PERMISSIONS } from '../src/forge/app-permissions.ts';

interface Manifest {
  readonly default_permissions: Readonly<Record<string, string>>;
  readonly default_events: readonly string[];
}

const manifest = parse(readFileSync(new URL('../app.yml', import.meta.url), 'utf8')) as Manifest;

test('the App never asks for Administration or Workflows, and writes only where it acts', () => {
  const { default_permissions: permissions } = manifest;
  expect(Object.keys(permissions)).not.toContain('administration');
  expect(Object.keys(permissions)).not.toContain('workflows');
  const writes = Object.entries(permissions).flatMap(([name, level]) => (level === 'read' ? [] : [name]));
  expect(writes.sort()).toEqual(['checks', 'contents', 'issues', 'pull_requests']);
});

test('tokens are made with what it asks for', () => {
  expect({ ...APP_PERMISSIONS, merge_queues: 'read' }).toEqual(manifest.default_permissions);
});

test('it asks for every event that the routes know', () => {
  const routes = readFileSync(new URL('../src/webhook/route.ts', import.meta.url), 'utf8');
  const known = [...routes.matchAll(/case '([a-z_]+)':/g)].map(([, name]) => name!);
  expect(known.length).toBeGreaterThan(5);
  expect(known.filter((name) => !manifest.default_events.includes(name))).toEqual([]);
});
