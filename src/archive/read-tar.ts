/** tar → its files. Types that are no files or directories are refused, not passed by. */
import type { EntryCollector } from './entry-collector.ts';
import { readPaxRecords, type PaxRecords } from './pax-records.ts';
import { Refused, shown } from './refused.ts';
import { BLOCK, readTarHeader, textIn, type TarHeader } from './tar-header.ts';

/** Bytes of a header about another entry; a path has less than two thousand. */
const MAX_META = 64 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a named pipe',
  '7': 'a contiguous file',
  D: 'a GNU directory dump',
  M: 'part of a file in another volume',
  S: 'a sparse file',
  V: 'a volume label',
};

/** Puts every file of the archive into the collector. Throws {@link Refused}. */
export function readTar(bytes: Uint8Array, collector: EntryCollector): void {
  let about: PaxRecords | undefined;
  let at = 0;
  for (;;) {
    if (at + BLOCK > bytes.length) throw truncated();
    const header = readTarHeader(bytes, at);
    at += BLOCK;
    if (header === undefined) break;
    collector.count();
    const named = { ...header, name: about?.path ?? header.name, size: about?.size ?? header.size };
    const isMeta = 'xgLK'.includes(header.type);
    if (isMeta && header.size > MAX_META) {
      throw new Refused('ARCHIVE_LIMIT', `a header has ${header.size} bytes; the limit is ${MAX_META}`);
    }
    const { size } = isMeta ? header : named;
    if (at + size > bytes.length) throw truncated();
    const content = bytes.subarray(at, at + size);
    at += Math.ceil(size / BLOCK) * BLOCK;
    if (isMeta) about = { ...about, ...metaOf(header, content) };
    else {
      take(named, content, collector);
      about = undefined;
    }
  }
  if (about !== undefined && Object.keys(about).length > 0) {
    throw new Refused('ARCHIVE_CORRUPT', 'the archive ends with a header about nothing');
  }
  // A second archive behind the first is read by some programs and not by others.
  for (let rest = at; rest < bytes.length; rest += 1) {
    if (bytes[rest] !== 0) throw new Refused('ARCHIVE_CORRUPT', 'something follows the end of the archive');
  }
}

function metaOf(header: TarHeader, content: Uint8Array): PaxRecords {
  if (header.type === 'L') return { path: textIn(content, 0, content.length) };
  // The target of a link, which is refused itself.
  if (header.type === 'K') return {};
  const records = readPaxRecords(content);
  if (header.type === 'g' && Object.keys(records).length > 0) {
    throw new Refused('ARCHIVE_ENTRY', 'a global header gives all entries one path or size');
  }
  return header.type === 'g' ? {} : records;
}

function take(header: TarHeader, content: Uint8Array, collector: EntryCollector): void {
  const { name, size, type } = header;
  const isDirectory = type === '5' || (type === '0' && name.endsWith('/'));
  if (!collector.wants(name, type === '0' && !isDirectory)) {
    collector.passBy();
    return;
  }
  if (type !== '0' && type !== '5') {
    throw new Refused(
      'ARCHIVE_ENTRY',
      `${shown(name)} is ${TYPES[type] ?? `of the unknown type ${shown(type)}`}`,
    );
  }
  if (isDirectory) {
    if (size > 0) throw new Refused('ARCHIVE_CORRUPT', `the directory ${shown(name)} has content`);
    collector.directory(name);
    return;
  }
  collector.reserve(name, size);
  collector.file(name, content, (header.mode & 0o100) !== 0);
}

function truncated(): Refused {
  return new Refused('ARCHIVE_CORRUPT', 'the archive is cut off');
}
