import { expect, test } from 'vitest';

import { createCatalog, type CatalogRepository } from '../../../src/catalog/catalog.ts';
import { variantPlan } from '../../../src/reconcile/downstream/variant-plan.ts';
import { jobsAfterIndexing } from '../../../src/reconcile/sweep/jobs-after-indexing.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';
import { config } from '../../command/command-state.ts';

const packageFrom = (directory: string, repo: string): CatalogRepository['packages'][number] => ({
  directory: repositoryDirectory(directory),
  tree: 't'.repeat(40),
  lock: { repo, directory: 'web', ref: 'web/v1', commit: 'c' },
});

const UP = 'https://forge.example/acme/up.git';
const shop = bareRepository(2, 'acme/shop', { packages: [packageFrom('front', UP)] });

/** The keys of the jobs once a repository of the index is read as `now`. */
function keysAfter(known: CatalogRepository | undefined, now: CatalogRepository): readonly string[] {
  const catalog = createCatalog();
  for (const one of [bareRepository(1, 'acme/up'), shop, ...(known ? [known] : [])]) catalog.put(one);
  const before = variantPlan(catalog);
  catalog.put(now);
  const { ref, visibility } = now;
  const facts = {
    ...ref,
    fullName: `${ref.owner}/${ref.name}`,
    defaultBranch: 'main',
    visibility,
    archived: false,
    htmlUrl: `https://forge.example/acme/${ref.name}`,
    cloneUrl: `https://forge.example/acme/${ref.name}.git`,
  };
  const found = { facts, config: config() };
  return jobsAfterIndexing({ catalog }, { found, known, before, now }).map(({ key }) => key);
}

test('followers of an upstream are looked at, and its own dashboard', () => {
  const up = bareRepository(1, 'acme/up');
  const [update, ...others] = keysAfter(up, up);
  expect(update).toMatch(/^variant:2:/);
  expect(others).toEqual(['dashboard:1']);
});

test('a package that went is looked at once more, and whoever it was made from shows it no longer', () => {
  const keys = keysAfter(shop, { ...shop, packages: [] });
  expect(keys.toSorted()).toEqual(['dashboard:1', 'dashboard:2', 'variant:2:front']);
});

test('what fewer people may read now is taken off the page of its organisation', () => {
  const known = bareRepository(3, 'acme/alone', {
    visibility: 'public',
    organization: { dashboard: true },
  });
  const board = (now: CatalogRepository): readonly string[] =>
    keysAfter(known, now).filter((key) => key !== 'dashboard:3');
  expect(board(known)).toEqual([]);
  expect(board({ ...known, visibility: 'private' })).toEqual(['dashboard:3:organization']);
});
