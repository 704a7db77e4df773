import { offeredRevisions, type ExportedRevision } from '../../channels/export-catalog.ts';
import type { KnownPackage } from '../../channels/import-catalog.ts';
import { readKeptCatalog, type KeptCatalog } from '../../channels/kept-catalog.ts';
import { numberOf } from '../../channels/offer.ts';
import { bundleInPackage } from '../../channels/operator-entry.ts';
import type { PackageChannels } from '../../channels/package-channels.ts';
import type { BundleClaims, BundleRecord } from '../../fbc/bundle-record.ts';
import type { Fields } from '../../fbc/catalog.ts';
import { CatalogMistake } from '../../fbc/mistake.ts';
import { readDocuments } from '../../fbc/read-documents.ts';
import { textAt, valueAt } from '../../fbc/value-at.ts';
import type { PackageFiles } from '../../package/package.ts';
import { revisionsOf } from '../../revision/numbering.ts';
import type { BundleImages } from './bundle-images.ts';
import type { ClonePackage, UpstreamClone } from './upstream-clone.ts';

/** Where it is kept what catalogs say beyond channels: a file for each package, and one for what belongs to none. */
export const KEPT_FOLDER = '.github/portico/catalog';
export const KEPT_OTHERS = '.github/portico/catalog.json';

export interface RecordedPackage extends KnownPackage {
  /** What bundles said of themselves, by their names. */
  readonly claims: ReadonlyMap<string, BundleClaims>;
}

/**
 * Packages with all that an export needs of their revisions. Those without a channel file have channels without a name. With `images`, a
 * bundle that a package holds is that of an image.
 */
export async function recordedPackages(
  upstream: UpstreamClone,
  packages: readonly ClonePackage[],
  signal: AbortSignal,
  images?: BundleImages,
): Promise<RecordedPackage[]> {
  const ledger = await upstream.git.refs('refs/portico/published/', signal);
  const found: RecordedPackage[] = [];
  for (const one of packages)
    found.push(await recorded(upstream, one, { ledger: [...ledger.keys()], images }, signal));
  return found;
}

async function recorded(
  upstream: UpstreamClone,
  one: ClonePackage,
  { ledger, images }: { readonly ledger: readonly string[]; readonly images: BundleImages | undefined },
  signal: AbortSignal,
): Promise<RecordedPackage> {
  const { git, source } = upstream;
  const { path } = one.offer;
  const kept = await git.readFile(source.commit, `${KEPT_FOLDER}/${path}.json`, signal);
  const claims = new Map<string, BundleClaims>();
  const revisions = new Map<number, ExportedRevision>();
  const channels = one.channels?.document ?? noChannels(path);
  const numbered = one.revisions.flatMap(({ name, commit }) => {
    const number = numberOf(name);
    return number === undefined ? [] : [[number, { commit }] as const];
  });
  const offered = offeredRevisions({ path, channels, revisions: new Map(numbered) });
  for (const { name, commit, tree } of one.revisions) {
    const number = numberOf(name);
    if (number === undefined) continue;
    const record = await bundleAt(
      upstream,
      { one, name, commit, isOffered: offered.has(number), images },
      signal,
    );
    if (record?.claims !== undefined && !claims.has(record.bundle.name))
      claims.set(record.bundle.name, record.claims);
    revisions.set(number, {
      commit,
      ...(tree !== undefined && { tree }),
      ...(record && { bundle: record.bundle }),
    });
  }
  const gone = revisionsOf(one.directory, ledger).flatMap(({ name }) => numberOf(name) ?? []);
  const known = {
    path,
    channels,
    ...(kept !== null && { kept: keptOf(`${KEPT_FOLDER}/${path}.json`, kept) }),
    taken: [...revisions.keys(), ...gone],
    claims,
  };
  return { ...known, revisions: await withObjects(upstream, one, { ...known, revisions }, signal) };
}

/** The bundle that a revision holds, if any. One that cannot be read is none where no channel offers it: it stops nobody's export. */
async function bundleAt(
  { git }: UpstreamClone,
  {
    one,
    name,
    commit,
    isOffered,
    images,
  }: {
    readonly one: ClonePackage;
    readonly name: string;
    readonly commit: string;
    readonly isOffered: boolean;
    readonly images: BundleImages | undefined;
  },
  signal: AbortSignal,
): Promise<BundleRecord | undefined> {
  const found = await git.readPackage(commit, one.directory, {}, signal);
  if (found === null) return undefined;
  try {
    const record = bundleInPackage(found.files, `${one.offer.path}@${name}/`);
    const bundle = record && isOffered ? await images?.bundleOf(found.files) : undefined;
    return record && bundle ? { ...record, bundle } : record;
  } catch (error) {
    if (!isOffered && error instanceof CatalogMistake) return undefined;
    throw error;
  }
}

/** Resources are read of what is offered and was changed since it was imported, or never was a bundle. */
async function withObjects(
  { git }: UpstreamClone,
  { directory }: ClonePackage,
  known: RecordedPackage,
  signal: AbortSignal,
): Promise<Map<number, ExportedRevision>> {
  const revisions = new Map(known.revisions);
  const seen = new Set<string>();
  for (const number of [...offeredRevisions(known)].sort((a, b) => a - b)) {
    const revision = revisions.get(number);
    if (revision === undefined) continue;
    const isOwn = revision.bundle !== undefined && !seen.has(revision.bundle.name);
    if (revision.bundle !== undefined) seen.add(revision.bundle.name);
    if (isOwn) continue;
    const found = await git.readPackage(revision.commit, directory, {}, signal);
    revisions.set(number, { ...revision, objects: resourcesIn(found?.files ?? new Map()) });
  }
  return revisions;
}

/** What would be applied: no Kptfile, and nothing that stays at home. */
function resourcesIn(files: PackageFiles): Fields[] {
  return [...files]
    .filter(([path]) => /\.ya?ml$/.test(path))
    .flatMap(([path, { bytes }]) => readDocuments(path, new TextDecoder().decode(bytes)))
    .map(({ fields }) => fields)
    .filter((fields) => {
      const local = valueAt(fields, 'metadata', 'annotations', 'config.kubernetes.io/local-config');
      return textAt(fields, 'apiVersion') !== '' && textAt(fields, 'kind') !== '' && local !== 'true';
    });
}

export function keptOf(file: string, bytes: Uint8Array): KeptCatalog {
  return readKeptCatalog(file, new TextDecoder().decode(bytes));
}

function noChannels(path: string): PackageChannels {
  return { package: path, packageLine: 1, defaultLine: 1, channels: [], deprecations: [] };
}
