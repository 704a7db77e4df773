/** The processor `helm`, with the real Helm. */

import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, test, vi } from 'vitest';

import { createRuntime } from '../../src/function/runtime.ts';
import { hasBubblewrap } from '../../src/function/sandbox/bubblewrap.ts';
import type { Tree } from '../../src/package/tree-digest.ts';
import { processorsSchema } from '../../src/processors/processor-spec.ts';
import type { Processed, ProcessorStep } from '../../src/processors/processor-step.ts';
import { runProcessors, type ProcessorOptions } from '../../src/processors/run-processors.ts';
import { runVerb } from '../fbc/run-verb.ts';
import { tgz } from '../fetching/content-server.ts';
import { realTools } from './real-tools.ts';
import { shopChart, treeOf } from './shop-chart.ts';

const environment = realTools();
const runtime = createRuntime();

const HELM = { chart: 'upstream/shop', values: 'values.yaml', release: 'shop', namespace: 'store' };
const VALUES = { 'values.yaml': 'replicas: 3\n' };

function run(
  files: Readonly<Record<string, string>>,
  helm: object = {},
  options: Partial<ProcessorOptions> = {},
): Promise<Processed> {
  const processors = processorsSchema.parse([{ helm: { ...HELM, ...helm } }]);
  return runProcessors(treeOf({ ...VALUES, ...files }), processors, {
    runtime,
    ...(environment !== undefined && { environment }),
    ...options,
  });
}

async function rendered(
  ...how: Parameters<typeof run>
): Promise<{ readonly tree: Tree; readonly step: ProcessorStep }> {
  const result = await run(...how);
  if ('refused' in result) throw new Error(JSON.stringify(result.refused));
  return { tree: result.tree, step: result.steps[0]! };
}

async function refusal(
  ...how: Parameters<typeof run>
): Promise<{ code: string; message: string; hint: string }> {
  const result = await run(...how);
  return 'refused' in result ? result.refused : { code: 'NONE', message: '', hint: '' };
}

function textIn(tree: Tree, path: string): string {
  return new TextDecoder().decode(tree.get(path));
}

