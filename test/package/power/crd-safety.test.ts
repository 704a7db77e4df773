import { describe, expect, test } from 'vitest';

import { crdSafety } from '../../../src/package/power/crd-safety.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';

type Schema = Readonly<Record<string, unknown>>;

function crd(versions: readonly KrmObject[], more: KrmObject = {}, annotations: KrmObject = {}): KrmObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.acme.io', annotations },
    spec: {
      group: 'acme.io',
      scope: 'Namespaced',
      names: { kind: 'Shop', plural: 'shops' },
      versions,
      ...more,
    },
  };
}

const version = (name: string, size: Schema | null, more: KrmObject = {}): KrmObject => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: size === null ? {} : { size },
          ...(more['spec'] as object | undefined),
        },
      },
    },
  },
  ...(more['version'] as object | undefined),
});

const told = (old: KrmObject, now: KrmObject): string[] =>
  crdSafety([old], [now]).map(({ message }) => message);
const field = (old: Schema | null, now: Schema | null): string[] =>
  told(crd([version('v1', old)]), crd([version('v1', now)]));

const INTEGER = { type: 'integer' };

test.each<[string, Schema | null, Schema | null]>([
  ['a new optional field', null, INTEGER],
  ['a description', INTEGER, { ...INTEGER, description: 'words' }],
  ['an enum value more', { enum: ['a'] }, { enum: ['a', 'b'] }],
  ['no enum any more', { enum: ['a'] }, {}],
  ['a lower minimum', { minimum: 2 }, { minimum: 1 }],
  ['no maximum any more', { maximum: 2 }, {}],
  [
    'a higher maximum past what doubles hold',
    { maximum: 9_007_199_254_740_993n },
    { maximum: 9_007_199_254_740_995n },
  ],
  ['a pattern less', { pattern: 'x' }, {}],
  ['a rule less', { 'x-kubernetes-validations': [{ rule: 'true' }] }, {}],
  ['unknown fields kept', {}, { 'x-kubernetes-preserve-unknown-fields': true }],
  ['a field no longer required', { required: ['a'], properties: { a: {} } }, { properties: { a: {} } }],
])('%s is safe', (_name, old, now) => {
  expect(field(old, now)).toEqual([]);
});

test.each<[string, Schema | null, Schema | null, string]>([
  ['removed', INTEGER, null, 'v1: ^.spec.size: removed: the field was removed, and its values are dropped'],
  ['type', INTEGER, { type: 'string' }, 'v1: ^.spec.size: type: "integer" became "string"'],
  ['enum', { enum: ['a', 'b'] }, { enum: ['a'] }, 'v1: ^.spec.size: enum: "b" no longer allowed'],
  ['first enum', {}, { enum: ['a'] }, 'v1: ^.spec.size: enum: only ["a"] are allowed now'],
  ['minimum', { minimum: 1 }, { minimum: 2 }, 'v1: ^.spec.size: minimum: 1 became 2'],
  ['new maximum', {}, { maxLength: 2 }, 'v1: ^.spec.size: maxLength: maxLength 2 was added'],
  ['pattern', { pattern: 'a' }, { pattern: 'b' }, 'v1: ^.spec.size: pattern: pattern: "a" became "b"'],
  ['default', {}, { default: 1 }, 'v1: ^.spec.size: default: nothing became 1'],
  [
    'nullable',
    {},
    { nullable: true },
    'v1: ^.spec.size: nullable: null is allowed now, which clients may not know',
  ],
  [
    'required',
    { properties: { a: {} } },
    { required: ['a'], properties: { a: {} } },
    'v1: ^.spec.size: required: "a" must be there now',
  ],
  ['oneOf', {}, { oneOf: [{}] }, 'v1: ^.spec.size: unhandled: oneOf: nothing became [{}]'],
  [
    'items',
    { items: INTEGER },
    { items: { type: 'string' } },
    'v1: ^.spec.size[*]: type: "integer" became "string"',
  ],
  ['a keyword nobody knows', {}, { 'x-new': 1 }, 'v1: ^.spec.size: unhandled: x-new: nothing became 1'],
  [
    'unknown fields',
    { 'x-kubernetes-preserve-unknown-fields': true },
    {},
    'v1: ^.spec.size: x-kubernetes-preserve-unknown-fields: unknown fields are dropped now',
  ],
])('%s is not safe', (_name, old, now, message) => {
  expect(field(old, now)).toEqual([message]);
});

