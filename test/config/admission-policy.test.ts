/** The examples of Kubernetes' documentation of ValidatingAdmissionPolicy, and mistakes in such documents. */
import { describe, expect, test } from 'vitest';

import { judge } from '../../src/cel/judge.ts';
import { compilePolicy } from '../../src/cel/policy.ts';
import type { Data } from '../../src/cel/review.ts';
import { admissionGuardrails, admissionPolicyIn, withAdmission } from '../../src/config/admission-policy.ts';
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';

const source = (text: string, file = '.github/portico/policy.yaml') => ({
  file,
  bytes: new TextEncoder().encode(text),
});

const POLICY = (name: string, spec: string): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: ${name}
spec:
${spec.replaceAll(/^/gm, '  ')}
`;
const BINDING = (name: string, policy: string, rest = 'validationActions: [Deny]'): string => `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: ${name}
spec:
  policyName: ${policy}
${rest.replaceAll(/^/gm, '  ')}
`;
const DEPLOYMENTS = `failurePolicy: Fail
matchConstraints:
  resourceRules:
  - apiGroups:   ["apps"]
    apiVersions: ["v1"]
    operations:  ["CREATE", "UPDATE"]
    resources:   ["deployments"]
`;

const deployment = (replicas: number, rest: Data = {}): Data => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', ...rest },
  spec: { replicas, template: { spec: { containers: [{ name: 'a', image: 'prod.example.com/nginx' }] } } },
});

const named = (apiVersion: string, kind: string): Data => ({
  apiVersion,
  kind,
  metadata: { name: 'demo', namespace: 'x' },
});

const namespaceOf = (environment: string): Data => ({
  kind: 'Namespace',
  metadata: { name: 'default', labels: { environment } },
});

const configMap = (data: Data): Data => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data,
});

interface Asked {
  readonly object: Data | null;
  readonly oldObject?: Data;
  readonly namespace?: Data;
}

/** What the guardrails in some documents say of a resource. */
function said(text: string, { object, oldObject, namespace }: Asked): string[] {
  const { validators, problems } = admissionGuardrails([source(text)]);
  expect(problems).toEqual([]);
  return validators.flatMap(({ name, mode, admission }) => {
    const compiled = compilePolicy(admission!.policy);
    if (!compiled.ok) throw new Error(compiled.problems[0]!.message);
    const labels = (namespace?.['metadata'] as { labels?: Record<string, string> } | undefined)?.labels ?? {};
    return admission!.params.flatMap((params) =>
      judge(compiled.compiled, {
        changes: [{ object, oldObject: oldObject ?? null, namespace: namespace ?? null }],
        package: { name: 'web', path: 'web', repository: '', labels: {}, annotations: {} },
        namespaces: { default: labels },
        params,
      }).map((remark) => `${name} ${mode} ${remark.kind}: ${remark.message}`),
    );
  });
}

describe("Kubernetes' examples", () => {
  test('the first one', () => {
    const text =
      POLICY(
        '"demo-policy.example.com"',
        `${DEPLOYMENTS}validations:\n  - expression: "object.spec.replicas <= 5"`,
      ) + BINDING('"demo-binding-test.example.com"', '"demo-policy.example.com"');
    expect(said(text, { object: deployment(5) })).toEqual([]);
    expect(said(text, { object: deployment(6) })).toEqual([
      'demo-binding-test-example-com enforce violation: failed expression: object.spec.replicas <= 5',
    ]);
    expect(said(text, { object: { ...deployment(6), kind: 'ReplicaSet' } })).toEqual([]);
  });

  const REPLICA_LIMIT = POLICY(
    '"replicalimit-policy.example.com"',
    `${DEPLOYMENTS}paramKind:
  apiVersion: rules.example.com/v1
  kind: ReplicaLimit
validations:
- expression: "object.spec.replicas <= params.maxReplicas"
  reason: Invalid
  messageExpression: "'object.spec.replicas must be no greater than ' + string(params.maxReplicas)"`,
  );
  const LIMIT = `---
apiVersion: rules.example.com/v1
kind: ReplicaLimit
metadata:
  name: "replica-limit-test.example.com"
  namespace: "default"
maxReplicas: 3
`;
  const REFERENCE = `validationActions: [Deny]
paramRef:
  name: "replica-limit-test.example.com"
  namespace: "default"
