import { describe, expect, test } from 'vitest';

import { readApplied } from '../../../src/package/applied/read-applied.ts';
import { isPlainString } from '../../../src/package/yaml/scalar.ts';

/** What the reader refuses, as `line: sentence`. */
function refusalsOf(text: string): string[] {
  const read = readApplied(text);
  return 'refused' in read ? read.refused.map(({ line, what }) => `${line}: ${what}`) : [];
}

function valueOf(text: string): unknown {
  const read = readApplied(text);
  return 'objects' in read ? read.objects[0] : read;
}

describe('text that the tools of a cluster read otherwise', () => {
  test.each([
    ['U+2028 in a comment', 'a: 1 # wiki\u2028b: true\n', 'ends a line'],
    ['U+2029 in a comment', 'a: 1 # wiki\u2029b: true\n', 'ends a line'],
    ['U+0085 in a comment', 'a: 1 # wiki\u0085b: true\n', 'ends a line'],
    ['a lone carriage return', 'a: 1 # wiki\rb: true\n', 'ends a line'],
    ['U+2028 in a literal', 'a: |\n  x\u2028b: true\n', 'ends a line'],
    ['a byte order mark inside', 'a: 1\n---\n\ufeffb: 2\n', 'byte order mark'],
    ['a control character', 'a: "\u0001"\n', 'U+0001'],
  ])('the reader refuses %s', (_, text, reason) => {
    expect(refusalsOf(text)).toEqual([expect.stringContaining(reason)]);
  });

  test('the reader refuses merge keys, quoted ones too', () => {
    expect(refusalsOf('a:\n  <<: {b: true}\n')).toEqual(['2: the tools of a cluster merge `<<` differently']);
    expect(refusalsOf('a:\n  "<<": {b: true}\n')).toHaveLength(1);
  });

  test.each([
    ['$patch: replace', 'kubectl and Argo CD delete'],
    ['$retainKeys: [fsGroup]', 'kubectl and Argo CD delete'],
    ['$setElementOrder/containers: []', 'kubectl and Argo CD delete'],
    ['$deleteFromPrimitiveList/finalizers: [a]', 'kubectl and Argo CD delete'],
    ['internal.config.kubernetes.io/previousNames: view', 'kustomize rename'],
  ])('the reader refuses %s, by which a tool changes other fields (127)', (field, reason) => {
    expect(refusalsOf(`a:\n- b:\n    ${field}\n`)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    ['a binary value', 'kind: !!binary U2VjcmV0\n'],
    ['a binary key', '!!binary aG9zdE5ldHdvcms=: true\n'],
    ['a tag of the root', '--- !!map\na: 1\n'],
    ['a tag of an empty value', 'a: !!str\n'],
    ['a local tag', 'a: !Ref b\n'],
    ['a bare tag', 'a: ! 5\n'],
  ])('the reader refuses the tag of %s', (_, text) => {
    expect(refusalsOf(text)).toContainEqual(expect.stringContaining('the tag !'));
  });

  test('the reader refuses aliases and collections as keys', () => {
    expect(refusalsOf('x: &h hostNetwork\n*h : true\n')).toEqual([expect.stringContaining('2: an alias')]);
    expect(refusalsOf('? [a]\n: true\n')).toEqual([expect.stringContaining('1: a list or map')]);
    expect(refusalsOf('{{a: 1}: true}\n')).toHaveLength(1);
  });

  test('the reader refuses names of anchors that Go ends earlier', () => {
    expect(refusalsOf('a: &1:30a b\n')).toEqual([expect.stringContaining('the name of &1:30a')]);
    expect(refusalsOf('a: &é b\n')).toHaveLength(1);
    expect(valueOf('a: &x-1_y b\nc: *x-1_y\n')).toEqual({ a: 'b', c: 'b' });
  });

  test.each([
    ['a word of YAML 1.1', 'on: 1\n'],
    ['a word in capitals', 'True: 1\n'],
    ['a hexadecimal number', '0x1F: 1\n'],
    ['a float', '1.5: 1\n'],
    ['nothing', '~: 1\n'],
  ])('the reader refuses a key that is %s', (_, text) => {
    expect(refusalsOf(text)).toEqual([expect.stringContaining('not the same string')]);
  });

  test('a key that becomes a string which is there already is a duplicate', () => {
    expect(refusalsOf('1: a\n"1": b\n')).toEqual([expect.stringContaining('appears twice')]);
    expect(refusalsOf('true: a\n"true": b\n')).toEqual([expect.stringContaining('appears twice')]);
    expect(refusalsOf('on: a\n"true": b\n')).toHaveLength(1);
  });

  test.each([
    ['text after the end of a document', 'a: 1\n...\nkind: Secret\n'],
    ['text behind the end of a document', 'a: 1\n... b\n'],
    ['a directive', '%YAML 1.1\n---\na: 1\n'],
    ['content behind the marker', '--- {a: 1}\n'],
    ['a marker behind which no space is', 'a: "x\n\n ---\n---# y"\n'],
    ['a stream of JSON', '{"a": 1}\n{"b": 2}\n'],
    ['a space before JSON that only Go passes over', '\u00a0{a: 1}\n'],
    ['a question mark at the start of a flow scalar', 'a: [?b]\n'],
    ['a number that JSON lacks', 'a: .inf\n'],
    ['a document of text alone', '>-\nkind: Secret\n'],
  ])('the reader refuses %s', (_, text) => {
    expect(refusalsOf(text)).not.toEqual([]);
  });

  test.each(['f: on', 'f: Y', 'f: [no]', 'f: {g: yes}', 'f: &a OFF', '- n'])(
    'the reader refuses the word in %s, which kubectl takes for a boolean and kustomize for a string',
    (text) => {
      expect(refusalsOf(`${text}\n`)).toEqual([expect.stringContaining('1: the word is a boolean')]);
      expect(refusalsOf(`${text.replace(/\w+(?=\W*$)/, '"$&"')}\n`)).toEqual([]);
    },
  );

  test('the reader refuses a date as a name, and keeps dates elsewhere', () => {
    expect(refusalsOf('a: 2001-01-01\nroleRef: {name: 2001-01-01}\n')).toEqual([
      '2: kustomize writes a date with its time',
    ]);
    expect(refusalsOf('roleRef: {name: "2001-01-01"}\n')).toEqual([]);
  });

  test.each([' ?\tkind\n : B\n', '-\ta\n', ' -\ta\n', '- -\ta\n'])(
    'the reader refuses the tab in %j',
    (text) => {
      expect(refusalsOf(`a: 1\n---\n${text}`)).toEqual([
        expect.stringContaining('3: kubectl fails on a tab'),
      ]);
    },
  );

  test('the reader refuses disputed blanks of a block, and takes no indentation of the next field for such', () => {
    expect(refusalsOf('a: |+\n  x\n ')).toEqual([expect.stringContaining('line of blanks')]);
    expect(refusalsOf('? |\n  x\n: 1\n')).toEqual([expect.stringContaining('that is a key')]);
    expect(valueOf('a:\n  b: |2\n     x\n  c: 1\n')).toEqual({ a: { b: ' x\n', c: 1 } });
  });

  test('text that all tools read alike is accepted', () => {
    const text =
      '\ufeff# Windows\r\n---\r\na: &x [b, "c: d"] # e\r\nf: *x\r\ng: |\r\n  h\r\n\r\n  i\r\n...\r\n---\r\n# nothing\r\n';
    expect(readApplied(text)).toEqual({ objects: [{ a: ['b', 'c: d'], f: ['b', 'c: d'], g: 'h\n\ni\n' }] });
  });
});

test.each(['?a', 'a?b', ':a'])('%s is quoted where it is written into a flow collection', (text) => {
  expect(isPlainString(text, true)).toBe(false);
  expect(isPlainString(text, false)).toBe(true);
});

describe('values as the API server gets them', () => {
  test.each([
    ['~', null],
    ['"on"', 'on'],
    ['0X0', 0],
    ['0O17', 15],
    ['0o17', 15],
    ['017', 15],
    ['08', 8],
    ['0B1', 1],
    ['0b-1', -1],
    ['1_000', 1000],
    ['.5_0', 0.5],
    ['._5', '._5'],
    ['1e3', 1000],
    ['1e400', '1e400'],
    ['-0.0', 0],
    ['1152921504606847000', 1152921504606847000n],
    ['9223372036854775808', 9223372036854775808],
    ['0xFFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFFF'],
    ['2001-01-01', '2001-01-01'],
    ['12:30:45', '12:30:45'],
    ['=', '='],
  ])('%s is what Go makes of it', (text, value) => {
    expect(valueOf(`a: ${text}\n`)).toEqual({ a: value });
  });
});
