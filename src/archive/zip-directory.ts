/** The directory at the end of a zip archive, and what each entry says of itself where its content stands. */
import { Refused, shown } from './refused.ts';
import { decodeName } from './tar-header.ts';

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  /** From the local header to the end of the content. */
  readonly start: number;
  readonly contentAt: number;
  readonly end: number;
  /** Mode of Unix; 0 where another system wrote the entry. */
  readonly mode: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const UNICODE_PATH = 0x7075;
const UNIX = 3;
/** Encryption, a descriptor behind the content, UTF-8. */
const READ_FLAGS = 0x0809;

/** Every entry of the directory. Throws {@link Refused} where directory and content tell different things. */
export function readZipDirectory(bytes: Uint8Array, count: () => void): readonly ZipEntry[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const [disk, startDisk] = [view.readUInt16LE(end + 4), view.readUInt16LE(end + 6)];
  const [here, total] = [view.readUInt16LE(end + 8), view.readUInt16LE(end + 10)];
  const [size, start] = [view.readUInt32LE(end + 12), view.readUInt32LE(end + 16)];
  if (disk !== 0 || startDisk !== 0 || here !== total) throw format('the archive has more than one volume');
  if (total === 0xffff || size === 0xffff_ffff || start === 0xffff_ffff)
    throw format('the archive is of the form Zip64');
  if (start + size !== end) throw corrupt('the directory of the archive is not where it should be');
  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < total; index += 1) {
    count();
    if (at + 46 > end || view.readUInt32LE(at) !== CENTRAL)
      throw corrupt('the directory of the archive is cut off');
    const lengths = view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
    if (at + 46 + lengths > end) throw corrupt('the directory of the archive is cut off');
    entries.push(entryAt(view, at, start));
    at += 46 + lengths;
  }
  if (at !== end) throw corrupt('the directory of the archive has more than its entries');
  checkOverlaps(entries);
  return entries;
}

/** The last record; its comment has to reach the end of the archive. */
function endOf(view: Buffer): number {
  const least = Math.max(0, view.length - 22 - 0xffff);
  for (let at = view.length - 22; at >= least; at -= 1) {
    if (view.readUInt32LE(at) === END && at + 22 + view.readUInt16LE(at + 20) === view.length) return at;
  }
  throw corrupt('the archive is cut off: its directory is missing');
}

function entryAt(view: Buffer, at: number, directory: number): ZipEntry {
  const flags = view.readUInt16LE(at + 8);
  const method = view.readUInt16LE(at + 10);
  const crc = view.readUInt32LE(at + 16);
  const [packed, size] = [view.readUInt32LE(at + 20), view.readUInt32LE(at + 24)];
  const nameLength = view.readUInt16LE(at + 28);
  const raw = view.subarray(at + 46, at + 46 + nameLength);
  const name = decodeName(raw);
  if ((flags & 0x0800) === 0 && raw.some((byte) => byte > 0x7f)) {
    throw new Refused('ARCHIVE_PATH', `${shown(name)} is not marked as UTF-8`);
  }
  if ((flags & 0x2041) !== 0) throw entry(name, 'is encrypted');
  if (method !== 0 && method !== 8) throw entry(name, `is packed by method ${method}; only deflate is read`);
  checkExtra(view.subarray(at + 46 + nameLength, at + 46 + nameLength + view.readUInt16LE(at + 30)), name);
  const start = view.readUInt32LE(at + 42);
  const contentAt = contentOf(view, start, directory, { raw, name, flags, method, crc, packed, size });
  const system = view.readUInt16LE(at + 4) >> 8;
  return {
    name,
    method,
    crc,
    packed,
    size,
    start,
    contentAt,
    end: contentAt + packed,
    mode: system === UNIX ? view.readUInt32LE(at + 38) >>> 16 : 0,
  };
}

interface CentralEntry {
  readonly raw: Buffer;
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

/** Where the content begins. The local header has to say what the directory says: programs read either of them. */
function contentOf(view: Buffer, start: number, directory: number, central: CentralEntry): number {
  const differs = (): Refused =>
    corrupt(`${shown(central.name)} differs between the directory and the archive`);
  if (start + 30 > directory || view.readUInt32LE(start) !== LOCAL) throw differs();
  const nameLength = view.readUInt16LE(start + 26);
  const contentAt = start + 30 + nameLength + view.readUInt16LE(start + 28);
  if (contentAt + central.packed > directory) throw corrupt(`${shown(central.name)} is truncated`);
  if (!view.subarray(start + 30, start + 30 + nameLength).equals(central.raw)) throw differs();
  const flags = view.readUInt16LE(start + 6) ^ central.flags;
  if (view.readUInt16LE(start + 8) !== central.method || (flags & READ_FLAGS) !== 0) throw differs();
  const local = [view.readUInt32LE(start + 14), view.readUInt32LE(start + 18), view.readUInt32LE(start + 22)];
  const wanted = [central.crc, central.packed, central.size];
  // With a descriptor behind the content the numbers may be missing here.
  const later = (central.flags & 0x0008) !== 0;
  if (local.some((value, index) => value !== wanted[index] && !(later && value === 0))) throw differs();
  return contentAt;
}

function checkExtra(extra: Buffer, name: string): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === UNICODE_PATH) throw entry(name, 'has a second name');
  }
}

/** One content for many entries is how a small archive becomes a huge tree. What stands before the first is nobody's. */
function checkOverlaps(entries: readonly ZipEntry[]): void {
  let reached = 0;
  for (const { name, start, end } of [...entries].sort((a, b) => a.start - b.start)) {
    if (start < reached) throw entry(name, 'shares its content with another entry');
    if (reached === 0 && start !== 0) throw corrupt('there is data before the first entry');
    reached = end;
  }
}

function entry(name: string, what: string): Refused {
  return new Refused('ARCHIVE_ENTRY', `${shown(name)} ${what}`);
}

function corrupt(message: string): Refused {
  return new Refused('ARCHIVE_CORRUPT', message);
}

function format(message: string): Refused {
  return new Refused('ARCHIVE_FORMAT', message);
}
