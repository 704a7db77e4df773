/** Processors that need no Helm, and how steps follow each other. */
import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../src/function/runtime.ts';
import { treeDigest } from '../../src/package/tree-digest.ts';
import { consumedDirectories, processorsSchema } from '../../src/processors/processor-spec.ts';
import type { Processed } from '../../src/processors/processor-step.ts';
import { runProcessors, type ProcessorOptions } from '../../src/processors/run-processors.ts';
import { readTargets } from '../../src/processors/target-profile.ts';
import { CSV, webhookCsv } from '../bundle/bundle-files.ts';
import { realTools } from './real-tools.ts';
import { treeOf } from './shop-chart.ts';

type Files = Readonly<Record<string, string>>;

const environment = realTools();
const runtime = createRuntime();

function run(
  files: Files,
  processors: object[],
  options: Partial<ProcessorOptions> = {},
): Promise<Processed> {
  return runProcessors(treeOf(files), processorsSchema.parse(processors), { runtime, ...options });
}

async function outcome(...how: Parameters<typeof run>): Promise<Extract<Processed, { tree: unknown }>> {
  const result = await run(...how);
  if ('refused' in result) throw new Error(JSON.stringify(result.refused));
  return result;
}

function textsIn({ tree }: { tree: ReadonlyMap<string, Uint8Array> }, below: string): Files {
  const files = [...tree].filter(([path]) => path.startsWith(`${below}/`));
  return Object.fromEntries(files.map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]));
}

function below(directory: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]));
}

const CONFIG = `# kept
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
`;
const MONITOR = `apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: web
  annotations: {portico.dev/requires: monitoring.coreos.com/v1/ServiceMonitor}
`;

