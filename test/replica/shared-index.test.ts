import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { CatalogRepository } from '../../src/catalog/catalog.ts';
import { createSharedCatalog, type SharedCatalog } from '../../src/catalog/shared-catalog.ts';
import { readVariantDocuments } from '../../src/package/variant/read-document.ts';
import type { Database } from '../../src/queue/database.ts';
import { entryFromText, entryText } from '../../src/replica/index-text.ts';
import { startSharedIndex, type SharedIndex } from '../../src/replica/shared-index.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { placeEmbedded } from '../queue/engines.ts';

let place: Awaited<ReturnType<typeof placeEmbedded>>;
let database: Database;

beforeAll(async () => {
  place = await placeEmbedded();
  database = await place.open();
});

afterAll(async () => {
  await database?.close();
  await place?.[Symbol.asyncDispose]();
});

type Process = SharedCatalog & SharedIndex;

/** One of several processes on the database. */
async function start(): Promise<Process> {
  const shared = createSharedCatalog();
  return { ...shared, ...(await startSharedIndex(database, shared)) };
}

const DOCUMENT = `apiVersion: example.com/v1
kind: Site
metadata: {name: one}
spec: {big: 123456789012345678901234567890, far: .inf, __proto__: {a: 1}, constructor: 1, '$map': [1]}
`;

function repository(id: number, commit: string): CatalogRepository {
  const { documents, problems } = readVariantDocuments(DOCUMENT);
  return {
    ref: { installationId: 1, id, owner: 'acme', name: `r${id}` },
    directory: repositoryDirectory('.'),
    urls: [`https://forge.example/acme/r${id}.git`],
    commit,
    packages: [],
    revisions: new Map([[repositoryDirectory('web'), ['v1', 'v2']]]),
    visibility: 'private',
    labels: { tier: 'edge' },
    automerge: false,
    documents: [],
    inventory: [{ file: 'one.yaml', id: 'x', documents, problems }],
  };
}

const rollout = { revision: 'v2', state: 'stopped', waves: ['failed', 'waiting'] };
const standing = { reason: 'limit', message: 'later', to: 'v2' };

test('what one process reads the others have before their next job, and nobody else has to read it', async () => {
  const [a, b] = [await start(), await start()];
  a.catalog.expect([1, 2]);
  a.catalog.put(repository(1, 'first'));
  a.catalog.tell(1, 'web', standing);
  a.catalog.tellRollout(1, 'web 1:web', rollout);
  a.catalog.keep(1, 'Dashboard', { number: 7, digest: 'd', at: 5 });
  expect(b.catalog.get(1)).toBeUndefined();
  await a.flush();
  await b.refresh();
  expect(b.catalog.get(1)).toEqual(repository(1, 'first'));
  expect(b.catalog.byName('acme/r1')?.ref.id).toBe(1);
  expect(b.catalog.standings(1).get('web')).toEqual(standing);
  expect(b.catalog.kept(1, 'Dashboard')).toEqual({ number: 7, digest: 'd', at: 5 });
  expect(b.catalog.tell(1, 'web', standing)).toBe(false);
  expect(b.catalog.rollouts(1).get('web 1:web')).toEqual(rollout);
  b.catalog.tellRollout(1, 'web 1:web', undefined);
  await b.flush();
  await a.refresh();
  expect(a.catalog.rollouts(1).size).toBe(0);
  a.catalog.tellRollout(1, 'web 1:web', rollout);

  // Nothing is certain before all that is expected was seen, by whomever.
  expect(b.catalog.isComplete()).toBe(false);
  b.catalog.put(repository(2, 'first'));
  await b.refresh();
  await a.refresh();
  expect([a, b].map(({ catalog }) => catalog.isComplete())).toEqual([true, true]);

  // What is read anew and is as it was is no news to anybody.
  const version = b.catalog.version();
  a.catalog.put(repository(1, 'first'));
  await a.flush();
  await b.refresh();
  expect(b.catalog.version()).toBe(version);

  a.catalog.put(repository(1, 'second'));
  await a.refresh();
  await b.refresh();
  expect(b.catalog.get(1)?.commit).toBe('second');
  expect(b.catalog.version()).toBeGreaterThan(version);

  a.catalog.remove(1);
  await a.flush();
  await b.refresh();
  expect(b.catalog.get(1)).toBeUndefined();
  expect(b.catalog.standings(1).size).toBe(0);
  expect(b.catalog.kept(1, 'Dashboard')).toBeUndefined();
  expect(b.catalog.rollouts(1).size).toBe(0);
});

test('a process that starts has all at once; it counts as seen when somebody has looked again', async () => {
  const a = await start();
  a.catalog.expect([2, 3]);
  a.catalog.put(repository(2, 'old'));
  a.catalog.put(repository(3, 'old'));
  await a.flush();
  const late = await start();
  expect(late.catalog.get(2)?.commit).toBe('old');
  expect(late.catalog.get(1)).toBeUndefined();
  a.catalog.expect([2, 3]);
  await a.flush();
  await late.refresh();
  expect(late.catalog.isComplete()).toBe(false);
  a.catalog.put(repository(2, 'old'));
  a.catalog.put(repository(3, 'new'));
  await a.flush();
  await late.refresh();
  expect(late.catalog.isComplete()).toBe(true);
  expect(late.catalog.get(3)?.commit).toBe('new');

  // Nothing is missing where all were there, or gone, when somebody looked last, though nobody has looked since.
  a.catalog.remove(5);
  await a.flush();
  const { catalog } = await start();
  catalog.expect([2, 3, 5]);
  expect([catalog.isWhole(), catalog.isComplete()]).toEqual([true, false]);
  catalog.expect([2, 3, 5, 6]);
  expect(catalog.isWhole()).toBe(false);
  catalog.confirm(6);
  expect(catalog.isWhole()).toBe(true);
});

