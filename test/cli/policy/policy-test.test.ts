/** `portico policy test`: cases of its own kind, of Kyverno and of Gatekeeper, run as a user does. */
import { expect, test } from 'vitest';

import { portico, scratch } from '../run-portico.ts';

const CONFIG = `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: blueprints }
spec:
  guardrails:
    mutators:
    - { name: pull, policyPath: .github/portico/pull.yaml }
    validators:
    - { name: replicas, cel: "!has(object.spec.replicas) || object.spec.replicas <= 5", message: too many }
    - { name: budgets, cel: "object.kind != 'Deployment' || resources.exists(r, r.kind == 'PodDisruptionBudget')", paths: ["shop/*"] }
`;
const PULL = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: { name: pull }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [apps], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [deployments] }]
  mutations:
  - patchType: JSONPatch
    jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec/revisionHistoryLimit", value: 3}]' }
`;
const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { replicas: 7 }
`;
const VAP = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: limit }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [apps], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [deployments] }]
  validations: [{ expression: object.spec.replicas <= 5, message: too many }]
`;

const template = (code: string): string => `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: { name: k8slabels }
spec:
  crd: { spec: { names: { kind: K8sLabels } } }
  targets:
  - target: admission.k8s.gatekeeper.sh
${code}`;

test('cases of guardrails, with findings, packages and what is made of resources', async () => {
  using dir = scratch();
  const tests = `apiVersion: config.portico.dev/v1alpha1
kind: PolicyTest
metadata: { name: shop }
spec:
  cases:
  - { name: seven are too many, guardrail: replicas, resources: [web.yaml], expect: fail, findings: [{ resource: Deployment/web, field: spec.replicas, message: too many }] }
  - { name: wrongly expected, guardrail: replicas, resources: [web.yaml], expect: pass }
  - { name: another finding, guardrail: replicas, resources: [web.yaml], expect: fail, findings: [{ field: spec.x }] }
  - { name: other packages, guardrail: budgets, resources: [web.yaml], package: { path: bank/web }, expect: skip }
  - { name: no budget, guardrail: budgets, resources: [web.yaml], package: { path: shop/web }, expect: fail }
  - { name: none of that name, guardrail: replica, resources: [web.yaml] }
  - name: history
    guardrail: pull
    resources: [web.yaml]
    after: [{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web }, spec: { replicas: 7, revisionHistoryLimit: 3 } }]
  - { name: another history, guardrail: pull, resources: [web.yaml], after: [web.yaml] }
`;
  dir.write({
    '.github/portico.yaml': CONFIG,
    '.github/portico/pull.yaml': PULL,
    'tests/web.yaml': WEB,
    'tests/shop.yaml': tests,
  });
  const { code, stdout, stderr } = await portico(['policy', 'test', dir.path('.')], { cwd: dir.path('.') });
  expect(stderr).toBe('');
  expect(stdout.split('\n').filter((line) => line.startsWith('['))).toEqual([
    '[PASS] tests/shop.yaml: shop: seven are too many',
    '[FAIL] tests/shop.yaml: shop: wrongly expected',
    '[FAIL] tests/shop.yaml: shop: another finding',
    '[PASS] tests/shop.yaml: shop: other packages',
    '[PASS] tests/shop.yaml: shop: no budget',
    '[FAIL] tests/shop.yaml: shop: none of that name',
    '[PASS] tests/shop.yaml: shop: history',
    '[FAIL] tests/shop.yaml: shop: another history',
  ]);
  expect(stdout).toContain('expected pass, and it is fail');
  expect(stdout).toContain('not found: {"field":"spec.x"}');
  expect(stdout).toContain('the configuration has no guardrail replica.');
  expect(stdout).toContain('8 cases: 4 passed, 3 failed, 1 not run.');
  expect(code).toBe(1);
});

test("Kyverno's tests of Kubernetes' policies, and its own policies refused", async () => {
  using dir = scratch();
  const few = WEB.replace('web', 'few').replace('7', '3');
  const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: svc, namespace: a }\n';
  dir.write({
    'policy.yaml': `${VAP}---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: { name: own }\n`,
    'resources.yaml': `${WEB}---\n${few}---\n${service}`,
    'kyverno-test.yaml': `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: limits }
