import { expect, test } from 'vitest';

import { parseRepositoryConfig } from '../../../src/config/parse-repository-config.ts';
import {
  artifactName,
  digestIn,
  plannedArtifacts,
  registryTags,
} from '../../../src/reconcile/publication/registry-plan.ts';
import { formatProvenance, parseProvenance } from '../../../src/revision/provenance.ts';
import { configuration } from '../../e2e/packages.ts';

const read = (spec: string) =>
  parseRepositoryConfig({ file: 'portico.yaml', bytes: Buffer.from(configuration('a', `oci: ${spec}`)) });

test('the configuration, and the repositories that packages have', () => {
  const { config } = read(
    '{ registry: ghcr.io/acme/packages, packages: [apps/**, .], rendered: true, credentials: it }',
  );
  const oci = config?.oci;
  const names = (path: string): string[] => plannedArtifacts(oci, path).map(({ repository }) => repository);
  expect(names('apps/web')).toEqual([
    'ghcr.io/acme/packages/apps/web',
    'ghcr.io/acme/packages/apps/web/rendered',
  ]);
  expect(names('.')).toEqual(['ghcr.io/acme/packages', 'ghcr.io/acme/packages/rendered']);
  expect(names('web')).toEqual([]);
  expect(plannedArtifacts(undefined, 'web')).toEqual([]);
  expect(() => names('apps/Web')).toThrow(/"Web"/);
  expect(() => names(`apps/${'a/'.repeat(120)}b`)).toThrow(/more than 255/);
  expect(read('{ registry: "127.0.0.1:5000/a" }').config?.oci).toEqual({
    registry: '127.0.0.1:5000/a',
    packages: ['**', '.'],
    rendered: false,
  });
});

test.each([
  ['ghcr.io'],
  ['acme/packages'],
  ['https://ghcr.io/acme'],
  ['user@ghcr.io/acme'],
  ['ghcr.io/Acme'],
  ['ghcr.io/a:v1'],
])('the registry %s is refused on its line', (registry) =>
  expect(read(`{ registry: "${registry}" }`).problems).toHaveLength(1),
);

test('tags: the revision stays, channels that lead to it move, and what is no tag is left out', () => {
  const channels = new Map([
    ['stable', 'v2'],
    ['candidate', 'v3'],
    ['all', 'v2'],
    ['a b', 'v2'],
  ]);
  expect(registryTags('v2', channels)).toEqual({ fixed: ['v2'], moving: ['all', 'stable'] });
  expect(registryTags('v1.0.0+build', new Map())).toEqual({ fixed: ['v1.0.0_build'], moving: [] });
});

test("a tag's trailers name artefacts, each once for its repository", () => {
  const artifacts = [
    artifactName('ghcr.io/acme/web', 'sha256:1'),
    artifactName('ghcr.io/acme/web/rendered', 'sha256:2'),
  ];
  const said = { package: 'web', revision: 'v1', digest: 'd', guardrails: [], approvedBy: [], artifacts };
  expect(parseProvenance(formatProvenance(said))).toEqual(said);
  expect(digestIn(artifacts, 'ghcr.io/acme/web')).toBe('sha256:1');
  expect(digestIn(artifacts, 'ghcr.io/acme')).toBeUndefined();
});
