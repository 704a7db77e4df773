/** Small packages that would hold or end whatever renders them in its own process. */
import type { PackageFiles } from '../../src/package/package.ts';

export function packageOf(files: Readonly<Record<string, string>>): PackageFiles {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );
}

export function kptfile(mutators: string, validators = ''): string {
  return `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
pipeline:
${mutators === '' ? '' : `  mutators:\n${mutators}`}${validators === '' ? '' : `  validators:\n${validators}`}`;
}

export const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  a: b\n';

function starlark(name: string, source: string): string {
  const lines = source.split('\n').map((line) => `  ${line}`);
  return `apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata:\n  name: ${name}\nsource: |\n${lines.join('\n')}\n`;
}

/** So many functions of Starlark, each with much to do and within what one may do. */
export function manyFunctions(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, at) => `s${at}`);
  return {
    Kptfile: kptfile(
      names.map((name) => `  - image: starlark:v0.4\n    configPath: ${name}.yaml\n`).join(''),
    ),
    ...Object.fromEntries(
      names.map((name) => [
        `${name}.yaml`,
        starlark(name, 'def work():\n  n = 0\n  for i in range(100000):\n    n = n + i\nwork()'),
      ]),
    ),
    'map.yaml': CONFIG_MAP,
  };
}

const glob = (pattern: string, file: string): Record<string, string> => ({
  Kptfile: kptfile(
    `  - image: search-replace:v0.2\n    configMap: { by-file-path: "${pattern}", by-value: b, put-value: c }\n`,
  ),
  [`${file}.yaml`]: CONFIG_MAP,
});

/** By what they do. The first six are those of the review; what is mended in the functions as well ends quickly. */
export const HOSTILE: Readonly<Record<string, () => Record<string, string>>> = {
  'stars in a glob': () => glob(`${'*a'.repeat(12)}b`, 'a'.repeat(100)),
  'braces in a glob': () => glob('{a,b}'.repeat(16), 'web'),
  'a range in a glob': () => glob('{1..9999999}', 'web'),
  'copies that double': () => {
    const copies = Array.from({ length: 18 }, (_, at) => at);
    return {
      Kptfile: kptfile(
        copies.map((at) => `  - image: apply-replacements:v0.1\n    configPath: r${at}.yaml\n`).join(''),
      ),
      ...Object.fromEntries(
        copies.map((at) => [
          `r${at}.yaml`,
          `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyReplacements
metadata:
  name: r${at}
  annotations: { config.kubernetes.io/local-config: "true" }
replacements:
- source: { kind: Thing, name: web, fieldPath: spec }
  targets:
  - select: { kind: Thing, name: web }
    fieldPaths: [spec.a, spec.b]
    options: { create: true }
`,
        ]),
      ),
      'thing.yaml': 'apiVersion: v1\nkind: Thing\nmetadata:\n  name: web\nspec:\n  x: z\n',
    };
  },
  'three hundred functions': () => manyFunctions(300),
  'a pattern of a schema': () => ({
    Kptfile: kptfile('', '  - image: kubeconform:v0.1\n'),
    'crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Thing, plural: things }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, properties: { text: { type: string, pattern: "^(?:(?:a{0,1000})){0,20}b$" } } }
`,
    'thing.yaml': `apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: web }\nspec: { text: ${'a'.repeat(16_000)} }\n`,
  }),
  'a long expression': () => ({
    Kptfile: kptfile(
      `  - image: search-replace:v0.2\n    configMap: { by-value-regex: "${'a?'.repeat(8_000)}${'a'.repeat(2_000)}", put-value: c }\n`,
    ),
    'map.yaml': CONFIG_MAP.replace('a: b', `a: ${'a'.repeat(2_000)}`),
  }),
  'deep nesting': () => ({
    Kptfile: kptfile('  - image: set-labels:v0.2\n    configMap: { a: b }\n'),
    'deep.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`,
  }),
  'aliases of aliases': () => ({
    Kptfile: kptfile('  - image: set-labels:v0.2\n    configMap: { a: b }\n'),
    'bomb.yaml': [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: { name: web }',
      'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
      ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`),
      '',
    ].join('\n'),
  }),
  'many resources': () => ({
    Kptfile: kptfile('  - image: set-labels:v0.2\n    configMap: { a: b }\n'),
    'many.yaml': Array.from(
      { length: 9_000 },
      (_, at) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m${at} }\n`,
    ).join('---\n'),
  }),
  'a text that doubles': () => ({
    Kptfile: kptfile('  - image: starlark:v0.4\n    configPath: s.yaml\n'),
    's.yaml': starlark('s', 'def work():\n  t = "x" * 1000\n  for i in range(40):\n    t = t + t\nwork()'),
    'map.yaml': CONFIG_MAP,
  }),
  'lists in lists': () => ({
    Kptfile: kptfile('  - image: starlark:v0.4\n    configPath: s.yaml\n'),
    's.yaml': starlark(
      's',
      'def work():\n  l = [1, 2, 3]\n  for i in range(40):\n    l = [l, l, l, l]\n  ctx.resource_list["items"][0]["data"] = l\nwork()',
    ),
    'map.yaml': CONFIG_MAP,
  }),
};
