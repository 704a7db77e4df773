import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import type { Call } from '../forge-door.ts';
import { smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** A server that starts with nothing reads every repository again: a repository costs a few calls, however many packages it has. */
const PACKAGES = Array.from({ length: 12 }, (_one, at) => `p${at}`);

const all = (at: (path: string) => Record<string, string>): Record<string, string> =>
  Object.assign({}, ...PACKAGES.map((path) => at(path))) as Record<string, string>;

let stage: Stage;

beforeAll(async () => {
  const publish = 'branch: main\npublish: { requireApprovals: 0, directPushes: publish }';
  stage = await startStage(
    {
      packages: { spec: publish, files: {} },
      edge: { spec: `${publish}\nupdates: { follow: latest, maxOpen: 1000 }`, files: {} },
    },
    { watched: true, shares: true },
  );
  const up = stage.repository('packages');
  await up.push(
    'main',
    all((path) => below(path, smallPackage('web'))),
  );
  await stage.idle();
  const tags = await up.tags();
  const edge = all((path) => {
    const files = smallPackage('web');
    return below(`apps/${path}`, {
      ...files,
      Kptfile: locked(files['Kptfile']!, up.url, path, `${path}/v1`, tags.get(`${path}/v1`)!),
    });
  });
  await stage.repository('edge').push('main', edge);
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

longTest('what a repository costs at a cold start does not grow with its packages', async () => {
  expect((await stage.repository('edge').releases()).length).toBe(PACKAGES.length);
  await stage.stopBot();
  for (const name of ['mirrors', 'store'])
    await rm(join(stage.dataDirectory, name), { recursive: true, force: true });
  const calls: Call[] = [];
  const off = stage.forge.onExchange(({ method, url, requestBody, status }) => {
    if (url.host === new URL(stage.forge.apiUrl).host || status === 304) return;
    const isGraphql = url.pathname.endsWith('/graphql');
    const isOfEdge = isGraphql
      ? requestBody.includes('"name":"edge"')
      : url.pathname.includes('/repos/acme/edge');
    if (isOfEdge) calls.push({ method, path: url.pathname, query: url.search });
  });
  await stage.startBot();
  await stage.sweep();
  off();
  const paths = calls.map(({ method, path }) => `${method} ${path}`);
  // Two jobs of ten packages each.
  expect(paths.filter((path) => path.endsWith('/graphql')).length).toBeLessThanOrEqual(4);
  expect(paths.filter((path) => !path.endsWith('/graphql')).toSorted()).toEqual(
    expect.toSatisfy((one: readonly string[]) => one.length <= 12),
  );
});
