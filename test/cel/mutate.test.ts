/** What mutating policies make of resources: the examples of Kubernetes' documentation, RFC 6902, and what is refused. */
import { describe, expect, test } from 'vitest';

import { applyJsonPatch, NOT_MEANT } from '../../src/cel/json-patch.ts';
import { mutate, type Mutated } from '../../src/cel/mutate.ts';
import { compilePolicy, type Mutation, type Policy } from '../../src/cel/policy.ts';
import type { Data } from '../../src/cel/review.ts';
import { builtinListKeys } from '../../src/package/merge/schema.ts';

const POD: Data = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    containers: [
      { name: 'a', image: 'nginx', env: [{ name: 'MODE', value: 'x' }], ports: [{ containerPort: 80 }] },
      { name: 'b', image: 'redis', args: ['one'] },
    ],
    nodeSelector: { disk: 'ssd' },
  },
};

function run(mutations: readonly Mutation[], rest: Partial<Policy> & { object?: Data } = {}): Mutated {
  const { object = POD, ...policy } = rest;
  const compiled = compilePolicy({ validations: [], mutations, ...policy });
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('\n'));
  const facts = { name: 'web', path: 'web', repository: '', labels: {}, annotations: {} };
  const review = { changes: [{ object, oldObject: null }], package: facts, namespaces: {}, params: { n: 3 } };
  return mutate(compiled.compiled, review, builtinListKeys);
}
const apply = (expression: string): Mutation => ({ kind: 'apply', expression });
const patch = (expression: string): Mutation => ({ kind: 'patch', expression });
const specOf = ({ remarks, objects }: Mutated): unknown => {
  expect(remarks).toEqual([]);
  return objects[0]?.object['spec'];
};
const why = ({ remarks, objects }: Mutated): string | undefined => {
  expect(objects).toEqual([]);
  return remarks[0]?.message;
};

describe('apply configurations', () => {
  test("the side car of Kubernetes' documentation", () => {
    const sidecar = apply(`Object{ spec: Object.spec{ initContainers: [ Object.spec.initContainers{
      name: "mesh-proxy", image: "mesh/proxy:v1.0.0", args: ["proxy", "sidecar"], restartPolicy: "Always" } ] } }`);
    const conditions = [{ name: 'none', expression: '!has(object.spec.initContainers)' }];
    const first = run([sidecar], { conditions });
    expect(specOf(first)).toMatchObject({
      initContainers: [
        {
          name: 'mesh-proxy',
          image: 'mesh/proxy:v1.0.0',
          args: ['proxy', 'sidecar'],
          restartPolicy: 'Always',
        },
      ],
    });
    // Again, it changes nothing.
    expect(run([sidecar], { conditions, object: first.objects[0]!.object }).objects).toEqual([]);
  });

  test('lists merge by their keys, whatever the schema leaves out', () => {
    const mutation = apply(`Object{spec: Object.spec{containers: object.spec.containers.map(c,
      Object.spec.containers{name: c.name, imagePullPolicy: 'Always',
        env: [Object.spec.containers.env{name: 'MODE', value: 'y'}, Object.spec.containers.env{name: 'N', value: string(params.n)}],
        ports: [Object.spec.containers.ports{containerPort: 80, protocol: 'TCP', name: 'http'}]})}}`);
    const spec = specOf(run([mutation])) as { containers: unknown[] };
    expect(spec.containers[0]).toEqual({
      name: 'a',
      image: 'nginx',
      env: [
        { name: 'MODE', value: 'y' },
        { name: 'N', value: '3' },
      ],
      ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }],
      imagePullPolicy: 'Always',
    });
    expect(spec.containers[1]).toMatchObject({ name: 'b', args: ['one'], imagePullPolicy: 'Always' });
  });

  test('optional fields, labels with slashes, and the mutation before', () => {
    const { objects } = run([
      apply(
        `Object{metadata: Object.metadata{labels: {"acme.com/team": "a"}, ?annotations: optional.none()}}`,
      ),
      apply(
        `Object{metadata: Object.metadata{?annotations: object.metadata.?labels[?"acme.com/team"].optMap(t, {"seen": t})}}`,
      ),
    ]);
    expect(objects[0]?.object['metadata']).toEqual({
      name: 'web',
      namespace: 'shop',
      labels: { 'acme.com/team': 'a' },
      annotations: { seen: 'a' },
    });
  });

  test.each<[string, string, string]>([
    [
      'an atomic list',
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'b', args: ['two']}]}}",
      'spec.containers.args is replaced as a whole',
    ],
    [
      'an atomic map',
      "Object{spec: Object.spec{nodeSelector: {'disk': 'hdd'}}}",
      'spec.nodeSelector is replaced as a whole',
    ],
    ['null', 'Object{spec: Object.spec{hostname: null}}', 'remove a field with a JSONPatch'],
    [
      'an item without its key',
      "Object{spec: Object.spec{containers: [Object.spec.containers{image: 'x'}]}}",
      'has no name, by which',
    ],
    ['another name', "Object{metadata: Object.metadata{name: 'other'}}", 'may not change metadata.name'],
    ['a text for a map', "Object{spec: 'x'}", 'spec is a map'],
    ['bytes', "Object{spec: Object.spec{hostname: b'x'}}", 'no resource can hold'],
  ])('%s is refused', (_what, expression, sentence) => {
    expect(why(run([apply(expression)]))).toContain(sentence);
  });

  test.each([
    ['Object{spec: Object.status{a: 1}}', 'the type here is Object.spec, not Object.status'],
    ['Pod{spec: 1}', 'there is no type Pod'],
    ['JSONPatch{op: "add"}', 'there is no type JSONPatch'],
  ])('%s is a mistake', (expression, sentence) => {
    expect(() => run([apply(expression)])).toThrow(sentence);
  });
});

