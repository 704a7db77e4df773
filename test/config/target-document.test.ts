import { expect, test } from 'vitest';

import { readFileDocuments } from '../../src/config/read-content.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Target\nmetadata: {name: edge}\n';

function problems(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  const files = new Map([['.github/portico/targets/edge.yaml', { mode: '100644' as const, bytes }]]);
  const { read } = readFileDocuments(files);
  return read.flatMap((one) => one.problems.map(({ line, message }) => `${line}: ${message}`));
}

test('mistakes in target profiles are told on their line, with what to do', () => {
  expect(problems(`${HEAD}spec: {kubeVersion: 1.33.0, apis: [a.b/v1]}\n`)).toEqual([]);
  expect(problems(`${HEAD}spec:\n  kubeVersion: new\n  api: []\n`)).toEqual([
    expect.stringMatching(/^5: spec\.kubeVersion must be a version of Kubernetes, such as 1\.33\.0\. /),
    '6: spec.api is not a field. Did you mean apis?',
  ]);
  expect(problems('kind: Target\n')).not.toEqual([]);
  expect(problems('apiVersion: v1\nkind: TargetGroup\nmetadata: {name: x}\n')).toEqual([]);
});
