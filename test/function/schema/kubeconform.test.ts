import { describe, expect, test } from 'vitest';

import { kubeconform } from '../../../src/function/builtin/check-schemas.ts';
import { customResourceSchemas } from '../../../src/function/schema/custom-resource-schema.ts';
import type { ResultItem } from '../../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { readResources } from '../../../src/package/render/read-resources.ts';
import { WorkBudget } from '../../../src/package/render/work-budget.ts';
import { readPackages } from '../../corpus/packages/package-case.ts';
import { kptfile, render } from '../../package/render/support.ts';
import { runBuiltin } from '../builtin/run-builtin.ts';
import { KUBERNETES_KINDS } from './kubernetes-kinds.ts';

const WRONG = `apiVersion: v1
kind: Service
metadata:
  name: a
  namespace: b
spec:
  ports:
  - port: "80"
  selectr: # mistyped
    app: a
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: d }
`;

async function messages(config: Record<string, string>, text = WRONG): Promise<readonly string[]> {
  return (await runBuiltin('kubeconform:v0.1', config, text)).messages;
}

describe('options', () => {
  const port = 'got string, want integer';
  const unknown = "additional properties 'selectr' not allowed";

  test.each<[Record<string, string>, string[]]>([
    [{}, [port]],
    [{ strict: 'false' }, [port]],
    [{ strict: 'True' }, [port, unknown]],
    [{ strict: '1', ignore_missing_schemas: 'true' }, [port, unknown]],
    [{ strict: 'true', skip_kinds: 'Deployment, Service' }, []],
    [{ strict: 'true', skip_kinds: 'v1/Service' }, []],
    [{ strict: 'true', skip_kinds: 'v2/Service,service' }, [port, unknown]],
    [{ schema_location: 'default' }, [port]],
  ])('%j', async (config, expected) => expect(await messages(config)).toEqual(expected));

  test.each(['schema_location', 'additional_schema_locations'])('%s cannot be read', async (option) => {
    const [message, ...more] = await messages({ [option]: '/jsonschema,https://example.org/schemas' });
    expect(message).toMatch(
      new RegExp(`^${option} names "https://example.org/schemas", which cannot be read here`),
    );
    expect(more).toEqual([]);
  });

  test('they may stand at the root of any configuration, or nowhere', async () => {
    const config = 'apiVersion: a/v1\nkind: Config\nmetadata: { name: c }\nstrict: true\n';
    expect((await runBuiltin('kubeconform:latest', config, WRONG)).messages).toEqual([port, unknown]);
    expect((await runBuiltin('kubeconform', undefined, WRONG)).messages).toEqual([port]);
  });
});

test('kinds without schema pass; kpt has them pass too', async () => {
  const { output, text } = await runBuiltin(
    'kubeconform:v0.1',
    { strict: 'true' },
    'apiVersion: a/v1\nkind: B\nmetadata: { name: c }\nx: 1\n',
  );
  expect(output).toMatchObject({ exitCode: 0, results: [] });
  expect(text).toContain('x: 1');
});

test('kinds without schema are warned of where missing schemas are not to be ignored', async () => {
  const text = ['a/v1', 'kpt.dev/v1', 'v1', 'c/v1']
    .map((apiVersion) => `apiVersion: ${apiVersion}\nkind: Secret\nmetadata: { name: c }\n`)
    .join('---\n');
  const config = { ignore_missing_schemas: 'false', skip_kinds: 'c/v1/Secret' };
  const { output } = await runBuiltin('kubeconform:v0.1', config, text);
  expect(output).toMatchObject({
    exitCode: 0,
    results: [
      {
        severity: 'warning',
        message: 'no schema is known for Secret of a/v1: it was not checked',
        resourceRef: { apiVersion: 'a/v1', kind: 'Secret', name: 'c' },
      },
    ],
  });
});

test('a finding stands at the field, an unknown field at its own line', async () => {
  const pipeline = '  validators:\n  - image: kubeconform:v0.1\n    configMap: { strict: "true" }\n';
  const result = await render({ Kptfile: kptfile('p', pipeline), 'a.yaml': WRONG });
  expect(result.ok).toBe(false);
  expect(
    result.findings.map(({ file, line, column, severity, resource, item }) => ({
      file,
      line,
      column,
      severity,
      name: resource?.name,
      field: item.field?.path,
    })),
  ).toEqual([
    { file: 'a.yaml', line: 8, column: 5, severity: 'error', name: 'a', field: 'spec.ports.0.port' },
    { file: 'a.yaml', line: 9, column: 3, severity: 'error', name: 'a', field: 'spec' },
  ]);
});

test("a List's resources are checked one by one", async () => {
  const list =
    'apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { a: 1 } }\n- 5\n';
  const out = kubeconform({
    items: [readResources('a', list).documents[0]!.value],
    version: 'v0.1',
    budget: new WorkBudget(),
  });
  expect(out.results.map(({ field, message }) => [field?.path, message])).toEqual([
    ['items.0.data.a', 'got number, want null or string'],
  ]);
});

const strictly = (...items: KrmObject[]): readonly ResultItem[] =>
  kubeconform({
    items,
    functionConfig: { strict: 'true' },
    version: 'v0.1',
    budget: new WorkBudget(),
  }).results;
