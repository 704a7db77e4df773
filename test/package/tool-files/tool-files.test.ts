import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { Link } from '../../../src/package/package.ts';
import { diffPower } from '../../../src/package/power/power-diff.ts';
import { createRenderMemory } from '../../../src/package/render/memory.ts';
import type { RenderContext } from '../../../src/package/render/render-context.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import type { DeployTool } from '../../../src/package/tool-files/deploy-tools.ts';
import { toolFindings } from '../../../src/package/tool-files/tool-files.ts';
import { kptfile, packageOf } from '../render/support.ts';

type Texts = Readonly<Record<string, string>>;

const HEAD = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n';
const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec: {}\n';

const filesOf = (texts: Texts): ReturnType<typeof packageOf> =>
  packageOf({ Kptfile: kptfile('p'), 'pod.yaml': POD, ...texts });

const found = (texts: Texts, deploy?: readonly DeployTool[]): string[] =>
  toolFindings(filesOf(texts), deploy).map(({ message }) => message);

const rule: Guardrail = {
  name: 'rule',
  type: 'validator',
  mode: 'enforce',
  spec: { name: 'rule' },
  policy: { validations: [{ expression: 'true' }] },
};

function run(
  texts: Texts,
  base?: Texts,
  context: Partial<Omit<RenderContext, 'base'>> = {},
  guardrails: readonly Guardrail[] = [rule],
): Promise<RenderResult> {
  return renderPackage({
    files: filesOf(texts),
    runtime: createRuntime(),
    guardrails,
    memory: createRenderMemory(),
    context: {
      path: 'p',
      repository: 'a/b',
      ...(base && { base: filesOf(base) }),
      ...context,
    },
  });
}

const severities = ({ findings }: RenderResult): string[] => findings.map(({ severity }) => severity);

