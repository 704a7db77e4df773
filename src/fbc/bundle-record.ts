/** The file of a package that says which bundle of a catalog a revision of it is. */
import type { BundleBlob, Catalog } from './catalog.ts';
import { CatalogMistake } from './mistake.ts';
import type { OldBundle } from './old-index.ts';
import { readCatalogDocuments } from './read-catalog.ts';
import { readDocuments } from './read-documents.ts';
import { textAt, valueAt } from './value-at.ts';
import { catalogDocuments, jsonText } from './write-catalog.ts';

export const BUNDLE_RECORD = 'catalog-bundle.json';

/** `.krmignore` of a package that holds a bundle: what is in these is no resource, and functions leave it alone. */
export const BUNDLE_IGNORE = `# What a cluster does not get: the bundle's record, metadata and tests.
${BUNDLE_RECORD}
metadata/
tests/
`;

/** What bundles said of themselves before catalogs were files: from such claims their graph follows. */
export type BundleClaims = Pick<OldBundle, 'channels' | 'defaultChannel' | 'replaces' | 'skips'>;

export interface BundleRecord {
  readonly bundle: BundleBlob;
  readonly claims?: BundleClaims;
}

export function writeBundleRecord({ bundle, claims }: BundleRecord): string {
  const [document = null] = catalogDocuments(catalogOfOne(bundle));
  return `${jsonText({ bundle: document, ...(claims && { claims: { ...claims } }) }, 2)}\n`;
}

/** Throws `CATALOG_INVALID` for what {@link writeBundleRecord} did not write. */
export function readBundleRecord(file: string, text: string): BundleRecord {
  const [first] = readDocuments(file, text);
  const document = valueAt(first?.fields, 'bundle');
  const place = { file, line: 1 };
  const [bundle] = document === undefined ? [] : readCatalogDocuments([document], place).bundles;
  if (bundle === undefined) throw new CatalogMistake('it holds no olm.bundle document', place);
  const claims = valueAt(first?.fields, 'claims');
  if (claims === undefined) return { bundle };
  return {
    bundle,
    claims: {
      channels: textsAt(claims, 'channels'),
      defaultChannel: textAt(claims, 'defaultChannel'),
      replaces: textAt(claims, 'replaces'),
      skips: textsAt(claims, 'skips'),
    },
  };
}

function textsAt(value: Parameters<typeof valueAt>[0], name: string): string[] {
  const list = valueAt(value, name);
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** A catalog that holds nothing but one bundle. */
export function catalogOfOne(bundle: BundleBlob): Catalog {
  return { packages: [], channels: [], bundles: [bundle], deprecations: [], others: [] };
}
