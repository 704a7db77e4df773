import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { checkChannels } from '../../src/channels/check-channels.ts';
import { exportCatalog } from '../../src/channels/export-catalog.ts';
import { offerOf } from '../../src/channels/offer.ts';
import { planUpdate } from '../../src/channels/plan.ts';
import { readPackageChannels } from '../../src/channels/read-channels.ts';
import { parseConstraint } from '../../src/fbc/constraint.ts';
import { imageProblem } from '../../src/fbc/image-reference.ts';
import { mermaidGraph } from '../../src/fbc/mermaid.ts';
import { packagesView } from '../../src/fbc/packages-view.ts';
import { parseRange } from '../../src/fbc/range.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { resolve } from '../../src/fbc/resolve.ts';
import { renderTemplate } from '../../src/fbc/template.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import { parseVersion } from '../../src/fbc/version.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { MemoryRepository } from '../channels/memory-repository.ts';
import { damaged, fuzz, hostileText, soup, tolerant, YAML_PIECES } from './fuzzing.ts';

/** What ranges and versions are made of. */
const PIECES = [
  ...' |  |>=|>|<|<=|=|!|!=|^|~|,|-| - |.|x|.x|*|v|0|1|1.2.3|1.2|01.0.0|-rc.1|-next.1|+b'.split('|'),
  ...'99999999999999999999 ٣ \u0000 \ud800 ||'.split(' '),
  ' || ',
  '\t',
];
const VERSIONS = ['0.0.0', '1.0.0-rc.1', '1.0.0', '1.2.3', '1.2.3+b', '2.0.0', '10.0.0'].flatMap(
  (text) => parseVersion(text).value ?? [],
);

const CATALOG = `---
schema: olm.package
name: p
defaultChannel: stable
icon: {base64data: aGVsbG8=, mediatype: image/png}
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: p.v1.0.0
  skips: [p.v1.0.1]
- name: p.v2.0.0
  replaces: p.v1.1.0
  skipRange: '>=1.0.0 <2.0.0 || 3.x'
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: example.com/p@sha256:${'a'.repeat(64)}
properties:
- {type: olm.package, value: {packageName: p, version: 1.0.0}}
- {type: olm.bundle.object, value: {data: e30=}}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: example.com/p:1
properties: [{type: olm.package, value: {packageName: p, version: 1.1.0}}]
---
schema: olm.bundle
package: p
name: p.v2.0.0
image: example.com/p:2
properties: [{type: olm.package, value: {packageName: p, version: 2.0.0}}]
---
schema: olm.deprecations
package: p
entries: [{reference: {schema: olm.bundle, name: p.v1.0.0}, message: old}]
`;
const TEMPLATES = [
  'schema: olm.semver\ngenerateMajorChannels: true\nstable: {bundles: [{image: a}, {image: b}]}\n',
  'schema: olm.template.basic\nentries: [{schema: olm.package, name: p}, {schema: olm.bundle, image: a}]\n',
  `schema: olm.template.substitutes\nsubstitutions: [{name: b, base: p.v1.0.0}]\nentries: [{schema: olm.package, name: p, defaultChannel: s}]\n`,
];
const WOUNDS = [...PIECES, ...YAML_PIECES, 'schema', 'olm.bundle', 'p.v1.0.0', ', release: a.1'];

const file = (text: string): PackageFiles =>
  new Map([['catalog.yaml', { mode: '100644', bytes: new TextEncoder().encode(text) }]]);

test('catalogs', async () => {
  await fuzz({
    name: 'catalogs',
    weight: 0.5,
    inputs: [
      fc.oneof({ weight: 4, arbitrary: damaged([CATALOG], WOUNDS) }, { weight: 1, arbitrary: hostileText }),
    ],
    seeds: [[CATALOG]],
    check: (text) => {
      const catalog = tolerant(() => readCatalog(file(text)));
      if (catalog === undefined) return;
      const { errors, packages } = validateCatalog(catalog);
      for (const { message } of errors) expect(message).not.toBe('');
      if (text === CATALOG) expect(errors).toEqual([]);
      packagesView(packages);
      tolerant(() => mermaidGraph(catalog, { v0: true }));
      resolve(catalog, { package: 'p', installed: 'p.v1.0.0', version: '>=1' });
      // What was written is read as the same catalog.
      const yaml = catalogYaml(catalog);
      expect(catalogYaml(readCatalog(file(yaml)))).toBe(yaml);
    },
  });
});

