import { expect, test } from 'vitest';

import { judge } from '../../../src/cel/judge.ts';
import { READY_POLICIES, readyPolicy } from '../../../src/cel/policies/table.ts';
import { compilePolicy, type Policy } from '../../../src/cel/policy.ts';
import { filledParams } from '../../../src/config/policy-params.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import type { FunctionRuntime } from '../../../src/package/render/function-runtime.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';

/** Judges in this process, at once: no expression here is hostile. */
const runtime: FunctionRuntime = {
  ...createRuntime(),
  async judge(policy, review) {
    const compiled = compilePolicy(policy);
    if (!compiled.ok) throw new Error(compiled.problems[0]!.message);
    return { remarks: judge(compiled.compiled, review) };
  },
};

const filesOf = (texts: Readonly<Record<string, string>>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n  labels: { tier: edge }\n';
const DEPLOYMENT = `# the web
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  # how many
  replicas: 7
  template:
    spec:
      containers:
        - name: a
          image: nginx:1.27
        - { name: b, image: nginx }
`;

async function run(
  policy: Policy,
  rest: Partial<Guardrail> & {
    readonly texts?: Record<string, string>;
    readonly base?: Record<string, string>;
    readonly deploy?: readonly ('config-sync' | 'flux')[];
  } = {},
): Promise<RenderResult> {
  const { texts = { Kptfile: KPTFILE, 'web.yaml': DEPLOYMENT }, base, deploy, ...more } = rest;
  const guardrail: Guardrail = {
    name: 'rule',
    type: 'validator',
    mode: 'enforce',
    spec: { name: 'rule' },
    policy,
    ...more,
  };
  const context = {
    path: 'shop/web',
    repository: 'acme/x',
    ...(base && { base: filesOf(base) }),
    ...(deploy && { deploy }),
  };
  return renderPackage({ files: filesOf(texts), runtime, guardrails: [guardrail], context });
}

const places = ({ findings }: RenderResult): string[] =>
  findings.map(({ file, line, severity, message }) => `${file}:${line} ${severity} ${message}`);
const one = (expression: string, message = 'no'): Policy => ({ validations: [{ expression, message }] });

test('a finding stands on the line of the field that the expression reads', async () => {
  const result = await run(one('object.spec.replicas <= 5'));
  expect(result.ok).toBe(false);
  expect(places(result)).toEqual(['web.yaml:8 error no']);
  expect(result.findings[0]).toMatchObject({
    guardrail: 'rule',
    column: 3,
    resource: { kind: 'Deployment', name: 'web' },
    item: { field: { path: 'spec.replicas', currentValue: 7 } },
  });
});

test('a list of paths is a finding each, on lines of flow style too', async () => {
  const result = await run(
    one(
      'object.spec.template.spec.containers.transformList(i, c, "spec.template.spec.containers[" + string(i) + "].image")',
    ),
  );
  expect(places(result)).toEqual(['web.yaml:13 error no', 'web.yaml:14 error no']);
});

test.each([
  ['warn', true, 'warning'],
  ['dryrun', true, 'info'],
] as const)('mode %s keeps nothing back', async (mode, ok, severity) => {
  const result = await run(one('false'), { mode });
  expect(result.ok).toBe(ok);
  expect(result.findings[0]!.severity).toBe(severity);
});

const MARK = 'annotations: { config.kubernetes.io/local-config: "true" }';
const LOCAL = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  ${MARK}\n`;
const PIPELINE = `${KPTFILE}pipeline:\n  mutators:\n  - image: ghcr.io/kptdev/krm-functions-catalog/apply-setters:v0.2\n    configPath: c.yaml\n`;

test('Kptfiles and configuration of functions are asked about by selectors alone', async () => {
  const texts = { Kptfile: PIPELINE, 'c.yaml': `${LOCAL}data: { a: b }\n`, 'package-context.yaml': LOCAL };
  const { findings } = await run(one('false'), { texts });
  expect(findings.filter(({ guardrail }) => guardrail === 'rule')).toEqual([]);
  const chosen = await run(one('object.metadata.name == "x"'), {
    texts,
    spec: { name: 'rule', selectors: [{ kind: 'Kptfile' }] },
  });
  expect(places(chosen)).toContain('Kptfile:4 error no');
});

const APPLICATION = `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: a\n  ${MARK}\n`;

test.each<[string, string, boolean]>([
  ['a custom resource', APPLICATION, true],
  ['a ConfigMap that no pipeline names', LOCAL, true],
  ['a ConfigMap in a namespace', LOCAL.replace('name: c', 'name: c\n  namespace: kube-system'), true],
  ['a Secret', LOCAL.replace('ConfigMap', 'Secret'), true],
  [
    'the configuration of a function, which no cluster takes',
    LOCAL.replace('v1', 'fn.kpt.dev/v1alpha1').replace('ConfigMap', 'SetLabels'),
    false,
  ],
])('a mark for local configuration hides nothing that kubectl applies: %s', async (_name, text, isJudged) => {
  const texts = { Kptfile: KPTFILE, 'd.yaml': text };
  expect((await run(one('false'), { texts })).findings).toHaveLength(isJudged ? 1 : 0);
});

test('a pipeline that names a marked resource hides no custom resource', async () => {
  const texts = { Kptfile: PIPELINE, 'c.yaml': APPLICATION };
  const { findings } = await run(one('object.kind != "Application"'), { texts, type: 'validator' });
  expect(findings.filter(({ guardrail }) => guardrail === 'rule')).toHaveLength(1);
});

test('where Config Sync alone applies packages, what is marked is not judged', async () => {
  const texts = { Kptfile: KPTFILE, 'd.yaml': APPLICATION };
  const findings = async (deploy: readonly ('config-sync' | 'flux')[]): Promise<number> =>
    (await run(one('false'), { texts, deploy })).findings.length;
  expect(await findings(['config-sync'])).toBe(0);
  expect(await findings(['config-sync', 'flux'])).toBe(1);
});

test('Config Sync heeds no mark of an item in a list, so that the item is judged', async () => {
  const item =
    '{ apiVersion: v1, kind: Pod, metadata: { name: p, annotations: { config.kubernetes.io/local-config: "true" } } }';
  const texts = {
    Kptfile: KPTFILE,
    'd.yaml': `apiVersion: v1\nkind: List\nmetadata: { name: l }\nitems: [${item}]\n`,
  };
  expect((await run(one('false'), { texts, deploy: ['config-sync'] })).findings).toHaveLength(1);
});

test('an exemption for an object does not cover what is in its items', async () => {
  const inner = '{ apiVersion: v1, kind: Pod, metadata: { name: evil }, spec: { hostPID: true } }';
  const texts = { Kptfile: KPTFILE, 'web.yaml': `${DEPLOYMENT}items: [${inner}]\n` };
  const rule = one('object.kind != "Deployment" && object.kind != "Pod"');
  const exemptions = [
    { name: 'e', until: '2099-01-01', why: 'w', resources: [{ kind: 'Deployment', name: 'web' }] },
  ];
  expect(places(await run(rule, { texts, exemptions }))).toEqual([
    'web.yaml:3 info no (exempt until 2099-01-01 by e: w)',
    'web.yaml:15 error no (Pod evil)',
  ]);
});

test('nothing is hidden in a list', async () => {
  const inner = DEPLOYMENT.replace('# the web\n', '').trimEnd().split('\n').join('\n    ');
  const texts = {
    Kptfile: KPTFILE,
    'all.yaml': `apiVersion: v1\nkind: List\nmetadata: { name: all }\nitems:\n  - ${inner}\n`,
  };
  expect(places(await run(one('object.spec.replicas <= 5'), { texts }))).toEqual([
    'all.yaml:11 error no (Deployment web)',
  ]);
});

test('the base is what was, by group, kind, namespace and name', async () => {
  const policy = one('oldObject != null && object.spec.replicas <= oldObject.spec.replicas');
  const base = { Kptfile: KPTFILE, 'old-name.yaml': DEPLOYMENT.replace('replicas: 7', 'replicas: 5') };
  expect(places(await run(policy, { base }))).toEqual(['web.yaml:8 error no']);
  expect((await run(policy, { base: { ...base, 'old-name.yaml': DEPLOYMENT } })).ok).toBe(true);
  expect((await run(policy)).ok).toBe(false);
});

test('what a proposal removes is told where nothing stands any more', async () => {
  const policy = { ...one('object != null'), deletions: true };
  const base = {
    Kptfile: KPTFILE,
    'web.yaml': DEPLOYMENT,
    'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: gone\n',
  };
  const [finding] = (await run(policy, { base })).findings;
  expect(finding).toMatchObject({
    message: 'no (the proposal removes the resource)',
    resource: { kind: 'ConfigMap', name: 'gone' },
    file: undefined,
  });
});

test('labels of the Kptfile choose the packages, and cannot be shed in the proposal', async () => {
  const labels = { tier: 'edge' };
  const bare = { Kptfile: KPTFILE.replace('edge', 'core'), 'web.yaml': DEPLOYMENT };
  expect((await run(one('false'), { labels })).ok).toBe(false);
  expect((await run(one('false'), { labels, texts: bare })).ok).toBe(true);
  expect((await run(one('false'), { labels, texts: bare, base: { Kptfile: KPTFILE } })).ok).toBe(false);
});

test('the bookkeeping of rendering is not seen', async () => {
  expect(
    (
      await run(
        one(
          '!has(object.metadata.annotations) && package.path == "shop/web" && package.labels.tier == "edge"',
        ),
      )
    ).ok,
  ).toBe(true);
});

test('several params are several judgements, and none is none', async () => {
  const policy = one('object.spec.replicas <= params.max');
  expect((await run(policy, { params: [{ max: 9 }, { max: 3 }, { max: 2 }] })).findings).toHaveLength(2);
  expect((await run(policy, { params: [] })).findings).toEqual([]);
});

test('without anything that judges, the guardrail says so', async () => {
  const { judge: _judge, ...blind } = runtime;
  const guardrails: Guardrail[] = [
    { name: 'rule', type: 'validator', mode: 'enforce', spec: { name: 'rule' }, policy: one('true') },
  ];
  const result = await renderPackage({ files: filesOf({ Kptfile: KPTFILE }), runtime: blind, guardrails });
  expect(result).toMatchObject({ ok: false, runs: [{ guardrail: 'rule', refused: { code: 'CEL_ABSENT' } }] });
});

test.each(READY_POLICIES.map(({ name, policy }) => [name, policy] as const))(
  'the policy %s judges a kustomization without kind as one with it',
  async (name, policy) => {
    const list = 'resources: [web.yaml]\n';
    const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n';
    const params = [filledParams(readyPolicy(name)!, { labels: ['a'], allow: ['x'] })];
    const findings = async (text: string): Promise<unknown> => {
      const texts = { Kptfile: KPTFILE, 'web.yaml': DEPLOYMENT, 'kustomization.yaml': text };
      const result = await run(policy, { texts, base: texts, params });
      return result.findings.map(({ file, message }) => [file, message]);
    };
    expect(await findings(list)).toEqual(await findings(head + list));
    expect(JSON.stringify(await findings(list))).not.toContain('not found');
  },
);
