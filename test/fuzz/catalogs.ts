import * as fc from 'fast-check';
import { expect, test } from 'vitest';

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
import { damaged, fuzz, hostileText, soup, tolerant } from './fuzzing.ts';

const PIECES = [
  ' ',
  '  ',
  '\t',
  '||',
  ' || ',
  '>=',
  '>',
  '<',
  '<=',
  '=',
  '!',
  '!=',
  '^',
  '~',
  ',',
  '-',
  ' - ',
  '.',
  'x',
  '.x',
  '*',
  'v',
  '0',
  '1',
  '1.2.3',
  '1.2',
  '01.0.0',
  '-rc.1',
  '-next.1',
  '+b',
  '99999999999999999999',
  '٣',
  '\u0000',
  '\ud800',
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
const WOUNDS = [
  ...PIECES,
  '\n',
  '- ',
  '{',
  '}',
  '[',
  ']',
  ':',
  '"',
  "'",
  '---\n',
  '&x ',
  '*x',
  'null',
  'schema',
  'olm.bundle',
  'p.v1.0.0',
  ', release: a.1',
  '__proto__',
];

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

test('catalog templates', async () => {
  const [bundle] = readCatalog(file(CATALOG)).bundles;
  await fuzz({
    name: 'catalog templates',
    weight: 0.5,
    inputs: [damaged(TEMPLATES, WOUNDS)],
    seeds: TEMPLATES.map((text): [string] => [text]),
    check: (text) =>
      void tolerant(() => renderTemplate('t.yaml', text, (image) => (image === 'c' ? undefined : bundle))),
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