describe('JSON patches', () => {
  test("the documentation's example: a guarded replacement, and values with types", () => {
    const { remarks, objects } = run([
      patch(`[JSONPatch{op: "test", path: "/spec/containers/0/image", value: "nginx"},
        JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "nginx:1"},
        JSONPatch{op: "add", path: "/spec/securityContext", value: Object.spec.securityContext{runAsUser: 1000}},
        JSONPatch{op: "add", path: "/metadata/labels", value: {}},
        JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("acme.com/a~b"), value: "x"}]`),
    ]);
    expect(remarks).toEqual([]);
    expect(objects[0]?.object).toMatchObject({
      metadata: { labels: { 'acme.com/a~b': 'x' } },
      spec: { securityContext: { runAsUser: 1000 }, containers: [{ image: 'nginx:1' }, { image: 'redis' }] },
    });
  });

  test('a test that does not hold leaves the resource as it is', () => {
    const outcome = run([
      patch('[JSONPatch{op: "test", path: "/kind", value: "Job"}, JSONPatch{op: "remove", path: "/spec"}]'),
    ]);
    expect(outcome).toEqual({ remarks: [], objects: [] });
  });

  test.each<[string, string]>([
    ['[JSONPatch{op: "remove", path: "/spec/nothing"}]', 'there is no /spec/nothing'],
    ['[JSONPatch{op: "replace", path: "/spec/nothing", value: 1}]', 'there is no /spec/nothing'],
    ['[JSONPatch{op: "add", path: "/spec/a/b", value: 1}]', 'there is no /spec/a/b'],
    ['[JSONPatch{op: "add", path: "/spec/containers/7", value: 1}]', 'there is no /spec/containers/7'],
    ['[JSONPatch{op: "add", path: "/a"}]', 'add of the patch has no value'],
    ['[JSONPatch{op: "spin", path: "/a"}]', 'no operation "spin"'],
    ['[JSONPatch{op: "replace", path: "/kind", value: "Job"}]', 'may not change kind'],
    ['[JSONPatch{op: "replace", path: "", value: []}]', 'leaves no resource'],
    ['"x"', 'does not build a list of JSONPatch'],
  ])('%s is refused', (expression, sentence) => {
    expect(why(run([patch(expression)]))).toContain(sentence);
  });

  test('failurePolicy Ignore leaves the resource as it is', () => {
    const outcome = run([patch('[JSONPatch{op: "remove", path: "/x"}]')], { onError: 'ignore' });
    expect(outcome).toEqual({ remarks: [], objects: [] });
  });

  test('numbers past 2^53 keep their digits', () => {
    const object = { ...POD, spec: { big: 9007199254740993n } };
    expect(
      specOf(run([patch('[JSONPatch{op: "copy", from: "/spec/big", path: "/spec/b"}]')], { object })),
    ).toEqual({
      big: 9007199254740993n,
      b: 9007199254740993n,
    });
  });
});

/** RFC 6902, appendix A. */
test.each<[string, Data, unknown[], unknown]>([
  [
    'A.2',
    { foo: ['bar', 'baz'] },
    [{ op: 'add', path: '/foo/1', value: 'qux' }],
    { foo: ['bar', 'qux', 'baz'] },
  ],
  ['A.4', { foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
  [
    'A.6',
    { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
  ],
  [
    'A.7',
    { foo: ['all', 'grass', 'cows', 'eat'] },
    [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
    { foo: ['all', 'cows', 'eat', 'grass'] },
  ],
  ['A.9', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], NOT_MEANT],
  ['A.14', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
  [
    'A.16',
    { foo: ['bar'] },
    [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
    { foo: ['bar', ['abc', 'def']] },
  ],
])('RFC 6902 %s', (_name, object, operations, expected) => {
  expect(applyJsonPatch(object, operations)).toEqual(expected);
});