test('what one process gave up reading no process waits for, also the next time', async () => {
  const [a, b] = [await start(), await start()];
  a.catalog.expect([7]);
  for (const process of [a, b]) {
    await a.flush();
    await b.refresh();
    expect(process.catalog.isWhole()).toBe(false);
  }
  a.catalog.confirm(7);
  await a.flush();
  await b.refresh();
  expect([b.catalog.isWhole(), b.catalog.isComplete()]).toEqual([true, true]);
  // One that begins later waits until somebody has tried again.
  const late = await start();
  late.catalog.expect([7]);
  expect(late.catalog.isWhole()).toBe(false);
  a.catalog.confirm(7);
  await a.flush();
  await late.refresh();
  expect(late.catalog.isWhole()).toBe(true);
});

test('what a process of another version reads is not taken over, and is named once', async () => {
  const older = await start();
  const newer = await start();
  const read = async (id: number, commit: string): Promise<void> => {
    older.catalog.put(repository(id, commit));
    await older.flush();
    await database.query(
      `DELETE FROM portico.index_row WHERE key = $1 AND format IN
         (SELECT min(format) FROM portico.index_row WHERE key = $1 HAVING count(*) > 1)`,
      [`repository/${id}`],
    );
    await database.query('UPDATE portico.index_row SET format = format - 1 WHERE key = $1', [
      `repository/${id}`,
    ]);
  };
  expect(await newer.readElsewhere()).toEqual([]);
  await read(21, 'first');
  await read(22, 'first');
  await newer.refresh();
  expect(newer.catalog.get(21)).toBeUndefined();
  expect(await newer.readElsewhere()).toEqual([21, 22]);
  expect(await newer.readElsewhere()).toEqual([]);
  await read(22, 'second');
  expect(await newer.readElsewhere()).toEqual([22]);
  // The sweep of its own start reads what was there before.
  expect(await (await start()).readElsewhere()).toEqual([]);
});

test('what is newer here is not lost to what others wrote before; lost rows are written again', async () => {
  const [a, b] = [await start(), await start()];
  a.catalog.put(repository(4, 'theirs'));
  await a.flush();
  const refreshing = b.refresh();
  b.catalog.put(repository(4, 'ours'));
  await refreshing;
  expect(b.catalog.get(4)?.commit).toBe('ours');
  await b.flush();
  await a.refresh();
  expect(a.catalog.get(4)?.commit).toBe('ours');

  await database.query('DELETE FROM portico.index_row');
  b.catalog.put(repository(4, 'ours'));
  await b.flush();
  expect((await start()).catalog.get(4)?.commit).toBe('ours');
  await database.query(`UPDATE portico.index_row SET value = '{'`);
  expect((await start()).catalog.get(4)).toBeUndefined();
});

test('many processes and any order of work: in the end all know the same', async () => {
  const step = fc.record({
    by: fc.nat(2),
    id: fc.integer({ min: 10, max: 13 }),
    does: fc.constantFrom('put', 'remove', 'tell', 'flush', 'refresh'),
    commit: fc.constantFrom('a', 'b', 'c'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const all = [await start(), await start(), await start()];
      const under: Promise<void>[] = [];
      for (const { by, id, does, commit } of steps) {
        const one = all[by]!;
        if (does === 'put') one.catalog.put(repository(id, commit));
        else if (does === 'remove') one.catalog.remove(id);
        else if (does === 'tell') one.catalog.tell(id, 'web', { ...standing, to: commit });
        else under.push(does === 'flush' ? one.flush() : one.refresh());
      }
      await Promise.all(under);
      for (const one of all) await one.refresh();
      for (const one of all) await one.refresh();
      const states = all.map(({ catalog }) =>
        [10, 11, 12, 13].map((id) => [catalog.get(id)?.commit, [...catalog.standings(id)]]),
      );
      expect(states[1]).toEqual(states[0]);
      expect(states[2]).toEqual(states[0]);
    }),
    { numRuns: Number(process.env['FC_RUNS'] ?? 4) },
  );
});

test('any value comes out of its text as it went in', () => {
  const value = fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true });
  fc.assert(
    fc.property(value, (any) => {
      const entry = { key: 'k', kind: 'issue', id: 1, title: 't', value: plain(any) } as never;
      expect(entryFromText(entryText(entry))).toEqual(entry);
    }),
  );
});

/** Without what no document holds. */
function plain(value: unknown): unknown {
  if (value === undefined || typeof value === 'symbol' || typeof value === 'function') return null;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [plain(key), plain(one)]));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, one]) => [key, plain(one)] as const);
  return Object.assign(Object.create(null) as object, Object.fromEntries(pairs));
}
