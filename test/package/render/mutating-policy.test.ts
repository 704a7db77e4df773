/** Mutating policies in a render, and findings of policies over the whole package: what is written, and where it is said. */
import { expect, test } from 'vitest';

import type { Policy } from '../../../src/cel/policy.ts';
import { judgementOf, judgePolicy } from '../../../src/function/judge-policy.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import type { FunctionRuntime } from '../../../src/package/render/function-runtime.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';

const runtime: FunctionRuntime = {
  ...createRuntime(),
  judge: async (policy, review) => judgementOf(judgePolicy({ policy, review })),
};
const filesOf = (texts: Readonly<Record<string, string>>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n';
const DEPLOYMENT = `# the web
apiVersion: apps/v1
kind: Deployment
metadata: { name: web } # in one line
spec:
    # four spaces, as this team has it
    replicas: 7

    template:
        spec:
            containers:
            - name: 'a'   # quoted
              image: "nginx:1.27"
`;

async function render(
  policy: Policy,
  texts: Readonly<Record<string, string>>,
  rest: Partial<Guardrail> = {},
): Promise<RenderResult & { readonly text: (path: string) => string }> {
  const guardrail: Guardrail = {
    name: 'rule',
    type: policy.mutations === undefined ? 'validator' : 'mutator',
    mode: 'enforce',
    spec: { name: 'rule' },
    policy,
    ...rest,
  };
  const result = await renderPackage({
    files: filesOf({ Kptfile: KPTFILE, ...texts }),
    runtime,
    guardrails: [guardrail],
    context: { path: 'web', repository: 'acme/x' },
  });
  return { ...result, text: (path) => new TextDecoder().decode(result.files.get(path)?.bytes) };
}
const patch = (expression: string): Policy => ({
  validations: [],
  mutations: [{ kind: 'patch', expression }],
});
const whole = (expression: string): Policy => ({
  wholePackage: true,
  validations: [{ expression, message: 'no' }],
});
const places = ({ findings }: RenderResult): string[] =>
  findings.map(({ file, line, severity, message }) => `${file}:${line} ${severity} ${message}`);

test('a mutation changes the lines that it has to change, and no other', async () => {
  const policy: Policy = {
    validations: [],
    match: [
      {
        rules: [
          { apiGroups: ['apps'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['*'] },
        ],
      },
    ],
    mutations: [
      {
        kind: 'apply',
        expression:
          "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}}}",
      },
    ],
  };
  const { ok, changed, text } = await render(policy, {
    'web.yaml': DEPLOYMENT,
    'other.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:   { name: o }\n',
  });
  expect({ ok, changed }).toEqual({ ok: true, changed: ['web.yaml'] });
  expect(text('web.yaml')).toBe(`${DEPLOYMENT}              imagePullPolicy: Always\n`);
});

test('resources in lists are changed in their place, and Kptfiles never', async () => {
  const list = `apiVersion: v1
kind: List
metadata: { name: all }
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: { name: a }
- apiVersion: v1
  kind: ConfigMap
  metadata: { name: b } # second
`;
  const { text, changed } = await render(
    patch('[JSONPatch{op: "add", path: "/data", value: {"k": object.metadata.name}}]'),
    {
      'all.yaml': list,
    },
  );
  expect(changed).toEqual(['all.yaml']);
  expect(text('all.yaml')).toContain('metadata: { name: b } # second\n  data:\n    k: b\n');
});

test('where a mutation cannot be made the guardrail fails with the reason, and changes nothing', async () => {
  const texts = {
    'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
    'web.yaml': DEPLOYMENT,
  };
  const result = await render(patch('[JSONPatch{op: "add", path: "/spec/paused", value: true}]'), texts);
  expect([result.ok, result.changed]).toEqual([false, []]);
  expect(places(result)).toEqual([expect.stringContaining('a.yaml:1 error the mutation')]);
  expect(result.findings[0]?.message).toContain('there is no /spec/paused');
});

test('a mutator in dry run says what it would change', async () => {
  const result = await render(
    patch('[JSONPatch{op: "replace", path: "/spec/replicas", value: 3}]'),
    { 'web.yaml': DEPLOYMENT },
    { mode: 'dryrun' },
  );
  expect([result.ok, result.changed]).toEqual([true, []]);
  expect(result.findings).not.toEqual([]);
});

test('what is said of the whole package stands at its Kptfile, or at the resource that the policy names', async () => {
  const texts = { 'web.yaml': DEPLOYMENT };
  expect(places(await render(whole("resources.exists(r, r.kind == 'NetworkPolicy')"), texts))).toEqual([
    'Kptfile:1 error no',
  ]);
  expect(
    places(await render(whole("resources.map(r, {'resource': r, 'field': 'spec.replicas'})"), texts)),
  ).toEqual(['web.yaml:7 error no']);
  // Whoever selects resources asks about packages that hold some of them.
  const selecting = { spec: { name: 'rule', selectors: [{ kind: 'Service' }] } };
  expect(places(await render(whole('resources.size() > 5'), texts, selecting))).toEqual([]);
});
