/** An entry of a document, as its schema has it → a source. */
import { digestOfWritten } from '../package/sources/source-digest.ts';
import { readImage, readRange, type WrittenSource } from './source-schema.ts';
import type { Source, SourcePlace } from './source.ts';

/** @param raw the entry as it is written, over which its digests are */
export function sourceOf(written: WrittenSource, raw: unknown): Source {
  const { id, destination = id, include = [], exclude = [], newRoot = '', keepLegal = true } = written;
  const place = placeOf(written);
  if (place === undefined) return { id, destination, place: { kind: 'manual' } };
  const { credentials } = written;
  return {
    id,
    destination,
    place,
    include,
    exclude,
    newRoot,
    keepLegal,
    unwrap: place.kind === 'helm',
    ...(credentials !== undefined && { credentials }),
    entryDigest: digestOfWritten(raw),
    placeDigest: digestOfWritten(place),
  };
}

function placeOf(written: WrittenSource): SourcePlace | undefined {
  const { git, oci, http, helm, package: of } = written;
  if (git !== undefined) {
    const { repo, ref, semver } = git;
    return {
      kind: 'git',
      repo,
      ...(ref !== undefined && { ref }),
      ...(semver !== undefined && { semver: ranged(semver) }),
    };
  }
  if (http !== undefined) {
    const { url, sha256 } = http;
    return { kind: 'http', url, ...(sha256 !== undefined && { sha256 }) };
  }
  if (helm !== undefined) {
    const { repository, chart, version = '*' } = helm;
    return { kind: 'helm', repository, chart, version: ranged(version) };
  }
  if (of !== undefined) {
    return { kind: 'package', repo: of.repo, path: of.package, revision: of.revision ?? 'latest' };
  }
  if (oci === undefined) return undefined;
  const image = readImage(oci.ref) ?? { image: oci.ref };
  const { semver, setter } = oci;
  return { kind: 'oci', ...image, ...(semver && { semver: ranged(semver) }), ...(setter && { setter }) };
}

/** The schema has refused what is no range. */
function ranged(version: string): string {
  return readRange(version) ?? version;
}
