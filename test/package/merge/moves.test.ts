import { expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { textOf } from './trees.ts';

function tree(files: Record<string, string>): PackageFiles {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );
}

function texts(files: PackageFiles): Record<string, string> {
  return Object.fromEntries([...files].map(([path, file]) => [path, textOf(file)]));
}

const map = (name: string, color = 'red', more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  color: ${color}\n${more}`;
const list = (items: string): string =>
  `apiVersion: example.org/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  items: ${items}\n`;
const two = `${map('a')}---\n${map('b')}`;

const kptfile = (description: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: sub\ninfo:\n  description: ${description}\n`;

interface Row {
  readonly what: string;
  readonly base: Record<string, string>;
  readonly upstream: Record<string, string>;
  readonly local: Record<string, string>;
  readonly merged: Record<string, string>;
  readonly conflicts?: readonly string[];
}

const rows: readonly Row[] = [
  {
    what: 'a resource that upstream moved to a new file leaves the file that local edited',
    base: { 'x.yaml': two },
    upstream: { 'x.yaml': map('a'), 'y.yaml': map('b', 'blue') },
    local: { 'x.yaml': `${map('a', 'green')}---\n${map('b', 'red', '  size: L\n')}` },
    merged: { 'x.yaml': map('a', 'green'), 'y.yaml': map('b', 'blue', '  size: L\n') },
  },
  {
    what: 'a resource that local moved and upstream deleted stays, and is told',
    base: { 'x.yaml': map('a'), 'y.yaml': map('b') },
    upstream: { 'y.yaml': map('b') },
    local: { 'z.yaml': map('a'), 'y.yaml': map('b') },
    merged: { 'z.yaml': map('a'), 'y.yaml': map('b') },
    conflicts: ['z.yaml:'],
  },
  {
    what: 'so does one out of a file that stays',
    base: { 'x.yaml': two },
    upstream: { 'x.yaml': map('b') },
    local: { 'x.yaml': map('b'), 'z.yaml': map('a', 'green') },
    merged: { 'x.yaml': map('b'), 'z.yaml': map('a', 'green') },
    conflicts: ['z.yaml:'],
  },
  {
    what: 'what upstream adds to a file whose one resource local moved away comes to that file',
    base: { 'x.yaml': map('a') },
    upstream: { 'x.yaml': `${map('a', 'blue')}---\n${map('n')}` },
    local: { 'z.yaml': map('a') },
    merged: { 'z.yaml': map('a', 'blue'), 'x.yaml': map('n') },
  },
  {
    what: 'what upstream adds to a file that local renamed comes to the renamed file',
    base: { 'x.yaml': two },
    upstream: { 'x.yaml': `${two}---\n${map('n')}` },
    local: { 'z.yaml': two },
    merged: { 'z.yaml': `${two}---\n${map('n')}` },
  },
  {
    what: 'a subpackage that upstream dropped stays whole where local worked in it, and is told',
    base: { 'sub/Kptfile': kptfile('s'), 'sub/a.yaml': map('a'), 'sub/README.md': 'x\n' },
    upstream: {},
    local: { 'sub/Kptfile': kptfile('mine'), 'sub/a.yaml': map('a'), 'sub/README.md': 'x\n' },
    merged: { 'sub/Kptfile': kptfile('mine'), 'sub/a.yaml': map('a'), 'sub/README.md': 'x\n' },
    conflicts: ['sub/Kptfile:'],
  },
  {
    what: 'a file that upstream renamed, with something new in its old place',
    base: { 'x.yaml': two },
    upstream: { 'y.yaml': two, 'x.yaml': map('n') },
    local: { 'x.yaml': `${map('a', 'green')}---\n${map('b')}` },
    merged: { 'y.yaml': `${map('a', 'green')}---\n${map('b')}`, 'x.yaml': map('n') },
  },
  {
    what: 'a subpackage that local deleted stays away, with what upstream added to its files; what changed is told',
    base: { 'sub/Kptfile': kptfile('s'), 'sub/a.yaml': map('a') },
    upstream: {
      'sub/Kptfile': kptfile('new'),
      'sub/a.yaml': `${map('a')}---\n${map('n')}`,
      'sub/b.yaml': map('b'),
    },
    local: {},
    merged: {},
    conflicts: ['sub/Kptfile:'],
  },
  {
    what: 'a null that upstream adds to what local deleted is a change, and a conflict',
    base: { 'x.yaml': two },
    upstream: { 'x.yaml': `${map('a')}---\n${map('b', 'red', '  size: null\n')}` },
    local: { 'x.yaml': map('a') },
    merged: { 'x.yaml': map('a') },
    conflicts: ['x.yaml:'],
  },
  {
    what: 'of two equal items both sides dropped one, which is one that is dropped',
    base: { 'x.yaml': list("['a', 'n', 'n']") },
    upstream: { 'x.yaml': list("['a', 'n']") },
    local: { 'x.yaml': list("['z', 'n']") },
    merged: { 'x.yaml': list("['z', 'n']") },
  },
];

test.each(rows)('$what', ({ base, upstream, local, merged, conflicts = [] }) => {
  const result = mergePackages({ base: tree(base), upstream: tree(upstream), local: tree(local) });
  expect(texts(result.files)).toEqual(merged);
  expect(result.conflicts.map(({ file, path }) => `${file}:${path}`)).toEqual(conflicts);
});
