import { describe, expect, test } from 'vitest';

import type { FunctionRuntime } from '../../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { head } from '../../function/builtin/run-builtin.ts';
import { kptfile, render, textsOf } from './support.ts';

type Change = (items: KrmObject[]) => KrmObject[];

/** A runtime whose functions are the given ones, by image name. */
function functions(table: Readonly<Record<string, Change>>): FunctionRuntime {
  return {
    run: ({ image = '' }, { items }) =>
      Promise.resolve({ exitCode: 0, results: [], items: table[image]?.([...items]) ?? items }),
  };
}

function run(files: Readonly<Record<string, string>>, change: Change) {
  const texts = { Kptfile: kptfile('a', '  mutators:\n  - image: fn\n'), ...files };
  return render(texts, { runtime: functions({ fn: change }) });
}

function metadata(item: KrmObject): { name: string; annotations: Record<string, string> } {
  return item['metadata'] as { name: string; annotations: Record<string, string> };
}

function named(items: KrmObject[], name: string): KrmObject {
  return items.find((item) => metadata(item).name === name)!;
}

function made(name: string, annotations: Record<string, string> = {}): KrmObject {
  return { apiVersion: 'v1', kind: 'X', metadata: { name, annotations } };
}

const PATH = 'internal.config.kubernetes.io/path';
const INDEX = 'internal.config.kubernetes.io/index';
const THREE = `# one\n${head('v1', 'X', 'one')}---\n# nothing here\n---\n# two\n${head('v1', 'X', 'two', 'data: {a: b}   # kept\n')}--- # three\n${head('v1', 'X', 'three')}`;

describe('documents of a file', () => {
  test.each<[string, Change, string]>([
    ['stay', (items) => items, THREE],
    [
      'go from the middle',
      (items) => items.filter((item) => item !== named(items, 'two')),
      `# one\n${head('v1', 'X', 'one')}---\n# nothing here\n---\n${head('v1', 'X', 'three')}`,
    ],
    [
      'come at the end',
      (items) => [made('new', { [PATH]: 'f.yaml' }), ...items],
      `${THREE.replace('--- # three', '---')}---\n${head('v1', 'X', 'new')}`,
    ],
  ])('%s', async (_name, change, wanted) => {
    const result = await run({ 'f.yaml': THREE }, change);
    expect(result.problem).toBeUndefined();
    expect(textsOf(result.files)['f.yaml']).toBe(wanted);
  });

  test('move to another file with their text', async () => {
    const result = await run({ 'f.yaml': THREE }, (items) => {
      metadata(named(items, 'two')).annotations[PATH] = 'g/other.yaml';
      return items;
    });
    expect(result.changed).toEqual(['f.yaml', 'g/other.yaml']);
    expect(textsOf(result.files)['g/other.yaml']).toBe(
      `# two\n${head('v1', 'X', 'two', 'data: {a: b}   # kept\n')}`,
    );
    expect(textsOf(result.files)['f.yaml']).not.toContain('two');
  });

  test('change places by their index', async () => {
    const text = `${head('v1', 'X', 'one', '# of one\n')}---\n${head('v1', 'X', 'two')}`;
    const result = await run({ 'f.yaml': text }, (items) => {
      metadata(named(items, 'one')).annotations[INDEX] = '1';
      metadata(named(items, 'two')).annotations[INDEX] = '0';
      return items;
    });
    expect(textsOf(result.files)['f.yaml']).toBe(
      `${head('v1', 'X', 'two')}---\n${head('v1', 'X', 'one', '# of one\n')}`,
    );
  });

  test('that are all gone take their file along, and no other', async () => {
    const result = await run({ 'f.yaml': THREE, 'empty.yaml': '# only words\n', 'notes.md': 'x' }, (items) =>
      items.filter((item) => item['kind'] === 'Kptfile'),
    );
    expect(result.changed).toEqual(['f.yaml']);
    expect([...result.files.keys()].sort()).toEqual(['Kptfile', 'empty.yaml', 'notes.md']);
  });
});