matchResources:
  namespaceSelector:
    matchLabels:
      environment: test`;

  test('with params and a namespace selector', () => {
    const text =
      REPLICA_LIMIT +
      BINDING('replicalimit-binding-test', '"replicalimit-policy.example.com"', REFERENCE) +
      LIMIT;
    const namespace = { kind: 'Namespace', metadata: { name: 'default', labels: { environment: 'test' } } };
    expect(said(text, { object: deployment(4), namespace })).toEqual([
      'replicalimit-binding-test enforce violation: object.spec.replicas must be no greater than 3',
    ]);
    expect(said(text, { object: deployment(3), namespace })).toEqual([]);
    expect(said(text, { object: deployment(4) })).toEqual([]);
  });

  test('params that are nowhere', () => {
    const text = REPLICA_LIMIT + BINDING('b', '"replicalimit-policy.example.com"', REFERENCE);
    expect(admissionGuardrails([source(text)])).toMatchObject({
      mutators: [],
      validators: [],
      problems: [
        { message: 'there is no ReplicaLimit replica-limit-test.example.com', path: 'spec.paramRef' },
      ],
    });
    const allowed = BINDING(
      'b',
      '"replicalimit-policy.example.com"',
      REFERENCE.replace('  name:', '  parameterNotFoundAction: Allow\n  name:'),
    );
    expect(said(REPLICA_LIMIT + allowed, { object: deployment(4) })).toEqual([]);
  });

  test('conditions on the request', () => {
    const conditions = `failurePolicy: Fail
matchConstraints:
  resourceRules:
  - { apiGroups: ["*"], apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources: ["*"] }
matchConditions:
- name: 'exclude-leases'
  expression: '!(request.resource.group == "coordination.k8s.io" && request.resource.resource == "leases")'
- name: 'rbac'
  expression: 'request.resource.group != "rbac.authorization.k8s.io"'
validations:
- expression: "!object.metadata.name.contains('demo') || object.metadata.namespace == 'demo'"`;
    const text =
      POLICY('"demo-policy.example.com"', conditions) +
      BINDING('demo', '"demo-policy.example.com"', 'validationActions: [Warn]');
    expect(said(text, { object: named('v1', 'ConfigMap') })).toHaveLength(1);
    expect(said(text, { object: named('v1', 'ConfigMap') })[0]).toMatch(/^demo warn violation/);
    expect(said(text, { object: named('coordination.k8s.io/v1', 'Lease') })).toEqual([]);
    expect(said(text, { object: named('rbac.authorization.k8s.io/v1', 'Role') })).toEqual([]);
  });

  test('variables, the namespace and a message that is made', () => {
    const text =
      POLICY(
        '"image-matches-namespace-environment.policy.example.com"',
        `${DEPLOYMENTS}variables:
- name: environment
  expression: "'environment' in namespaceObject.metadata.labels ? namespaceObject.metadata.labels['environment'] : 'prod'"
- name: exempt
  expression: "'exempt' in object.metadata.labels && object.metadata.labels['exempt'] == 'true'"
- name: containers
  expression: "object.spec.template.spec.containers"
- name: containersToCheck
  expression: "variables.containers.filter(c, c.image.contains('example.com/'))"
validations:
- expression: "variables.exempt || variables.containersToCheck.all(c, c.image.startsWith(variables.environment + '.'))"
  messageExpression: "'only ' + variables.environment + ' images are allowed in namespace ' + namespaceObject.metadata.name"`,
      ) + BINDING('images', '"image-matches-namespace-environment.policy.example.com"');
    const object = deployment(1, { labels: { app: 'web' } });
    expect(said(text, { object, namespace: namespaceOf('prod') })).toEqual([]);
    expect(said(text, { object, namespace: namespaceOf('test') })).toEqual([
      'images enforce violation: only test images are allowed in namespace default',
    ]);
    const exempt = deployment(1, { labels: { exempt: 'true' } });
    expect(said(text, { object: exempt, namespace: namespaceOf('test') })).toEqual([]);
  });

  test('audit annotations and several actions', () => {
    const text =
      POLICY(
        '"demo-policy.example.com"',
        `${DEPLOYMENTS}validations:
- expression: "object.spec.replicas <= 50"
auditAnnotations:
- key: "high-replica-count"
  valueExpression: "'Deployment spec.replicas set to ' + string(object.spec.replicas)"`,
      ) +
      BINDING('audit', '"demo-policy.example.com"', 'validationActions: [Warn, Audit]') +
      BINDING('quiet', '"demo-policy.example.com"', 'validationActions: [Audit]');
    expect(said(text, { object: deployment(128) })).toEqual([
      'audit warn violation: failed expression: object.spec.replicas <= 50',
      'audit warn note: high-replica-count: Deployment spec.replicas set to 128',
      'quiet dryrun violation: failed expression: object.spec.replicas <= 50',
      'quiet dryrun note: high-replica-count: Deployment spec.replicas set to 128',
    ]);
  });

  test('removals and what was', () => {
    const spec = `matchConstraints:
  resourceRules:
  - { apiGroups: [""], apiVersions: [v1], operations: [UPDATE, DELETE], resources: [configmaps] }