describe('helm', { tags: ['helm'] }, () => {
  test('renders a chart with its dependency, CRD and values; tests and hooks are left out and told', async () => {
    const { tree, step } = await rendered(shopChart('upstream/shop'));
    expect([...tree.keys()].filter((path) => path.startsWith('rendered/'))).toEqual([
      'rendered/configmap_store_shop-settings.yaml',
      'rendered/customresourcedefinition_orders.shop.example.com.yaml',
      'rendered/deployment_store_shop-web.yaml',
      'rendered/persistentvolumeclaim_store_cache.yaml',
    ]);
    expect(textIn(tree, 'rendered/deployment_store_shop-web.yaml')).toContain(
      '# Source: shop/templates/deployment.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop-web # the front\n',
    );
    expect(textIn(tree, 'rendered/deployment_store_shop-web.yaml')).toContain('replicas: 3');
    expect(step).toMatchObject({ processor: 'helm', out: 'rendered', version: 'v4.1.4' });
    expect(step.tool).toMatch(/^helm@sha256:[0-9a-f]{64}$/);
    expect(step.changed).toHaveLength(4);
    // Without bubblewrap one more note says so, as the test of the missing sandbox below asks for.
    expect(step.notes.filter((note) => !note.includes('ran without a sandbox'))).toEqual([
      'Pod shop-alive is a test of the chart and is skipped',
      'Job shop-migrate is a hook (pre-upgrade, pre-install) and is skipped',
      'templates/settings.yaml asks the cluster (lookup); nothing answers here, so it is rendered as for a first installation',
    ]);

    const kept = await rendered(shopChart('upstream/shop'), { hooks: 'keep' });
    expect([...kept.tree.keys()]).toContain('rendered/job_shop-migrate.yaml');
    expect([...kept.tree.keys()].join()).not.toContain('pod_shop-alive');
    expect(kept.step.inputDigest).not.toBe(step.inputDigest);
  });

  test('the same input has the same digests, and the tool can be named by its own', async () => {
    const first = await rendered(shopChart('upstream/shop'));
    const tool = first.step.tool.replace('helm@', '');
    const again = await rendered({ ...shopChart('upstream/shop'), 'README.md': 'not read' });
    expect(again.step).toEqual(first.step);
    const named = await rendered(shopChart('upstream/shop'), { tool });
    expect(named.step.outputDigest).toBe(first.step.outputDigest);
    const other = `sha256:${'0'.repeat(64)}`;
    const { code, message } = await refusal(shopChart('upstream/shop'), { tool: other });
    expect(code).toBe('TOOL_DIGEST');
    expect(message).toContain(tool);
  });

  test('capabilities are those that are given, or those of a target', async () => {
    const files = shopChart('upstream/shop');
    const given = await rendered(files, { kubeVersion: '1.29.3', apiVersions: ['monitoring.coreos.com/v1'] });
    expect(textIn(given.tree, 'rendered/configmap_store_shop-settings.yaml')).toContain('kube: v1.29.3');
    expect([...given.tree.keys()]).toContain('rendered/servicemonitor_store_shop.yaml');
    const targets = [{ name: 'edge', kubeVersion: '1.30.0', apis: ['monitoring.coreos.com/v1'], labels: {} }];
    const target = await rendered(files, { target: 'edge' }, { targets });
    expect(textIn(target.tree, 'rendered/configmap_store_shop-settings.yaml')).toContain('kube: v1.30.0');
    expect([...target.tree.keys()]).toContain('rendered/servicemonitor_store_shop.yaml');
    expect((await refusal(files, { target: 'moon' }, { targets })).message).toBe(
      'there is no target moon: there are edge',
    );
  });

  test.each([
    ['random values', 'password: {{ randAlphaNum 12 }}'],
    ['keys made anew', 'key: {{ genPrivateKey "ecdsa" | quote }}'],
    ['the time', 'at: {{ now | quote }}'],
    ['the day', 'day: {{ now | date "2006-01-02" | quote }}'],
  ])('%s are an error that names the template', async (_what, line) => {
    const secret = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: token}\ndata:\n  ${line}\n`;
    const files = shopChart('upstream/shop', { 'templates/token.yaml': secret });
    const { code, message } = await refusal(files);
    expect(code).toBe('CHART_UNSTABLE');
    expect(message).toContain('shop/templates/token.yaml (ConfigMap token)');
    expect(message).not.toContain('deployment.yaml');
  });

  test('packed dependencies are rendered, and searched like all others', async () => {
    const chart = shopChart('upstream/shop');
    const own = Object.entries({ ...VALUES, ...chart }).filter(([path]) => !path.includes('/charts/'));
    const packed = (template: string, name = 'charts/cache-0.1.0.tgz', top = 'cache'): Promise<Processed> => {
      const archive = tgz({
        [`${top}/Chart.yaml`]: 'apiVersion: v2\nname: cache\nversion: 0.1.0\n',
        [`${top}/templates/a.yaml`]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: packed}\ndata: {a: ${template}}\n`,
      });
      const tree = new Map([...treeOf(Object.fromEntries(own)), [`upstream/shop/${name}`, archive]]);
      return runProcessors(tree, processorsSchema.parse([{ helm: HELM }]), {
        runtime,
        environment: environment!,
      });
    };
    const fine = await packed('"{{ .Values.size }}{{ if lookup "v1" "Pod" "" "" }}old{{ end }}"');
    if ('refused' in fine) throw new Error(fine.refused.message);
    expect(textIn(fine.tree, 'rendered/configmap_packed.yaml')).toContain('data: {a: "1Gi"}');
    expect(fine.steps[0]?.notes).toContainEqual(
      expect.stringContaining('charts/cache-0.1.0/templates/a.yaml asks the cluster (lookup)'),
    );
    // Two runs of one day do not tell.
    expect(await packed('"{{ now | date "2006-01-02" }}"')).toMatchObject({
      refused: {
        code: 'CHART_UNSTABLE',
        message: expect.stringContaining('shop/charts/cache/templates/a.yaml'),
      },
    });
    expect(await packed('x', 'charts/other-0.1.0.tgz', '../cache')).toMatchObject({
      refused: {
        code: 'CHART_DEPENDENCIES',
        message: expect.stringContaining('charts/other-0.1.0.tgz: "../cache'),
      },
    });
  });

  test('a template sees nothing of the machine: no file, no variable, no address, and no link', async () => {
    const spy = `apiVersion: v1
kind: ConfigMap
metadata: {name: spy}
data:
  passwd: {{ .Files.Get "/etc/passwd" | quote }}
  up: {{ .Files.Get "../../../../etc/passwd" | quote }}
  glob: {{ (.Files.Glob "/etc/*").AsConfig | quote }}
  host: {{ getHostByName "localhost" | quote }}
`;
    const { tree, step } = await rendered(shopChart('upstream/shop', { 'templates/spy.yaml': spy }));
    const text = textIn(tree, 'rendered/configmap_spy.yaml');
    expect(text).toContain('passwd: ""\n  up: ""\n  glob: "{}"\n  host: ""');
    expect(step.notes).toContain(
      'templates/spy.yaml asks for an address (getHostByName); nothing answers here',
    );
    const env = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ env "HOME" }}}\n';
    const asked = await refusal(shopChart('upstream/shop', { 'templates/env.yaml': env }));
    expect(asked.message).toContain('function "env" not defined');
  });

  test('schemas that lie elsewhere are never fetched, and others hold', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const remote = JSON.stringify({ $ref: `http://127.0.0.1:${port}/values.json` });
      const { step } = await rendered(shopChart('upstream/shop', { 'values.schema.json': remote }));
      expect(step.notes).toContain(
        'values.schema.json refers to addresses, which are not fetched: the values are not validated',
      );
      // Written so that it is not seen beforehand: then Helm asks for it, and nothing answers in there.
      const hidden = { 'values.schema.json': remote.replace('$ref', String.raw`\u0024ref`) };
      if (await hasBubblewrap()) {
        expect((await refusal(shopChart('upstream/shop', hidden))).code).toBe('HELM_FAILED');
      }
      expect(asked).toEqual([]);
    } finally {
      server.close();
    }
    const strict = JSON.stringify({ properties: { replicas: { maximum: 2 } } });
    const { message } = await refusal(shopChart('upstream/shop', { 'values.schema.json': strict }));
    expect(message).toMatch(/replicas.*maximum/s);
  });

  test('loops, floods and growth meet limits', async () => {
    const loop = {
      'templates/_x.tpl': '{{ define "x" }}{{ include "x" . }}{{ end }}',
      'templates/x.yaml': '{{ include "x" . }}',
    };
    expect((await refusal(shopChart('upstream/shop', loop))).code).toMatch(/HELM_FAILED|PROCESSOR_/);
    const slow = '{{ range $i := until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}';
    const flood = '# {{ repeat 2000000 "x" }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';
    const grow = '{{ $x := repeat 100000000 "x" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}';
    const codes: string[] = [];
    const messages: string[] = [];
    for (const [template, limits] of [
      [slow, { timeoutMs: 1_000 }],
      [flood, { outputBytes: 1_000_000 }],
      [grow, { memoryBytes: 200 * 1024 * 1024 }],
    ] as const) {
      const { code, message } = await refusal(
        shopChart('upstream/shop', { 'templates/x.yaml': template }),
        {},
        { limits },
      );
      codes.push(code);
      messages.push(message);
    }
    expect(codes, messages.join('\n')).toEqual([
      'PROCESSOR_TIMEOUT',
      'PROCESSOR_OUTPUT_LIMIT',
      'PROCESSOR_MEMORY_LIMIT',
    ]);
  });

  test('what is missing or wrong is told with what to do', async () => {
    const files = shopChart('upstream/shop');
    const without = Object.fromEntries(Object.entries(files).filter(([path]) => !path.includes('/charts/')));
    expect(await refusal(without)).toMatchObject({
      code: 'CHART_DEPENDENCIES',
      message: 'upstream/shop: the chart depends on cache, which is not in its directory charts',
    });
    expect(await refusal(files, { values: ['nowhere.yaml'] })).toMatchObject({ code: 'VALUES_MISSING' });
    expect(await refusal(files, { chart: 'upstream/none' })).toMatchObject({ code: 'CHART_MISSING' });
    const failing = shopChart('upstream/shop', { 'templates/x.yaml': '{{ fail "set a name" }}' });
    const { code, message } = await refusal(failing);
    expect([code, message]).toEqual(['HELM_FAILED', expect.stringContaining('set a name')]);
    expect(message).not.toContain(tmpdir());
    const twins = shopChart('upstream/shop', {
      'templates/y.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop-settings, namespace: store}\n',
    });
    expect((await refusal(twins)).message).toBe(
      'ConfigMap store/shop-settings is defined twice with different content (shop/templates/settings.yaml and shop/templates/y.yaml)',
    );
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`upstream/shop/templates/t${at}.yaml`, '# nothing\n']),
    );
    expect((await refusal({ ...files, ...many })).code).toBe('PROCESSOR_INPUT_LIMIT');
  });
});

