import { expect, test } from 'vitest';

import { packageTree } from '../../src/package/tree.ts';
import { configMap, packageOf } from './diff/package-of.ts';

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\n';

test('resources by directory, subpackages apart, what is no resource left out', () => {
  const files = packageOf({
    'b.yaml': `${configMap('one')}---\n${configMap('two').replace('  name', '  namespace: shop\n  name')}`,
    Kptfile: KPTFILE,
    'values.yaml': 'a: 1\n',
    'README.md': '#',
    'data.json': '{"apiVersion":"v1","kind":"A","metadata":{"name":"j"}}',
    'deep/er/c.yaml': configMap('c'),
    'broken.yaml': 'a: [\n',
    'sub/Kptfile': KPTFILE,
    'sub/templates/d.yaml': configMap('d'),
    'docs/x.md': '#',
  });
  expect(packageTree(files, 'shop')).toMatchObject({
    name: 'shop',
    isPackage: true,
    resources: [
      { file: 'Kptfile', kind: 'Kptfile', name: 'x' },
      { file: 'b.yaml', kind: 'ConfigMap', name: 'one' },
      { file: 'b.yaml', kind: 'ConfigMap', name: 'shop/two' },
    ],
    problems: [{ file: 'broken.yaml', reason: expect.stringMatching(/^Line /) }],
    directories: [
      {
        name: 'deep/er',
        directory: 'deep/er',
        isPackage: false,
        resources: [{ name: 'c' }],
        directories: [],
      },
      {
        name: 'sub',
        isPackage: true,
        resources: [{ kind: 'Kptfile' }],
        directories: [{ name: 'templates', directory: 'sub/templates', resources: [{ name: 'd' }] }],
      },
    ],
  });
});

test('an empty directory is no package and holds nothing', () => {
  expect(packageTree(new Map(), 'x')).toEqual({
    name: 'x',
    directory: '',
    isPackage: false,
    resources: [],
    directories: [],
    problems: [],
  });
});