describe('a kustomization', () => {
  const CHANGING: [string, string][] = [
    ['images', 'images: [{ name: web, newName: evil.io/x }]'],
    ['patches', 'patches: [{ path: p.txt }]'],
    ['patchesStrategicMerge', 'patchesStrategicMerge: [p.txt]'],
    ['patchesJson6902', 'patchesJson6902: [{ path: p.txt, target: { kind: Pod } }]'],
    ['replacements', 'replacements: [{ path: r.txt }]'],
    ['replicas', 'replicas: [{ name: web, count: 9 }]'],
    ['namespace', 'namespace: kube-system'],
    ['labels', 'labels: [{ pairs: { a: b } }]'],
    ['a generator of secrets', 'secretGenerator: [{ name: s, literals: [a=b] }]'],
    ['a generator of configuration', 'configMapGenerator: [{ name: s, literals: [a=b] }]'],
    ['generators', 'generators: [g.yaml]'],
    ['transformers', 'transformers: [t.yaml]'],
    ['components', 'components: [part]'],
    ['charts', 'helmCharts: [{ name: redis }]'],
    ['schemas', 'openapi: { path: o.json }'],
    ['configurations', 'configurations: [c.yaml]'],
    ['a field in other case', 'IMAGES: [{ name: web, newName: evil.io/x }]'],
    ['a field that is not known', 'later: true'],
    ['a remote base', 'resources: ["https://github.com/acme/evil//base?ref=main"]'],
    ['a short remote base', 'resources: [github.com/acme/evil]'],
    ['a remote base in the old field', 'bases: ["git@evil.io:acme/x"]'],
    ['a resource that is not named as one', 'resources: [pod.txt]'],
    ['a resource outside of the package', 'resources: [../other/pod.yaml]'],
    ['an absolute path', 'resources: [/etc/pod.yaml]'],
    ['a directory without a kustomization', 'resources: [part]'],
    ['resources that are not a list', 'resources: pod.yaml'],
    ['a field behind U+2028', 'resources: [pod.yaml] # here\u2028images: [{ name: web, newName: x }]'],
    ['a merge key', '<<: { images: [{ name: web, newName: evil.io/x }] }'],
  ];
  const more = { 'pod.txt': POD, 'p.txt': POD, 'part/pod.txt': POD, 'github.com/acme/evil/pod.yaml': POD };

  test.each(CHANGING)(
    'a kustomization with %s is refused, with and without apiVersion and kind (104)',
    (_name, field) => {
      for (const name of [
        'kustomization.yaml',
        'kustomization.yml',
        'Kustomization',
        'sub/kustomization.yaml',
      ]) {
        expect(found({ ...more, [name]: `${HEAD}${field}\n` })).toEqual([
          expect.stringContaining(`${name}:3 `),
        ]);
        expect(found({ ...more, [name]: `${field}\n` })).toEqual([expect.stringContaining(`${name}:1 `)]);
      }
    },
  );

  test('a kustomization with its group in a second spelling is refused, whichever kustomize takes (104)', () => {
    const twin = 'apiVersion: acme.example/v1\napiversion: kustomize.config.k8s.io/v1beta1\n';
    expect(found({ ...more, 'kustomization.yaml': `${twin}patches: [{ path: p.txt }]\n` })).toHaveLength(1);
  });

  test('a kustomization that only lists judged files passes', () => {
    const texts = {
      'kustomization.yaml': `${HEAD}metadata: { name: x }\nresources: [pod.yaml, ./sub, sub/../pod.yaml]\nimages: []\nnamePrefix: ""\n`,
      'sub/kustomization.yml': 'resources:\n- ../pod.yaml\n',
      'empty/kustomization.yaml': '# nothing\n',
      'flux/kustomization.yaml':
        'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: { name: x }\nspec: { path: ./x }\n',
    };
    expect(found(texts)).toEqual([]);
  });

  test('a kustomization that cannot be read, or has several documents, is refused', () => {
    expect(found({ Kustomization: 'a: b\n  c: d\n' })).toEqual([expect.stringContaining('cannot be judged')]);
    expect(found({ Kustomization: 'a: b\na: c\n' })).toEqual([expect.stringContaining('cannot be judged')]);
    expect(found({ Kustomization: 'resources: []\n---\nimages: []\n' })).toEqual([
      expect.stringContaining('is not one document'),
    ]);
  });

  test('the message says what to do, and which tools build from the file', () => {
    const texts = { 'kustomization.yaml': 'images: [{ name: a }]\npatches: [{ path: b }]\n' };
    expect(found(texts)).toEqual([
      'kustomization.yaml:1 sets `images`, `patches`: it makes Flux, Argo CD, kubectl and Config Sync build other resources than guardrails judge. ' +
        'Write the result into the resources, or rename the file to kustomization.yaml.in and let the processor kustomize build it.',
    ]);
    expect(found(texts, ['flux'])).toEqual([expect.stringContaining('it makes Flux build')]);
  });
});

describe('other files from which tools build', () => {
  test.each<[string, string, string, DeployTool]>([
    ['.argocd-source.yaml', '.argocd-source.yaml', 'kustomize: { images: [a=b] }\n', 'flux'],
    ['.argocd-source of an application', '.argocd-source-web.yaml', 'a: b\n', 'kubectl'],
    ['jsonnet', 'sub/pod.jsonnet', '{}\n', 'config-sync'],
    ['a chart', 'Chart.yaml', 'name: x\n', 'flux'],
    ['an encoding', '.gitattributes', '*.yaml working-tree-encoding=IBM037\n', 'flux'],
    ['an encoding below', 'sub/.gitattributes', '* -text working-tree-encoding=UTF-16\n', 'flux'],
    ['a filter', '.gitattributes', '# all\npod.yaml filter=lfs diff=lfs\n', 'flux'],
    ['a filter of a macro', '.gitattributes', '[attr]x filter=lfs\n', 'flux'],
    ['ident', '.gitattributes', '"pod.yaml" ident\n', 'flux'],
  ])('%s is refused unless no tool that deploys takes it (104, 106, 107)', (_name, path, text, other) => {
    const all = found({ [path]: text });
    expect(all).toEqual([expect.stringContaining(path)]);
    expect(found({ [path]: text }, [other])).toEqual([]);
  });

  test('a file that changes nothing passes', () => {
    const texts = {
      '.gitattributes':
        '*.png filter=lfs diff=lfs merge=lfs -text\n*.yaml text eol=crlf -filter !ident linguist-generated\nLICENSE ident\n',
      'lib/x.libsonnet': '{}\n',
      'upstream/chart/Chart.yaml': 'name: x\n',
      'kustomization.yaml.in': 'images: [{ name: a }]\n',
      'flux-kustomization.yaml': POD.replace('web', 'other'),
    };
    expect(found(texts)).toEqual([]);
  });
});

