import { expect, test } from 'vitest';

import { portico, scratch } from './run-portico.ts';

const definition = (type: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {size: {type: ${type}}}}
`;

test('crd-safety refuses a definition that a cluster reads differently, with file and line', async () => {
  using dir = scratch();
  dir.write({ 'old.yaml': definition('string'), 'new.yaml': `# wiki\u2028${definition('string')}` });
  const { code, stderr } = await portico(['crd-safety', dir.path('old.yaml'), dir.path('new.yaml')]);
  expect(code).not.toBe(0);
  expect(stderr).toContain('new.yaml:1: the file cannot be judged');
});
