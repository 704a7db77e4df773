/** A catalog of 5,000 bundles: read, judged, drawn and resolved in one process; how that grows with twice as many; and against opm. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { mermaidGraph } from '../../src/fbc/mermaid.ts';
import { packagesView } from '../../src/fbc/packages-view.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { resolve } from '../../src/fbc/resolve.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { inTurns } from './measure.ts';
import { against, within, type Row } from './row.ts';
import type { Options } from './update.ts';
import { isOnPath, portico, workspace } from './workspace.ts';

/** Bundles of one package: of real catalogs the largest packages have about so many. */
const IN_PACKAGE = 100;

/** Whole processes that do the same work. */
const CONTESTS = [
  { what: 'validate', ours: ['catalog', 'validate'], opm: ['validate'] },
  { what: 'render', ours: ['catalog', 'render'], opm: ['render', '-o', 'yaml'] },
  { what: 'graph', ours: ['catalog', 'graph'], opm: ['alpha', 'render-graph'] },
] as const;

export async function benchCatalog({ say }: Options): Promise<Row[]> {
  say('a catalog of 5,000 bundles');
  // The first run warms the engine up, as any other in a long process.
  work(filesOf(1_000));
  const [small, seconds, large] = [2_500, 5_000, 10_000].map((bundles) => work(filesOf(bundles)));
  const rows = [
    within('catalog of 5,000 bundles: read, validate, graph, resolve, seconds', seconds ?? NaN, 2),
  ];
  const growth = Math.max((seconds ?? NaN) / (small ?? NaN), (large ?? NaN) / (seconds ?? NaN));
  rows.push(within('catalog of twice as many bundles, times as long', growth, 2.5));
  return [...rows, ...(await beside())];
}

/** The command line against opm, where it is on PATH. */
async function beside(): Promise<Row[]> {
  using place = workspace();
  for (const [path, { bytes }] of filesOf(5_000)) {
    const file = place.path('catalog', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  const runs = isOnPath('opm', 'version') ? 3 : 0;
  const rows: Row[] = [];
  for (const { what, ours, opm } of CONTESTS) {
    const [mine, peer] = await inTurns([
      { runs: 3, prepare: async () => portico(place.path(), ...ours, 'catalog') },
      { runs, prepare: async () => ({ program: 'opm', args: [...opm, 'catalog'], cwd: place.path() }) },
    ]);
    const label = `catalog of 5,000 bundles, ${what}, whole process, s`;
    if (mine) rows.push(against(label, mine.seconds, peer?.seconds ?? null, 1));
  }
  return rows;
}

function work(files: PackageFiles): number {
  const began = performance.now();
  const catalog = readCatalog(files);
  const { errors, packages } = validateCatalog(catalog);
  if (errors.length > 0) throw new Error(`the catalog is not valid: ${errors[0]?.message}`);
  packagesView(packages);
  mermaidGraph(catalog, { v0: true });
  for (const name of packages.keys()) {
    const request = { package: name, installed: `${name}.v1.0.0`, version: '>=1.0.0' };
    if (resolve(catalog, request).resolved === null) throw new Error(`nothing to install of ${name}`);
  }
  return (performance.now() - began) / 1000;
}

function filesOf(bundles: number): PackageFiles {
  const files = new Map<string, { mode: '100644'; bytes: Uint8Array }>();
  for (let from = 0; from < bundles; from += IN_PACKAGE) {
    const name = `operator-${from / IN_PACKAGE}`;
    const text = packageText(name, Math.min(IN_PACKAGE, bundles - from));
    files.set(`${name}/catalog.yaml`, { mode: '100644', bytes: new TextEncoder().encode(text) });
  }
  return files;
}

function packageText(name: string, bundles: number): string {
  const versions = Array.from({ length: bundles }, (_, at) => `1.${Math.floor(at / 10)}.${at % 10}`);
  const entries = versions.map((version, at) => {
    const replaces = at === 0 ? '' : `\n  replaces: ${name}.v${versions[at - 1]}`;
    return `- name: ${name}.v${version}${replaces}\n  skipRange: '>=1.0.0 <${version}'`;
  });
  const channel = `schema: olm.channel\npackage: ${name}\nname: stable\nentries:\n${entries.join('\n')}\n`;
  const documents = versions.map(
    (version) => `schema: olm.bundle
package: ${name}
name: ${name}.v${version}
image: example.com/${name}@sha256:${'0'.repeat(64)}
properties:
- type: olm.package
  value:
    packageName: ${name}
    version: ${version}
- type: olm.gvk
  value: {group: example.com, kind: Thing, version: v1}
relatedImages:
- name: operator
  image: example.com/${name}-operator:v${version}
`,
  );
  const first = `schema: olm.package\nname: ${name}\ndefaultChannel: stable\n`;
  return [first, channel, ...documents].map((document) => `---\n${document}`).join('');
}
