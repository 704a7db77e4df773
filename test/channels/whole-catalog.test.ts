/**
 * One whole catalog, composed of every valid one of the corpus (`../shared/corpus/catalog`) and of its package manifests and
 * bundles, taken through the command line: judged, drawn, resolved, imported into a clone and exported again.
 */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readFolder } from '../../src/cli/folder.ts';
import type { Catalog, Property } from '../../src/fbc/catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { resolve } from '../../src/fbc/resolve.ts';
import { textAt } from '../../src/fbc/value-at.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import { isMap } from '../../src/package/plain-values.ts';
import { casesOf, type Case } from '../fbc/corpus-case.ts';
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
const manifests = casesOf(['packagemanifests']).filter(({ expected }) => expected.outcome === 'valid');
const bundles = casesOf(['render-bundle']);

test.skipIf(valid.length === 0)(
  'a whole catalog is judged, listed, drawn and resolved, becomes packages of a clone, and comes back',
  async () => {
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
    for (const one of manifests) {
      const rendered = await runVerb('catalog', 'render', join(one.directory, 'input'));
      expect(rendered, one.id).toMatchObject({ exit: 0 });
      writeFileSync(join(directory, `${one.id}.yaml`), rendered.stdout);
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
  },
);

const byVersion = (a: Case, b: Case): number => (a.id < b.id ? -1 : 1);

test.skipIf(bundles.length === 0)(
  'bundle directories make the same graph whichever comes first, in one batch or one by one',
  async () => {
    const [one] = bundles.toSorted(byVersion);
    const older = join(one!.directory, 'input');
    const newer = join(top(), 'newer');
    cpSync(older, newer, { recursive: true });
    const csv = [...readFolder(older)].find(([, { bytes }]) =>
      new TextDecoder().decode(bytes).includes('ClusterServiceVersion'),
    )!;
    const text = new TextDecoder().decode(csv[1].bytes);
    const version = /^ {2}version: (.+)$/m.exec(text)![1]!;
    writeFileSync(join(newer, csv[0]), text.replaceAll(version, '9.0.0'));
    const exports: string[] = [];
    for (const batches of [[[older, newer]], [[newer], [older]]]) {
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
    expect(exports[0]).toContain('version: 9.0.0');
    expect(exports[0]).toContain('replaces:');
  },
);
