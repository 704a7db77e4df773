/** What the pull request of a source says about objects. */
import { expect, test } from 'vitest';

import { SOURCE_OPERATIONS } from '../../src/isolation/source-operations.ts';
import type { PackageFiles } from '../../src/package/package.ts';

const filesOf = (texts: Readonly<Record<string, string>>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );

const SOURCES = `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources }
sources: [{ id: bundle, oci: { ref: "oci://registry.example/demo:v1" }, destination: upstream/bundle }]
processors: [{ registryV1: { bundle: upstream/bundle, installNamespace: demo }, out: rendered }]
`;
const CRD = (type: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.acme.io }
spec:
  group: acme.io
  scope: Namespaced
  names: { kind: Thing, plural: things }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { a: { type: ${type} } } } } }
`;
const CSV = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: { name: demo.v1, namespace: placeholder }
`;

const version = (type: string): PackageFiles =>
  filesOf({
    'portico-sources.yaml': SOURCES,
    'upstream/bundle/manifests/csv.yaml': `${CSV}# ${type}\n`,
    'upstream/bundle/manifests/crd.yaml': CRD(type),
    'rendered/00_crd.yaml': CRD(type),
  });

test('the inputs of processors are not counted as objects', async () => {
  const work = { before: version('string'), after: version('integer'), path: 'demo' };
  const report = await SOURCE_OPERATIONS.reportChange({
    ...work,
    directories: [],
    others: [],
    limit: 10_000,
  });
  expect(report.text).toContain('Objects: 1 kept.');
  expect(report.text).not.toContain('ClusterServiceVersion');
  expect(report.failures).toEqual([...new Set(report.failures)]);
  expect(report.failures).not.toEqual([]);
});
