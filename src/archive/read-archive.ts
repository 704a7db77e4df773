/**
 * Archives of strangers → trees of plain files. Everything else in them is refused and told: an archive is unpacked whole
 * or not at all. Works on bytes in memory and waits for nothing; foreign archives belong into a worker process.
 */
import { gunzipSync } from 'node:zlib';

import type { PackageFiles } from '../package/package.ts';
import { ARCHIVE_LIMITS, mostUnpacked, type ArchiveLimits } from './archive-limits.ts';
import { EntryCollector } from './entry-collector.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';
import { Refused, type RefusalCode } from './refused.ts';
import { BLOCK } from './tar-header.ts';

export type ArchiveReading =
  | { readonly files: PackageFiles }
  | { readonly refused: { readonly code: RefusalCode; readonly message: string } };

/** Reads a tar, a gzipped tar or a zip archive, whichever the bytes are. */
export function readArchive(bytes: Uint8Array, limits: ArchiveLimits = ARCHIVE_LIMITS): ArchiveReading {
  try {
    const collector = new EntryCollector(bytes.length, limits);
    if (startsWith(bytes, [0x50, 0x4b])) readZip(checkLength(bytes, limits), collector);
    else readTar(tarIn(bytes, limits), collector);
    return { files: collector.files() };
  } catch (error) {
    return readingOf(error);
  }
}

/** What ended the reading, as a value. Throws everything else. */
export function readingOf(error: unknown): ArchiveReading {
  if (!(error instanceof Refused)) throw error;
  return { refused: { code: error.code, message: error.message } };
}

/** The tar that the bytes are, gzipped or not. Throws {@link Refused}. */
export function tarIn(bytes: Uint8Array, limits: ArchiveLimits): Uint8Array {
  checkLength(bytes, limits);
  return startsWith(bytes, [0x1f, 0x8b]) ? gunzip(bytes, limits) : tarOf(bytes);
}

function checkLength(bytes: Uint8Array, { archiveBytes }: ArchiveLimits): Uint8Array {
  if (bytes.length <= archiveBytes) return bytes;
  throw new Refused('ARCHIVE_LIMIT', `the archive has ${bytes.length} bytes; the limit is ${archiveBytes}`);
}

/** The tar in a gzip stream. Room for headers is counted with the content. */
function gunzip(bytes: Uint8Array, limits: ArchiveLimits): Uint8Array {
  const maxOutputLength = mostUnpacked(bytes.length, limits) + 2 * BLOCK * limits.entries;
  try {
    return tarOf(gunzipSync(bytes, { maxOutputLength }));
  } catch (cause) {
    if (cause instanceof Refused) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Refused('ARCHIVE_LIMIT', `the archive unpacks to more than ${maxOutputLength} bytes`);
    }
    throw new Refused('ARCHIVE_CORRUPT', 'the archive is cut off, or no gzip');
  }
}

/** Other formats begin with what would be a file's name in a tar. */
const OTHER_FORMATS: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ['gzip in gzip', [0x1f, 0x8b]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf]],
];

function tarOf(bytes: Uint8Array): Uint8Array {
  const other = OTHER_FORMATS.find(([, magic]) => startsWith(bytes, magic));
  if (other === undefined) return bytes;
  throw new Refused('ARCHIVE_FORMAT', `the archive is ${other[0]}; tar, gzipped tar and zip are read`);
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}
