import { beforeEach, expect, test } from 'vitest';

import { createCatalog, type Catalog, type CatalogRepository } from '../../../src/catalog/catalog.ts';
import { createMemories, type Memories } from '../../../src/reconcile/memories.ts';
import { formerNames, learnNames } from '../../../src/reconcile/repository/former-names.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const HOST = 'forge.test';
const OLD = `https://${HOST}/acme/old.git`;

let catalog: Catalog;
let memories: Memories;
let asked: string[];
let now: number;

beforeEach(() => {
  [catalog, memories, asked, now] = [createCatalog(), createMemories(), [], 0];
});

const repository = (id: number, name: string): CatalogRepository =>
  bareRepository(id, `acme/${name}`, { urls: [`https://${HOST}/acme/${name}.git`] });

/** The forge says of every name that it belongs to `id`. */
const learn = (id: number | null, ...addresses: string[]): Promise<number> =>
  learnNames(
    {
      catalog,
      memories,
      now: () => new Date(now),
      repositoryAt: (owner, name) => {
        asked.push(`${owner}/${name}`);
        return Promise.resolve(id);
      },
    },
    addresses,
    HOST,
  );

test('the forge is asked once an hour for a name that no repository has now, and for nothing else', async () => {
  catalog.put(repository(1, 'new'));
  await Promise.all([learn(1, OLD, `git@${HOST}:acme/old`), learn(1, OLD)]);
  await learn(1, `https://${HOST}/acme/new`, 'https://elsewhere.test/acme/old');
  await learn(1, `https://${HOST}/../app`, `https://${HOST}/acme`, `https://${HOST}/acme/a/b`, 'x', '');
  expect(asked).toEqual(['acme/old']);
  expect(catalog.byUrl(OLD)?.ref.id).toBe(1);
  now = 3_600_000;
  await learn(1, OLD);
  expect(asked).toEqual(['acme/old', 'acme/old']);
});

test('a name that went to a repository elsewhere leads to nobody here', async () => {
  catalog.put({ ...repository(1, 'new'), formerUrls: [OLD] });
  await learn(null, OLD);
  expect(catalog.byUrl(OLD)).toBeUndefined();
  expect(catalog.get(1)?.formerUrls).toBeUndefined();
});

test('what the forge said of a name is kept for the repository that is looked at later', async () => {
  await learn(2, OLD);
  const late = repository(2, 'late');
  expect(formerNames({ catalog, memories }, 2, late.urls)).toEqual([OLD]);
  // What was only loaded is not said to have been looked at.
  catalog.load(late);
  await learn(2, OLD);
  expect(catalog.isSeen(2)).toBe(false);
});

test('a name that was nobody’s, and is given away by its new owner, goes on leading to it', async () => {
  await learn(null, OLD);
  const own = repository(3, 'old');
  expect(formerNames({ catalog, memories }, 3, own.urls)).toEqual([]);
  catalog.put(own);
  expect(formerNames({ catalog, memories }, 3, repository(3, 'newer').urls)).toEqual(own.urls);
});

test('one look asks for a hundred names, and the next goes on behind them', async () => {
  const many = Array.from({ length: 250 }, (_, at) => `https://${HOST}/acme/gone-${at}`);
  expect(await learn(null, ...many)).toBe(150);
  expect(asked).toHaveLength(100);
  expect(await learn(null, ...many)).toBe(50);
  expect(await learn(null, ...many)).toBe(0);
  expect(new Set(asked).size).toBe(250);
});
