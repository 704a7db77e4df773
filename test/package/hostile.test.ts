import { describe, expect, test } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import { checkPackage, MAX_FILES, pathProblem } from '../../src/package/limits.ts';
import { mergePackages } from '../../src/package/merge/merge.ts';
import type { PackageFile, PackageFiles } from '../../src/package/package.ts';
import { editYaml, readYaml } from '../../src/package/yaml/edit.ts';

function file(text: string): PackageFile {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof PorticoError ? error.code : String(error);
  }
}

describe('paths', () => {
  test.each([
    '../a',
    'a/../b',
    '/etc/passwd',
    'C:/x',
    'a\\b',
    'a//b',
    '.',
    'a/./b',
    '.git/config',
    'x/.GIT/hooks',
    'git~1/config',
    '.git./x',
    '.g\u200cit/config',
    '.git::$INDEX/x',
    'a\rb',
    'a\u0000',
    '',
  ])('%j is refused', (path) => expect(pathProblem(path)).toBeDefined());

  test.each(['a.yaml', 'dir/with space/ü.yaml', '.gitignore', '.github/x.yaml', 'git-tools/a', '...'])(
    '%j is fine',
    (path) => expect(pathProblem(path)).toBeUndefined(),
  );

  test('names that differ only in case, and too many files, are refused', () => {
    const twins: PackageFiles = new Map([
      ['A.yaml', file('a: 1')],
      ['a.yaml', file('a: 1')],
    ]);
    expect(codeOf(() => checkPackage(twins, 'local'))).toBe('PACKAGE_PATH');
    const many: PackageFiles = new Map(
      Array.from({ length: MAX_FILES + 1 }, (_, at) => [`f${at}`, file('')]),
    );
    expect(codeOf(() => checkPackage(many, 'local'))).toBe('PACKAGE_LIMIT');
  });
});

describe('YAML', () => {
  const bomb = `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array.from({ length: 10 }, () => `*a${at}`).join(',')}]`).join('\n')}\n`;

  test.each([
    ['an alias bomb', bomb, 'YAML_LIMIT'],
    ['deep flow lists', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`, 'YAML_LIMIT'],
    ['deep flow maps below the scan', `a: ${'{a: '.repeat(300)}1${'}'.repeat(300)}`, 'YAML_LIMIT'],
    ['deep compact lists', `${'- '.repeat(4000)}x`, 'YAML_LIMIT'],
    [
      'deep block maps',
      Array.from({ length: 400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      'YAML_LIMIT',
    ],
    ['a key that is there twice', 'a: 1\na: 2\n', 'YAML_INVALID'],
    ['an alias without anchor', 'a: *b\n', 'YAML_INVALID'],
    ['tabs for indentation', 'a:\n\tb: 1\n', 'YAML_INVALID'],
    ['a template', 'a: {{ .Values.x }}\n  {{- end }}\n', 'YAML_INVALID'],
  ])('%s gives a clear error', (_, text, code) => {
    expect(codeOf(() => readYaml(text))).toBe(code);
  });

  test('keys that are JavaScript’s own are only keys, also through a merge', () => {
    const text = (value: string): PackageFiles =>
      new Map([
        [
          'a.yaml',
          file(
            `kind: X\nmetadata: {name: x}\n__proto__: {x: ${value}}\nconstructor: {prototype: {x: ${value}}}\ntoString: ${value}\nhasOwnProperty: ${value}\n`,
          ),
        ],
      ]);
    const local = new Map([
      ['a.yaml', file(`# ours\n${new TextDecoder().decode(text('1').get('a.yaml')!.bytes)}mine: 1\n`)],
    ]);
    const { files } = mergePackages({ base: text('1'), upstream: text('2'), local });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    const [data] = readYaml('__proto__: {x: 1}\nconstructor: 2\n');
    expect(Object.keys(data as object)).toEqual(['__proto__', 'constructor']);
    expect((data as Record<string, unknown>)['x']).toBeUndefined();
    expect(new TextDecoder().decode(files.get('a.yaml')!.bytes)).toContain(
      '__proto__: {x: 2}\nconstructor: {prototype: {x: 2}}\ntoString: 2\nhasOwnProperty: 2\nmine: 1',
    );
  });

  test('CRLF, BOM, tabs in values, markers and comments survive an edit', () => {
    const text = '\uFEFF# head\r\n--- # doc\r\na: "x\ty"   # c\r\nb:\r\n- 1\r\n...\r\n---\r\nc: 2';
    expect(editYaml(text, [{ op: 'set', document: 0, path: ['b', 0], value: 5 }])).toBe(
      text.replace('- 1', '- 5'),
    );
    expect(editYaml(text, [{ op: 'set', document: 1, path: ['c'], value: 'on' }])).toBe(
      text.replace('c: 2', "c: 'on'"),
    );
  });

  test('integers keep every digit, YAML 1.1 words are what Kubernetes reads', () => {
    const text = 'a: 12345678901234567890\nb: 0777\nc: on\nd: "on"\ne: 1_000\nf: 0x1F\ng: 12:30\nh: 1e3\n';
    expect(readYaml(text)).toEqual([
      { a: 12345678901234567890n, b: 511, c: true, d: 'on', e: 1000, f: 31, g: '12:30', h: 1000 },
    ]);
    expect(editYaml('a: 1\n', [{ op: 'set', document: 0, path: ['a'], value: 12345678901234567891n }])).toBe(
      'a: 12345678901234567891\n',
    );
  });

  test('an anchor that is edited carries its aliases; one that goes is written out', () => {
    const text = 'a: &x {k: 1}\nb: *x\n';
    expect(editYaml(text, [{ op: 'set', document: 0, path: ['a', 'k'], value: 2 }])).toBe(
      'a: &x {k: 2}\nb: *x\n',
    );
    expect(readYaml(editYaml(text, [{ op: 'delete', document: 0, path: ['a'] }]))).toEqual([{ b: { k: 1 } }]);
  });

  test('one file that does not parse does not stop the rest', () => {
    const tree = (image: string, extra: string): PackageFiles =>
      new Map([
        ['bad.yaml', file(`{{- if .x }}\na: 1\n${extra}b: 1\nc: 1\nd: 1\n`)],
        ['good.yaml', file(`kind: X\nmetadata: {name: x}\nimage: ${image}\nown: 1\n`)],
      ]);
    const local = new Map([
      ...tree('1', ''),
      ['bad.yaml', file('{{- if .x }}\na: 1\nb: 1\nc: 1\nd: 2\n')],
      ['good.yaml', file('kind: X\nmetadata: {name: x}\nimage: 1\nown: 2\n')],
    ]);
    const { files, notes, conflicts } = mergePackages({
      base: tree('1', ''),
      upstream: tree('2', '# new\n'),
      local,
    });
    expect(new TextDecoder().decode(files.get('good.yaml')!.bytes)).toBe(
      'kind: X\nmetadata: {name: x}\nimage: 2\nown: 2\n',
    );
    expect(new TextDecoder().decode(files.get('bad.yaml')!.bytes)).toBe(
      '{{- if .x }}\na: 1\n# new\nb: 1\nc: 1\nd: 2\n',
    );
    expect(notes).toEqual([
      {
        code: 'YAML_UNREADABLE',
        file: 'bad.yaml',
        message: 'It is not valid YAML (in the common base, upstream, here), so it was merged line by line.',
      },
    ]);
    expect(conflicts).toEqual([]);
  });
});
