/** zip → its files, as its directory names them. */
import { crc32, inflateRawSync } from 'node:zlib';

import type { EntryCollector } from './entry-collector.ts';
import { Refused, shown } from './refused.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

const TYPE = 0o170_000;
const FILE = 0o100_000;
const DIRECTORY = 0o040_000;

/** Puts every file of the archive into the collector. Throws {@link Refused}. */
export function readZip(bytes: Uint8Array, collector: EntryCollector): void {
  for (const entry of readZipDirectory(bytes, () => collector.count())) {
    const { name, mode, size } = entry;
    const type = mode & TYPE;
    if (type !== 0 && type !== FILE && type !== DIRECTORY) {
      throw new Refused(
        'ARCHIVE_ENTRY',
        `${shown(name)} is ${type === 0o120_000 ? 'a symbolic link' : 'no regular file'}`,
      );
    }
    const isDirectory = name.endsWith('/');
    if (type !== 0 && isDirectory !== (type === DIRECTORY)) {
      throw new Refused(
        'ARCHIVE_CORRUPT',
        `${shown(name)} is a file by its name and a directory by its mode, or the reverse`,
      );
    }
    if (isDirectory && size > 0)
      throw new Refused('ARCHIVE_CORRUPT', `the directory ${shown(name)} has content`);
    if (isDirectory) collector.directory(name);
    else {
      collector.reserve(name, size);
      collector.file(name, contentOf(bytes, entry), (mode & 0o100) !== 0);
    }
  }
}

function contentOf(bytes: Uint8Array, { name, method, contentAt, packed, size, crc }: ZipEntry): Uint8Array {
  const stored = bytes.subarray(contentAt, contentAt + packed);
  const content = method === 0 ? stored : inflate(stored, name, size);
  if (content.length !== size)
    throw new Refused('ARCHIVE_CORRUPT', `${shown(name)} does not have its declared size`);
  if (crc32(content) !== crc) throw new Refused('ARCHIVE_CORRUPT', `${shown(name)} has a wrong checksum`);
  return content;
}

/** Never gives more than the entry says it has. */
function inflate(stored: Uint8Array, name: string, size: number): Uint8Array {
  try {
    return inflateRawSync(stored, { maxOutputLength: Math.max(1, size) });
  } catch (cause) {
    const larger = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const why = larger ? 'unpacks to more than its declared size' : 'cannot be unpacked';
    throw new Refused('ARCHIVE_CORRUPT', `${shown(name)} ${why}`);
  }
}
