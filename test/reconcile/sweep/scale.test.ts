// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage, type Write } from '../stage.ts';

/**
 * One revision of an upstream reaches all packages of many repositories. Two times three in every run; a hundred times
 * ten, and how long that takes, with PORTICO_LONG=1 (PORTICO_SCALE=20x5 for another size).
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const SIZE = /^(\d+)x(\d+)$/.exec(process.env['PORTICO_SCALE'] ?? (LONG ? '100x10' : '2x3'));
const [REPOSITORIES, PACKAGES] = [Number(SIZE?.[1]), Number(SIZE?.[2])];
const NAMES = Array.from({ length: REPOSITORIES }, (_one, at) => `r${at}`);
const PATHS = Array.from({ length: PACKAGES }, (_one, at) => `apps/a${at}`);

const spec = `branch: main\ndeployment: true\nupdates: { follow: latest, maxOpen: 1000 }`;
const BASE = { color: 'red', size: 'small', shape: 'round' };
const PACKAGE = smallPackage('web', { data: BASE });
const upstreamAt = (color: string): Record<string, string> => ({
  ...PACKAGE,
  'config.yaml': configMap('web', { ...BASE, color }),
  'more.yaml': configMap('more', { color }),
});

let stage: Stage;
let first: string;

const filesOf = (files: Readonly<Record<string, string>>): PackageFiles =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );

/** What people changed in a package since it was cloned. */
function localOf(name: string, path: string): Record<string, string> {
  const own = { ...BASE, color: 'red', size: `${name}-${path.replace('/', '-')}` };
  const kptfile = locked(PACKAGE['Kptfile']!, stage.repository('up').url, 'web', 'web/v1', first);
  return { ...upstreamAt('red'), 'config.yaml': configMap('web', own), Kptfile: kptfile };
}

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', upstreamAt('red')) },
      ...Object.fromEntries(NAMES.map((name) => [name, { spec }])),
    },
    { watched: true, shares: true },
  );
  stage.forge.context.knobs.rateLimit = 1_000_000_000;
  first = await release('v1', 'red');
  for (const name of NAMES) {
    const files = PATHS.map((path) => below(path, localOf(name, path)));
    await stage.repository(name).push('main', Object.assign({}, ...files) as Record<string, string>);
  }
  await stage.idle();
}, 1_800_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function release(revision: string, color: string): Promise<string> {
  const up = stage.repository('up');
  const commit = await up.push('main', below('web', upstreamAt(color)));
  await up.tag(`web/${revision}`, commit);
  return commit;
}

const opened = (writes: readonly Write[]): number =>
  writes.filter(({ what }) => /POST .*\/pulls$/.test(what)).length;

/** Asked of a process that runs anyway: of a thousand pull requests that is most of what is checked. */
async function textAt(name: string, object: string): Promise<string | undefined> {
  const { records, git } = stage.forge.context;
  return (await git(records.repositoryByName('acme', name)!).object(object))?.content.toString();
}

/** Every package has one update pull request, and its branch holds what the pure merge says. */
async function expectAll(revision: string, before: string, after: string): Promise<void> {
  const tagged = (await stage.repository('up').tags()).get(`web/${revision}`)!;
  for (const name of NAMES) {
    const repo = stage.repository(name);
    const { data } = await stage.as('alice').rest.pulls.list({ ...repo.where, state: 'all', per_page: 100 });
    expect(data.map(({ title }) => title).toSorted()).toEqual(
      PATHS.map((path) => `Update ${path} to upstream ${revision}`).toSorted(),
    );
    for (const path of PATHS) {
      const { head } = data.find(({ title }) => title === `Update ${path} to upstream ${revision}`)!;
      const { files } = mergePackages({
        base: filesOf(upstreamAt(before)),
        upstream: filesOf(upstreamAt(after)),
        local: filesOf(localOf(name, path)),
      });
      for (const [file, { bytes }] of files) {
        if (file === 'Kptfile') continue;
        expect(await textAt(name, `${head.sha}:${path}/${file}`)).toBe(new TextDecoder().decode(bytes));
      }
      const kptfile = await textAt(name, `${head.sha}:${path}/Kptfile`);
      expect(kptfile).toContain(`ref: web/${revision}`);
      expect(kptfile).toContain(`commit: ${tagged}`);
    }
  }
}

