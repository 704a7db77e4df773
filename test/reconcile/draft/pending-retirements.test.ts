import { expect, test } from 'vitest';

import { createCatalog } from '../../../src/catalog/catalog.ts';
import { PorticoError } from '../../../src/error.ts';
import { pendingRetirements } from '../../../src/reconcile/draft/pending-retirements.ts';
import type { Job } from '../../../src/reconcile/job.ts';
import { createMemories } from '../../../src/reconcile/memories.ts';
import type { RepositoryAccess, Ports } from '../../../src/reconcile/ports.ts';
import { sealedComment } from '../../../src/reconcile/seal/sealed-comment.ts';
import { createKeyring } from '../../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const OLD = '2025-12-31T00:00:00Z';
const HERE = { installationId: 1, id: 1, owner: 'acme', name: 'web' };

test('an issue with more comments than are read keeps the others on the dashboard', async () => {
  const warned: unknown[] = [];
  const asked: number[] = [];
  const forge = {
    listIssues: async () => [
      { number: 7, title: 'Retire web@v1', updatedAt: OLD },
      { number: 9, title: 'Flooded', updatedAt: OLD },
    ],
    listComments: async (issue: number) => {
      asked.push(issue);
      if (issue === 9)
        throw new PorticoError('FORGE_TOO_MANY', 'a list on the forge has too many items', { blame: 'user' });
      return [];
    },
  };
  const git = { refs: async () => new Map() };
  const ports = {
    app: { botLogin: 'portico[bot]' },
    log: { warn: (line: unknown) => warned.push(line) },
    catalog: createCatalog(),
    memories: createMemories(),
    now: () => NOW,
  };
  const found = await pendingRetirements({
    ports: ports as unknown as Ports,
    access: { forge, git } as unknown as RepositoryAccess,
    facts: HERE,
    config: { directory: repositoryDirectory('.') },
  });
  expect(found).toEqual([]);
  expect(asked).toEqual([9, 7]);
  expect(warned).toMatchObject([{ pull: 9 }]);
});

test('the label on however many other issues hides no wish: what one look does not come to, the next does', async () => {
  const seals = createKeyring(['secret']);
  const tag = 'a'.repeat(40);
  const wish = { package: 'web', revision: 'v1', tag, login: 'bob', comment: 5, state: 'asked' };
  const accounts = [{ login: 'bob', id: 2 }];
  const body = sealedComment('retirement', '1#1', { ...wish, accounts }, seals);
  const asked: number[] = [];
  const later: Job[] = [];
  const forge = {
    listIssues: async () =>
      Array.from({ length: 120 }, (_, at) => ({ number: at + 1, title: `Issue ${at + 1}`, updatedAt: OLD })),
    listComments: async (issue: number) => {
      asked.push(issue);
      return issue === 1 ? [{ author: 'portico[bot]', body }] : [];
    },
    isAuthorsOwn: async () => true,
  };
  const standing = { oid: tag, commit: 'b'.repeat(40) };
  const git = { refs: async () => new Map([['refs/tags/web/v1', standing]]) };
  const ports = {
    app: { botLogin: 'portico[bot]' },
    seals,
    catalog: createCatalog(),
    memories: createMemories(),
    enqueue: async (jobs: Job | readonly Job[]) => void later.push(...[jobs].flat()),
    now: () => NOW,
  };
  const look = async (): Promise<number[]> => {
    asked.length = 0;
    later.length = 0;
    const access = { forge, git } as unknown as RepositoryAccess;
    const found = await pendingRetirements({
      ports: ports as unknown as Ports,
      access,
      facts: HERE,
      config: { directory: repositoryDirectory('.') },
    });
    return found.map(({ issue }) => issue);
  };
  expect(await look()).toEqual([]);
  expect([asked.length, later.length]).toEqual([50, 1]);
  await look();
  expect(await look()).toEqual([1]);
  expect([asked.length, later.length]).toEqual([20, 0]);
  expect(await look()).toEqual([1]);
  expect(asked).toEqual([1]);
});