policies: [policy.yaml]
resources: [resources.yaml]
results:
- { policy: limit, kind: Deployment, resources: [web], result: fail, isValidatingAdmissionPolicy: true }
- { policy: limit, kind: Deployment, resources: [few], result: pass, isValidatingAdmissionPolicy: true }
- { policy: limit, kind: Service, resources: [a/svc], result: skip }
- { policy: limit, resources: [few], result: fail }
- { policy: own, rule: r, resources: [web], result: pass }
`,
  });
  const { code, stdout } = await portico(['policy', 'test', dir.path('.'), '--json']);
  const { cases, ...summary } = JSON.parse(stdout) as { cases: { state: string; why?: string[] }[] };
  expect(summary).toEqual({ ok: false, passed: 3, failed: 1, notRun: 1, skipped: 0 });
  expect(cases.map(({ state }) => state)).toEqual(['passed', 'passed', 'passed', 'failed', 'not-run']);
  expect(cases[4]?.why?.[0]).toContain('ClusterPolicy is not evaluated here');
  expect(code).toBe(1);
});

test("Gatekeeper's suites over templates in CEL, and those in Rego refused", async () => {
  using dir = scratch();
  dir.write({
    'template.yaml': template(`    code:
    - engine: K8sNativeValidation
      source:
        validations:
        - expression: 'variables.params.labels.all(l, has(variables.anyObject.metadata.labels) && l in variables.anyObject.metadata.labels)'
          messageExpression: '"you must provide labels: " + variables.params.labels.join(", ")'
`),
    'rego.yaml': template('    rego: package x\n'),
    'constraint.yaml': `apiVersion: constraints.gatekeeper.sh/v1beta1
kind: K8sLabels
metadata: { name: owner }
spec:
  match: { kinds: [{ apiGroups: [""], kinds: [Namespace, Service] }], excludedNamespaces: ["kube-*"] }
  parameters: { labels: [owner] }
`,
    'bad.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n',
    'good.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a, labels: { owner: b } }\n',
    'system.yaml': 'apiVersion: v1\nkind: Service\nmetadata: { name: a, namespace: kube-system }\n',
    'suite.yaml': `apiVersion: test.gatekeeper.sh/v1alpha1
kind: Suite
metadata: { name: labels }
tests:
- name: cel
  template: template.yaml
  constraint: constraint.yaml
  cases:
  - { name: allowed, object: good.yaml, assertions: [{ violations: no }] }
  - { name: refused, object: bad.yaml, assertions: [{ violations: 1, message: "provide labels: owner" }, { violations: no, message: "other" }] }
  - { name: excluded, object: system.yaml, assertions: [{ violations: no }] }
  - { name: later, skip: true, object: bad.yaml }
  - { name: wrong, object: good.yaml, assertions: [{ violations: yes }] }
- name: rego
  template: rego.yaml
  constraint: constraint.yaml
  cases: [{ name: any, object: bad.yaml }]
`,
  });
  const { code, stdout } = await portico(['policy', 'test'], { cwd: dir.path('.') });
  expect(stdout.split('\n').filter((line) => line.startsWith('['))).toEqual([
    '[PASS] suite.yaml: cel: allowed',
    '[PASS] suite.yaml: cel: refused',
    '[PASS] suite.yaml: cel: excluded',
    '[SKIP] suite.yaml: cel: later',
    '[FAIL] suite.yaml: cel: wrong',
    '[FAIL] suite.yaml: rego: any',
  ]);
  expect(stdout).toContain('Rego is not evaluated here');
  expect(code).toBe(1);
});

test('where there are no tests, that is an error', async () => {
  using dir = scratch();
  dir.write({ 'web.yaml': WEB });
  const { code, stderr } = await portico(['policy', 'test', dir.path('.')]);
  expect(stderr).toContain('there are no tests of policies below');
  expect(code).toBe(65);
});