validations:
- expression: "request.operation != 'DELETE' && object.data == oldObject.data"
  message: "immutable"`;
    const text = POLICY('kept', spec) + BINDING('kept', 'kept');
    expect(said(text, { object: configMap({ a: 'b' }), oldObject: configMap({ a: 'b' }) })).toEqual([]);
    expect(said(text, { object: configMap({ a: 'c' }), oldObject: configMap({ a: 'b' }) })).toEqual([
      'kept enforce violation: immutable',
    ]);
    expect(said(text, { object: null, oldObject: configMap({ a: 'b' }) })).toEqual([
      'kept enforce violation: immutable',
    ]);
    expect(said(text, { object: configMap({ a: 'c' }) })).toEqual([]);
  });

  /** The table of expressions in the documentation; each holds of its object. */
  test.each<[string, Data]>([
    [
      'object.minReplicas <= object.replicas && object.replicas <= object.maxReplicas',
      { minReplicas: 1, replicas: 2, maxReplicas: 3 },
    ],
    ["'Available' in object.stateCounts", { stateCounts: { Available: 1 } }],
    ['(size(object.list1) == 0) != (size(object.list2) == 0)', { list1: [], list2: [1] }],
    [
      "!('MY_KEY' in object.map1) || object['map1']['MY_KEY'].matches('^[a-zA-Z]*$')",
      { map1: { MY_KEY: 'abc' } },
    ],
    [
      "object.envars.filter(e, e.name == 'MY_ENV').all(e, e.value.matches('^[a-zA-Z]*$'))",
      { envars: [{ name: 'MY_ENV', value: 'a' }] },
    ],
    [
      'has(object.expired) && timestamp(object.created) + duration(object.ttl) < timestamp(object.expired)',
      { created: '2026-01-01T00:00:00Z', ttl: '1h', expired: '2026-01-02T00:00:00Z' },
    ],
    ["object.health.startsWith('ok')", { health: 'ok!' }],
    ["object.widgets.exists(w, w.key == 'x' && w.foo < 10)", { widgets: [{ key: 'x', foo: 1 }] }],
    ["type(object.value) == string ? object.value == '99%' : object.value == 42", { value: 42 }],
    ['object.metadata.name.startsWith(object.prefix)', { metadata: { name: 'a-b' }, prefix: 'a-' }],
    ['object.set1.all(e, !(e in object.set2))', { set1: [1], set2: [2] }],
    [
      'size(object.names) == size(object.details) && object.names.all(n, n in object.details)',
      { names: ['a'], details: { a: 1 } },
    ],
    [
      'size(object.clusters.filter(c, c.name == object.primary)) == 1',
      { clusters: [{ name: 'a' }], primary: 'a' },
    ],
    [
      'object.spec.template.spec.containers.all(c, !has(c.securityContext) || !c.securityContext.?privileged.orValue(false))',
      { spec: { template: { spec: { containers: [{ name: 'a' }] } } } },
    ],
    ["isURL(object.href) && url(object.href).getScheme() == 'https'", { href: 'https://example.com/' }],
  ])('%s', (expression, object) => {
    const text = POLICY('p', `validations:\n- expression: ${JSON.stringify(expression)}`) + BINDING('b', 'p');
    expect(said(text, { object: { apiVersion: 'example.com/v1', kind: 'X', ...object } })).toEqual([]);
  });
});

describe('mistakes', () => {
  test.each<[string, string, object]>([
    [
      'no CEL',
      POLICY('p', 'validations:\n- message: x\n  expression: |\n    true &&\n    object.spec.replicas <'),
      { line: 11, path: 'spec.validations.0.expression' },
    ],
    [
      'who asks',
      POLICY(
        'p',
        `matchConditions:\n- name: a\n  expression: '!("system:nodes" in request.userInfo.groups)'\nvalidations: []`,
      ),
      { line: 9, message: /request\.userInfo is known only to a cluster/ },
    ],
    [
      'the authorizer',
      POLICY('p', `validations:\n- expression: authorizer.group('').resource('pods').check('get').allowed()`),
      { message: /authorizer needs a cluster/ },
    ],
    [
      'an audit annotation',
      POLICY('p', 'auditAnnotations:\n- { key: a, valueExpression: "x" }'),
      { path: 'spec.auditAnnotations.0.valueExpression' },
    ],
    [
      'a field that is missing',
      POLICY('p', 'validations:\n- message: x'),
      { line: 8, path: 'spec.validations[0].expression', code: 'missing' },
    ],
    [
      'an operation',
      POLICY('p', DEPLOYMENTS.replace('UPDATE', 'CHANGE')),
      { path: 'spec.matchConstraints.resourceRules[0].operations[1]' },
    ],
    ['no policy', BINDING('b', 'p'), { line: 7, path: 'spec.policyName', message: 'there is no policy p' }],
    [
      'two policies',
      POLICY('p', 'validations: []') + '---' + POLICY('p', 'validations: []'),
      { message: 'the policy p is defined twice' },
    ],
    [
      'two bindings',
      POLICY('p', 'validations: []') + BINDING('a.b', 'p') + BINDING('a-b', 'p'),
      { message: 'the guardrail a-b is defined twice' },
    ],
    ['no YAML', 'a: [', { code: 'yaml', line: 1 }],
  ])('%s', (_name, text, wanted) => {
    const { problems } = admissionGuardrails([source(text)]);
    const { message, ...others } = wanted as { message?: string | RegExp };
    expect(problems[0]).toMatchObject({ file: '.github/portico/policy.yaml', ...others });
    if (message !== undefined) expect(problems[0]!.message).toMatch(message);
  });

  test('other documents are let be', () => {
    const text =
      'apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: { name: a }\n---\n- 1\n---\n"x"\n';
    expect(admissionGuardrails([source(text)])).toEqual({ mutators: [], validators: [], problems: [] });
  });
});

test('a file for one guardrail holds one policy', () => {
  const text = POLICY('p', 'validations:\n- expression: "true"');
  expect(admissionPolicyIn(source(text), 'validator')).toMatchObject({
    policy: { validations: [{ expression: 'true' }] },
  });
  expect(admissionPolicyIn(source('a: 1'), 'validator')).toMatchObject({
    problems: [{ code: 'wrong-value' }],
  });
});

test('bindings join the guardrails of the configuration', () => {
  const own = (name: string) =>
    parseRepositoryConfig(
      source(
        `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { guardrails: { validators: [{ name: ${name}, cel: "true" }] } }\n`,
        '.github/portico.yaml',
      ),
    );
  const documents = [source(POLICY('p', 'validations: []') + BINDING('b', 'p'))];
  expect(withAdmission(own('a'), documents).config?.guardrails.validators.map(({ name }) => name)).toEqual([
    'a',
    'b',
  ]);
  expect(withAdmission(own('b'), documents).problems).toMatchObject([
    { file: '.github/portico/policy.yaml', message: 'the guardrail b is also defined in the configuration' },
  ]);
});

const mutating = (spec: string): string =>
  `apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: { name: sidecar }\nspec:\n${spec.replaceAll(/^/gm, '  ')}\n`;

describe('policies that change resources', () => {
  const BOUND = `---
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicyBinding
metadata: { name: sidecar.example.com }
spec: { policyName: sidecar }
`;
  const PATCH = `mutations:
