import * as fc from 'fast-check';

import type { PackageFiles } from '../../../src/package/package.ts';
import { packageOf } from './trees.ts';

/** Three states of a list that merges by keys, in which several items may have one key. */
export interface Repeated {
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
}

const POD = `apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n`;
const CONTAINER = `${POD}  containers:\n  - name: m\n`;

/** How a list begins, in which file, and the fields of its items: the first value belongs to the key. */
const LISTS: readonly (readonly [file: string, head: string, fields: readonly string[]])[] = [
  ['a.yaml', `${POD}  containers:\n`, ['name: K', 'image: V', 'args: [V]']],
  ['a.yaml', `${POD}  volumes:\n`, ['name: K', 'emptyDir: {medium: V}', 'hostPath: {path: V}']],
  ['a.yaml', `${CONTAINER}    env:\n`, ['name: K', 'value: V']],
  ['a.yaml', `${CONTAINER}    ports:\n`, ['containerPort: 8K', 'name: V', 'protocol: V', 'hostPort: V']],
  [
    'Kptfile',
    'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\npipeline:\n  mutators:\n',
    ['image: fK', 'name: V', 'configMap: {a: V}', 'configPath: V'],
  ],
  ['a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  finalizers:\n', ['K']],
];

const field = fc.option(fc.constantFrom('x', 'y', 'z'), { freq: 2 });
const item = fc.record({
  key: fc.constantFrom('1', '2', '3'),
  values: fc.tuple(field, field, field),
  comment: fc.constantFrom('', '', '', ' # c'),
});
const items = fc.array(item, { minLength: 1, maxLength: 4 });
type Item = typeof item extends fc.Arbitrary<infer One> ? One : never;

export const repeated: fc.Arbitrary<Repeated> = fc
  .record({ list: fc.constantFrom(...LISTS), base: items, upstream: items, local: items })
  .map(({ list: [file, head, fields], ...sides }) => {
    const indent = / *(?=\w+:\n$)/.exec(head)?.[0] ?? '';
    const text = (one: readonly Item[]): PackageFiles =>
      packageOf({ [file]: head + one.map((it) => printed(it, fields, indent)).join('') });
    return { base: text(sides.base), upstream: text(sides.upstream), local: text(sides.local) };
  });

function printed(
  { key, values, comment }: Item,
  [first = '', ...more]: readonly string[],
  indent: string,
): string {
  const others = more.flatMap((one, at) => {
    const value = values[at];
    return value === null || value === undefined ? [] : [one.replace('V', value)];
  });
  const lines = [first.replace('K', key), ...others];
  return `${indent}- ${lines.join(`\n${indent}  `)}${comment}\n`;
}
