import { expect, test } from 'vitest';

import { createCatalog, type CatalogRepository } from '../../../src/catalog/catalog.ts';
import { limitPart, waitingUpdates } from '../../../src/reconcile/dashboard/limit-part.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const repository = (id: number, more: Partial<CatalogRepository>): CatalogRepository =>
  bareRepository(id, `acme/r${id}`, more);
const made = (directory: string, ref: string) => ({
  directory: repositoryDirectory(directory),
  tree: '',
  lock: { repo: 'https://forge.example/acme/r1.git', directory: '/web', ref, commit: '' },
});

test('an update waits until somebody has looked at it', () => {
  const catalog = createCatalog();
  catalog.put(repository(1, { revisions: new Map([[repositoryDirectory('web'), ['v1', 'v2']]]) }));
  catalog.put(repository(2, { packages: [made('a', 'web/v1'), made('b', 'web/v2'), made('c', 'main')] }));
  expect(waitingUpdates(catalog, 2)).toBe(1);
  catalog.tell(2, 'a', { reason: 'proposed', message: '', to: 'v1' });
  expect(waitingUpdates(catalog, 2)).toBe(1);
  catalog.tell(2, 'a', { reason: 'proposed', message: '', to: 'v2' });
  expect(waitingUpdates(catalog, 2)).toBe(0);
});

test('the next one is told in steps of five minutes', () => {
  const now = new Date('2026-01-01T10:01:00Z');
  expect(limitPart(0, 700, now)).toBe('');
  expect(limitPart(3, 59, now)).toBe('');
  expect(limitPart(3, 700, now)).toBe(
    "3 updates wait because of the forge's rate limits; the next comes in about 15 min (10:15 UTC).",
  );
  expect(limitPart(1, 61, now)).toContain('One update waits');
});
