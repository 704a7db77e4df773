import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isMap } from '../../../src/package/plain-values.ts';
import { editInPlace, printResource } from '../../../src/package/render/edit-documents.ts';
import { copyValue, noteOf, sameValue, setNote } from '../../../src/package/render/field-notes.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { readResources } from '../../../src/package/render/read-resources.ts';

const TEXTS = [
  `apiVersion: apps/v1
kind: Deployment
metadata: # about it
  name: web
  labels: {app: web, "tier": 'front'}
spec:
  replicas: 3 # kpt-set: \${replicas}
  template:
    spec:
      containers:
      # the main one
      - name: main   # first
        image: "nginx:1.0"
        args: [a, 'b', "c"]
        env:
          - name: A
            value: "1"
          - name: B
            value: |
              two
              lines
      - name: side
        ports: []
`,
  `apiVersion: v1
kind: X
metadata:
    name: x
list:
- - a
  - b
-   k: v
    # inside
    l: w
- ~
empty:
text: >-
    folded
    text

last: end`,
  '{"apiVersion": "v1", "kind": "X", "metadata": {"name": "j"}, "a": [1, {"b": null}, []], "c": {}}\n',
];

const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 70n }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    'yes',
    '0644',
    '1.0',
    'a: b',
    '# no',
    '',
    ' x',
    'two\nlines',
    'two\nlines\n',
    '- a',
    '{a}',
    '*x',
    '2020-01-01',
    '1:20',
    '\t',
    'null',
  ),
);
const value = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
  leaf: scalar,
  value: fc.oneof(
    { weight: 3, arbitrary: tie('leaf') },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom('name', 'a', 'b c', 'app.io/x', '1', 'on'), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    },
  ),
})).value;

/** Ways to change data, chosen by a seed so that any path may be met. */
const change = fc.record({ at: fc.nat(), kind: fc.constantFrom('set', 'delete', 'insert', 'swap'), value });

function apply(
  root: KrmObject,
  { at, kind, value: made }: { at: number; kind: string; value: unknown },
): void {
  const containers: (KrmObject | unknown[])[] = [];
  const collect = (node: unknown): void => {
    if (Array.isArray(node)) {
      containers.push(node);
      node.forEach(collect);
    } else if (isMap(node)) {
      containers.push(node);
      Object.values(node).forEach(collect);
    }
  };
  collect(root);
  const container = containers[at % containers.length]!;
  const size = Array.isArray(container) ? container.length : Object.keys(container).length;
  const place = Math.floor(at / containers.length) % (size + 1);
  if (Array.isArray(container)) {
    if (kind === 'insert' || place === size) container.splice(place, 0, made);
    else if (kind === 'delete') container.splice(place, 1);
    else if (kind === 'swap') container.reverse();
    else container[place] = made;
  } else {
    const key = Object.keys(container)[place] ?? 'added';
    if (kind === 'delete' && container !== root) delete container[key];
    else container[kind === 'insert' ? `new${place}` : key] = made;
  }
}

describe('text of resources', () => {
  test('after any change of data it holds that data, and unchanged data is not a byte away', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS), fc.array(change, { maxLength: 4 }), (text, changes) => {
        const source = readResources('x.yaml', text);
        const after = copyValue(source.documents[0]!.value);
        expect(editInPlace(source, [after])).toBe(text);
        for (const one of changes) apply(after, one);
        const edited = editInPlace(source, [after]);
        const again = readResources('x.yaml', edited).documents;
        expect(
          again.length === 1 && sameValue(again[0]!.value, after, false),
          `${edited}\n${inspect(after)}`,
        ).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test('new resources are printed so that they read the same', () => {
    fc.assert(
      fc.property(value, (made) => {
        const resource: KrmObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, made };
        const again = readResources('x.yaml', printResource(resource)).documents;
        expect(
          again.length === 1 && sameValue(again[0]!.value, resource, false),
          printResource(resource),
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('comments can be set, changed and removed alone', () => {
    const source = readResources('x.yaml', TEXTS[0]!);
    const after = copyValue(source.documents[0]!.value);
    const spec = after['spec'] as KrmObject;
    setNote(spec, 'replicas', { comment: undefined });
    setNote(after['metadata'] as KrmObject, 'name', { comment: 'who' });
    const edited = editInPlace(source, [after]);
    expect(edited).toBe(
      TEXTS[0]!.replace(' # kpt-set: ${replicas}', '').replace('name: web\n', 'name: web # who\n'),
    );
    expect(noteOf(readResources('x', edited).documents[0]!.value['metadata'] as KrmObject, 'name')).toEqual({
      comment: 'who',
    });
  });

  test('a flow list that becomes a block list keeps its comments', () => {
    const text = 'apiVersion: v1\nkind: X\nmetadata:\n  name: x\nspec:\n  list: [a, b] # all\n  other: c\n';
    const source = readResources('x.yaml', text);
    const after = copyValue(source.documents[0]!.value);
    const spec = after['spec'] as KrmObject;
    setNote(spec, 'list', { style: undefined, keyComment: 'all', comment: undefined });
    setNote(spec['list'] as unknown[], 1, { comment: 'second' });
    expect(editInPlace(source, [after])).toBe(
      text.replace('list: [a, b] # all\n', 'list: # all\n    - a\n    - b # second\n'),
    );
  });

  test.each([
    [
      'metadata: {name: x, labels: {app: web, tier: "1"}}\nlist: [{port: 80}, {port: 81}]\n',
      'metadata:\n  name: x\n  labels:\n    app: web # of it\n    tier: "1"\nlist: [{port: 80}, {port: 81}]\n',
    ],
    ['metadata:\n  name: x\n  labels: {}\nlist: [{a: {app: web}}, {b: 1}]\n', ''],
    ['{"metadata": {"name": "x", "labels": {"app": "web"}}, "list": [1]}\n', ''],
  ])('a comment inside {} or [] is written, and they become blocks around it: %j', (text, wanted) => {
    const source = readResources('x.yaml', text);
    const after = copyValue(source.documents[0]!.value);
    const note = (within: unknown): void => {
      if (!isMap(within) && !Array.isArray(within)) return;
      if (isMap(within) && 'app' in within) setNote(within, 'app', { comment: 'of it' });
      Object.values(within).forEach(note);
    };
    note(after);
    const edited = editInPlace(source, [after]);
    expect(sameValue(readResources('x.yaml', edited).documents[0]!.value, after), edited).toBe(true);
    expect(edited).toContain(' # of it\n');
    if (wanted !== '') expect(edited).toBe(wanted);
  });
});

function inspect(data: unknown): string {
  return JSON.stringify(data, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner));
}
