import { PorticoError } from '../../error.ts';
import { isBundleDirectory } from '../../fbc/bundle-directory.ts';
import type { BundleClaims } from '../../fbc/bundle-record.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import { readClaimedBundle } from '../../fbc/claimed-bundle.ts';
import { catalogOfClaims, type ClaimedBundle } from '../../fbc/claimed-catalog.ts';
import { indexIgnore } from '../../fbc/index-ignore.ts';
import { CatalogMistake } from '../../fbc/mistake.ts';
import type { AddMode } from '../../fbc/old-index.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import type { PackageFile, PackageFiles } from '../../package/package.ts';
import { counted } from '../../text/counted.ts';
import { withoutEnd } from '../../text/ends.ts';
import { usageError } from '../exit-code.ts';
import { readFolder } from '../folder.ts';
import type { Call } from '../verb.ts';
import type { RecordedPackage } from './exported-packages.ts';

export interface ImportSources {
  readonly catalogs: readonly Catalog[];
  /** With `--mode`: what each bundle says of itself, by package and name. */
  readonly claims?: ReadonlyMap<string, BundleClaims>;
  readonly notes: readonly string[];
}

const MODES: readonly AddMode[] = ['replaces', 'semver', 'semver-skippatch'];

/** Reads what is to be imported: catalogs, or with `--mode` bundle directories, or directories of them as in community-operators. */
export function importSources(call: Call, known: readonly RecordedPackage[]): ImportSources {
  const mode = call.text('mode');
  const read = call.positionals.map((typed) => ({
    typed,
    files: readFolder(call.path(typed), { warn: call.terminal.warn }),
  }));
  if (mode === undefined) {
    return {
      catalogs: read.map(({ typed, files }) =>
        placed(
          within(typed, () => catalogIn(typed, files)),
          typed,
        ),
      ),
      notes: [],
    };
  }
  const chosen = MODES.find((one) => one === mode);
  if (chosen === undefined) throw usageError(`--mode cannot be ${mode}`, `It is one of ${MODES.join(', ')}.`);
  const bundles = read.flatMap(({ typed, files }) => {
    const inside = isBundleDirectory(files) ? [] : [...bundlesIn(files)];
    if (inside.length === 0) return [{ typed, files }];
    return inside.map(([name, own]) => ({ typed: `${withoutEnd(typed, '/')}/${name}`, files: own }));
  });
  return claimed(chosen, bundles, known);
}

/** The bundle directories in a directory, by their names; a catalog may hide those it has beside it. */
export function bundlesIn(files: PackageFiles): ReadonlyMap<string, PackageFiles> {
  const ignored = indexIgnore(files);
  const folders = new Map<string, Map<string, PackageFile>>();
  for (const [path, file] of files) {
    const slash = path.indexOf('/');
    if (slash < 0 || ignored(path)) continue;
    const folder = folders.get(path.slice(0, slash)) ?? new Map<string, PackageFile>();
    folders.set(path.slice(0, slash), folder.set(path.slice(slash + 1), file));
  }
  return new Map([...folders].filter(([, folder]) => isBundleDirectory(folder)));
}

/** A mistake names the file from where the person is. */
function within<Result>(typed: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CatalogMistake)) throw error;
    const { file, line } = error.place;
    const place = {
      file: file === undefined ? typed : `${withoutEnd(typed, '/')}/${file}`,
      ...(line && { line }),
    };
    throw new CatalogMistake(error.sentence, place, error.code);
  }
}

function catalogIn(typed: string, files: PackageFiles): Catalog {
  const inside = bundlesIn(files);
  if (inside.size > 0)
    throw new PorticoError(
      'IMPORT_BUNDLE',
      `${typed} holds ${counted(inside.size, 'bundle')} and no catalog, so their upgrade edges are unknown`,
      { blame: 'user', hint: "Give --mode to derive channels from the bundles' own fields." },
    );
  if (!isBundleDirectory(files)) return readCatalog(files);
  throw new PorticoError(
    'IMPORT_BUNDLE',
    `${typed} is a single bundle without a catalog, so its upgrade edges are unknown`,
    { blame: 'user', hint: "Give a catalog, or --mode to derive channels from the bundle's own fields." },
  );
}

/** The graph follows from all bundles that are there and that come, whatever came first. */
function claimed(
  mode: AddMode,
  read: readonly { readonly typed: string; readonly files: PackageFiles }[],
  known: readonly RecordedPackage[],
): ImportSources {
  const added = read.map(({ typed, files }): ClaimedBundle => {
    const { bundle, claims } = within(typed, () => readClaimedBundle(files));
    return {
      bundle: { ...bundle, place: { ...bundle.place, file: `${typed}/${bundle.place.file}` } },
      claims,
    };
  });
  const packages = new Set(added.map(({ bundle }) => bundle.package));
  const before = known.flatMap(({ revisions, claims, kept }) => {
    const [blob] = kept?.documents.packages ?? [];
    if (blob === undefined || !packages.has(blob.name)) return [];
    return [...revisions.values()].flatMap(({ bundle }) => {
      const own = bundle === undefined ? undefined : claims.get(bundle.name);
      return bundle === undefined || own === undefined ? [] : [{ bundle, claims: own }];
    });
  });
  const { value: catalog, problem } = catalogOfClaims([...before, ...added], mode);
  if (catalog === undefined) {
    throw new PorticoError('IMPORT_REFUSED', problem, {
      blame: 'user',
      hint: 'Nothing was changed. Pass bundles that belong together in one command.',
    });
  }
  return {
    catalogs: [catalog],
    claims: new Map(added.map(({ bundle, claims }) => [`${bundle.package}\n${bundle.name}`, claims])),
    notes: bundlesInNoChannel(catalog, mode),
  };
}

const MAX_NAMED = 10;

/** A note on bundles that no channel names: a cluster that has one gets no upgrade, unless a range of versions includes it. */
function bundlesInNoChannel({ bundles, channels }: Catalog, mode: AddMode): string[] {
  const named = new Set(
    channels.flatMap(({ entries }) =>
      entries.flatMap(({ name, replaces, skips }) => [name, replaces, ...skips]),
    ),
  );
  const names = bundles.map(({ name }) => name).filter((name) => !named.has(name));
  if (names.length === 0) return [];
  const listed = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const remedy =
    mode === 'replaces'
      ? ' With --mode semver, each version replaces the one below, also without replaces.'
      : '';
  return [
    `${counted(names.length, 'bundle')} ${names.length === 1 ? 'is' : 'are'} in no channel, and no entry replaces or skips ${names.length === 1 ? 'it' : 'them'} by name: ${listed}${more}.${remedy}`,
  ];
}

/** Places by which one catalog can be told from another. */
function placed(catalog: Catalog, typed: string): Catalog {
  const at = <Blob extends { readonly place: { readonly file: string; readonly line: number } }>(
    blob: Blob,
  ): Blob => ({
    ...blob,
    place: { ...blob.place, file: `${withoutEnd(typed, '/')}/${blob.place.file}` },
  });
  return {
    packages: catalog.packages.map(at),
    channels: catalog.channels.map(at),
    bundles: catalog.bundles.map(at),
    deprecations: catalog.deprecations.map(at),
    others: catalog.others.map(at),
  };
}
