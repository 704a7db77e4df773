import { describe, expect, test } from 'vitest';

import { head, runBuiltin } from './run-builtin.ts';

const run = (text: string, labels: Readonly<Record<string, string>> = { team: 'a' }) =>
  runBuiltin('set-labels:v0.2', labels, text);

describe('set-labels', () => {
  test.each([
    ['metadata, made at the end', head('x.io/v1', 'X'), `${head('x.io/v1', 'X')}  labels:\n    team: a\n`],
    [
      'keys in sorted order, values as strings',
      head('v1', 'X', 'a', '  labels: {z: q}\n'),
      head('v1', 'X', 'a', '  labels: {z: q, team: a}\n'),
    ],
    [
      'a Service selector, made',
      head('v1', 'Service', 'a', 'spec:\n  ports: []\n'),
      head('v1', 'Service', 'a', '  labels:\n    team: a\nspec:\n  ports: []\n  selector:\n    team: a\n'),
    ],
    [
      'a Job selector only where the label is',
      head('batch/v1', 'Job', 'a', 'spec:\n  selector:\n    matchLabels:\n      team: b\n'),
      head(
        'batch/v1',
        'Job',
        'a',
        '  labels:\n    team: a\nspec:\n  selector:\n    matchLabels:\n      team: a\n',
      ),
    ],
    [
      'not on local configuration',
      head('v1', 'X', 'a', '  annotations: {config.kubernetes.io/local-config: "true"}\n'),
      head('v1', 'X', 'a', '  annotations: {config.kubernetes.io/local-config: "true"}\n'),
    ],
  ])('sets %s', async (_name, text, wanted) => expect((await run(text)).text).toBe(wanted));

  test('sets pod templates, volume claims and spread constraints, but no affinity', async () => {
    const text = head(
      'apps/v1',
      'StatefulSet',
      'a',
      `  labels: {team: b}
spec:
  selector:
    matchLabels: {team: b}
  template:
    metadata:
      labels: {team: b}
    spec:
      topologySpreadConstraints:
      - labelSelector:
          matchLabels: {team: b}
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - labelSelector:
              matchLabels: {team: b}
  volumeClaimTemplates:
  - metadata:
      name: data
`,
    );
    const result = await run(text);
    expect(result.text.match(/team: a/g)).toHaveLength(5);
    expect(result.text.match(/team: b/g)).toHaveLength(1);
    expect(result.messages).toEqual(['set 5 labels in total']);
  });

  test('a value that looks like a number or a word is quoted', async () => {
    const { text } = await run(head('v1', 'X'), { a: '1', b: 'on', c: 'x: y' });
    expect(text).toContain('    a: "1"\n    b: "on"\n    c: \'x: y\'\n');
  });

  test.each([
    [{}, 0, 'no `labels` arguments are given in FunctionConfig'],
    [undefined, 1, '`FunctionConfig` is not given'],
    [
      'apiVersion: x/v1\nkind: Other\nmetadata: {name: c}\n',
      1,
      'unknown FunctionConfig `Other.x`, expect `SetLabels.fn.kpt.dev` or `ConfigMap.v1`',
    ],
  ])('the configuration %j', async (config, exitCode, message) => {
    const { output, messages } = await runBuiltin('set-labels:v0.2', config, head('v1', 'X'));
    expect(output.exitCode).toBe(exitCode);
    expect(messages).toEqual([message]);
  });
});

describe('set-annotations', () => {
  test('sets templates, makes what is missing, and reports each place', async () => {
    const { text, output } = await runBuiltin(
      'set-annotations:v0.1',
      { b: '2', a: 'x' },
      head('apps/v1', 'Deployment', 'a', 'spec:\n  replicas: 1\n'),
    );
    expect(text).toBe(
      head(
        'apps/v1',
        'Deployment',
        'a',
        '  annotations:\n    a: x\n    b: "2"\nspec:\n  replicas: 1\n  template:\n    metadata:\n      annotations:\n        a: x\n        b: "2"\n',
      ),
    );
    expect(output.results).toEqual([
      { message: 'set annotations: {"a":"x","b":"2"}', field: { path: 'metadata.annotations' } },
      {
        message: 'set annotations: {"a":"x","b":"2"}',
        field: { path: 'spec.template.metadata.annotations' },
      },
    ]);
  });

  test('takes more fields from its configuration', async () => {
    const config =
      'apiVersion: fn.kpt.dev/v1alpha1\nkind: SetAnnotations\nmetadata: {name: c}\nannotations: {a: b}\nadditionalAnnotationFields:\n- {kind: X, path: "spec/items[]/notes", create: true}\n';
    const { text } = await runBuiltin(
      'set-annotations:v0.1',
      config,
      head('v1', 'X', 'a', 'spec:\n  items:\n  - n: 1\n  - n: 2\n'),
    );
    expect(text.match(/ {4}notes:\n {6}a: b/g)).toHaveLength(2);
  });
});

test('delete-annotations removes the map that it empties', async () => {
  const { text, messages } = await runBuiltin(
    'delete-annotations:v0.1',
    { annotationKeys: 'a, b' },
    head('v1', 'X', 'n', '  annotations:\n    a: x\nspec: {}\n'),
  );
  expect(text).toBe(head('v1', 'X', 'n', 'spec: {}\n'));
  expect(messages).toEqual([
    'The provided annotations were deleted from 1 resource(s)',
    'Annonation: [a] removed from resource: [n]',
  ]);
});
