import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { grouped } from '../../src/intake/grouped.ts';
import { openSpool } from '../../src/intake/spool.ts';

const directory = mkdtempSync(join(tmpdir(), 'portico-spool-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Notes the groups; waits where it is told to, and refuses what is `bad`. */
function noted(most: number, code = '22021') {
  const groups: number[][] = [];
  const first = Promise.withResolvers<void>();
  const ask = grouped(async (items: readonly number[]) => {
    groups.push([...items]);
    if (groups.length === 1) await first.promise;
    if (items.includes(13)) throw Object.assign(new Error('bad'), { code });
    return items.map((item) => item * 2);
  }, most);
  return { groups, ask, go: first.resolve };
}

test('nobody else on the machine reads what repositories hold: neither the directory above nor a delivery', () => {
  const data = join(directory, 'data');
  const spool = openSpool(join(data, 'spool'));
  const name = spool.put({ id: 'a', event: 'push', body: '{}' });
  for (const path of [data, join(data, 'spool'), join(data, 'spool', name)])
    expect(statSync(path).mode & 0o077, path).toBe(0);
  rmSync(data, { recursive: true });
});

test('deliveries as files: in order, whole, found again after a death; what was half written is gone', () => {
  const spool = openSpool(directory);
  const names = ['a', 'b', 'c'].map((id) => spool.put({ id, event: 'push', body: `{"id":"${id}"}\n` }));
  expect(spool.names()).toEqual(names);
  spool.drop(names[1]!);
  expect(spool.read(names[1]!)).toBeNull();
  writeFileSync(join(directory, '1.half'), '{"id":"d"');
  writeFileSync(join(directory, '9.delivery'), 'no delivery');

  const later = openSpool(directory);
  expect(readdirSync(directory)).not.toContain('1.half');
  expect(later.names().map((name) => later.read(name))).toEqual([
    { id: 'a', event: 'push', body: '{"id":"a"}\n' },
    { id: 'c', event: 'push', body: '{"id":"c"}\n' },
    null,
  ]);
});

describe('grouped calls', () => {
  test('what is asked meanwhile goes together, in order, as many as are allowed', async () => {
    const { groups, ask, go } = noted(3);
    const all = [1, 2].map(ask);
    await Promise.resolve();
    await Promise.resolve();
    all.push(...[3, 4, 5, 6].map(ask));
    go();
    expect(await Promise.all(all)).toEqual([2, 4, 6, 8, 10, 12]);
    expect(groups).toEqual([[1, 2], [3, 4, 5], [6]]);
    expect(await ask(7)).toBe(14);
  });

  test('what the database refuses for what one says fails that one alone', async () => {
    const { groups, ask, go } = noted(10);
    go();
    const settled = await Promise.allSettled([1, 13, 2].map(ask));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([[1, 13, 2], [1], [13], [2]]);
  });

  test('a database that is away is not asked for each', async () => {
    const { groups, ask, go } = noted(10, '57P01');
    go();
    const settled = await Promise.allSettled([1, 13].map(ask));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(groups).toHaveLength(1);
  });
});
