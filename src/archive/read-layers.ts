/** Layers of an image, one on another → the tree of plain files that they make. */
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { ARCHIVE_LIMITS, type ArchiveLimits } from './archive-limits.ts';
import { EntryCollector, type Whiteouts } from './entry-collector.ts';
import { readingOf, tarIn, type ArchiveReading } from './read-archive.ts';
import { readTar } from './read-tar.ts';

/** A directory of the tree, or a file where `file` is set. */
interface Place {
  file?: PackageFile;
  readonly below: Map<string, Place>;
}

/**
 * Reads layers from the lowest to the highest, each a tar that may be gzipped, with the rules and limits of one archive for
 * all of them together. What a layer's whiteouts name is gone from the layers below it.
 *
 * @param directory only what is in it is read, with its whole path, and files at the top; the rest of an image may be anything
 */
export function readLayers(
  layers: readonly Uint8Array[],
  limits: ArchiveLimits = ARCHIVE_LIMITS,
  directory = '',
): ArchiveReading {
  try {
    const root: Place = { below: new Map() };
    let { totalBytes, entries } = limits;
    for (const layer of layers) {
      const whiteouts: Whiteouts = { removed: [], opaque: [] };
      const left = { ...limits, totalBytes, entries };
      const collector = new EntryCollector(layer.length, left, { whiteouts, directory });
      readTar(tarIn(layer, left), collector);
      for (const path of whiteouts.opaque) placeAt(root, path)?.below.clear();
      for (const path of whiteouts.removed) remove(root, path);
      for (const path of collector.directories) placeFor(root, path);
      for (const [path, file] of collector.files()) put(root, path, file);
      totalBytes -= collector.taken.bytes;
      entries -= collector.taken.entries;
    }
    return { files: checked(root, limits) };
  } catch (error) {
    return readingOf(error);
  }
}

function placeAt(root: Place, path: string): Place | undefined {
  if (path === '') return root;
  let at: Place | undefined = root;
  for (const part of path.split('/')) at = at?.below.get(part);
  return at;
}

/** The directory at a path; a file that stood there is gone. */
function placeFor(root: Place, path: string): Place {
  let at = root;
  for (const part of path === '' ? [] : path.split('/')) {
    const next: Place = at.below.get(part) ?? { below: new Map() };
    delete next.file;
    at.below.set(part, next);
    at = next;
  }
  return at;
}

function put(root: Place, path: string, file: PackageFile): void {
  const [above, name] = halves(path);
  placeFor(root, above).below.set(name, { file, below: new Map() });
}

function remove(root: Place, path: string): void {
  const [above, name] = halves(path);
  placeAt(root, above)?.below.delete(name);
}

function halves(path: string): readonly [above: string, name: string] {
  const slash = path.lastIndexOf('/');
  return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
}

/** All files, judged once more: two layers may each have one of two names that are the same where case does not count. */
function checked(root: Place, limits: ArchiveLimits): PackageFiles {
  const collector = new EntryCollector(limits.archiveBytes, limits);
  const visit = ({ file, below }: Place, path: string): void => {
    if (file !== undefined) collector.file(path, file.bytes, file.mode === '100755');
    for (const [name, place] of below) visit(place, path === '' ? name : `${path}/${name}`);
  };
  visit(root, '');
  return collector.files();
}
