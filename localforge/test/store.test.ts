import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openStore } from '../src/store.ts';

interface Thing {
  readonly id: number;
  readonly name: string;
  readonly colour: string | null;
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const byName = { name: { key: (thing: Thing) => [thing.name], unique: true } };

describe('the store', () => {
  test('finds by index and keeps order, limits and counts', () => {
    const store = openStore(join(directory, 'find'));
    const things = store.collection<Thing>('thing', {
      ...byName,
      colour: { key: (thing: Thing) => (thing.colour === null ? undefined : [thing.colour]) },
    });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
      things.insert({ name, colour: index === 3 ? null : 'red' });
    }
    expect(things.find('colour', ['red'], { order: 'desc', limit: 2 }).map((thing) => thing.name)).toEqual([
      'c',
      'b',
    ]);
    expect(things.find('colour', ['red'], { below: 2 }).map((thing) => thing.name)).toEqual(['a']);
    expect(things.count('colour', ['red'])).toBe(3);
    expect(things.first('name', ['d'])).toMatchObject({ colour: null });
    things.update(2, { name: 'bee' });
    expect(things.first('name', ['b'])).toBeUndefined();
    things.remove(4);
    expect(things.insert({ name: 'e', colour: null }).id).toBe(5);
    expect(() => things.insert({ name: 'a', colour: null })).toThrow(/UNIQUE/);
    expect(() => things.find('weight', [1])).toThrow(/no index/);
    expect(() => store.collection('no; DROP TABLE')).toThrow(TypeError);
    store.close();
  });

  test('keeps all of a transaction or nothing, and calls back only after it', () => {
    const store = openStore(join(directory, 'transaction'));
    const things = store.collection<Thing>('thing', byName);
    const heard: string[] = [];
    const work = (fails: boolean) =>
      store.transaction(() => {
        things.insert({ name: String(fails), colour: null });
        store.transaction(() => store.afterCommit(() => heard.push(String(fails))));
        expect(heard).toEqual([]);
        if (fails) throw new Error('stop');
      });
    expect(() => work(true)).toThrow('stop');
    expect(things.all()).toEqual([]);
    work(false);
    expect(heard).toEqual(['false']);
    store.close();
  });

  test('fills an index that is added later', () => {
    const file = join(directory, 'later');
    const first = openStore(file);
    first.collection<Thing>('thing').insert({ name: 'x', colour: 'blue' });
    first.close();
    const second = openStore(file);
    const things = second.collection<Thing>('thing', { colour: { key: (thing) => [thing.colour] } });
    expect(things.first('colour', ['blue'])?.name).toBe('x');
    second.close();
  });
});