describe('of guardrails that are enforced', () => {
  const changing = { 'kustomization.yaml': `${HEAD}images: [{ name: a, newName: b }]\n` };

  test('a new or changed kustomization fails, on its line, and an old one is a warning (104)', async () => {
    const fresh = await run(changing, {});
    expect({ ok: fresh.ok, severities: severities(fresh) }).toEqual({ ok: false, severities: ['error'] });
    expect(fresh.findings[0]).toMatchObject({ file: 'kustomization.yaml', line: 3 });
    expect((await run(changing, undefined, { isNew: true })).ok).toBe(false);
    const other = { 'kustomization.yaml': `${HEAD}images: [{ name: a, newName: c }]\n` };
    expect((await run(changing, other)).ok).toBe(false);
    const old = await run(changing, changing);
    expect({ ok: old.ok, severities: severities(old) }).toEqual({ ok: true, severities: ['warning'] });
  });

  test.each([
    ['a patch that it names', { 'kustomization.yaml': 'patches: [{ path: ./sub/p.txt }]\n' }, 'sub/p.txt'],
    ['a file of a component', { 'kustomization.yaml': 'components: [sub]\n' }, 'sub/x.json6902'],
    ['a file of a generator', { 'kustomization.yaml': 'secretGenerator: [{ files: [a=x.env] }]\n' }, 'x.env'],
    [
      'a file that a transformer names',
      { 'kustomization.yaml': 'transformers: [t.yaml]\n', 't.yaml': POD.replace('{}', '{ path: p.txt }') },
      'p.txt',
    ],
    ['a listed text', { 'kustomization.yaml': 'resources: [x.txt]\n' }, 'x.txt'],
    ['what jsonnet imports', { 'a.jsonnet': 'import "x.libsonnet"' }, 'x.libsonnet'],
    ['what jsonnet imports as a text', { 'a.jsonnet': 'importstr "x.txt"' }, 'x.txt'],
    ['what an imported file imports', { 'a.jsonnet': 'import "b"', b: 'import "x.inc"' }, 'x.inc'],
    ['a file that a chart reads', { '.krmignore': 'Chart.yaml', 'Chart.yaml': 'name: x' }, 'files/x.txt'],
    [
      'dependencies of an old chart',
      { '.krmignore': '*s.yaml\nChart.yaml', 'Chart.yaml': 'name: x' },
      'requirements.yaml',
    ],
    [
      'a patch of a transformer that is written as a text',
      { 'kustomization.yaml': 'transformers:\n- |-\n  kind: PatchTransformer\n  path: p.txt\n' },
      'p.txt',
    ],
    [
      'a patch of a transformer that is not named as a manifest',
      { 'kustomization.yaml': 'transformers: [t.conf]\n', 't.conf': 'path: p.txt\n' },
      'p.txt',
    ],
    ['a template of a chart', { '.krmignore': 'Chart.yaml', 'Chart.yaml': 'name: x' }, 'templates/x.tpl'],
  ])('%s fails when it changes below a file that the base has (104, 130)', async (_name, texts, input) => {
    const base = { ...texts, [input]: 'old' };
    expect((await run(base, base)).ok).toBe(true);
    expect((await run({ ...texts, [input]: 'new' }, base)).ok).toBe(false);
    expect((await run({ ...base, README: 'new' }, base)).ok).toBe(true);
  });

  test('a .krmignore of the base hides no kustomization (104)', async () => {
    const base = { '.krmignore': 'kustomization.yaml\n' };
    expect((await run({ ...base, 'kustomization.yaml': 'images: [{ name: a }]\n' }, base)).ok).toBe(false);
  });

  test('only the tools that deploy count, and only what is enforced fails', async () => {
    expect((await run({ 'a.jsonnet': '{}' }, {}, { deploy: ['flux'] })).ok).toBe(true);
    const advice = await run(changing, {}, {}, [{ ...rule, mode: 'warn' }]);
    expect({ ok: advice.ok, severities: severities(advice) }).toEqual({ ok: true, severities: ['warning'] });
    expect(severities(await run(changing, {}, {}, []))).toEqual([]);
  });
});

