import { describe, expect, test } from 'vitest';

import { editYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlEdit } from '../../../src/package/yaml/edit.ts';
import { locate } from './locate.ts';

const TEXT = `# head
apiVersion: v1   # c
kind: ConfigMap
metadata: # kpt-merge: a/b
    name: 'x'

    # about labels
    labels: {a: b}
spec:
  containers:
  # first
  - name: a # ca
    image: x
    args: [a, "b"]

  - name: b
    image: |
      foo
      bar
  flags:
    - x
---
a: 1`;

const edited = (...edits: YamlEdit[]): string => editYaml(TEXT, edits);

const set = (text: string): string =>
  editYaml(text, [{ op: 'set', document: 0, path: ['a', 'c'], value: 'n' }]);

describe('edits in place', () => {
  test('a value keeps its quotes and comment', () => {
    expect(edited({ op: 'set', document: 0, path: ['metadata', 'name'], value: "it's" })).toBe(
      TEXT.replace("'x'", "'it''s'"),
    );
    expect(edited({ op: 'set', document: 0, path: ['apiVersion'], value: 'v2' })).toBe(
      TEXT.replace('v1   # c', 'v2   # c'),
    );
  });

  test('a list item goes with its comments, the first key of an item makes room for the next', () => {
    expect(edited({ op: 'delete', document: 0, path: ['spec', 'containers', { name: 'a' }] })).toBe(
      TEXT.replace('  # first\n  - name: a # ca\n    image: x\n    args: [a, "b"]\n', ''),
    );
    expect(edited({ op: 'delete', document: 0, path: ['spec', 'containers', 0, 'name'] })).toBe(
      TEXT.replace('name: a # ca\n    image', 'image'),
    );
  });

  test('an entry goes with the comment above it and one of two blank lines', () => {
    expect(edited({ op: 'delete', document: 0, path: ['metadata', 'labels'] })).toBe(
      TEXT.replace('    # about labels\n    labels: {a: b}\n', ''),
    );
  });

  test('new parts follow the file’s manner', () => {
    expect(edited({ op: 'set', document: 0, path: ['metadata', 'labels', 'k'], value: true })).toBe(
      TEXT.replace('{a: b}', '{a: b, k: true}'),
    );
    expect(edited({ op: 'insert', document: 0, path: ['spec', 'flags'], value: 'on' })).toBe(
      TEXT.replace('    - x\n', "    - x\n    - 'on'\n"),
    );
    expect(edited({ op: 'set', document: 1, path: ['b', 'c'], value: '2' })).toBe(`${TEXT}\nb:\n    c: '2'`);
  });

  test('a text of several lines stays a block, and becomes one', () => {
    expect(
      edited({ op: 'set', document: 0, path: ['spec', 'containers', { name: 'b' }, 'image'], value: 'z' }),
    ).toBe(TEXT.replace('image: |\n      foo\n      bar\n', 'image: z\n'));
    expect(edited({ op: 'set', document: 1, path: ['a'], value: 'l1\nl2' })).toBe(
      TEXT.replace('a: 1', 'a: |-\n    l1\n    l2'),
    );
  });

  test('keys are renamed, documents come and go', () => {
    expect(edited({ op: 'rename', document: 0, path: ['spec', 'flags'], to: 'a/b' })).toBe(
      TEXT.replace('flags:', 'a/b:'),
    );
    expect(edited({ op: 'insert-document', at: 0, value: { kind: 'X' } })).toBe(`kind: X\n---\n${TEXT}`);
    expect(edited({ op: 'insert-document', value: { kind: 'X' } })).toBe(`${TEXT}\n---\nkind: X\n`);
    expect(edited({ op: 'delete-document', document: 1 })).toBe(TEXT.replace('---\na: 1', ''));
    expect(edited({ op: 'delete-document', document: 0 })).toBe('a: 1');
  });

  test('JSON keeps its layout', () => {
    expect(set('{"a":{"b":[1,2],"c":3},"d":null}')).toBe('{"a":{"b":[1,2],"c":"n"},"d":null}');
    expect(set('{\n  "a": {\n    "b": 1\n  }\n}\n')).toBe('{\n  "a": {\n    "b": 1,\n    "c": "n"\n  }\n}\n');
  });

  test.each<[string, YamlEdit]>([
    ['a path through a scalar', { op: 'set', document: 0, path: ['kind', 'x'], value: 1 }],
    ['a path past the end of a list', { op: 'set', document: 0, path: ['spec', 'flags', 5], value: 1 }],
    ['a missing key', { op: 'delete', document: 0, path: ['nope'] }],
    ['a taken name', { op: 'rename', document: 0, path: ['kind'], to: 'spec' }],
    ['a missing document', { op: 'delete-document', document: 7 }],
  ])('%s is refused', (_, edit) => {
    expect(() => edited(edit)).toThrow(expect.objectContaining({ code: 'YAML_PATH' }));
  });
});

test('places are found with line and column, or the nearest one above', () => {
  expect(locate(TEXT, 0, ['spec', 'containers', { name: 'b' }, 'image'])).toMatchObject({
    line: 17,
    column: 5,
    endLine: 19,
  });
  expect(locate(TEXT, 1, ['a'])).toMatchObject({ line: 23, column: 1 });
  expect(locate(TEXT, 0, ['spec', 'nope', 'x'])).toBeUndefined();
  expect(locate(TEXT, 0, ['spec', 'nope', 'x'], { nearest: true })).toMatchObject({ line: 9 });
  expect(locate('a: [', 0, ['a'])).toBeUndefined();
});
