import { expect, test } from 'vitest';

import { createCatalog, type CatalogRepository } from '../../src/catalog/catalog.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { bareRepository } from './bare-repository.ts';

function repository(
  id: number,
  name: string,
  locks: readonly (readonly [string, string, string])[] = [],
): CatalogRepository {
  return bareRepository(id, `acme/${name}`, {
    urls: [`https://forge.example/acme/${name}.git`, `https://forge.example/acme/${name}`],
    packages: locks.map(([directory, repo, from]) => ({
      directory: repositoryDirectory(directory),
      tree: 'b'.repeat(40),
      lock: { repo, directory: from, ref: `${from}/v1`, commit: 'c'.repeat(40) },
    })),
  });
}

test.each([
  'https://forge.example/acme/up',
  'https://forge.example/acme/up.git',
  'https://forge.example/acme/up/',
  'https://user:secret@forge.example/acme/up.git',
  'git@forge.example:acme/up.git',
  'ssh://git@forge.example/acme/up',
  ' HTTPS://FORGE.example/Acme/UP ',
])('%s names one place', (url) => {
  const catalog = createCatalog();
  catalog.put(repository(1, 'up'));
  expect(catalog.byUrl(url)?.ref.id).toBe(1);
});

test('all repositories are listed by age, however often one is read again', () => {
  const catalog = createCatalog();
  for (const id of [2, 3, 1]) catalog.put(repository(id, `r${id}`));
  catalog.put(repository(2, 'renamed'));
  expect(catalog.all().map(({ ref }) => ref.id)).toEqual([1, 2, 3]);
  catalog.remove(1);
  expect(catalog.all().map(({ ref }) => ref.id)).toEqual([2, 3]);
});

test('a port belongs to the host', () => {
  const catalog = createCatalog();
  catalog.put({ ...repository(1, 'up'), urls: ['http://127.0.0.1:8080/acme/up'] });
  expect(catalog.byUrl('http://127.0.0.1:8080/acme/up.git')?.ref.id).toBe(1);
  expect(catalog.byUrl('http://127.0.0.1:8081/acme/up.git')).toBeUndefined();
});

test('a former name counts until another repository takes it', () => {
  const catalog = createCatalog();
  const old = 'https://forge.example/acme/old.git';
  catalog.put({ ...repository(1, 'new'), formerUrls: [old] });
  catalog.put(repository(2, 'down', [['app', old, 'web']]));
  expect(catalog.byUrl(old)?.ref.id).toBe(1);
  expect(catalog.followers(1).map(({ repository: { ref } }) => ref.id)).toEqual([2]);
  catalog.put(repository(3, 'old'));
  catalog.put({ ...repository(1, 'new'), formerUrls: [old] });
  expect(catalog.byUrl(old)?.ref.id).toBe(3);
  expect(catalog.followers(1)).toEqual([]);
  catalog.remove(3);
  expect(catalog.byUrl(old)?.ref.id).toBe(1);
});

test.each([
  ['', '.'],
  ['/', '.'],
  ['.', '.'],
  ['./', '.'],
  ['/app/', 'app'],
  ['a/b', 'a/b'],
])('the directory %j is %j', (written, plain) => expect(repositoryDirectory(written)).toBe(plain));

test('followers are found by whatever address their lock has, and forgotten when they change', () => {
  const catalog = createCatalog();
  catalog.put(repository(1, 'up'));
  catalog.put(
    repository(2, 'down', [
      ['shop', 'git@forge.example:acme/up.git', '/web/'],
      ['own', 'https://else.example/x/y', 'web'],
    ]),
  );
  const names = (directory?: string): string[] =>
    catalog
      .followers(1, directory === undefined ? undefined : repositoryDirectory(directory))
      .map((found) => `${found.repository.ref.name}/${found.package.directory}`);
  expect(names()).toEqual(['down/shop']);
  expect(names('web')).toEqual(['down/shop']);
  expect(names('other')).toEqual([]);
  catalog.put(repository(2, 'down'));
  expect(names()).toEqual([]);
  expect(catalog.followers(9)).toEqual([]);
});

test('a renamed repository answers to its new address alone', () => {
  const catalog = createCatalog();
  catalog.put(repository(1, 'old'));
  catalog.put(repository(1, 'new'));
  expect(catalog.byUrl('https://forge.example/acme/new')?.ref.id).toBe(1);
  expect(catalog.byUrl('https://forge.example/acme/old')).toBeUndefined();
  catalog.remove(1);
  expect(catalog.all()).toEqual([]);
  expect(catalog.byUrl('https://forge.example/acme/new')).toBeUndefined();
});

test('it is complete when every repository that there is was looked at', () => {
  const catalog = createCatalog();
  expect(catalog.isComplete()).toBe(false);
  catalog.expect([1, 2]);
  catalog.put(repository(1, 'up'));
  expect(catalog.isComplete()).toBe(false);
  catalog.remove(2);
  expect(catalog.isComplete()).toBe(true);
  catalog.expect([1, 2, 3]);
  expect(catalog.isComplete()).toBe(false);
});

test('what comes of a look is news only when it changes; a new plan is due only when something changed', () => {
  const catalog = createCatalog();
  expect(catalog.tell(1, 'web', { reason: 'limit', message: 'full' })).toBe(true);
  expect(catalog.tell(1, 'web', { reason: 'limit', message: 'full' })).toBe(false);
  catalog.put(repository(1, 'up'));
  const version = catalog.version();
  catalog.put(repository(1, 'up'));
  expect(catalog.version()).toBe(version);
  catalog.put(repository(1, 'renamed'));
  expect(catalog.version()).toBeGreaterThan(version);
});
