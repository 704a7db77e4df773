import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { kptfile, packageOf, render, textsOf } from './support.ts';

const CONFIG_MAP = `# The settings.
apiVersion: v1
kind: ConfigMap
metadata:
    name: settings   # four blanks

data:
    # how many
    replicas: '3'    # kpt-set: \${replicas}
    note: |
        keeps
          its form

    tier: front
`;

/** A pipeline that marks resources. */
function label(value: string): string {
  return `  mutators:\n  - image: set-annotations:v0.1\n    configMap: { by: ${value} }\n`;
}

const setterMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  team: ${name} # kpt-set: \${${name}}\n`;

describe('what is written', () => {
  test('only the lines whose data changed', async () => {
    const pipeline = '  mutators:\n  - image: apply-setters:v0.2\n    configMap: { replicas: "5" }\n';
    const result = await render({
      Kptfile: kptfile('app', pipeline),
      'cm.yaml': CONFIG_MAP,
      'notes.txt': 'untouched',
    });
    expect(result.changed).toEqual(['cm.yaml']);
    expect(textsOf(result.files)['cm.yaml']).toBe(CONFIG_MAP.replace("'3'", "'5'"));
  });

  test('keeps Windows line ends and the missing one at the end', async () => {
    const text = 'apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: a\r\n  namespace: old';
    const pipeline = '  mutators:\n  - image: set-namespace:v0.4\n    configMap: { namespace: new }\n';
    const result = await render({ Kptfile: kptfile('app', pipeline), 'cm.yaml': text });
    expect(textsOf(result.files)['cm.yaml']).toBe(text.replace('old', 'new'));
  });

  test('keeps modes, and the very objects of files that did not change', async () => {
    const files = new Map([
      ['Kptfile', { mode: '100644' as const, bytes: new TextEncoder().encode(kptfile('app')) }],
      ['run.sh', { mode: '100755' as const, bytes: new TextEncoder().encode('#!/bin/sh\n') }],
    ]);
    const result = await renderPackage({ files, runtime: createRuntime() });
    expect(result.files.get('run.sh')).toBe(files.get('run.sh'));
    expect(result.changed).toEqual([]);
  });

  test('an anchor is written out where only one of its uses changes', async () => {
    const text = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: &labels
    app: web
spec:
  selector:
    matchLabels: *labels
  template:
    metadata:
      labels: *labels
`;
    const pipeline =
      '  mutators:\n  - image: set-annotations:v0.1\n    configMap: { team: a }\n  - image: set-labels:v0.2\n    configMap: { app: api }\n';
    const result = await render({ Kptfile: kptfile('app', pipeline), 'd.yaml': text });
    const { parse } = await import('yaml');
    expect(parse(textsOf(result.files)['d.yaml']!)).toMatchObject({
      metadata: { labels: { app: 'api' }, annotations: { team: 'a' } },
      spec: {
        selector: { matchLabels: { app: 'api' } },
        template: { metadata: { labels: { app: 'api' }, annotations: { team: 'a' } } },
      },
    });
  });

  test('JSON stays JSON', async () => {
    const pipeline =
      '  mutators:\n  - image: set-labels:v0.2\n    configMap: { team: a }\n    selectors: [{ kind: ConfigMap }]\n';
    const text =
      '{\n  "apiVersion": "v1",\n  "kind": "ConfigMap",\n  "metadata": {\n    "name": "j"\n  }\n}\n';
    const result = await render({ Kptfile: kptfile('app', pipeline), 'j.json': text });
    expect(JSON.parse(textsOf(result.files)['j.json']!)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'j', labels: { team: 'a' } },
    });
  });

  test('integers past 2^53 keep every digit', async () => {
    const text =
      'apiVersion: v1\nkind: X\nmetadata:\n  name: a\n  namespace: b\nspec:\n  big: 12345678901234567890\n  octal: 0644\n  float: 1.10\n';
    const pipeline = '  mutators:\n  - image: set-namespace:v0.4\n    configMap: { namespace: c }\n';
    const result = await render({ Kptfile: kptfile('app', pipeline), 'x.yaml': text });
    expect(textsOf(result.files)['x.yaml']).toBe(text.replace('namespace: b', 'namespace: c'));
  });
});

describe('order and failure', () => {
  const cm = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

  test('subpackages come first, and the parent has the last word', async () => {
    const result = await render({
      Kptfile: kptfile('root', label('root')),
      'sub/Kptfile': kptfile('sub', label('sub')),
      'sub/cm.yaml': cm,
    });
    expect(result.runs.map((run) => run.package)).toEqual(['sub', '.']);
    expect(textsOf(result.files)['sub/cm.yaml']).toContain('by: root');
  });

  test('breadth first where the Kptfile asks for it', async () => {
    const bfs = { 'kpt.dev/bfs-rendering': 'true' };
    const result = await render({
      Kptfile: kptfile('root', label('root'), bfs),
      'sub/Kptfile': kptfile('sub', label('sub')),
      'sub/cm.yaml': cm,
    });
    expect(result.runs.map((run) => run.package)).toEqual(['.', 'sub']);
    expect(textsOf(result.files)['sub/cm.yaml']).toContain('by: sub');
  });

  test('the first failure stops all and changes nothing', async () => {
    const pipeline = `${label('root')}  - image: set-labels:v0.2\n  - image: no-op\n`;
    const result = await render({ Kptfile: kptfile('root', pipeline), 'cm.yaml': cm });
    expect(result.ok).toBe(false);
    expect(result.changed).toEqual([]);
    expect(result.runs).toHaveLength(2);
    expect(result.findings.at(-1)).toMatchObject({ severity: 'error', function: 'set-labels:v0.2' });
  });

  test('what was done before the failure is saved where the Kptfile asks for it', async () => {
    const saving = { 'kpt.dev/save-on-render-failure': 'true' };
    const result = await render({
      Kptfile: kptfile('root', `${label('root')}  - image: set-labels:v0.2\n`, saving),
      'cm.yaml': cm,
    });
    expect(result.ok).toBe(false);
    expect(result.changed).toEqual(['Kptfile', 'cm.yaml']);
  });

  test('a functionConfig that an earlier function changed is used as changed', async () => {
    const config =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  team: none # kpt-set: ${team}\n';
    const pipeline =
      '  mutators:\n  - image: apply-setters:v0.2\n    configMap: { team: blue }\n' +
      '  - image: set-labels:v0.2\n    configPath: ./config.yaml\n    exclude: [{ kind: Kptfile }]\n';
    const result = await render({ Kptfile: kptfile('root', pipeline), 'config.yaml': config, 'cm.yaml': cm });
    expect(textsOf(result.files)['cm.yaml']).toContain('team: blue');
  });

  test('`configRef` names the functionConfig by kind and name, as earlier functions have left it', async () => {
    const pipeline =
      '  mutators:\n  - image: apply-setters:v0.2\n    configMap: { c: blue }\n' +
      '  - image: set-labels:v0.2\n    configRef: { kind: ConfigMap, name: c }\n    exclude: [{ kind: Kptfile }]\n';
    const texts = {
      Kptfile: kptfile('root', pipeline),
      'config.yaml': ['d', 'c'].map(setterMap).join('---\n'),
    };
    const result = await render({ ...texts, 'cm.yaml': cm });
    expect(result.problem).toBeUndefined();
    expect(textsOf(result.files)['cm.yaml']).toContain('team: blue');
  });

  test('an aborted render throws the reason', async () => {
    const files = packageOf({ Kptfile: kptfile('a') });
    await expect(
      renderPackage({ files, runtime: createRuntime(), signal: AbortSignal.abort(new Error('stop')) }),
    ).rejects.toThrow('stop');
  });
});

describe('guardrails', () => {
  const cm = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
  const team = { image: 'set-labels:v0.2', configMap: { team: 'platform' } };

  test('a mutator that enforces changes the package', async () => {
    const guardrails = [{ name: 'team', type: 'mutator', mode: 'enforce', spec: team } as const];
    const result = await render({ Kptfile: kptfile('a'), 'cm.yaml': cm }, { guardrails });
    expect(result.ok).toBe(true);
    expect(textsOf(result.files)['cm.yaml']).toContain('team: platform');
    expect(result.findings[0]).toMatchObject({ guardrail: 'team' });
  });

  test('one that warns only says so', async () => {
    const guardrails = [{ name: 'team', type: 'mutator', mode: 'warn', spec: team } as const];
    const result = await render({ Kptfile: kptfile('a'), 'cm.yaml': cm }, { guardrails });
    expect(result).toMatchObject({ ok: true, changed: [] });
    expect(result.findings.filter(({ severity }) => severity === 'warning')).toMatchObject([
      { file: 'Kptfile', message: 'This guardrail would set metadata.labels to {"team":"platform"}.' },
      { file: 'cm.yaml', line: 3, column: 1, item: { field: { path: 'metadata.labels' } } },
    ]);
  });

  test('one that cannot run fails its check, and only where it enforces', async () => {
    const spec = { image: 'example.com/policy:v1' };
    const guardrail = (mode: 'enforce' | 'warn') => [
      { name: 'policy', type: 'validator', mode, spec } as const,
    ];
    const enforced = await render({ Kptfile: kptfile('a') }, { guardrails: guardrail('enforce') });
    expect(enforced.ok).toBe(false);
    expect(enforced.findings[0]).toMatchObject({ severity: 'error', guardrail: 'policy' });
    const warned = await render({ Kptfile: kptfile('a') }, { guardrails: guardrail('warn') });
    expect(warned.ok).toBe(true);
    expect(warned.findings[0]).toMatchObject({ severity: 'warning' });
  });
});