- patchType: JSONPatch
  jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec/paused"}]' }`;

  test('a bound one is an enforced mutator, and one that nothing binds is none', () => {
    expect(admissionGuardrails([source(mutating(PATCH) + BOUND)])).toMatchObject({
      problems: [],
      validators: [],
      mutators: [
        {
          name: 'sidecar-example-com',
          mode: 'enforce',
          admission: { policy: { mutations: [{ kind: 'patch' }], onError: 'fail' }, params: [null] },
        },
      ],
    });
    expect(admissionGuardrails([source(mutating(PATCH))]).mutators).toEqual([]);
  });

  test.each([
    [
      'mutations:\n- { patchType: JSONPatch, applyConfiguration: { expression: "Object{}" } }',
      6,
      'needs jsonPatch',
    ],
    [
      'mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration:\n    expression: Objct{}',
      8,
      'there is no type Objct',
    ],
    ['mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: authorizer.x', 8, 'needs a cluster'],
    ['mutations: []', 5, 'at least 1'],
  ])('%s is a mistake on line %i', (spec, line, sentence) => {
    const { problems } = admissionGuardrails([source(mutating(spec))]);
    expect(problems[0]).toMatchObject({ line, message: expect.stringContaining(sentence) });
  });

  test('a guardrail names the file of the kind that it is', () => {
    expect(admissionPolicyIn(source(mutating(PATCH)), 'mutator')).toHaveProperty('policy');
    expect(admissionPolicyIn(source(mutating(PATCH)), 'validator')).toMatchObject({
      problems: [{ message: 'the file does not hold exactly one ValidatingAdmissionPolicy' }],
    });
    const config = (entry: string) =>
      parseRepositoryConfig(
        source(
          `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { guardrails: { mutators: [${entry}] } }\n`,
        ),
      );
    expect(config('{ name: a, policyPath: a.yaml, params: { n: 1 } }').ok).toBe(true);
    expect(config('{ name: a }').problems[0]?.message).toContain('needs either image or policyPath');
    expect(config('{ name: a, image: "set-labels:v0.2", params: { n: 1 } }').problems[0]?.message).toContain(
      'belongs to policyPath',
    );
  });
});