describe('new resources', () => {
  test('are named by namespace, kind and name', async () => {
    const result = await run({}, (items) => [
      ...items,
      made('b'),
      { ...made('c'), metadata: { name: 'c', namespace: 'ns' } },
    ]);
    expect(result.changed).toEqual(['ns/x_c.yaml', 'x_b.yaml']);
    expect(textsOf(result.files)['x_b.yaml']).toBe(
      'apiVersion: v1\nkind: X\nmetadata:\n  name: b\n  annotations: {}\n'.replace('  annotations: {}\n', ''),
    );
  });

  test('made in a subpackage belong to it', async () => {
    const texts = { Kptfile: kptfile('a'), 'sub/Kptfile': kptfile('sub', '  mutators:\n  - image: fn\n') };
    const result = await render(texts, { runtime: functions({ fn: (items) => [...items, made('b')] }) });
    expect(result.changed).toEqual(['sub/x_b.yaml']);
  });

  test('a copy of a resource is not taken for it', async () => {
    const result = await run({ 'f.yaml': head('v1', 'X', 'one') }, (items) => {
      const copy = structuredClone(named(items, 'one'));
      metadata(copy).name = 'copy';
      delete metadata(copy).annotations[PATH];
      delete metadata(copy).annotations['config.kubernetes.io/path'];
      delete metadata(copy).annotations[INDEX];
      delete metadata(copy).annotations['config.kubernetes.io/index'];
      return [...items, copy];
    });
    expect(result.problem).toBeUndefined();
    expect(result.changed).toEqual(['x_copy.yaml']);
  });

  test.each([
    ['../out.yaml', 'FUNCTION_PATH_OUTSIDE'],
    ['/../x.yaml', 'FUNCTION_PATH_OUTSIDE'],
    ['a/../../x.yaml', 'FUNCTION_PATH_OUTSIDE'],
  ])('may not go to %s', async (path, code) => {
    const result = await run({}, (items) => [...items, made('b', { [PATH]: path })]);
    expect(result).toMatchObject({ ok: false, changed: [] });
    expect(result.findings.at(-1)?.item.tags).toEqual({ code });
  });

  test('with an absolute path go below the package, as with the newest kpt', async () => {
    const result = await run({}, (items) => [...items, made('b', { [PATH]: '/etc/x.yaml' })]);
    expect(result.changed).toEqual(['etc/x.yaml']);
  });

  test.each(['.git/config.yaml', 'notes.md', 'dir', 'a\u0000b.yaml'])(
    'may not be written to %j',
    async (path) => {
      const result = await run({ 'notes.md': 'x', 'dir/x.txt': 'y' }, (items) => [
        ...items,
        made('b', { [PATH]: path }),
      ]);
      expect(result).toMatchObject({ ok: false, changed: [], problem: { code: 'PATH_REFUSED' } });
    },
  );
});

describe('what functions get', () => {
  test('says where each resource lives, and no file ever holds it', async () => {
    let seen: KrmObject[] = [];
    const result = await run(
      { 'd/f.yaml': `${head('v1', 'X', 'one')}---\n${head('v1', 'X', 'two', '  annotations: {}\n')}` },
      (items) => {
        seen = structuredClone(items);
        return items;
      },
    );
    expect(metadata(named(seen, 'two')).annotations).toMatchObject({
      [PATH]: 'd/f.yaml',
      [INDEX]: '1',
      'config.kubernetes.io/path': 'd/f.yaml',
      'config.kubernetes.io/index': '1',
      'internal.config.kubernetes.io/package-path': '.',
    });
    expect(result.changed).toEqual([]);
  });

  test('a function that drops all annotations moves nothing', async () => {
    const result = await run({ 'd/f.yaml': head('v1', 'X', 'one', '  annotations: {mine: x}\n') }, (items) =>
      items.map((item) => ({ ...item, metadata: { name: metadata(item).name } })),
    );
    expect(result.changed).toEqual(['d/f.yaml']);
    expect(textsOf(result.files)['d/f.yaml']).toBe(head('v1', 'X', 'one'));
  });

  test('the legacy annotation moves a resource as well', async () => {
    const result = await run({ 'f.yaml': head('v1', 'X', 'one') }, (items) => {
      metadata(named(items, 'one')).annotations['config.kubernetes.io/path'] = 'g.yaml';
      return items;
    });
    expect(result.changed).toEqual(['f.yaml', 'g.yaml']);
  });

  test('only what is selected, once, and the rest keeps its place', async () => {
    let seen: string[] = [];
    const pipeline =
      '  mutators:\n  - image: fn\n    selectors: [{ kind: X }, { name: one }]\n    exclude: [{ name: two }, {}]\n';
    const files = { Kptfile: kptfile('a', pipeline), 'f.yaml': THREE };
    await render(files, {
      runtime: functions({
        fn: (items) => {
          seen = items.map((item) => metadata(item).name);
          return items;
        },
      }),
    });
    expect(seen).toEqual(['one', 'three']);
  });
});

test('after a failure no file is removed, even where what there is shall be saved', async () => {
  const saving = { 'kpt.dev/save-on-render-failure': 'true' };
  const files = {
    Kptfile: kptfile('a', '  mutators:\n  - image: fn\n  - image: broken\n', saving),
    'f.yaml': head('v1', 'X', 'one'),
    'g.yaml': head('v1', 'X', 'two'),
  };
  const runtime: FunctionRuntime = {
    run: ({ image }, { items }) => {
      if (image === 'broken') return Promise.resolve({ exitCode: 1, results: [] });
      const kept = items.filter((item) => metadata(item).name !== 'one');
      metadata(named(kept, 'two')).annotations['mine'] = 'x';
      return Promise.resolve({ exitCode: 0, results: [], items: kept });
    },
  };
  const result = await render(files, { runtime });
  expect(result.ok).toBe(false);
  expect(result.changed).toEqual(['g.yaml']);
});

test('a new resource cannot invent a package', async () => {
  const result = await run({}, (items) => [
    ...items,
    made('b', { 'internal.config.kubernetes.io/package-path': 'elsewhere' }),
  ]);
  expect(result.changed).toEqual(['x_b.yaml']);
});
