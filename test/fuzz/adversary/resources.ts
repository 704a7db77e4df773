/** The resources of a package: what functions and guardrails have to go through. */
import type { Choices, Rule } from './choices.ts';
import { cel } from './expressions.ts';
import { pattern, subject } from './patterns.ts';
import { yaml } from './yaml.ts';

export const json = (value: unknown): string => JSON.stringify(value);

/** As the text of a JSON document, which YAML reads too: what it says is meant, however strange. */
export function resource(kind: string, fields: Record<string, unknown>, apiVersion = 'v1'): string {
  return `${json({ apiVersion, kind, metadata: { name: 'a' }, ...fields })}\n`;
}

/** Labels, setters, data: few, or very many. */
export function labels(choices: Choices): Record<string, string> {
  const value = choices.pick(['v', '', '${a}', '${k0}${k1}', '[a, b]', '__proto__', '{{ x }}']);
  return Object.fromEntries(Array.from({ length: choices.times(30) }, (_, at) => [`k${at}`, value]));
}

export const resources: Rule = (choices) =>
  choices.one([
    (c) => resource('ConfigMap', { data: { a: subject(c) } }),
    (c) =>
      c.many(
        (at) =>
          `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a${at}\ndata:\n  a: b # kpt-set: \${k0}\n`,
      ),
    (c) =>
      resource(
        'Deployment',
        {
          spec: {
            template: {
              spec: {
                containers: Array.from({ length: c.times(60) }, (_, at) => ({
                  name: `c${at}`,
                  image: 'a/b:v1',
                })),
              },
            },
          },
        },
        'apps/v1',
      ),
    (c) => resource('Deployment', { spec: { a: subject(c), x: { y: c.pick([1, 'a', null]) } } }, 'apps/v1'),
    (c) =>
      resource('ConfigMap', {
        metadata: {
          name: 'a',
          annotations: {
            'config.kubernetes.io/path': c.pick(['../../a', `${'d/'.repeat(2_000)}a.yaml`, 'a.yaml', '']),
            'config.kubernetes.io/index': c.pick(['0', '99999999999', '-1', 'a']),
            'internal.config.kubernetes.io/index': '1',
          },
        },
      }),
    (c) =>
      resource('List', {
        items: Array.from({ length: c.times(60) }, (_, at) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `a${at}` },
        })),
      }),
    (c) =>
      resource(
        'ClusterRole',
        {
          rules: Array.from({ length: c.times(60) }, (_, at) => ({
            apiGroups: ['*', `${at}`],
            resources: ['*', 'a', 'b'],
            verbs: ['*', 'get', 'list'],
          })),
        },
        'rbac.authorization.k8s.io/v1',
      ),
    (c) =>
      resource(
        'ClusterRole',
        {
          rules: [
            {
              apiGroups: Object.keys(labels(c)),
              resources: Object.keys(labels(c)),
              verbs: Object.keys(labels(c)),
            },
          ],
        },
        'rbac.authorization.k8s.io/v1',
      ),
    (c) =>
      c.many(
        (at) =>
          `---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b${at}}\nroleRef: {kind: ClusterRole, name: a}\nsubjects: [{kind: User, name: u}]\n`,
      ),
    definition,
    (c) => yaml(c),
    (c) => c.some(yaml),
  ]);

function definition(choices: Choices): string {
  const spec = {
    group: 'x.y',
    names: { kind: 'X', plural: 'xs' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema(choices, 4) } }],
  };
  return `${resource('CustomResourceDefinition', { metadata: { name: 'xs.x.y' }, spec }, 'apiextensions.k8s.io/v1')}---\n${resource('X', { spec: { a: subject(choices), b: Array.from({ length: choices.times(5) }, (_, at) => at) } }, 'x.y/v1')}`;
}

function schema(choices: Choices, depth: number): unknown {
  const inner = (): unknown =>
    depth > 0 && choices.more ? schema(choices, depth - 1) : { type: 'string', pattern: pattern(choices) };
  const copies = (): number => Math.min(20_000, choices.times(40));
  return choices.pick<() => unknown>([
    () => ({ type: 'object', properties: { spec: inner() } }),
    () => ({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            a: { type: 'string', pattern: pattern(choices), maxLength: 5 },
            b: { type: 'array', uniqueItems: true, items: inner(), 'x-kubernetes-list-type': 'set' },
          },
        },
      },
    }),
    () => ({ type: 'object', additionalProperties: inner() }),
    () => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: copies() }, (_, at) => [`p${at}`, { type: 'string' }]),
      ),
      required: Object.keys(labels(choices)),
    }),
    () => ({
      allOf: Array.from({ length: copies() }, () => ({ type: 'object' })),
      anyOf: [inner(), inner()],
      not: inner(),
    }),
    () => ({ oneOf: Array.from({ length: copies() }, () => ({ anyOf: [{}, {}] })) }),
    () => ({ type: 'string', enum: Array.from({ length: copies() }, (_, at) => `v${at}`) }),
    () => ({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': Array.from({ length: Math.min(50, copies()) }, () => ({
        rule: cel(choices),
      })),
    }),
    () => ({ $ref: '#', properties: { a: { $ref: '#/properties/a' } } }),
    () => JSON.parse(choices.nested('{"type":"object","properties":{"a":', '{}', '}}')) as unknown,
    () => ({
      multipleOf: 1e-300,
      minimum: 'a',
      maxProperties: -1,
      format: pattern(choices),
      default: inner(),
    }),
  ])();
}
