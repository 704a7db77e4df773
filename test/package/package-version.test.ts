import { describe, expect, test } from 'vitest';

import { lockedRef, packageVersion } from '../../src/package/package-version.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { writeSourcesLock } from '../../src/sources/sources-lock.ts';

function filesOf(files: Readonly<Record<string, string | Uint8Array>>): PackageFiles {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644', bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text },
    ]),
  );
}

function lockOf(...versions: readonly string[]): Uint8Array {
  const digest = `sha256:${'a'.repeat(64)}`;
  const sources = versions.map((version, at) => ({
    id: `s${at}`,
    kind: 'helm' as const,
    resolved: `https://example.com/c@${digest}`,
    version,
    treeDigest: digest,
    entryDigest: digest,
    placeDigest: digest,
  }));
  return writeSourcesLock({ documentDigest: digest, sources, processors: [] });
}

describe('version of a package', () => {
  test('is that of its chart, if there is one chart', () => {
    expect(packageVersion(filesOf({ 'portico-sources.lock.yaml': lockOf('13.0.1') }))).toBe('13.0.1');
    expect(packageVersion(filesOf({ 'portico-sources.lock.yaml': lockOf('1.0', '2.0') }))).toBe(undefined);
  });

  test('is that of its operator bundle', () => {
    const bundle = {
      schema: 'olm.bundle',
      name: 'op.v1.2.3',
      package: 'op',
      image: 'example.com/op',
      properties: [{ type: 'olm.package', value: { packageName: 'op', version: '1.2.3' } }],
    };
    const record = `${JSON.stringify({ bundle })}\n`;
    expect(packageVersion(filesOf({ 'catalog-bundle.json': record }))).toBe('1.2.3');
    // The author's own files are newer than the record of an import.
    const csv = 'kind: ClusterServiceVersion\nspec:\n  version: "1.3.0"\n';
    const written = { 'manifests/a.yaml': csv, 'metadata/annotations.yaml': '' };
    expect(packageVersion(filesOf({ ...written, 'catalog-bundle.json': record }))).toBe('1.3.0');
  });

  test('is absent where the files are not what they should be', () => {
    for (const text of [
      '{',
      '[]',
      '{"bundle":{"properties":[{"type":"olm.package","value":{"version":"@x `"}}]}}',
    ])
      expect(packageVersion(filesOf({ 'catalog-bundle.json': text }))).toBe(undefined);
    expect(packageVersion(filesOf({}))).toBe(undefined);
  });

  test('the ref of the upstream comes from the lock; a broken Kptfile has none', () => {
    const Kptfile =
      'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\nupstreamLock:\n  type: git\n  git: {repo: r, directory: /web, ref: web/v3, commit: abc}\n';
    expect(lockedRef(filesOf({ Kptfile }))).toBe('v3');
    expect(lockedRef(filesOf({ Kptfile: 'a: [' }))).toBe(undefined);
  });
});