test('imports of catalogs', async () => {
  await fuzz({
    name: 'imports of catalogs',
    weight: 0.5,
    inputs: [
      damaged([CATALOG], WOUNDS),
      damaged([CATALOG], ['p.v2.0.0', 'p.v1.0.0', 'stable', 'A.b', '4.9', '2', '\n']),
    ],
    seeds: [[CATALOG, CATALOG.replaceAll('stable', '4.9')]],
    check: (...texts) => {
      const catalogs = texts.flatMap((text) => tolerant(() => readCatalog(file(text))) ?? []);
      const repository = new MemoryRepository();
      for (const catalog of catalogs) {
        const before = repository.texts;
        if (tolerant(() => repository.import([catalog])) !== undefined) expect(repository.texts).toBe(before);
      }
      // What was taken in comes out as the union of it, and is there already.
      const exported = repository.export();
      const all = readCatalog(file(exported));
      expect(validateCatalog(all).errors).toEqual([]);
      const before = repository.texts;
      expect(repository.import([all])).toBeUndefined();
      expect(repository.texts).toBe(before);
    },
  });
});

const CHANNELS = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: p
defaultChannel: stable
channels:
- {name: candidate, auto: all}
- name: stable
  head: v4
  members:
  - v1
  - {revision: v2, waypoint: true, note: n}
  - {revision: v3, withdrawn: {reason: broken, at: "2026-08-01"}}
  - v4
  promotion: {from: candidate, soak: 72h, require: [checks], approvers: [sre], auto: open}
- name: lts
  mode: graph
  members:
  - {revision: v1}
  - {revision: v4, replaces: v1, skips: [v2], skipRange: "<4.0.0", version: 4.0.0}
deprecations:
- {reference: {schema: revision, name: v1}, message: old, severity: blocking, supersededBy: v4}
`;

test('channel files', async () => {
  await fuzz({
    name: 'channel files',
    weight: 1,
    inputs: [
      damaged([CHANNELS], [...YAML_PIECES, ...PIECES, 'v1', 'v2', 'v4', 'graph', 'sequence', 'stable']),
    ],
    seeds: [[CHANNELS]],
    check: (text) => {
      const { channels, problems } = readPackageChannels(text);
      for (const { line, message } of problems) expect([line > 0, message]).not.toContain('');
      if (channels === undefined) {
        expect(problems).not.toEqual([]);
        return;
      }
      const published = new Set([1, 2, 3, 4]);
      checkChannels(channels, { path: 'p', published });
      const offer = offerOf('p', ['v1', 'v2', 'v3', 'v4'], channels);
      for (const [name, { kind }] of offer.channels) {
        const planned = planUpdate(offer, {
          at: { kind: 'revision', revision: 'v1' },
          follow: { kind: 'channel', channel: name },
          newestInRange: () => undefined,
        });
        expect([kind, planned.message]).not.toContain('');
        expect(new Set(planned.path).size).toBe(planned.path.length);
      }
      const revisions = new Map(
        [1, 2, 3, 4].map((number) => [number, { commit: 'c', objects: [{ kind: 'A' }] }]),
      );
      const made = tolerant(() => exportCatalog([{ path: 'p', channels, revisions }]).catalog);
      if (made !== undefined && text === CHANNELS) expect(validateCatalog(made).errors).toEqual([]);
    },
  });
});

test('catalog templates', async () => {
  const [bundle] = readCatalog(file(CATALOG)).bundles;
  await fuzz({
    name: 'catalog templates',
    weight: 0.5,
    inputs: [damaged(TEMPLATES, WOUNDS)],
    seeds: TEMPLATES.map((text): [string] => [text]),
    check: (text) =>
      renderTemplate('t.yaml', text, (image) => Promise.resolve(image === 'c' ? undefined : bundle)).then(
        () => undefined,
        (error: unknown) =>
          tolerant(() => {
            throw error;
          }),
      ),
  });
});

test('version ranges and image references', async () => {
  await fuzz({
    name: 'version ranges and image references',
    weight: 4,
    inputs: [fc.oneof(soup(PIECES, 12), hostileText)],
    seeds: [['>=1.0.0 || || >2.0.0'], ['1.x.x'], [' '.repeat(5_000)], ['1.0.0 || '.repeat(500)]],
    check: (text) => {
      const range = parseRange(text);
      expect((range.value === undefined) !== (range.problem === undefined)).toBe(true);
      for (const version of VERSIONS) range.value?.matches(version);
      const wanted = parseConstraint(text);
      for (const version of VERSIONS) wanted.value?.(version);
      parseVersion(text);
      imageProblem(text);
    },
  });
});