const run = (...items: KrmObject[]): readonly string[] => strictly(...items).map(({ message }) => message);
const crd = (schema: KrmObject): KrmObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'as.e' },
  spec: {
    group: 'e',
    scope: 'Cluster',
    names: { kind: 'A', plural: 'as' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const a = (spec: unknown): KrmObject => ({ apiVersion: 'e/v1', kind: 'A', metadata: { name: 'a' }, spec });
const nested = (levels: number, wrap: (inner: unknown) => unknown, core: unknown = {}): unknown => {
  let value = core;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
};

describe('hostile input is bounded', () => {
  test('many complaints', () => {
    const data = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]));
    const said = run({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
    expect(said).toHaveLength(1001);
    expect(said.at(-1)).toMatch(/^Only the first 1000/);
  });

  test('many and long unknown fields make one short message', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`k${at}${'x'.repeat(300)}`, 1]),
    );
    const said = run({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...fields });
    expect(said).toHaveLength(1);
    expect(said[0]!.length).toBeLessThan(6000);
    expect(said[0]).toMatch(/and 49980 more not allowed$/);
  });

  test('deep values and deep schemas', () => {
    const spec = nested(5000, (items) => ({ type: 'object', properties: { a: items } }));
    const said = run(
      crd({ type: 'object', properties: { spec } }),
      a(nested(5000, (inner) => ({ a: inner }))),
    );
    expect(said).toEqual(['nested more than 200 levels deep']);
    const alternatives = nested(5000, (inner) => ({ anyOf: [inner, inner] }));
    expect(run(crd({ type: 'object', properties: { spec: { type: 'string' } } }), a(alternatives))).toEqual([
      'got object, want null or string',
    ]);
  });

  test('alternatives that double with each level', () => {
    const spec = nested(40, (inner) => ({ anyOf: [inner, inner] }), { type: 'string' });
    const said = run(crd({ type: 'object', properties: { spec } }), a(5));
    expect(said).toEqual([expect.stringMatching(/too large to be checked/)]);
  });

  test('a pattern and a text that are both long', () => {
    const spec = { type: 'array', items: { type: 'string', pattern: '(a*b?){1000}c' } };
    const said = run(
      crd({ type: 'object', properties: { spec } }),
      a(Array.from({ length: 1000 }, () => 'a'.repeat(20_000))),
    );
    expect(said.at(-1)).toMatch(/too large to be checked/);
  });

  test('names of the language are names like any other', () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n__proto__: { a: 1 }\nconstructor: 1\ndata: { __proto__: 5 }\n';
    const out = run(readResources('a', text).documents[0]!.value);
    expect(out).toEqual([
      'got number, want null or string',
      "additional properties '__proto__', 'constructor' not allowed",
    ]);
    expect(customResourceSchemas([])('v1', '__proto__')).toBeUndefined();
  });
});

/** What the packages get wrong; a server refuses each of these too. */
const TRUE_COMPLAINTS = [
  // A patch for kustomize, which is no whole Deployment.
  'kustomize: Deployment web spec.replicas: got string, want null or integer',
  "kustomize: Deployment web spec: missing properties 'selector', 'template'",
  // A plain `y`, which a server reads as true.
  'odd-files: ConfigMap texts data.complex: got boolean, want null or string',
  "odd-files: Deployment flow spec: missing property 'selector'",
  "sidecars: StatefulSet db spec: missing property 'selector'",
];

const nameOfKind = ({ apiVersion, kind }: KrmObject): string => `${String(apiVersion)} ${String(kind)}`;
const isBuiltIn = (item: KrmObject): boolean => KUBERNETES_KINDS.has(nameOfKind(item));

describe('resources of whole packages', () => {
  const packages = readPackages().map(({ name, package: texts }) => ({
    name,
    items: Object.entries(texts).flatMap(([path, text]) =>
      /\.(?:ya?ml|json)$/.test(path) && !path.startsWith('templates/')
        ? readResources(path, text).documents.map(({ value }) => value)
        : [],
    ),
  }));

  test('pass, or the complaint is right', () => {
    const complaints = packages.flatMap(({ name, items }) =>
      strictly(...items).map(
        ({ resourceRef, field, message }) =>
          `${name}: ${resourceRef?.kind} ${resourceRef?.name} ${field?.path}: ${message}`,
      ),
    );
    expect(complaints.toSorted()).toEqual(TRUE_COMPLAINTS);
    const kinds = new Set(packages.flatMap(({ items }) => items.filter(isBuiltIn).map(nameOfKind)));
    expect(kinds.size).toBeGreaterThan(40);
  });

  test('are really checked: an unknown field is reported in each of them', () => {
    const unnoticed = packages.flatMap(({ items }) => {
      const schemaOf = customResourceSchemas(items);
      return items
        .filter(
          (item) =>
            isBuiltIn(item) || schemaOf(String(item['apiVersion']), String(item['kind'])) !== undefined,
        )
        .filter(({ kind }) => kind !== 'List' && kind !== 'Thing')
        .filter((item) => {
          const others = items.filter((one) => one !== item && one['kind'] === 'CustomResourceDefinition');
          const results = strictly(...others, { ...item, selectr: 1 });
          return !results.some(({ message }) => message === "additional properties 'selectr' not allowed");
        })
        .map((item) => `${nameOfKind(item)} ${JSON.stringify(item['metadata'])}`);
    });
    expect(unnoticed).toEqual([]);
  });
});
