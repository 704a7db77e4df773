/** A catalog from a directory to the choice of a cluster, by the code of catalogd and operator-controller. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { buildTool } from '../../scripts/oracles/tools.ts';
import { BUNDLE_IGNORE } from '../../src/fbc/bundle-record.ts';
import { commitFiles, git, initRepository, kptfile, tag } from '../channels/git-fixture.ts';
import { below } from '../e2e/packages.ts';
import { documentsOf } from '../fbc/catalog-text.ts';
import { runVerb } from '../fbc/run-verb.ts';
import { startRegistry, type RealRegistry } from './real-registry.ts';

const DOCUMENTS = documentsOf({
  stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', replaces: 'p.v1.0.0' }],
});

function catalog(file: string, documents: readonly object[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-catalog-'));
  writeFileSync(join(directory, file), documents.map((one) => JSON.stringify(one)).join('\n'));
  return directory;
}

/** What operator-controller would install from the image, as catalogd unpacks it. */
function chosen(image: string, installed: string): unknown {
  const options = { package: 'p', channels: ['stable'], installed, policy: 'CatalogProvided' };
  return asked({ ask: 'resolve', image, options });
}

function asked(question: object): unknown {
  const { stdout, stderr } = spawnSync(buildTool('operator-controller'), {
    input: JSON.stringify(question),
    encoding: 'utf8',
  });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

function bundleFiles(version: string, description: string): Readonly<Record<string, string>> {
  return {
    'metadata/annotations.yaml': 'annotations: {operators.operatorframework.io.bundle.package.v1: p}\n',
    'manifests/csv.yaml': `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: p.v${version}}
spec: {version: ${version}, description: ${description}}
`,
  };
}

function bundleDirectory(version: string, description: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bundle-'));
  const files = bundleFiles(version, description);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

describe('the images that a template names', { tags: ['story', 'docker-registry'] }, () => {
  test('are pulled by tag once, and then by the digest in the lock', async () => {
    await using registry = await startRegistry();
    const image = `${registry.host}/acme/p:stable`;
    const push = (description: string) => {
      const reference = `${registry.host}/acme/p:${description}`;
      return runVerb('push', bundleDirectory('1.0.0', description), reference, '--channel', 'stable');
    };
    const here = mkdtempSync(join(tmpdir(), 'portico-template-'));
    const [file, lock] = [join(here, 'semver.yaml'), join(here, 'semver.lock.yaml')];
    writeFileSync(file, `schema: olm.semver\nstable: {bundles: [{image: "${image}"}]}\n`);
    const make = (...options: string[]) => runVerb('catalog', 'template', file, ...options);

    expect(await push('first')).toMatchObject({ exit: 0 });
    const floating = await make();
    expect(floating).toMatchObject({ exit: 65, stdout: '' });
    expect(floating.stderr).toContain('--lock FILE');
    const made = await make('--lock', lock);
    expect(made).toMatchObject({ exit: 0, stderr: '' });
    const [, digest = ''] = /stable: (sha256:[0-9a-f]{64})\n$/.exec(readFileSync(lock, 'utf8')) ?? [];
    expect(made.stdout).toContain(`image: ${registry.host}/acme/p@${digest}\n`);

    expect(await push('second')).toMatchObject({ exit: 0 });
    expect(await make('--lock', lock)).toEqual(made);
    rmSync(lock);
    const moved = await make('--lock', lock);
    expect(moved.exit).toBe(0);
    expect(moved.stdout).not.toContain(digest);
    writeFileSync(lock, 'images: {a: b}\n');
    expect(await make('--lock', lock)).toMatchObject({ exit: 65, stdout: '' });
  });
});

describe('the image of a catalog', { tags: ['story', 'docker-registry', 'go'] }, () => {
  let registry: RealRegistry;

  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
  });

  test('catalogd unpacks it, and operator-controller chooses from it', async () => {
    const reference = `${registry.host}/acme/catalog:latest`;
    const pushed = await runVerb('catalog', 'push', catalog('any.json', DOCUMENTS), reference, '--json');
    expect(pushed).toMatchObject({ exit: 0, stderr: '' });
    const { digest } = JSON.parse(pushed.stdout) as { digest: string };
    const pinned = `${registry.host}/acme/catalog@${digest}`;
    expect(chosen(pinned, '')).toMatchObject({ resolved: 'p.v1.1.0' });
    // A package's artefact is none for it.
    const plain = `${registry.host}/acme/plain:v1`;
    expect(await runVerb('push', catalog('any.json', DOCUMENTS), plain)).toMatchObject({ exit: 0 });
    expect(chosen(plain, '')).toContain('unsupported image-specific operation on artifact');
    expect(chosen(pinned, 'p.v1.0.0')).toMatchObject({ resolved: 'p.v1.1.0' });
  });

  test('bundles that packages hold have images, which operator-controller unpacks, and which never change', async () => {
    const clone = initRepository(mkdtempSync(join(tmpdir(), 'portico-operators-')));
    const channels = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: p
defaultChannel: stable
channels: [{ name: stable, auto: all }]
`;
    const publish = (version: string, description: string, revision: number): void => {
      const files = {
        ...bundleFiles(version, description),
        Kptfile: kptfile('p'),
        '.krmignore': BUNDLE_IGNORE,
      };
      const commit = commitFiles(
        clone,
        { ...below('p', files), '.github/portico/channels/p.yaml': channels },
        revision,
      );
      tag(clone, `p/v${revision}`, commit, revision);
    };
    publish('1.0.0', 'first', 1);
    publish('1.1.0', 'second', 2);
    const reference = `${registry.host}/acme/operators:latest`;
    const push = () =>
      runVerb(
        'catalog',
        'push',
        clone,
        reference,
        '--bundle-images',
        `${registry.host}/acme/bundles`,
        '--json',
      );
    const pushed = await push();
    expect(pushed).toMatchObject({ exit: 0, stderr: '' });
    const { digest } = JSON.parse(pushed.stdout) as { digest: string };
    const catalogImage = `${registry.host}/acme/operators@${digest}`;
    expect(chosen(catalogImage, 'p.v1.0.0')).toMatchObject({ resolved: 'p.v1.1.0' });
    const { stdout } = await runVerb('catalog', 'render', catalogImage, '--json');
    const { documents } = JSON.parse(stdout) as {
      documents: { schema: string; name: string; image: string }[];
    };
    const bundles = documents.filter(({ schema }) => schema === 'olm.bundle');
    expect(bundles.map(({ name }) => name)).toEqual(['p.v1.0.0', 'p.v1.1.0']);
    for (const { image, name } of bundles) {
      expect(image).toMatch(/\/acme\/bundles@sha256:/);
      const rendered = await runVerb('catalog', 'render', image, '--json');
      expect(JSON.parse(rendered.stdout)).toEqual({ documents: bundles.filter((one) => one.name === name) });
      expect(asked({ ask: 'bundle', image })).toMatchObject({
        text: expect.stringContaining(`name: ${name}\n`),
      });
    }
    expect((await push()).stdout).toContain(digest);

    git(clone, ['tag', '-d', 'p/v2']);
    publish('1.1.0', 'changed', 2);
    const refused = await push();
    expect([refused.exit, refused.stderr]).toEqual([65, expect.stringContaining('as another version')]);
  });

  test('the same catalog has the same digest, however it is written, and one with a mistake is not pushed', async () => {
    const reference = `${registry.host}/acme/again:latest`;
    const digests = [];
    for (const [file, documents] of [
      ['a.json', DOCUMENTS],
      ['b.json', DOCUMENTS.toReversed()],
    ] as const) {
      const { stdout } = await runVerb('catalog', 'push', catalog(file, documents), reference);
      digests.push(stdout);
    }
    expect(digests[0]).toMatch(/^sha256:[0-9a-f]{64}\n$/);
    expect(digests[1]).toBe(digests[0]);
    const broken = documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0' }] });
    const refused = await runVerb('catalog', 'push', catalog('c.json', broken), reference);
    expect(refused.exit).not.toBe(0);
    expect(refused.stderr).toContain('multiple channel heads found in graph: p.v1.0.0, p.v1.1.0');
  });
});