test('one revision: one right pull request for each package; the same event again writes nothing', async () => {
  const started = performance.now();
  let peak = 0;
  let last = 0;
  const off = stage.forge.onEffect(({ method, route }) => {
    if (method === 'POST' && route.endsWith('/pulls')) last = performance.now();
    peak = Math.max(peak, process.memoryUsage().rss);
  });
  const before = stage.log.length;
  const calls = new Map<string, number>();
  const count = ({ method }: { readonly method: string }): void =>
    void calls.set(method, (calls.get(method) ?? 0) + 1);
  const writes = await stage.watching(count, () => stage.writesOf(() => release('v2', 'green')));
  off();
  expect(opened(writes)).toBe(REPOSITORIES * PACKAGES);
  // Packages of one repository share a push.
  const pushes = writes.filter(({ repo, what }) => repo !== 'acme/up' && what.endsWith('git-receive-pack'));
  expect(pushes.length).toBeLessThanOrEqual(REPOSITORIES * Math.ceil(PACKAGES / 10));
  if (LONG || process.env['PORTICO_COUNTS'] === '1') {
    const counts = Object.entries(Object.groupBy(writes, ({ what }) => what)).map(
      ([what, list = []]) => `${list.length} ${what}`,
    );
    const total = REPOSITORIES * PACKAGES;
    process.stderr.write(
      `${total} pull requests: the last after ${Math.round(last - started)} ms (${((1000 * total) / (last - started)).toFixed(1)}/s), quiet after ${Math.round(performance.now() - started)} ms, ${Math.round(peak / 2 ** 20)} MiB with the forge and its log of ${stage.log.length - before} lines\n${[...calls].map(([method, number]) => `${number} ${method}`).join(', ')}\n${counts.join('\n')}\n`,
    );
  }
  await expectAll('v2', 'red', 'green');
  expect(await stage.writesOf(() => stage.look('up'))).toEqual([]);
}, 1_800_000);

test.skipIf(!LONG && process.env['PORTICO_SCALE'] === undefined)(
  'with a secondary limit on every fifth call the end is the same, and nothing is there twice',
  async () => {
    const started = performance.now();
    const { knobs } = stage.forge.context;
    let [reads, writes, refused] = [0, 0, 0];
    const watch = ({ method }: { readonly method: string }): void => {
      if (method === 'GET') return void (reads += 1);
      writes += 1;
      if (writes % 5 !== 0) return;
      if (knobs.secondaryLimit?.times === 0) refused += 1;
      knobs.secondaryLimit = { times: 1, status: 403, retryAfter: 1 };
    };
    await stage.watching(watch, async () => {
      await release('v3', 'blue');
      await stage.idle();
    });
    process.stderr.write(
      `${reads} reads and ${writes} writes, of which ${refused} were refused: quiet after ${Math.round((performance.now() - started) / 1000)} s\n`,
    );
    knobs.secondaryLimit = null;
    expect(await stage.writesOf(() => stage.look('up'))).toEqual([]);
    await stage.sweep();
    for (const name of NAMES) {
      const { data } = await stage
        .as('alice')
        .rest.issues.listCommentsForRepo({ ...stage.repository(name).where, per_page: 100 });
      const comments = data.map(({ issue_url: issue, body }) => `${issue} ${body?.split('\n')[0]}`);
      expect(new Set(comments).size).toBe(comments.length);
    }
    await expectAll('v3', 'red', 'blue');
  },
  1_800_000,
);
