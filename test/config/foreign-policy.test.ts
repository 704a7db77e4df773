import { expect, test } from 'vitest';

import { foreignPolicies } from '../../src/config/foreign-policy.ts';
import { readFileDocuments } from '../../src/config/read-content.ts';
import { documentProblems } from '../../src/reconcile/repository/variant-documents.ts';

const FILE = '.github/portico/policies.yaml';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const documentOf = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: x }\nspec: {}\n`;

test.each([
  ['admissionregistration.k8s.io/v1beta1', 'MutatingAdmissionPolicy', false],
  ['admissionregistration.k8s.io/v1beta1', 'MutatingAdmissionPolicyBinding', false],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', true],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', false],
  ['kyverno.io/v1', 'ClusterPolicy', true],
  ['policies.kyverno.io/v1alpha1', 'ValidatingPolicy', true],
  ['templates.gatekeeper.sh/v1', 'ConstraintTemplate', true],
  ['constraints.gatekeeper.sh/v1beta1', 'K8sRequiredLabels', true],
  ['notkyverno.io/v1', 'Policy', false],
  ['v1', 'ConfigMap', false],
])('%s %s is told: %s', (apiVersion, kind, isTold) => {
  const text = `# kyverno.io\n---\n${documentOf(apiVersion, kind)}`;
  expect(foreignPolicies({ file: FILE, bytes: bytes(text) }).map(({ line, code }) => [line, code])).toEqual(
    isTold ? [[4, 'not-evaluated']] : [],
  );
});

test('an inventory holds objects of any kind', () => {
  const source = {
    file: '.github/portico/inventory/a.yaml',
    bytes: bytes(documentOf('kyverno.io/v1', 'Policy')),
  };
  expect(foreignPolicies(source)).toEqual([]);
});

test('it is told, and keeps nothing else of the file from counting', () => {
  const file = bytes(documentOf('kyverno.io/v1', 'ClusterPolicy'));
  const { read } = readFileDocuments(new Map([[FILE, { mode: '100644', bytes: file }]]));
  expect(read[0]?.problems).toEqual([]);
  const documents = read.map((one) => ({ ...one, id: 'a' }));
  const [problem, ...more] = documentProblems({ documents, inventory: [] });
  expect(more).toEqual([]);
  expect(problem).toMatchObject({
    file: FILE,
    line: 2,
    message: expect.stringContaining('is not evaluated'),
  });
});
