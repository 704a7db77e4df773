import { describe, expect, test } from 'vitest';

import { kptfile, render } from './support.ts';

describe('a package that cannot be rendered says where and what to do', () => {
  test.each([
    ['no Kptfile', {}, { code: 'NOT_A_PACKAGE' }],
    [
      'an old Kptfile',
      { Kptfile: 'apiVersion: kpt.dev/v1alpha2\nkind: Kptfile\nmetadata:\n  name: a\n' },
      { code: 'KPTFILE_OLD', file: 'Kptfile', line: 1 },
    ],
    ['an empty Kptfile', { Kptfile: '# nothing\n' }, { code: 'KPTFILE_INVALID', file: 'Kptfile' }],
    [
      'image and exec',
      { Kptfile: kptfile('a', '  mutators:\n  - image: no-op\n    exec: x\n') },
      { code: 'KPTFILE_INVALID', line: 7 },
    ],
    [
      'a bad image',
      { Kptfile: kptfile('a', '  mutators:\n  - image: "Bad Image!"\n') },
      { code: 'KPTFILE_INVALID', line: 7 },
    ],
    [
      'an unknown field',
      { Kptfile: kptfile('a', '  validators:\n  - image: no-op\n    when: x\n') },
      { code: 'KPTFILE_INVALID', line: 8 },
    ],
    [
      'a config outside',
      { Kptfile: kptfile('a', '  mutators:\n  - image: no-op\n    configPath: ../x.yaml\n') },
      { code: 'CONFIG_PATH_INVALID', line: 8 },
    ],
    [
      'a config that is not there',
      { Kptfile: kptfile('a', '  mutators:\n  - image: no-op\n    configRef: {kind: Secret, name: x}\n') },
      { code: 'CONFIG_PATH_INVALID', line: 8, message: expect.stringContaining('got 0') },
    ],
    [
      'a config of two resources',
      {
        Kptfile: kptfile('a', '  mutators:\n  - image: no-op\n    configRef: {kind: Widget, name: x}\n'),
        'x.yaml': ['a', 'b']
          .map((group) => `apiVersion: ${group}.example/v1\nkind: Widget\nmetadata:\n  name: x\n`)
          .join('---\n'),
      },
      { code: 'CONFIG_PATH_INVALID', line: 8, message: expect.stringContaining('got 2') },
    ],
    [
      'a config without a kind',
      { Kptfile: kptfile('a', '  mutators:\n  - image: no-op\n    configRef: {name: x}\n') },
      { code: 'KPTFILE_INVALID', line: 8 },
    ],
    [
      'two configs',
      {
        Kptfile: kptfile(
          'a',
          '  mutators:\n  - image: no-op\n    configMap: {a: b}\n    configRef: {kind: Secret, name: x}\n',
        ),
      },
      { code: 'KPTFILE_INVALID', line: 7 },
    ],
    [
      'no YAML',
      { Kptfile: kptfile('a'), 'x.yaml': 'a: 1\nb: [1\n' },
      { code: 'YAML_INVALID', file: 'x.yaml', line: 3 },
    ],
    [
      'no resource',
      { Kptfile: kptfile('a'), 'values.yaml': '# values\nreplicas: 1\n' },
      { code: 'NOT_A_RESOURCE', file: 'values.yaml', line: 2 },
    ],
    [
      'a list',
      { Kptfile: kptfile('a'), 'x.yaml': '- a\n' },
      { code: 'NOT_A_RESOURCE', file: 'x.yaml', line: 1 },
    ],
  ])('%s', async (_name, texts, problem) => {
    const result = await render(texts);
    expect(result.ok).toBe(false);
    expect(result.problem).toMatchObject(problem);
    expect(result.problem?.hint).not.toBe('');
    expect(result.changed).toEqual([]);
  });

  test('deep nesting and alias bombs are refused, and the process lives', async () => {
    const deep = await render({ Kptfile: kptfile('a'), 'x.yaml': `a: ${'['.repeat(20_000)}` });
    expect(deep.ok).toBe(false);
    const names = 'abcdefghij'.split('');
    const bomb = names
      .map((name, at) => `${name}: &${name} [${at === 0 ? 'x' : `*${names[at - 1]},`.repeat(10)}]`)
      .join('\n');
    const result = await render({
      Kptfile: kptfile('a'),
      'x.yaml': `apiVersion: v1\nkind: X\nmetadata: {name: a}\n${bomb}\n`,
    });
    expect(result.ok).toBe(false);
    expect(result.problem?.hint).not.toBe('');
  });

  test('keys of JavaScript objects are only keys', async () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b\ndata:\n  __proto__: x\n  constructor: y\n  toString: z\n';
    const pipeline =
      '  mutators:\n  - image: set-labels:v0.2\n    configMap: { constructor: a, hasOwnProperty: b }\n';
    const result = await render({ Kptfile: kptfile('a', pipeline), 'cm.yaml': text });
    expect(result.ok).toBe(true);
    const after = new TextDecoder().decode(result.files.get('cm.yaml')?.bytes);
    expect(after).toContain('  __proto__: x\n  constructor: y\n  toString: z\n');
    expect(after).toContain('    constructor: a\n    hasOwnProperty: b\n');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
