import { describe, expect, test } from 'vitest';

import { linearPattern } from '../../../src/function/schema/linear-pattern.ts';
import { check } from './check.ts';

function definition(schema: string, extra = ''): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
${extra}  versions:
  - { name: v0, served: true, storage: false }
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, properties: { spec: ${schema} } } }
`;
}

const HEAD = 'apiVersion: example.org/v1\nkind: Widget\nmetadata: { name: a }\n';

const oldDefinition = (extra: string): string => `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: { name: widgets.example.org }
spec:
  group: example.org
  version: v1
  names: { kind: Widget, plural: widgets }
  ${extra}
  validation: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { a: { type: string } } } } } }
`;

function checkOld(extra: string): string[] {
  return check(`${HEAD}spec: { a: 1, b: 2 }\n`, { beside: [check.read(oldDefinition(extra))] });
}

function checkSpec(schema: string, spec: string, strict = true): string[] {
  const crd = check.read(definition(schema));
  expect(check.value(crd)).toEqual([]);
  return check(`${HEAD}spec: ${spec}\n`, { beside: [crd], strict });
}

describe('resources are held against the definition in their package', () => {
  const ports =
    '{ type: array, minItems: 1, maxItems: 2, items: { type: integer, minimum: 1, maximum: 65535 } }';
  test.each([
    [
      '{ type: object, properties: { a: { type: string } } }',
      '{ a: 1 }',
      'spec.a: got number, want null or string',
    ],
    [
      '{ type: object, properties: { a: { type: string } } }',
      '{ b: 1, c: 2 }',
      "spec: additional properties 'b', 'c' not allowed",
    ],
    ['{ type: object }', '{ b: 1 }', "spec: additional properties 'b' not allowed"],
    [
      '{ type: object, required: [a, b], properties: { a: {}, b: { type: integer, default: 1 } } }',
      '{}',
      "spec: missing property 'a'",
    ],
    [
      '{ type: object, required: [a], properties: { a: { type: string } } }',
      '{ a: null }',
      'spec.a: got null, want string',
    ],
    ['{ type: array, items: { type: string } }', '[a, null]', 'spec.1: got null, want string'],
    [ports, '[]', 'spec: minItems: got 0, want 1'],
    [ports, '[1, 2, 3]', 'spec: maxItems: got 3, want 2'],
    [ports, '[0]', 'spec.0: minimum: got 0, want 1'],
    [ports, '[99999999999999999999]', 'spec.0: maximum: got 99999999999999999999, want 65535'],
    ['{ type: number, minimum: 0, exclusiveMinimum: true }', '0', 'spec: exclusiveMinimum: got 0, want 0'],
    ['{ type: number, multipleOf: 0.1 }', '0.25', 'spec: multipleOf: got 0.25, want 0.1'],
    ['{ type: string, enum: [a, b] }', 'c', "spec: value must be one of 'a', 'b'"],
    ['{ type: string, enum: [a] }', 'c', "spec: value must be 'a'"],
    ['{ type: string, minLength: 2 }', '"\u{1f600}"', 'spec: minLength: got 1, want 2'],
    ['{ type: string, maxLength: 1 }', 'ab', 'spec: maxLength: got 2, want 1'],
    ["{ type: string, pattern: '^[a-z]{1,63}$' }", 'A', "spec: 'A' does not match pattern '^[a-z]{1,63}$'"],
    [
      '{ type: object, maxProperties: 1, additionalProperties: { type: integer } }',
      '{ a: 1, b: 2 }',
      'spec: maxProperties: got 2, want 1',
    ],
    [
      '{ type: object, additionalProperties: { type: integer } }',
      '{ a: x }',
      'spec.a: got string, want null or integer',
    ],
    ['{ x-kubernetes-int-or-string: true }', 'true', 'spec: got boolean, want null or integer or string'],
    [
      '{ type: object, properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }',
      '{ a: x, b: x }',
      'spec: oneOf failed, subschemas 0, 1 matched',
    ],
    [
      '{ type: object, properties: { a: { type: string } }, anyOf: [{ required: [a] }] }',
      '{}',
      'spec: anyOf failed',
    ],
    [
      '{ type: object, properties: { a: { type: integer } }, allOf: [{ properties: { a: { minimum: 5 } } }] }',
      '{ a: 1 }',
      'spec.a: minimum: got 1, want 5',
    ],
    [
      '{ type: object, properties: { a: { type: integer } }, not: { required: [a] } }',
      '{ a: 1 }',
      'spec: not failed',
    ],
    [
      '{ type: object, x-kubernetes-embedded-resource: true, properties: { spec: { type: object } } }',
      '{ apiVersion: v1, kind: A, metadata: {}, a: 1 }',
      "spec: additional properties 'a' not allowed",
    ],
    ['{ type: string, format: date-time }', 'now', "spec: 'now' is not valid date-time"],
  ])('%s: %s', (schema, spec, message) => expect(checkSpec(schema, spec)).toEqual([message]));

  test.each([
    [
      '{ type: object, x-kubernetes-preserve-unknown-fields: true, properties: { a: { type: string } } }',
      '{ b: 1 }',
    ],
    ['{ type: object, additionalProperties: true }', '{ b: 1 }'],
    ['{ x-kubernetes-int-or-string: true, anyOf: [{ type: integer }, { type: string }] }', '50%'],
    [
      '{ type: object, properties: { a: { type: string, nullable: true }, b: { type: array, items: { type: string, nullable: true } } } }',
      '{ a: null, b: [null] }',
    ],
    ['{ type: object, properties: { a: { type: string, enum: [x] } } }', '{ a: null }'],
    ['{ type: number }', '1'],
    ['{ type: integer }', '123456789012345678901234567890'],
    ["{ type: string, pattern: '^(?!a)' }", 'a'],
  ])('%s: %s passes', (schema, spec) => expect(checkSpec(schema, spec)).toEqual([]));

  test('unknown fields pass where strict is off, wrong types do not', () => {
    const schema = '{ type: object, properties: { a: { type: string } } }';
    expect(checkSpec(schema, '{ b: 1, a: 1 }', false)).toEqual(['spec.a: got number, want null or string']);
  });

  test('metadata is an object meta, other versions and kinds have no schema', () => {
    const crd = check.read(definition('{ type: object }'));
    const of = (text: string): string[] => check(text, { beside: [crd] });
    expect(of(HEAD.replace('name: a', 'name: a, lables: {}'))).toEqual([
      "metadata: additional properties 'lables' not allowed",
    ]);
    expect(of(HEAD.replace('v1', 'v0') + 'spec: 1\n')).toEqual([]);
    expect(of(HEAD.replace('Widget', 'Gadget') + 'spec: 1\n')).toEqual([]);
  });

  test('a v1beta1 definition keeps unknown fields unless it says otherwise', () => {
    const wrongType = 'spec.a: got number, want null or string';
    expect(checkOld('scope: Cluster')).toEqual([wrongType]);
    expect(checkOld('preserveUnknownFields: false')).toEqual([
      wrongType,
      "spec: additional properties 'b' not allowed",
    ]);
  });

  test('a definition that is wrong itself demands nothing and breaks nothing', () => {
    for (const schema of [
      '5',
      '[]',
      '{ type: [a], properties: 5, required: {}, enum: 1, pattern: 5, allOf: {}, items: [] }',
      '{ properties: { __proto__: { type: string } } }',
    ]) {
      const crd = check.read(definition(schema));
      expect(
        check(`${HEAD}spec: { a: 1 }\n`, { beside: [crd] }).filter(
          (said) => !said.startsWith('spec.versions'),
        ),
      ).toEqual([]);
    }
  });
});

test('definitions from elsewhere count before those of the package, for the versions that they have', () => {
  const [loose, strict] = ['string', 'integer'].map((type) =>
    check.read(definition(`{ type: object, properties: { size: { type: ${type} } } }`)),
  );
  const widget = check.read(`${HEAD}spec: { size: big }\n`);
  const other = { ...widget, apiVersion: 'example.org/v2' };
  expect(check.value(widget, { beside: [loose!] })).toEqual([]);
  expect(check.value(widget, { beside: [loose!], definitions: [strict!] })).toEqual([
    'spec.size: got string, want null or integer',
  ]);
  expect(check.value(other, { definitions: [strict!] })).toEqual([]);
});

describe('patterns', () => {
  test.each([
    ['^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$', 'a'.repeat(63), true],
    ['^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$', 'a'.repeat(64), false],
    ['^(ab){3}$', 'ababab', true],
    ['^(ab){2,}$', 'ab', false],
    ['^(?P<year>\\d{4})-x$', '2026-x', true],
    ['^a{0}$', '', true],
    ['\\Aa{,2}\\z', 'a{,2}', true],
    ['^[]x]+$', ']x', true],
    ['^[[]$', '[', true],
    ['^a|b$', 'xb', true],
  ])('%s and %s: %s', (pattern, text, matches) => {
    const compiled = linearPattern(pattern);
    expect(typeof compiled === 'object' && compiled.test(text, () => {})).toBe(matches);
  });

  test.each([
    'a{1001}',
    'a{3,2}',
    '(a)\\1',
    '(?=a)',
    '(?<!a)b',
    '[[:alpha:]]',
    '\\p{L}',
    '(',
    ')',
    '[a',
    'a\\',
    '('.repeat(100),
    '*',
    '(?i)a',
  ])('%s is not run', (pattern) => expect(linearPattern(pattern)).toBeUndefined());

  test.each([
    '(a{1000}){1000}',
    '(((a{100}){100}){100}){100}',
    '^(?:(?:a{0,1000})){0,20}b$',
    'a'.repeat(6_000),
  ])('%.40s is too large to be checked', (pattern) => expect(linearPattern(pattern)).toBe('too large'));
});