describe('steps', () => {
  test('each is told with what it read, what it filled and which files it changed', async () => {
    const processors = [
      { plain: { directory: 'upstream' } },
      {
        function: { image: 'set-labels:v0.2.0', configMap: { team: 'a' }, directory: 'rendered' },
        out: 'rendered',
      },
    ];
    const files = { 'upstream/all.yaml': `${CONFIG}---\n${MONITOR}`, 'rendered/old.yaml': CONFIG };
    const { tree, steps } = await outcome(files, processors);
    expect(steps.map(({ processor, tool, changed }) => [processor, tool, changed])).toEqual([
      [
        'plain',
        'plain@v1',
        [
          { path: 'rendered/configmap_shop_web.yaml', change: 'added' },
          { path: 'rendered/old.yaml', change: 'removed' },
          { path: 'rendered/servicemonitor_web.yaml', change: 'added' },
        ],
      ],
      [
        'function',
        'function:set-labels:v0.2.0',
        [
          { path: 'rendered/configmap_shop_web.yaml', change: 'changed' },
          { path: 'rendered/servicemonitor_web.yaml', change: 'changed' },
        ],
      ],
    ]);
    // What a function tells of what it was asked to do is no news.
    expect(steps.map(({ notes }) => notes)).toEqual([[], []]);
    const texts = textsIn({ tree }, 'rendered');
    expect(texts['rendered/configmap_shop_web.yaml']).toMatch(/^# kept\n[^]*team: a/);
    const below = new Map([...tree].filter(([path]) => path.startsWith('rendered/')));
    const inside = new Map([...below].map(([path, bytes]) => [path.slice('rendered/'.length), bytes]));
    expect(steps[1]?.outputDigest).toBe(treeDigest(inside));
    // The same again changes nothing, and has the same digests.
    const again = await runProcessors(tree, processorsSchema.parse(processors), { runtime });
    expect('tree' in again && [treeDigest(again.tree), again.steps.map((step) => step.outputDigest)]).toEqual(
      [treeDigest(tree), steps.map((step) => step.outputDigest)],
    );
  });

  test('the first that is refused ends it, with its place', async () => {
    const result = await run({ 'a/x.yaml': CONFIG, 'b/x.yaml': '{' }, [
      { plain: { directory: 'a' }, out: 'one' },
      { plain: { directory: 'b' }, out: 'two' },
    ]);
    expect(result).toMatchObject({
      refused: { processor: 'processors[1].plain', code: 'PROCESSOR_NO_YAML' },
    });
    expect(result.steps).toHaveLength(1);
    const unknown = await run({ 'a/x.yaml': CONFIG }, [
      { function: { image: 'ghcr.io/acme/fn:v1', directory: 'a' }, out: 'b' },
    ]);
    expect(unknown).toMatchObject({ refused: { code: 'FUNCTION_UNKNOWN' } });
    const stopped = AbortSignal.abort(new Error('enough'));
    await expect(run({}, [{ plain: { directory: 'a' } }], { signal: stopped })).rejects.toThrow('enough');
  });

  test.each([
    [
      'two kinds',
      [{ plain: { directory: 'a' }, kustomize: { directory: 'b' } }],
      'this one is plain and kustomize',
    ],
    ['no kind', [{ out: 'x' }], 'this one is none'],
    ['a path that leads out', [{ plain: { directory: '../a' } }], 'the path has the part ".."'],
    ['an absolute path', [{ plain: { directory: 'a' }, out: '/etc' }], 'the path is absolute'],
    [
      'what it reads in what it fills',
      [{ plain: { directory: 'rendered/a' } }],
      'cannot be rendered: the processor replaces all of it, and reads rendered/a',
    ],
    [
      'two that fill one',
      [{ plain: { directory: 'a' } }, { plain: { directory: 'b' }, out: 'rendered/b' }],
      'cannot be rendered/b: processors[0] already writes rendered',
    ],
    [
      'a release that is an option',
      [{ helm: { chart: 'a', release: '--post-renderer' } }],
      'must have 1 to 53',
    ],
    [
      'a version that is an option',
      [{ helm: { chart: 'a', release: 'a', kubeVersion: '1 --x' } }],
      'must be a version of Kubernetes',
    ],
  ])('%s is refused where it is written', (_what, processors, message) => {
    const read = processorsSchema.safeParse(processors);
    expect(read.error?.issues.map((issue) => issue.message).join()).toContain(message);
  });

  test('what processors read is not what is deployed', () => {
    const processors = processorsSchema.parse([
      { helm: { chart: 'upstream/chart', values: 'values.yaml', release: 'a' } },
      { function: { image: 'set-labels:v0.2.0', directory: 'rendered' }, out: 'rendered' },
      { targets: { directory: 'rendered' }, out: 'targets' },
    ]);
    expect(consumedDirectories(processors, ['upstream/chart', 'docs'])).toEqual([
      'rendered',
      'upstream/chart',
    ]);
    expect(consumedDirectories(processors.slice(0, 2), ['upstream/chart'])).toEqual(['upstream/chart']);
  });
});

function role(name: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: "${name}"}\n`;
}

describe('plain', () => {
  test('every object has a file of its own; equal ones stand once, and different ones of one name are refused', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n`;
    const files = {
      'm/a.yaml': CONFIG,
      'm/b.yaml': CONFIG,
      'm/c.json': '',
      'm/l.yaml': list,
      'm/r.yaml': `${role('a:b')}---\n${role('a-b')}`,
    };
    const result = await outcome(files, [{ plain: { directory: 'm' } }]);
    expect(Object.keys(textsIn(result, 'rendered'))).toEqual([
      'rendered/configmap_shop_web.yaml',
      expect.stringMatching(/^rendered\/role_a-b_[0-9a-f]{8}\.yaml$/),
      expect.stringMatching(/^rendered\/role_a-b_[0-9a-f]{8}\.yaml$/),
      'rendered/secret_s.yaml',
    ]);
    const twins = await run({ 'm/a.yaml': CONFIG, 'm/b.yaml': `${CONFIG}data: {a: b}\n` }, [
      { plain: { directory: 'm' } },
    ]);
    expect(twins).toMatchObject({ refused: { code: 'PROCESSOR_TWINS' } });
    // A document that ends in three dots brings no other one along, and other separators of lines end none.
    const dots = `${CONFIG}data: {a: "\u2028--- b"}\n...\n# next\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n`;
    const apart = textsIn(await outcome({ 'm/a.yaml': dots }, [{ plain: { directory: 'm' } }]), 'rendered');
    expect(Object.keys(apart)).toHaveLength(2);
    expect(apart['rendered/configmap_shop_web.yaml']).not.toContain('Secret');
    const nothing = await run({ 'm/a.txt': 'x' }, [{ plain: { directory: 'm' } }]);
    expect(nothing).toMatchObject({ refused: { code: 'PROCESSOR_EMPTY' } });
  });
});