describe('symbolic links', () => {
  const link = { path: 'd.yaml', id: '1', target: 'notes.txt' };
  const texts = { 'notes.txt': 'old' };

  test('a symbolic link of the base fails when it, or the file that it leads to, changes (104)', async () => {
    expect((await run(texts, texts, { links: [link], linksBefore: [link] })).ok).toBe(true);
    const elsewhere = { ...link, id: '2', target: '../../evil.yaml' };
    expect((await run(texts, texts, { links: [elsewhere], linksBefore: [link] })).ok).toBe(false);
    expect((await run({ 'notes.txt': POD }, texts, { links: [link], linksBefore: [link] })).ok).toBe(false);
  });

  test('a symbolic link of the base fails when what it leads to by way of other links changes (130)', async () => {
    const links = [
      link,
      { path: 'notes.txt', id: '2', target: 'dir/a.txt' },
      { path: 'dir', id: '3', target: 'real' },
    ];
    const changed = { links, linksBefore: links };
    const before = { 'real/a.txt': 'old' };
    expect((await run(before, before, changed)).ok).toBe(true);
    expect((await run({ 'real/a.txt': POD }, before, changed)).ok).toBe(false);
    const circle = [
      { ...link, target: 'e.yaml' },
      { ...link, path: 'e.yaml', target: 'd.yaml' },
    ];
    expect((await run({}, {}, { links: circle, linksBefore: circle })).ok).toBe(true);
  });

  test('a kustomization that is a symbolic link of the base fails when a file that it names changes (130)', async () => {
    const links = [{ ...link, path: 'kustomization.yaml', target: 'k.txt' }];
    const before = { 'k.txt': 'patches: [{ path: p.txt }]\n', 'p.txt': 'old' };
    const changed = { links, linksBefore: links };
    expect((await run(before, before, changed)).ok).toBe(true);
    expect((await run({ ...before, 'p.txt': 'new' }, before, changed)).ok).toBe(false);
  });

  test('a symbolic link of the base is a warning, unless it leads to a manifest of the package', async () => {
    const inside = { ...link, target: './pod.yaml' };
    expect(severities(await run({}, {}, { links: [inside], linksBefore: [inside] }))).toEqual([]);
    const outside = { ...link, target: '../pod.yaml' };
    expect(severities(await run({}, {}, { links: [outside], linksBefore: [outside] }))).toEqual(['warning']);
    const built = { ...inside, path: 'kustomization.yaml' };
    expect(severities(await run({}, {}, { links: [built], linksBefore: [built] }))).toEqual(['warning']);
  });
});

test('privileges are unknown where a tool builds from a new or changed file (104)', () => {
  const before = filesOf({});
  const after = filesOf({ 'kustomization.yaml': 'patches: [{ path: p.txt }]\n', 'p.txt': 'a' });
  expect(diffPower(before, after).unread).toEqual(['kustomization.yaml']);
  expect(diffPower(after, after).unread).toEqual([]);
  const changed = filesOf({ 'kustomization.yaml': 'patches: [{ path: p.txt }]\n', 'p.txt': 'b' });
  expect(diffPower(after, changed).unread).toEqual(['kustomization.yaml']);
  expect(diffPower(before, filesOf({ 'a.jsonnet': '{}' }), { deploy: ['flux'] }).unread).toEqual([]);
});

test('privileges are unknown behind a new or changed link, and not behind one that is gone (133)', () => {
  const texts = filesOf({ 'notes.txt': 'old' });
  const link = { path: 'd.yaml', id: '1', target: 'notes.txt' };
  const unread = (before: readonly Link[], after: readonly Link[], now = texts) =>
    diffPower(texts, now, { links: { before, after } }).unread;
  expect(unread([], [link])).toEqual(['d.yaml']);
  expect(unread([link], [{ ...link, id: '2', target: '../../evil.yaml' }])).toEqual(['d.yaml']);
  expect(unread([], [{ path: 'sub', id: '3' }])).toEqual(['sub']);
  expect(unread([link], [link], filesOf({ 'notes.txt': POD }))).toEqual(['d.yaml']);
  expect(unread([link], [link])).toEqual([]);
  expect(unread([link], [])).toEqual([]);
});