describe('the definition as a whole', () => {
  const v1 = version('v1', INTEGER);
  test.each<[string, KrmObject, string[]]>([
    ['scope', crd([v1], { scope: 'Cluster' }), ['scope: changed from "Namespaced" to "Cluster"']],
    [
      'the stored version gone',
      crd([version('v2', INTEGER)]),
      ['storedVersionRemoved: objects are stored as v1, which was removed'],
    ],
    [
      'no longer served',
      crd([version('v1', INTEGER, { version: { served: false } })]),
      ['servedVersionRemoved: v1 is no longer served'],
    ],
    [
      'stored as another',
      crd([
        version('v1', INTEGER, { version: { storage: false } }),
        version('v2', INTEGER, { version: { storage: true } }),
      ]),
      ['storageVersion: objects are stored as v1 until they are migrated'],
    ],
    ['one more version', crd([v1, version('v2', INTEGER)]), []],
  ])('%s', (_name, now, expected) => {
    expect(told(crd([v1]), now)).toEqual(expected);
  });

  test('one that is new is safe, one that is gone is not', () => {
    expect(crdSafety([], [crd([v1])])).toEqual([]);
    expect(crdSafety([crd([v1])], [])).toMatchObject([{ severity: 'error' }]);
  });

  test('served versions must agree where nothing converts; what they disagreed on before is not told again', () => {
    const disagree = [v1, version('v2', { type: 'string' })];
    expect(told(crd([v1]), crd(disagree))).toEqual([
      'v1 to v2: ^.spec.size: type: "integer" became "string" (both versions are served, without conversion)',
    ]);
    expect(told(crd(disagree), crd(disagree))).toEqual([]);
    expect(told(crd([v1]), crd(disagree, { conversion: { strategy: 'Webhook' } }))).toEqual([]);
  });
});

test('a change that was looked at is named once, in the change that brings it', () => {
  const v1 = version('v1', INTEGER);
  const allow = { 'portico.dev/allow-crd-change': 'v1:^.spec.size' };
  const changed = version('v1', { type: 'string' });
  expect(told(crd([v1]), crd([changed], {}, allow))).toEqual([]);
  expect(told(crd([v1], {}, allow), crd([changed], {}, allow))).toHaveLength(1);
});

test('results name the field and the file', () => {
  const annotations = {
    'internal.config.kubernetes.io/path': 'crd.yaml',
    'internal.config.kubernetes.io/index': '1',
  };
  expect(
    crdSafety([crd([version('v1', INTEGER)])], [crd([version('v1', { type: 'string' })], {}, annotations)]),
  ).toEqual([
    {
      message: 'v1: ^.spec.size: type: "integer" became "string"',
      severity: 'error',
      resourceRef: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        name: 'shops.acme.io',
      },
      field: {
        path: 'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.type',
        currentValue: 'string',
      },
      file: { path: 'crd.yaml', index: 1 },
      tags: { check: 'type' },
    },
  ]);
});

test('odd definitions are no error', () => {
  const odd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const deep = (n: number, end: Schema): Schema => (n === 0 ? end : { properties: { a: deep(n - 1, end) } });
  expect(crdSafety([odd], [odd])).toEqual([]);
  expect(field(deep(100, INTEGER), deep(100, { type: 'string' }))[0]).toContain(
    'changed deeper than is checked',
  );
});
