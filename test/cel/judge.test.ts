import { describe, expect, test } from 'vitest';

import { judge, type Remark } from '../../src/cel/judge.ts';
import { compilePolicy, readsBase, type Policy } from '../../src/cel/policy.ts';
import type { Change, Data } from '../../src/cel/review.ts';

const deployment = (spec: Data, metadata: Data = {}): Data => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
  spec,
});
const created = (object: Data): Change => ({ object, oldObject: null });

function remarks(policy: Policy, changes: readonly Change[], rest: { params?: unknown } = {}): Remark[] {
  const compiled = compilePolicy(policy);
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('\n'));
  return judge(compiled.compiled, {
    changes,
    package: {
      name: 'web',
      path: 'shop/web',
      repository: 'acme/blueprints',
      labels: { tier: 'a' },
      annotations: {},
    },
    namespaces: {},
    ...rest,
  });
}

const one = (expression: string, rest: object = {}): Policy => ({ validations: [{ expression, ...rest }] });

describe('what an expression says', () => {
  test.each<[string, Policy, Partial<Remark>[]]>([
    ['true', one('true'), []],
    [
      'false',
      one('object.spec.replicas <= 5'),
      [
        {
          kind: 'violation',
          message: 'failed expression: object.spec.replicas <= 5',
          field: 'spec.replicas',
        },
      ],
    ],
    ['a message', one('false', { message: 'no' }), [{ message: 'no' }]],
    [
      'a message that is made',
      one('false', { message: 'no', messageExpression: '"is " + string(object.spec.replicas)' }),
      [{ message: 'is 7' }],
    ],
    [
      'a message that fails',
      one('false', { message: 'no', messageExpression: 'object.nothing' }),
      [{ message: 'no' }],
    ],
    [
      'a message of two lines',
      one('false', { message: 'no', messageExpression: '"a\\nb"' }),
      [{ message: 'no' }],
    ],
    [
      'field paths',
      one('["spec.a", "spec.b"]', { message: 'no' }),
      [{ message: 'no', field: 'spec.a' }, { field: 'spec.b' }],
    ],
    [
      'paths with messages',
      one('[{"field": "spec.a", "message": "x"}]'),
      [{ message: 'x', field: 'spec.a' }],
    ],
    ['an empty list', one('[]'), []],
    [
      'neither',
      one('"x"'),
      [
        {
          kind: 'error',
          message:
            'the expression "x" could not be evaluated: it returns neither a boolean nor a list of problems',
        },
      ],
    ],
    [
      'an error',
      one('object.nothing == 1'),
      [{ kind: 'error', message: /could not be evaluated: field not found: nothing/ as unknown as string }],
    ],
    ['an error that is let be', { ...one('object.nothing == 1'), onError: 'ignore' }, []],
    [
      'a condition that is false',
      { ...one('false'), conditions: [{ name: 'a', expression: 'object.kind == "Pod"' }] },
      [],
    ],
    [
      'conditions, one in error and one false',
      {
        ...one('false'),
        conditions: [
          { name: 'a', expression: 'object.nothing' },
          { name: 'b', expression: 'false' },
        ],
      },
      [],
    ],
    [
      'a condition in error',
      { ...one('false'), conditions: [{ name: 'a', expression: 'object.nothing' }] },
      [{ kind: 'error' }],
    ],
    [
      'a variable that nobody reads',
      { ...one('true'), variables: [{ name: 'x', expression: 'object.nothing' }] },
      [],
    ],
    [
      'a variable in error beside true',
      { ...one('true || variables.x'), variables: [{ name: 'x', expression: 'object.nothing' }] },
      [],
    ],
    [
      'variables of variables',
      {
        ...one('variables.b == 8'),
        variables: [
          { name: 'a', expression: 'object.spec.replicas' },
          { name: 'b', expression: 'variables.a + 1' },
        ],
      },
      [],
    ],
    [
      'a note',
      {
        validations: [],
        notes: [
          { name: 'count', expression: 'string(object.spec.replicas)' },
          { name: 'none', expression: 'null' },
        ],
      },
      [{ kind: 'note', message: 'count: 7' }],
    ],
    [
      'the package',
      one(
        'package.path == "shop/web" && package.labels.tier == "a" && package.repository == "acme/blueprints"',
      ),
      [],
    ],
    [
      'request',
      one(
        'request.operation == "CREATE" && request.resource.resource == "deployments" && request.kind.group == "apps"',
      ),
      [],
    ],
  ])('%s', (_name, policy, wanted) => {
    const got = remarks(policy, [created(deployment({ replicas: 7 }))]);
    expect(got).toHaveLength(wanted.length);
    for (const [at, remark] of wanted.entries()) {
      const { message, ...others } = remark;
      expect(got[at]).toMatchObject(others);
      if (message !== undefined)
        expect(got[at]!.message).toEqual(expect.stringMatching(message as string | RegExp) as string);
    }
  });

  test('old and new', () => {
    const policy = one('oldObject == null || object.spec.replicas >= oldObject.spec.replicas');
    const change = { object: deployment({ replicas: 1 }), oldObject: deployment({ replicas: 2 }) };
    expect(remarks(policy, [change, created(deployment({ replicas: 1 }))])).toMatchObject([{ at: 0 }]);
  });

  test('what is removed is seen by policies about removals only', () => {
    const gone = { object: null, oldObject: deployment({}) };
    expect(remarks(one('false'), [gone])).toEqual([]);
    expect(remarks({ ...one('request.operation != "DELETE"'), deletions: true }, [gone])).toHaveLength(1);
  });

  test('a thousand findings are enough', () => {
    const many = Array.from({ length: 2000 }, () => created(deployment({})));
    const got = remarks(one('false'), many);
    expect(got).toHaveLength(1001);
    expect(got.at(-1)!.message).toBe('Only the first 1000 findings are shown.');
  });

  test('the namespace of a resource may be out of sight', () => {
    const policy = one('namespaceObject.metadata.labels.env == "prod"');
    const change = created(deployment({}, { namespace: 'shop' }));
    expect(remarks(policy, [change])).toMatchObject([
      { kind: 'skipped', message: /does not hold the Namespace shop/ },
    ]);
    const namespace = { kind: 'Namespace', metadata: { name: 'shop', labels: { env: 'prod' } } };
    expect(remarks(policy, [{ ...change, namespace }])).toEqual([]);
  });
});

