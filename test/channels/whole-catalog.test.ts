/**
 * One whole catalog, composed of every valid one of the golden cases and of their bundles, through the command line:
 * judged, drawn, resolved, imported into a clone and exported again.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { readFolder } from '../../src/cli/folder.ts';
import type { Catalog, Property } from '../../src/fbc/catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { resolve } from '../../src/fbc/resolve.ts';
import { textAt } from '../../src/fbc/value-at.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import { isMap } from '../../src/package/plain-values.ts';
import { catalogCases, filesIn } from '../corpus/catalogs/cases.ts';
import { jsonOf, runVerb } from '../fbc/run-verb.ts';
import { commitFiles, git, initRepository } from './git-fixture.ts';
import { validCatalogs } from './valid-catalogs.ts';

const top = (): string => mkdtempSync(join(tmpdir(), 'portico-whole-'));

/** The catalog with packages of other names, so that many can stand beside each other. */
function renamed(catalog: Catalog, prefix: string): Catalog {
  const name = (of: string): string => (of === '' ? of : `${prefix}-${of}`.slice(0, 63));
  const property = ({ type, value }: Property): Property => {
    if (type !== 'olm.package' || !isMap(value)) return { type, ...(value !== undefined && { value }) };
    return { type, value: { ...value, packageName: name(textAt(value, 'packageName')) } };
  };
  return {
    packages: catalog.packages.map((blob) => ({ ...blob, name: name(blob.name) })),
    channels: catalog.channels.map((blob) => ({ ...blob, package: name(blob.package) })),
    bundles: catalog.bundles.map((blob) => ({
      ...blob,
      package: name(blob.package),
      properties: blob.properties.map(property),
    })),
    deprecations: catalog.deprecations.map((blob) => ({ ...blob, package: name(blob.package) })),
    others: [],
  };
}

const valid = validCatalogs();
const [bundle] = catalogCases('bundle');

function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

test('a whole catalog is judged, listed, drawn and resolved, becomes packages of a clone, and comes back', async () => {
  const directory = top();
  // Names with a release have to hold the name of the package.
  const parts = valid.filter(([, { bundles: all }]) =>
    all.every(
      ({ properties }) =>
        !/release/.test(
          JSON.stringify(properties, (_key, value: unknown) =>
            typeof value === 'bigint' ? String(value) : value,
          ),
        ),
    ),
  );
  for (const [at, [, catalog]] of parts.entries()) {
    const folder = join(directory, `c${at}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'catalog.yaml'), catalogYaml(renamed(catalog, `c${at}`)));
  }
  const judged = await jsonOf('catalog', 'validate', directory);
  expect(judged.document.errors).toEqual([]);
  const packages = Object.keys(judged.document.packages);
  expect(packages.length).toBeGreaterThan(parts.length);
  const listed = await jsonOf('catalog', 'list', 'bundles', directory);
  expect(listed.document.rows.length).toBeGreaterThan(packages.length);
  const drawn = await runVerb('catalog', 'graph', directory);
  for (const name of packages) expect(drawn.stdout).toContain(name);
  const whole = readCatalog(readFolder(directory));
  for (const name of packages) expect(resolve(whole, { package: name }).resolved, name).not.toBeNull();

  const clone = initRepository(join(top(), 'clone'));
  commitFiles(clone, { 'README.md': 'packages\n' });
  const imported = await runVerb(
    'catalog',
    'import',
    directory,
    '--repo',
    clone,
    '--into',
    'operators',
    '--write',
  );
  expect(imported).toMatchObject({ exit: 0 });
  expect(git(clone, ['tag', '--list']).split('\n')).toHaveLength(whole.bundles.length);
  const exported = join(top(), 'exported');
  expect(
    await runVerb('catalog', 'export', clone, '--branch', 'import/catalog', '--to', exported),
  ).toMatchObject({ exit: 0 });
  const [before, after] = await Promise.all(
    [directory, exported].map((one) => jsonOf('catalog', 'validate', one)),
  );
  expect(after?.document.packages).toEqual(before?.document.packages);
  const again = await runVerb(
    'catalog',
    'import',
    exported,
    '--repo',
    clone,
    '--into',
    'operators',
    '--write',
  );
  expect(again.stdout).toContain('Everything is already there.');
});

test('bundle directories make the same graph whichever comes first, in one batch or one by one', async () => {
  const files = filesIn(bundle!);
  const newerFiles = Object.entries(files).map(([path, text]) => [
    path,
    text.includes('kind: ClusterServiceVersion') ? text.replaceAll('1.0.0', '9.0.0') : text,
  ]);
  // As community-operators has them: a directory for each version beside what CI reads.
  const operator = join(top(), 'operator');
  const [older, newer] = [join(operator, '1.0.0'), join(operator, '9.0.0')];
  write(older, files);
  const ranged = newerFiles.map(([path, text = '']) => [
    path,
    text.includes('kind: ClusterServiceVersion')
      ? text.replace(/^ {2}annotations:\n/m, '  annotations:\n    olm.skipRange: "<9.0.0"\n')
      : text,
  ]);
  write(newer, Object.fromEntries(ranged) as Record<string, string>);
  const exports: string[] = [];
  write(operator, { 'ci.yaml': 'updateGraph: semver-mode\n' });
  for (const batches of [[[older, newer]], [[newer], [older]], [[operator]]]) {
    const clone = initRepository(join(top(), 'clone'));
    commitFiles(clone, { 'README.md': 'packages\n' });
    for (const batch of batches) {
      const ran = await runVerb(
        'catalog',
        'import',
        ...batch,
        '--mode',
        'semver',
        '--repo',
        clone,
        '--write',
      );
      expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    }
    exports.push((await runVerb('catalog', 'export', clone, '--branch', 'import/catalog')).stdout);
  }
  expect(new Set(exports).size).toBe(1);
  const without = await runVerb('catalog', 'import', operator);
  expect(without).toMatchObject({
    exit: 65,
    stderr: expect.stringContaining('holds 2 bundles and no catalog'),
  });
  const validated = await runVerb('catalog', 'validate', operator);
  expect([validated.exit, validated.stderr]).toEqual([65, expect.stringContaining('catalog import --mode')]);
  // What the bundles do not link is in no channel, and that is said.
  const clone = initRepository(join(top(), 'unlinked'));
  const planned = ['catalog', 'import', operator, '--mode', 'replaces', '--repo', clone];
  const early = await runVerb(...(planned as [string, ...string[]]));
  expect([early.exit, early.stderr]).toEqual([65, expect.stringContaining('git commit --allow-empty')]);
  commitFiles(clone, { 'README.md': 'packages\n' });
  const unlinked = await runVerb(...(planned as [string, ...string[]]));
  expect(unlinked.stderr).toMatch(/1 bundle is in no channel, [^]*: \S+1\.0\.0\. With --mode semver/);
  write(operator, { 'catalog.yaml': exports[0]!, '.indexignore': '/*.*.*/\nci.yaml\n' });
  expect(await runVerb('catalog', 'import', operator)).toMatchObject({ exit: 0 });
  write(operator, { '.indexignore': '' });
  write(newer, { 'manifests/z.yaml': 'a: [\n' });
  const broken = await runVerb('catalog', 'import', operator, '--mode', 'semver');
  expect(broken.stderr).toContain(`error: ${join(newer, 'manifests/z.yaml')}:`);
  expect(exports[0]).toContain('version: 9.0.0');
  expect(exports[0]).toContain('skipRange: <9.0.0');
  expect(exports[0]).toContain('replaces:');
});