test('without Helm the three ways to get it are told; a server without a sandbox refuses', async () => {
  const files = shopChart('upstream/shop');
  const { code, hint } = await refusal(files, {}, { environment: { PATH: '/nowhere' } });
  expect(code).toBe('TOOL_MISSING');
  expect(hint).toMatch(/on its PATH .*PORTICO_HELM.*portico sources sync/);

  const folder = mkdtempSync(join(tmpdir(), 'portico-helm-'));
  try {
    const helm = join(folder, 'helm');
    writeFileSync(
      helm,
      '#!/bin/sh\necho "apiVersion: v1"; echo "kind: ConfigMap"; echo "metadata: {name: ${SECRET:-none}}"\n',
    );
    chmodSync(helm, 0o755);
    const unsafe = {
      environment: { PORTICO_HELM: helm, SECRET: 'leaked' },
      hasSandbox: () => Promise.resolve(false),
    };
    expect((await refusal(files, {}, { ...unsafe, needsSandbox: true })).code).toBe('SANDBOX_MISSING');
    const told = await rendered(files, {}, unsafe);
    expect([...told.tree.keys()]).toContain('rendered/configmap_none.yaml');
    expect(told.step.notes.at(-1)).toContain('ran without a sandbox');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('portico bundle convert --format helm', { tags: ['helm'] }, () => {
  test('a chart that needs Helm is rendered with the values that are given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-chart-'));
    vi.stubEnv('PATH', environment!.PATH);
    try {
      for (const [path, text] of Object.entries(shopChart('shop'))) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      writeFileSync(join(folder, 'values.yaml'), 'replicas: 5\n');
      symlinkSync('/etc/passwd', join(folder, 'shop/templates/passwd.yaml'));
      const [chart, values, output] = ['shop', 'values.yaml', 'out'].map((name) => join(folder, name));
      const given = [
        '--values',
        values!,
        '--release',
        'eu',
        '--install-namespace',
        'store',
        '--output',
        output!,
      ];
      const { exit, stderr } = await runVerb('bundle', 'convert', chart!, ...given);
      expect([exit, stderr]).toEqual([0, expect.stringContaining('Job shop-migrate is a hook')]);
      expect(stderr).toContain('templates/passwd.yaml is a symbolic link and is skipped');
      expect(readdirSync(output!)).toEqual([
        '00_configmap_shop-settings.yaml',
        '01_persistentvolumeclaim_cache.yaml',
        '02_customresourcedefinition_orders.shop.example.com.yaml',
        '03_deployment_eu-web.yaml',
      ]);
      expect(readFileSync(join(output!, '03_deployment_eu-web.yaml'), 'utf8')).toContain('replicas: 5');
      const useless = await runVerb(
        'bundle',
        'convert',
        chart!,
        '--known-api',
        'a/B',
        '--output',
        `${output}2`,
      );
      expect([useless.exit, useless.stderr]).toEqual([
        64,
        expect.stringContaining('--known-api is for plain+v0 bundles'),
      ]);
      vi.stubEnv('PATH', '/nowhere');
      const without = await runVerb('bundle', 'convert', chart!, '--output', `${output}3`);
      expect([without.exit, without.stderr]).toEqual([
        65,
        expect.stringMatching(/needs Helm: .*\n[^]*You have three options/),
      ]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });
});