test.each([
  ['object.spec.replicas <= 5', 'spec.replicas'],
  ['!has(object.spec.replicas) || object.spec.replicas <= 5', 'spec.replicas'],
  [
    'object.kind != "Deployment" || object.spec.template.spec.hostNetwork == false',
    'spec.template.spec.hostNetwork',
  ],
  [
    'object.spec.template.spec.containers.all(c, !c.image.endsWith(":latest"))',
    'spec.template.spec.containers',
  ],
  ['object.spec.replicas == object.spec.template.x', 'spec'],
  ['object.?spec.?other.orValue(1) == 2', 'spec'],
  ['object.metadata.labels["a.b/c"] == "x"', 'metadata.labels'],
  ['params == null && false', undefined],
])('the field of %s is %s', (expression, field) => {
  const spec = {
    replicas: 7,
    template: { x: 1, spec: { hostNetwork: true, containers: [{ image: 'a:latest' }] } },
  };
  const [remark] = remarks(one(`false && (${expression})`), [created(deployment(spec, { labels: {} }))]);
  expect(remark!.field).toBe(field);
});

test.each<[string, Partial<Policy>, boolean]>([
  ['object.x', {}, false],
  ['oldObject == null', {}, true],
  ['request.operation == "CREATE"', {}, true],
  [
    'true',
    {
      match: [
        {
          rules: [
            { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['*'] },
          ],
        },
      ],
    },
    false,
  ],
  [
    'true',
    {
      match: [
        { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['*'] }] },
      ],
    },
    true,
  ],
])('%s with %j needs the base: %s', (expression, rest, wanted) => {
  expect(readsBase({ ...one(expression), ...rest })).toBe(wanted);
});

test.each([
  ['authorizer.group("").check("get").allowed()', /authorizer needs a cluster/],
  ['request.userInfo.username == "a"', /request.userInfo is known only to a cluster/],
  ['variables.x', /variables.x is not defined|there is no variable variables/],
])('%s is refused with the reason', (expression, reason) => {
  const compiled = compilePolicy(one(expression));
  expect(compiled.ok ? [] : compiled.problems.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(reason),
  );
});
