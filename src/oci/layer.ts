/** A tree of files → one layer, whose bytes follow from the tree alone: no times, no owners, one order. */
import type { PackageFiles } from '../package/package.ts';
import { gzip } from './deflate.ts';

const BLOCK = 512;
/** Bytes of the field `name` of a tar header, POSIX ustar. */
const MAX_NAME = 100;
/** Bytes of its field `prefix`. */
const MAX_PREFIX = 155;

/** The gzipped tar of a tree. */
export async function layerOf(files: PackageFiles): Promise<Uint8Array> {
  return await gzip(tarOf(files));
}

/** The tar of a tree: regular files alone, sorted by the bytes of their paths. */
export function tarOf(files: PackageFiles): Uint8Array {
  const sorted = [...files]
    .map(([path, file]) => ({ path: Buffer.from(path), file }))
    .sort((a, b) => Buffer.compare(a.path, b.path));
  const parts: Uint8Array[] = [];
  for (const { path, file } of sorted) {
    const plain = split(path);
    // What does not fit, or is no ASCII, stands in a header of its own (POSIX, "pax Extended Header").
    if (plain === undefined)
      parts.push(...entry(Buffer.from('pax'), paxPath(path), { type: 'x', mode: 0o644 }));
    const mode = file.mode === '100755' ? 0o755 : 0o644;
    parts.push(
      ...entry(plain?.name ?? path.subarray(0, MAX_NAME), file.bytes, { type: '0', mode, ...plain }),
    );
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

interface EntryFields {
  readonly type: '0' | 'x';
  readonly mode: number;
  readonly prefix?: Buffer;
}

function entry(name: Buffer, bytes: Uint8Array, { type, mode, prefix }: EntryFields): Uint8Array[] {
  const header = Buffer.alloc(BLOCK);
  name.copy(header, 0);
  header.write(octal(mode, 7), 100, 'latin1');
  header.write(octal(0, 7), 108, 'latin1');
  header.write(octal(0, 7), 116, 'latin1');
  header.write(octal(bytes.length, 11), 124, 'latin1');
  header.write(octal(0, 11), 136, 'latin1');
  header.write(' '.repeat(8), 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(octal(0, 7), 329, 'latin1');
  header.write(octal(0, 7), 337, 'latin1');
  prefix?.copy(header, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}

/** A path in the two fields of the header; undefined where it does not fit. */
function split(path: Buffer): { readonly name: Buffer; readonly prefix?: Buffer } | undefined {
  if (path.some((byte) => byte > 0x7f)) return undefined;
  if (path.length <= MAX_NAME) return { name: path };
  const slash = path.indexOf(0x2f, path.length - MAX_NAME - 1);
  if (slash < 0 || slash > MAX_PREFIX || slash === path.length - 1) return undefined;
  return { name: path.subarray(slash + 1), prefix: path.subarray(0, slash) };
}

function paxPath(path: Buffer): Buffer {
  const record = Buffer.concat([Buffer.from(' path='), path, Buffer.from('\n')]);
  let length = record.length;
  while (length !== record.length + String(length).length) length = record.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), record]);
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')}\0`;
}
