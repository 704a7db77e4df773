import { describe, expect, test } from 'vitest';

import type { UpdateStrategy } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { settleConflicts } from '../../../src/package/merge/settle.ts';
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

const kptfile = (version: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\npipeline:\n  mutators:\n    - image: set-labels:${version} # pinned\n      configMap: {app: web}\n`;
const config = (color: string, size = 'S'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  color: ${color} # ours to choose\n  size: ${size}\n`;

const base = tree({
  Kptfile: kptfile('v1'),
  'c.yaml': config('red'),
  'old.yaml': config('x').replace('name: c', 'name: old'),
  'README.md': 'a\nb\nc\n',
});
const upstream = tree({
  Kptfile: kptfile('v2'),
  'c.yaml': config('blue'),
  'new.yaml': config('n').replace('name: c', 'name: new'),
  'README.md': 'a\nb\nC\n',
});
const local = tree({
  Kptfile: kptfile('v1').replace('app: web', 'app: mine'),
  'c.yaml': config('red', 'XL'),
  'old.yaml': config('x').replace('name: c', 'name: old'),
  'README.md': 'A\nb\nc\n',
  'mine.txt': 'mine\n',
});

function merged(strategy: UpdateStrategy): Record<string, string> {
  return texts(mergePackages({ base, upstream, local, strategy }).files);
}

describe('strategies', () => {
  const pipeline = kptfile('v2').replace('app: web', 'app: mine');

  test('resource-merge brings both sides together', () => {
    expect(merged('resource-merge')).toEqual({
      Kptfile: pipeline,
      'c.yaml': config('blue', 'XL'),
      'new.yaml': config('n').replace('name: c', 'name: new'),
      'README.md': 'A\nb\nC\n',
      'mine.txt': 'mine\n',
    });
  });

  test('copy-merge takes upstream’s files and leaves local’s own', () => {
    expect(merged('copy-merge')).toEqual({ ...texts(upstream), Kptfile: pipeline, 'mine.txt': 'mine\n' });
  });

  test('force-delete-replace takes upstream, with the root Kptfile merged', () => {
    expect(merged('force-delete-replace')).toEqual({ ...texts(upstream), Kptfile: pipeline });
  });

  test('fast-forward refuses local changes and names them; without any it takes upstream', () => {
    expect(() => merged('fast-forward')).toThrow(/README\.md.*c\.yaml.*mine\.txt/);
    const clean = new Map([
      ...base,
      [
        'c.yaml',
        {
          mode: '100644' as const,
          bytes: new TextEncoder().encode(
            config('red').replace('  color', '    color').replace('  size', '    size'),
          ),
        },
      ],
    ]);
    expect(texts(mergePackages({ base, upstream, local: clean, strategy: 'fast-forward' }).files)).toEqual(
      texts(upstream),
    );
  });
});

const bare = (status: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n${status}`;

const forward = (status: string): Record<string, string> => {
  const before = tree({ Kptfile: `# ours\n${bare('')}`, 'c.yaml': config('red') });
  const local = tree({ Kptfile: bare(status), 'c.yaml': config('red') });
  const after = tree({ Kptfile: `# ours\n${bare('')}`, 'c.yaml': config('blue') });
  return texts(mergePackages({ base: before, upstream: after, local, strategy: 'fast-forward' }).files);
};

describe('fast-forward and a package that kpt rendered', () => {
  const rendered =
    'status:\n  conditions:\n  - type: Rendered\n    status: "True"\n    reason: RenderSuccess\n  renderStatus:\n    mutationSteps: []\n';

  test('go together: what a render writes into the Kptfile is no change, and stays', () => {
    expect(forward(rendered)).toEqual({ Kptfile: bare(rendered), 'c.yaml': config('blue') });
  });

  test('do not where a person wrote another condition', () => {
    expect(() => forward('status:\n  conditions:\n  - type: Ready\n    status: "True"\n')).toThrow(/Kptfile/);
  });
});

describe('conflicts', () => {
  const both = tree({ ...texts(base), 'c.yaml': config('green', 'XL') });
  const input = { base, upstream, local: both };

  test('are told with place, values and line, and take upstream', () => {
    const { conflicts, files, changed } = mergePackages(input);
    expect(conflicts).toMatchObject([
      {
        file: 'c.yaml',
        resource: { kind: 'ConfigMap', name: 'c' },
        path: 'data.color',
        base: 'red',
        upstream: 'blue',
        local: 'green',
        taken: 'upstream',
        line: 6,
      },
    ]);
    expect(textOf(files.get('c.yaml'))).toBe(config('blue', 'XL'));
    expect(changed).toEqual(['Kptfile', 'README.md', 'c.yaml', 'new.yaml', 'old.yaml']);
  });

  test('are settled by deciding and merging again, or in place afterwards', () => {
    const [conflict] = mergePackages(input).conflicts;
    const again = mergePackages({ ...input, decisions: new Map([[conflict!.id, 'local' as const]]) });
    expect(again.conflicts).toEqual([]);
    expect(textOf(again.files.get('c.yaml'))).toBe(config('green', 'XL'));
    const before = mergePackages(input).files;
    const current = tree({ ...texts(before), 'c.yaml': config('blue', 'by hand') });
    const settled = settleConflicts({ before, after: again.files, current });
    expect(settled.conflicts).toEqual([]);
    expect(textOf(settled.files.get('c.yaml'))).toBe(config('green', 'by hand'));
    // What people did at the place itself is not overwritten: it is told.
    const there = tree({ ...texts(before), 'c.yaml': config('violet', 'XL') });
    expect(settleConflicts({ before, after: again.files, current: there }).conflicts).toMatchObject([
      { file: 'c.yaml', path: 'data.color', base: 'blue', upstream: 'green', local: 'violet' },
    ]);
  });

  test('a resource that local deleted and upstream changed stays deleted and is told; settling brings it', () => {
    const gone = tree(texts(base));
    (gone as Map<string, unknown>).delete('c.yaml');
    const { conflicts, files } = mergePackages({ base, upstream, local: gone });
    expect(files.has('c.yaml')).toBe(false);
    expect(conflicts).toMatchObject([{ file: 'c.yaml', path: '', taken: 'local', local: undefined }]);
    const decisions = new Map([[conflicts[0]!.id, 'upstream' as const]]);
    const after = mergePackages({ base, upstream, local: gone, decisions }).files;
    const brought = settleConflicts({ before: files, after, current: files }).files;
    expect(textOf(brought.get('c.yaml'))).toContain('color: blue');
    expect(settleConflicts({ before: after, after: files, current: brought }).files.has('c.yaml')).toBe(
      false,
    );
  });

  test('a file that both changed at one line keeps local’s and is told', () => {
    const mine = tree({ ...texts(base), 'README.md': 'a\nb\nmine\n' });
    const { conflicts, files } = mergePackages({ base, upstream, local: mine });
    expect(textOf(files.get('README.md'))).toBe('a\nb\nmine\n');
    expect(conflicts).toMatchObject([
      { file: 'README.md', resource: null, path: '', part: true, upstream: 'C\n', taken: 'local' },
    ]);
    const decisions = new Map([[conflicts[0]!.id, 'upstream' as const]]);
    const after = mergePackages({ base, upstream, local: mine, decisions }).files;
    const settled = settleConflicts({ before: files, after, current: files }).files;
    expect(textOf(settled.get('README.md'))).toBe('a\nb\nC\n');
  });
});

const mark = (text: string): string =>
  text.replace(
    'metadata:\n  name: c\n',
    "metadata: # kpt-merge: /c\n  name: c\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|c'\n",
  );

describe('kpt’s bookkeeping', () => {
  test('is kept up on what comes in where local has it, and nowhere else', () => {
    const marked = tree({ ...texts(base), 'c.yaml': mark(config('red')) });
    const { files } = mergePackages({ base, upstream, local: marked });
    expect(textOf(files.get('c.yaml'))).toBe(mark(config('blue')));
    expect(textOf(files.get('new.yaml'))).toBe(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /new\n  name: new\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|new'\ndata:\n  color: n # ours to choose\n  size: S\n",
    );
    expect(textOf(files.get('README.md'))).toBe('a\nb\nC\n');
  });

  test('names a resource that local renamed', () => {
    const renamed = tree({
      ...texts(base),
      'c.yaml': mark(config('red')).replace('  name: c\n', '  name: prod-c\n'),
    });
    const { files, conflicts } = mergePackages({ base, upstream, local: renamed });
    expect(textOf(files.get('c.yaml'))).toBe(mark(config('blue')).replace('  name: c\n', '  name: prod-c\n'));
    expect(conflicts).toEqual([]);
  });
});

const doc = (more: string): PackageFiles =>
  tree({ 'w.yaml': `kind: Widget\nmetadata: {name: w}\nspec:\n  a: 1 # one\n${more}` });

const rules = (...items: string[]): PackageFiles =>
  doc(`  rules:\n${items.map((one) => `  - ${one}\n`).join('')}`);
const pods = (...verbs: string[]): string =>
  `{groups: [core], kinds: [pods, nodes], verbs: [${verbs.join(', ')}]}`;
const apps = (group: string): string => `{groups: [${group}], kinds: [deployments], verbs: [get]}`;

test('items without names merge by position only where each is still what stood there', () => {
  const base = rules(pods('get'), apps('apps'));
  const edited = mergePackages({
    base,
    upstream: rules(pods('get', 'list'), apps('apps')),
    local: rules(pods('get').replace('nodes', 'jobs'), apps('apps')),
  });
  expect(textOf(edited.files.get('w.yaml'))).toContain(pods('get', 'list').replace('nodes', 'jobs'));
  expect(edited.conflicts).toEqual([]);
  const turned = mergePackages({
    base,
    upstream: rules(pods('get', 'list'), apps('batch')),
    local: rules(apps('apps'), pods('get')),
  });
  expect(turned.conflicts).toMatchObject([{ path: 'spec.rules', taken: 'upstream' }]);
  expect(textOf(turned.files.get('w.yaml'))).toContain(`- ${pods('get', 'list')}\n  - ${apps('batch')}\n`);
});

test('what comes with an alias is written out where its anchor is not', () => {
  const theirs = doc('  b: &x {k: 1}\n  c: # new\n    d: *x\n');
  const { files } = mergePackages({
    base: doc('  b: {k: 0}\n'),
    upstream: theirs,
    local: doc('  b: {k: 0} # ours\n'),
  });
  expect(textOf(files.get('w.yaml'))).toBe(
    'kind: Widget\nmetadata: {name: w}\nspec:\n  a: 1 # one\n  b: {k: 1} # ours\n  c:\n    d:\n      k: 1\n',
  );
});

test('a list that was merged before merges again without a conflict, also where an item equals one elsewhere', () => {
  const [base, upstream] = [rules('a', '{b: 1}', '[]', 'd'), rules('a', '{b: 1}', '[]', 'D')];
  const merged = rules('[]', '{b: 2}', '[]', 'D');
  const again = mergePackages({ base, upstream, local: merged });
  expect(again.conflicts).toEqual([]);
  expect(textOf(again.files.get('w.yaml'))).toBe(textOf(merged.get('w.yaml')));
});
