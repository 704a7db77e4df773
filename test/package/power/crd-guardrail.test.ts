import { expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { renderPackage } from '../../../src/package/render/render.ts';

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n';
const crd = (type: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shops.acme.io
spec:
  group: acme.io
  scope: Namespaced
  names: { kind: Shop, plural: shops }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size:
            type: ${type}
`;

const files = (type: string): PackageFiles =>
  new Map(
    Object.entries({ Kptfile: KPTFILE, 'crd.yaml': crd(type) }).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );

test.each([
  ['integer', true],
  ['string', false],
])('the guardrail crd-safety compares with the base and names the line: %s', async (type, ok) => {
  const result = await renderPackage({
    files: files(type),
    runtime: { run: () => Promise.reject(new Error('nothing is run')) },
    guardrails: [{ name: 'crds', type: 'validator', mode: 'enforce', spec: { image: 'crd-safety:v0.1' } }],
    context: { path: 'shop', repository: 'acme/shop', base: files('integer') },
  });
  expect(result.ok).toBe(ok);
  expect(result.findings.map(({ guardrail, file, line, column }) => [guardrail, file, line, column])).toEqual(
    ok ? [] : [['crds', 'crd.yaml', 18, 13]],
  );
});
