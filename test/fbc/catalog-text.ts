/** A catalog of one package in few words, for tests: each channel with its entries. */
import type { PackageFiles } from '../../src/package/package.ts';

export interface TestEntry {
  readonly name: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/** Documents of a package `p` whose bundles are all named in `channels`, as `p.v1.0.0`. */
export function documentsOf(channels: Record<string, readonly TestEntry[]>, of = 'p'): object[] {
  const names = new Set(Object.values(channels).flatMap((entries) => entries.map(({ name }) => name)));
  return [
    { schema: 'olm.package', name: of, defaultChannel: Object.keys(channels)[0] ?? '' },
    ...Object.entries(channels).map(([name, entries]) => ({
      schema: 'olm.channel',
      package: of,
      name,
      entries,
    })),
    ...[...names].map((name) => ({
      schema: 'olm.bundle',
      package: of,
      name,
      image: `example.com/${of}:${name}`.toLowerCase(),
      properties: [
        { type: 'olm.package', value: { packageName: of, version: name.slice(name.indexOf('.v') + 2) } },
      ],
    })),
  ];
}

/** One file with these documents. */
export function filesOf(documents: readonly object[], path = 'catalog.json'): PackageFiles {
  const text = documents.map((document) => JSON.stringify(document)).join('\n');
  return new Map([[path, { mode: '100644', bytes: new TextEncoder().encode(text) }]]);
}
