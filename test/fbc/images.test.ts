/** Images of bundles and catalogs, in a directory in the OCI image layout: what skopeo and others write. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { layerOf } from '../../src/oci/layer.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { commitFiles, git, initRepository } from '../channels/git-fixture.ts';
import { runVerb } from './run-verb.ts';

const top = (): string => mkdtempSync(join(tmpdir(), 'portico-images-'));
const filesOf = (texts: Record<string, string>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );

/** Puts an image into a layout and gives its digest. */
async function putImage(
  layout: string,
  files: PackageFiles,
  labels: Record<string, string>,
): Promise<string> {
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (bytes: Uint8Array | string): { digest: string; size: number } => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(blobs, hash), bytes);
    return { digest: `sha256:${hash}`, size: Buffer.byteLength(bytes) };
  };
  const config = put(JSON.stringify({ config: { Labels: labels } }));
  const layer = put(await layerOf(files));
  const { digest } = put(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', ...layer }],
    }),
  );
  return digest;
}

const BUNDLE = filesOf({
  'metadata/annotations.yaml': 'annotations: {operators.operatorframework.io.bundle.package.v1: foo}\n',
  'manifests/csv.yaml': `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0, relatedImages: [{name: operator, image: example.com/operator:v1}]}
`,
});

test('an image of a bundle is rendered by its digest, and nothing else of that name', async () => {
  const layout = top();
  const digest = await putImage(layout, BUNDLE, {});
  const image = `example.com/foo-bundle@${digest}`;
  const ran = await runVerb('catalog', 'render', image, '--layout', layout);
  expect(ran).toMatchObject({ exit: 0, stderr: '' });
  expect(parse(ran.stdout)).toMatchObject({
    schema: 'olm.bundle',
    package: 'foo',
    name: 'foo.v1.0.0',
    image,
    relatedImages: [{ image }, { name: 'operator', image: 'example.com/operator:v1' }],
  });
  const tagged = await runVerb('catalog', 'render', `example.com/foo-bundle:v1@`, '--layout', layout);
  expect(tagged.exit).toBe(65);
  for (const blob of readdirSync(join(layout, 'blobs/sha256'))) {
    const file = join(layout, 'blobs/sha256', blob);
    const before = readFileSync(file);
    writeFileSync(file, Buffer.concat([before, Buffer.from(' ')]));
    const tampered = await runVerb('catalog', 'render', image, '--layout', layout);
    expect([tampered.exit, tampered.stdout, tampered.stderr]).toEqual([
      65,
      '',
      expect.stringContaining(blob),
    ]);
    writeFileSync(file, before);
  }
});

test('an image of a catalog is the catalog that its label names', async () => {
  const layout = top();
  const catalog = 'schema: olm.package\nname: foo\ndefaultChannel: stable\n';
  const files = filesOf({ 'configs/foo/catalog.yaml': catalog, 'etc/motd.yaml': 'no: catalog\n' });
  const label = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
  const digest = await putImage(layout, files, label);
  const ran = await runVerb('catalog', 'render', `example.com/catalog@${digest}`, '--layout', layout);
  expect(parse(ran.stdout)).toEqual({ schema: 'olm.package', name: 'foo', defaultChannel: 'stable' });
});

const bundle = (name: string, version: string, of: string): object => ({
  schema: 'olm.bundle',
  package: 'foo',
  name,
  image: of,
  properties: [{ type: 'olm.package', value: { packageName: 'foo', version } }],
});

test('revisions of an import get the manifests of their images, all of them or none', async () => {
  const [layout, catalog] = [top(), top()];
  const image = `example.com/foo-bundle@${await putImage(layout, BUNDLE, {})}`;
  const write = (bundles: readonly object[], entries: readonly object[]): void =>
    writeFileSync(
      join(catalog, 'c.json'),
      [
        { schema: 'olm.package', name: 'foo', defaultChannel: 'stable' },
        { schema: 'olm.channel', package: 'foo', name: 'stable', entries },
        ...bundles,
      ]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
  const clone = initRepository(join(top(), 'clone'));
  commitFiles(clone, { 'README.md': 'packages\n' });
  const before = git(clone, ['for-each-ref']);
  const imports = (): ReturnType<typeof runVerb> =>
    runVerb('catalog', 'import', catalog, '--repo', clone, '--images', '--layout', layout, '--write');
  const missing = `example.com/foo-bundle@sha256:${'0'.repeat(64)}`;
  const first = bundle('foo.v1.0.0', '1.0.0', image);
  write(
    [first, bundle('foo.v1.1.0', '1.1.0', missing)],
    [{ name: 'foo.v1.0.0' }, { name: 'foo.v1.1.0', replaces: 'foo.v1.0.0' }],
  );
  const refused = await imports();
  expect([refused.exit, refused.stderr]).toEqual([65, expect.stringContaining('0'.repeat(64))]);
  expect(git(clone, ['for-each-ref'])).toBe(before);
  write([first], [{ name: 'foo.v1.0.0' }]);
  expect(await imports()).toMatchObject({ exit: 0 });
  expect(git(clone, ['ls-tree', '-r', '--name-only', 'foo/v1']).split('\n')).toContain(
    'foo/manifests/clusterserviceversion-foo.v1.0.0.yaml',
  );
});
