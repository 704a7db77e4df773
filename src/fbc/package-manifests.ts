/** The oldest layout of an operator: `*.package.yaml` names the head of each channel, and a directory each has its bundles. */
import type { PackageFiles } from '../package/package.ts';
import type { Fields } from './catalog.ts';
import { byText, quoted } from './go-text.ts';
import { CatalogMistake } from './mistake.ts';
import type { OldChannel, OldEntry, OldPackage } from './old-index.ts';
import { readDocuments } from './read-documents.ts';
import { mapsOf, textAt, valueAt } from './value-at.ts';

const MANIFEST = /^[^/]+\.package\.ya?ml$/;

/** True for a directory in this layout. */
export function isPackageManifests(files: PackageFiles): boolean {
  return [...files.keys()].some((path) => MANIFEST.test(path));
}

/** Throws `CATALOG_INVALID` for what cannot be read, and for channels whose head is nowhere. */
export function readPackageManifests(files: PackageFiles): OldPackage & { readonly name: string } {
  const paths = [...files.keys()].sort(byText);
  const manifest = paths.find((path) => MANIFEST.test(path));
  if (manifest === undefined) throw new CatalogMistake('there is no *.package.yaml', {});
  const [fields = {}] = mapsIn(files, manifest);
  const directories = [
    ...new Set(paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0] ?? '')),
  ];
  const bundles = new Map(
    directories.map((directory) => {
      const csv = csvOf(files, directory, paths);
      return [textAt(csv, 'metadata', 'name'), csv];
    }),
  );
  const channels = mapsOf(fields['channels']).map((channel): [string, OldChannel] => {
    const head = textAt(channel, 'currentCSV');
    if (!bundles.has(head)) {
      throw new CatalogMistake(
        `channel ${quoted(textAt(channel, 'name'))}: there is no bundle ${quoted(head)}`,
        { file: manifest },
      );
    }
    return [textAt(channel, 'name'), { head, entries: entriesFrom(head, bundles) }];
  });
  const named = textAt(fields, 'defaultChannel');
  const only = channels.length === 1 ? (channels[0]?.[0] ?? '') : '';
  return {
    name: textAt(fields, 'packageName'),
    defaultChannel: named === '' ? only : named,
    channels: new Map(channels),
  };
}

function csvOf(files: PackageFiles, directory: string, paths: readonly string[]): Fields {
  const own = paths.filter((path) => path.startsWith(`${directory}/`) && /\.(?:ya?ml|json)$/.test(path));
  const found = own.flatMap((path) =>
    mapsIn(files, path).flatMap((fields) =>
      fields['kind'] === 'ClusterServiceVersion' ? [{ path, fields }] : [],
    ),
  );
  const [csv, second] = found;
  if (csv === undefined)
    throw new CatalogMistake(`no ClusterServiceVersion object found in ${directory}`, {});
  if (second === undefined) return csv.fields;
  throw new CatalogMistake(`more than one ClusterServiceVersion in ${directory}`, { file: second.path });
}

/** From the head along what each replaces; what one skips is there, but leads nowhere. */
function entriesFrom(head: string, bundles: ReadonlyMap<string, Fields>): Map<string, OldEntry> {
  const entries = new Map<string, OldEntry>();
  let here = head;
  for (let csv = bundles.get(here); csv !== undefined; csv = bundles.get(here)) {
    const skips = valueAt(csv, 'spec', 'skips');
    const entry = {
      replaces: textAt(csv, 'spec', 'replaces'),
      skips: Array.isArray(skips) ? skips.map(String) : [],
    };
    if (entries.get(here)?.replaces) break;
    entries.set(here, entry);
    for (const skip of entry.skips) if (!entries.has(skip)) entries.set(skip, { replaces: '', skips: [] });
    here = entry.replaces;
  }
  return entries;
}

function mapsIn(files: PackageFiles, path: string): Fields[] {
  const bytes = files.get(path)?.bytes ?? new Uint8Array();
  return readDocuments(path, new TextDecoder().decode(bytes)).map(({ fields }) => fields);
}
