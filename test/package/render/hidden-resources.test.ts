import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFile } from '../../../src/package/package.ts';
import { createRenderMemory } from '../../../src/package/render/memory.ts';
import type { RenderContext } from '../../../src/package/render/render-context.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { kptfile, packageOf } from './support.ts';

const rule: Guardrail = {
  name: 'rule',
  type: 'validator',
  mode: 'enforce',
  spec: { name: 'rule' },
  policy: {
    validations: [{ expression: '!has(object.spec) || object.spec.replicas <= 5', message: 'too many' }],
  },
};
const labels: Guardrail = {
  name: 'labels',
  type: 'mutator',
  mode: 'enforce',
  spec: { image: 'set-labels:v0.2', configMap: { team: 'a' } },
};

const deployment = (replicas: number, more = ''): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n${more}spec:\n  replicas: ${replicas}\n`;

type Texts = Readonly<Record<string, string>>;

function run(
  texts: Texts,
  context: Omit<RenderContext, 'base' | 'path' | 'repository'> & { readonly base?: Texts } = {},
  guardrails: readonly Guardrail[] = [rule],
): Promise<RenderResult> {
  const { base, ...rest } = context;
  return renderPackage({
    files: packageOf({ Kptfile: kptfile('p'), ...texts }),
    runtime: createRuntime(),
    guardrails,
    memory: createRenderMemory(),
    context: {
      path: 'p',
      repository: 'a/b',
      ...rest,
      ...(base && { base: packageOf({ Kptfile: kptfile('p'), ...base }) }),
    },
  });
}

const utf16 = (text: string): PackageFile => ({
  mode: '100644',
  bytes: new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le')),
});

const wrapped = (kind: string, items: readonly object[], apiVersion = 'v1'): object => ({
  apiVersion,
  kind,
  metadata: { name: 'l' },
  items,
});

const errors = ({ findings }: RenderResult): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ file, message }) => `${file}: ${message}`);

describe('guardrails judge what a cluster tool would apply', () => {
  const before: Texts = { '.krmignore': 'd*\n*.tmp.yaml\n', 'd.YAML': 'a: b\n', 'd.Json': '{}' };

  test.each<[string, string, string]>([
    ['an ignored file', 'd.yaml', deployment(7)],
    ['a name in capitals', 'd.YAML', deployment(7)],
    [
      'JSON in capitals',
      'd.Json',
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'x' },
        spec: { replicas: 7 },
      }),
    ],
    ['the second of two documents', 'd.yml', `a: b\n---\n- 1\n---\n${deployment(7)}`],
    ['a generated name', 'd.yaml', deployment(7).replace('name: web', 'generateName: web-')],
  ])('%s is judged though the base hid it too (68)', async (_name, path, text) => {
    const result = await run({ ...before, [path]: text }, { base: before });
    expect(result.ok).toBe(false);
    expect(errors(result)).toEqual([expect.stringContaining(`${path}: too many`)]);
  });

  test.each<[string, string]>([
    ['a document that nobody can read behind it', `${deployment(7)}---\na: {{ if }}\n  b: [\n`],
    ['one before it', `a: {{ if }}\n  b\n---\n${deployment(7)}`],
    ['the end of a document and nonsense', `${deployment(7)}...\n%nonsense\n---\nx: @x\n`],
  ])(
    '%s does not keep a resource from being judged where the base hides the file (68)',
    async (_name, text) => {
      const base = { '.krmignore': 'chart\n' };
      const result = await run({ ...base, 'chart/d.yaml': text }, { base });
      expect(result.ok).toBe(false);
      expect(errors(result)).toContainEqual(expect.stringContaining('chart/d.yaml: too many'));
    },
  );

  test.each<[string, string]>([
    ['a key that is there twice', `${deployment(7)}status: 1\nstatus: 2\n`],
    ['a flow map at the margin', deployment(7).replace('spec:\n  replicas: 7', 'spec: {\nreplicas: 7 }')],
    ['a quoted text at the margin', `${deployment(7)}status: "a\nb"\n`],
  ])('%s, which cluster tools read, fails where the base hides the file (68)', async (_name, text) => {
    const base = { '.krmignore': 'chart\n' };
    const result = await run({ ...base, 'chart/d.yaml': text }, { base });
    expect(errors(result)).toEqual([expect.stringContaining('guardrails cannot judge it')]);
  });

  test('what is newly ignored fails, and is told with its file (68)', async () => {
    const texts = { '.krmignore': 'd.yaml\n', 'd.yaml': deployment(3) };
    const result = await run(texts, { base: { 'd.yaml': deployment(3) } });
    expect(result.ok).toBe(false);
    expect(errors(result)).toEqual([
      expect.stringMatching(/^d\.yaml: d\.yaml holds resources.*\.krmignore hides it/),
    ]);
    expect((await run(texts, { isNew: true })).ok).toBe(false);
  });

  test('what the base ignored already may stay so, also from mutators', async () => {
    const texts = { '.krmignore': 'd.yaml\n', 'd.yaml': deployment(3) };
    const result = await run(texts, { base: { '.krmignore': 'd.yaml\n' } }, [labels, rule]);
    expect({ ok: result.ok, changed: result.changed, errors: errors(result) }).toEqual({
      ok: true,
      changed: ['Kptfile'],
      errors: [],
    });
  });

  test('a mutator that is enforced is not passed by either (68)', async () => {
    const result = await run({ '.krmignore': '*.yaml\n', 'd.yaml': deployment(3) }, { isNew: true }, [
      labels,
    ]);
    expect(result.ok).toBe(false);
    expect(errors(result)).toHaveLength(1);
  });

  test('a subpackage that brings its own .krmignore hides no more (68)', async () => {
    const texts = { 's/Kptfile': kptfile('s'), 's/.krmignore': '*\n', 's/d.yaml': deployment(3) };
    expect((await run(texts, { base: { 's/d.yaml': deployment(3) } })).ok).toBe(false);
  });

  test('values, templates and notes may be hidden', async () => {
    const base = { '.krmignore': 'chart\n' };
    const texts = {
      ...base,
      'chart/values.yaml': 'replicas: 100\n',
      'chart/list.yaml': '- a\n- b\n',
      'chart/templates/d.yaml': 'a: {{ .Values.a }}\n{{ if }}\n',
      'chart/notes.txt': deployment(7),
    };
    const result = await run(texts, { base });
    expect({ ok: result.ok, errors: errors(result) }).toEqual({ ok: true, errors: [] });
    expect((await run({ '.krmignore': 'v.yaml\n', 'v.yaml': 'a: 1\n' }, { isNew: true })).ok).toBe(true);
  });

  test('without knowledge of the base it is said, and does not fail', async () => {
    const result = await run({ '.krmignore': 'd.yaml\n', 'd.yaml': deployment(3) });
    expect(result.ok).toBe(true);
    expect(result.findings.map(({ severity }) => severity)).toEqual(['warning']);
  });

  test('what cannot be judged fails: other encodings, streams of JSON, limits (68)', async () => {
    const base = { '.krmignore': 'd*\n' };
    const object = JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' } });
    const stream = await run({ ...base, 'd.json': `${object}\n${object}\n` }, { base });
    expect(errors(stream)).toEqual([expect.stringMatching(/d\.json is hidden from functions/)]);
    const deep = await run({ ...base, 'd.yaml': `a: ${'['.repeat(2_000)}` }, { base });
    expect(errors(deep)).toEqual([expect.stringMatching(/d\.yaml is hidden from functions/)]);
    const files = new Map([
      ...packageOf({ Kptfile: kptfile('p'), ...base }),
      ['d.yaml', utf16(deployment(7))] as const,
    ]);
    const result = await renderPackage({
      files,
      runtime: createRuntime(),
      guardrails: [rule],
      context: { path: 'p', repository: 'a/b', base: packageOf({ Kptfile: kptfile('p'), ...base }) },
    });
    expect(errors(result)).toEqual([expect.stringMatching(/d\.yaml is hidden from functions.*not UTF-8/)]);
  });

  test('a new symbolic link fails, and one that was there does not (68)', async () => {
    const texts = { 'a.yaml': deployment(3) };
    const links = [{ path: 'd.yaml', id: '1', target: '../notes.txt' }];
    const link = { links, base: texts };
    expect(errors(await run(texts, link))).toEqual([expect.stringMatching(/d\.yaml is a symbolic link/)]);
    expect((await run(texts, { ...link, linksBefore: links })).ok).toBe(true);
  });
});

describe('nothing is hidden in a list', () => {
  const inner = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { replicas: 7 } };
  const deep = Array.from({ length: 8 }).reduce<object>((item) => wrapped('List', [item]), inner);
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = inner;

  test.each<[string, object]>([
    ['eight lists deep', deep],
    ['an object with items that calls itself otherwise', wrapped('Bundle', [inner])],
    ['items without a kind of their own', wrapped('DeploymentList', [bare], 'apps/v1')],
  ])('%s (68)', async (_name, value) => {
    const result = await run({ 'l.yaml': JSON.stringify(value) });
    expect(errors(result)).toEqual([expect.stringContaining('too many (Deployment x)')]);
  });
});

test('a resource of Kubernetes is judged though it says that it is for tools (68)', async () => {
  const mark = '  annotations:\n    config.kubernetes.io/local-config: "true"\n';
  expect((await run({ 'd.yaml': deployment(7, mark) })).ok).toBe(false);
});