describe('registryV1', () => {
  test('an operator becomes plain objects; the version of the conversion stands for these bytes', async () => {
    const files = { ...below('one', CSV()), ...below('two', webhookCsv()) };
    const { steps } = await outcome(files, [
      { registryV1: { bundle: 'one', installNamespace: 'ops' }, out: 'a' },
      {
        registryV1: { bundle: 'two', installNamespace: 'ops', certificateProvider: 'cert-manager' },
        out: 'b',
      },
    ]);
    // Where these change, raise VERSION in src/processors/our-own.ts: locks name it beside the digests.
    expect(steps.map(({ tool, outputDigest }) => [tool, outputDigest.slice(7, 19)])).toEqual([
      ['registryV1@v3', '31a4d316255d'],
      ['registryV1@v3', '5195c6ad2ad4'],
    ]);
    const bad = await run(below('one', { 'manifests/x.yaml': CONFIG }), [
      { registryV1: { bundle: 'one', installNamespace: 'ops' } },
    ]);
    expect(bad).toMatchObject({ refused: { code: 'BUNDLE_REFUSED' } });
  });
});

describe('targets', () => {
  const DIRECTORY = '.github/portico/targets';
  const target = (name: string, spec: string): Files => ({
    [`${DIRECTORY}/${name}.yaml`]: `apiVersion: config.portico.dev/v1alpha1\nkind: Target\nmetadata: {name: ${name}}\nspec: ${spec}\n`,
  });

  test('what a target cannot serve is left out there, and told with the count', async () => {
    const { targets, problems } = readTargets(
      treeOf({
        ...target('big', '{kubeVersion: 1.33.0, apis: [monitoring.coreos.com/v1]}'),
        ...target('small', '{}'),
        ...target('exact', '{apis: [monitoring.coreos.com/v1/ServiceMonitor]}'),
        ...target('other', '{apis: [monitoring.coreos.com/v1/PodMonitor]}'),
      }),
    );
    expect(problems).toEqual([]);
    const files = { 'rendered/c.yaml': CONFIG, 'rendered/m.yaml': MONITOR };
    const processors = [{ targets: { directory: 'rendered' }, out: 'targets' }];
    const result = await outcome(files, processors, { targets });
    expect(Object.keys(textsIn(result, 'targets'))).toEqual([
      'targets/big/configmap_shop_web.yaml',
      'targets/big/servicemonitor_web.yaml',
      'targets/exact/configmap_shop_web.yaml',
      'targets/exact/servicemonitor_web.yaml',
      'targets/other/configmap_shop_web.yaml',
      'targets/small/configmap_shop_web.yaml',
    ]);
    expect(result.steps[0]?.notes).toEqual([
      'ServiceMonitor web is left out in 2 of 4 targets: other, small (it requires monitoring.coreos.com/v1/ServiceMonitor)',
    ]);
    const crd = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}
spec: {group: monitoring.coreos.com, names: {kind: ServiceMonitor}, versions: [{name: v1, served: true}]}\n`;
    const brought = await outcome({ ...files, 'rendered/crd.yaml': crd }, processors, { targets });
    expect(brought.steps[0]?.notes).toEqual([]);
    const few = await run(files, [{ targets: { directory: 'rendered', only: ['moon'] }, out: 't' }], {
      targets,
    });
    expect(few).toMatchObject({ refused: { code: 'TARGET_UNKNOWN' } });
    const typo = {
      'rendered/m.yaml': MONITOR.replace('monitoring.coreos.com/v1/ServiceMonitor}', 'ServiceMonitor}'),
    };
    expect(await run(typo, processors, { targets })).toMatchObject({ refused: { code: 'REQUIRES_INVALID' } });
  });

  test('a profile that cannot be read is told, and the others count', () => {
    const bad = {
      ...target('a', '{apis: [monitoring]}'),
      ...target('b', '{kubeVersion: new}'),
      ...target('c', '{}'),
      [`${DIRECTORY}/d.yaml`]: '{',
      [`${DIRECTORY}/e.yaml`]: target('c', '{}')[`${DIRECTORY}/c.yaml`]!,
    };
    const { targets, problems } = readTargets(treeOf(bad));
    expect(targets.map(({ name }) => name)).toEqual(['c']);
    expect(
      problems.map(({ file, message }) => `${file.slice(DIRECTORY.length + 1)}: ${message.slice(0, 30)}`),
    ).toEqual([
      'a.yaml: spec.apis.0: must be an API su',
      'b.yaml: spec.kubeVersion: must be a ve',
      'd.yaml: Line 1: Flow map must end with',
      'e.yaml: there are two targets with the',
    ]);
  });
});

describe('kustomize', { tags: ['helm'] }, () => {
  const OVERLAY = {
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml': CONFIG,
    'overlay/kustomization.yaml': 'resources: [../base]\nnamePrefix: eu-\n',
  };
  const processors = [{ kustomize: { directory: 'overlay', with: ['base'] } }];

  test('an overlay is built with what it names', async () => {
    const result = await outcome(OVERLAY, processors, { environment: environment! });
    expect(Object.keys(textsIn(result, 'rendered'))).toEqual(['rendered/configmap_shop_eu-web.yaml']);
    expect(result.steps[0]?.tool).toMatch(/^kustomize@sha256:/);
    const alone = await run(OVERLAY, [{ kustomize: { directory: 'overlay' } }], {
      environment: environment!,
    });
    expect(alone).toMatchObject({
      refused: { code: 'KUSTOMIZE_FAILED', hint: expect.stringContaining('`with`') },
    });
    // Where it was staged is nobody's business, and another place each time.
    expect(JSON.stringify(alone)).not.toContain('portico-processor-');
  });

  test.each([
    ['an address', 'resources: ["https://example.com/x.yaml"]', 'KUSTOMIZE_REMOTE'],
    ['a repository', 'resources: ["github.com/acme/base?ref=v1"]', 'KUSTOMIZE_REMOTE'],
    ['git over ssh', 'components: ["git@host:acme/base"]', 'KUSTOMIZE_REMOTE'],
    ['an address of a generator', 'generators: ["https://example.com/x.yaml"]', 'KUSTOMIZE_REMOTE'],
    [
      'an address of a file',
      'configMapGenerator: [{name: a, files: ["a=https://example.com/x"]}]',
      'KUSTOMIZE_REMOTE',
    ],
    ['an address of a patch', 'patches: [{path: "https://example.com/x.yaml"}]', 'KUSTOMIZE_REMOTE'],
    ['an address in capitals', 'RESOURCES: ["https://example.com/x.yaml"]', 'KUSTOMIZE_REMOTE'],
    ['a merged field', '<<: {resources: ["https://example.com/x.yaml"]}', 'KUSTOMIZATION_INVALID'],
    ['a chart', 'helmCharts: [{name: x, repo: "https://example.com"}]', 'KUSTOMIZE_PROGRAM'],
    ['a file of the machine', 'configMapGenerator: [{name: a, files: [/etc/passwd]}]', 'KUSTOMIZE_FAILED'],
    ['a program', 'generators: [exec.yaml]', 'KUSTOMIZE_FAILED'],
  ])('%s is refused', async (_what, text, code) => {
    const exec = `apiVersion: v1\nkind: Exec\nmetadata: {name: x, annotations: {config.kubernetes.io/function: "exec: {path: /bin/true}"}}\n`;
    const files = { 'o/kustomization.yaml': `${text}\n`, 'o/exec.yaml': exec };
    const result = await run(files, [{ kustomize: { directory: 'o' } }], { environment: environment! });
    expect(result).toMatchObject({ refused: { code } });
  });
});
