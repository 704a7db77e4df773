import { expect, test } from 'vitest';

import { indexPackages } from '../../../src/reconcile/repository/index-packages.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { KPTFILE, useMirrors } from '../../git/mirror-fixture.ts';
import { seed } from '../../git/repository.ts';

const at = useMirrors();

function unread(): never {
  throw new Error('nothing is read of a package whose tree is known');
}

test('packages that may hold an operator are marked; what did not change is not read again', async () => {
  const head = seed(at.origin, {
    'imported/Kptfile': KPTFILE,
    'imported/catalog-bundle.json': '{}',
    'authored/Kptfile': KPTFILE,
    'authored/metadata/annotations.yaml': 'annotations: {}\n',
    'web/Kptfile': KPTFILE,
    'web/web.yaml': 'a: 1\n',
  });
  const mirror = await at.open();
  const below = repositoryDirectory('.');
  const packages = await indexPackages({ git: mirror, below, head, map: [], known: undefined });
  expect(packages.map(({ directory, holdsBundle }) => [directory, holdsBundle])).toEqual([
    ['authored', true],
    ['imported', true],
    ['web', undefined],
  ]);

  const git = { ...mirror, readFile: unread, treeId: unread };
  expect(await indexPackages({ git, below, head, map: [], known: { packages } })).toEqual(packages);
});
