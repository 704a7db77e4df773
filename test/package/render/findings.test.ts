import { expect, test } from 'vitest';

import type { FunctionRuntime, ResultItem } from '../../../src/package/render/function-runtime.ts';
import { kptfile, render } from './support.ts';

/** A runtime whose only function reports the given results. */
function reporting(results: readonly ResultItem[]): FunctionRuntime {
  return { run: (_spec, { items }) => Promise.resolve({ exitCode: 0, items, results }) };
}

const FILES = {
  Kptfile: kptfile('a', '  validators:\n  - image: judge:v1\n'),
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: one
---
# second
apiVersion: apps/v1
kind: Deployment
metadata:
  name: two
  annotations:
    app.io/a.b: x
spec:
  template:
    spec:
      containers:
      - name: c
        image: nginx
      - name: d
        image: alpine
`,
  'sub/Kptfile': kptfile('sub'),
  'sub/other.yaml': 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: three\n',
};

test.each<[string, Omit<ResultItem, 'message'>, object]>([
  [
    'a field',
    { file: { path: 'all.yaml', index: 1 }, field: { path: 'spec.template.spec.containers[1].image' } },
    { file: 'all.yaml', line: 20, column: 9 },
  ],
  [
    'a list item',
    { file: { path: 'all.yaml', index: 1 }, field: { path: 'spec.template.spec.containers[0]' } },
    { line: 17, column: 7 },
  ],
  [
    'a list item by number',
    { file: { path: 'all.yaml', index: 1 }, field: { path: 'spec.template.spec.containers.1' } },
    { line: 19 },
  ],
  [
    'a key with dots',
    { file: { path: 'all.yaml', index: 1 }, field: { path: 'metadata.annotations.app.io/a.b' } },
    { line: 12, column: 5 },
  ],
  [
    'a field that is missing: the nearest above',
    { file: { path: 'all.yaml', index: 1 }, field: { path: 'spec.replicas' } },
    { line: 13, column: 1 },
  ],
  ['no field: the resource', { file: { path: 'all.yaml', index: 1 } }, { line: 7, column: 1 }],
  [
    'a resource only',
    { resourceRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'two' } },
    {
      file: 'all.yaml',
      line: 7,
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: '', name: 'two' },
    },
  ],
  [
    'a wrong index: the resource that is named',
    { file: { path: 'all.yaml' }, resourceRef: { kind: 'Deployment', name: 'two' } },
    { line: 7 },
  ],
  ['a file of a subpackage', { file: { path: 'other.yaml' } }, { file: 'sub/other.yaml', line: 1 }],
  ['a file that is not there', { file: { path: 'gone.yaml' } }, { file: 'gone.yaml' }],
  ['nothing', {}, {}],
])('a finding stands on %s', async (_name, item, place) => {
  const result = await render(FILES, {
    runtime: reporting([{ message: 'm', severity: 'warning', ...item }]),
  });
  expect(result.findings).toHaveLength(1);
  expect({ ...result.findings[0] }).toMatchObject({
    severity: 'warning',
    message: 'm',
    function: 'judge:v1',
    ...place,
  });
});

test('the line is that of the rendered text', async () => {
  const pipeline =
    '  mutators:\n  - image: set-annotations:v0.1\n    configMap: { a: b }\n  - image: apply-setters:v0.2\n    configMap: { n: "2" }\n';
  const { createRuntime } = await import('../../../src/function/runtime.ts');
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  n: "1" # kpt-set: ${n}\n';
  const result = await render(
    { Kptfile: kptfile('a', pipeline), 'cm.yaml': text },
    { runtime: createRuntime() },
  );
  const finding = result.findings.find((one) => one.message.startsWith('set field'));
  expect({ ...finding }).toMatchObject({ file: 'cm.yaml', line: 8, column: 3 });
});
