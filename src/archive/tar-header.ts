/** One header of a tar archive: ustar, GNU's, and those before both. */
import { Refused, shown } from './refused.ts';

export const BLOCK = 512;

export interface TarHeader {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  /** The type flag as a character; `0` where the header has none. */
  readonly type: string;
}

/** Reads the block at `at`; undefined for one that is all zeros, with which an archive ends. */
export function readTarHeader(bytes: Uint8Array, at: number): TarHeader | undefined {
  const block = bytes.subarray(at, at + BLOCK);
  if (block.every((byte) => byte === 0)) return undefined;
  let sum = 8 * 0x20;
  for (const [index, byte] of block.entries()) if (index < 148 || index >= 156) sum += byte;
  if (numberIn(block, 148, 8, 'checksum') !== sum) {
    throw new Refused('ARCHIVE_CORRUPT', `the header at byte ${at} has a wrong checksum`);
  }
  const isUstar = latin(block, 257, 6) === 'ustar';
  const prefix = isUstar ? textIn(block, 345, 155) : '';
  const name = textIn(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: numberIn(block, 124, 12, 'size'),
    mode: numberIn(block, 100, 8, 'mode'),
    type: String.fromCharCode(block[156] ?? 0).replace('\0', '0'),
  };
}

/** Text up to the first zero. Throws for what is not UTF-8: names have to be the same for everybody. */
export function textIn(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return decodeName(end < 0 ? field : field.subarray(0, end));
}

/** A name as text. Throws `Refused` (`ARCHIVE_PATH`) for bytes that are not UTF-8. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused('ARCHIVE_PATH', `a name is not UTF-8: ${shown(Buffer.from(bytes).toString('latin1'))}`);
  }
}

function latin(block: Uint8Array, at: number, length: number): string {
  return Buffer.from(block.subarray(at, at + length))
    .toString('latin1')
    .replace(/\0.*$/, '');
}

/** An octal number, or the binary one that GNU tar writes for large sizes. */
function numberIn(block: Uint8Array, at: number, length: number, field: string): number {
  const first = block[at] ?? 0;
  if (first >= 0x80) {
    let value = BigInt(first & 0x7f);
    for (let index = 1; index < length; index += 1) value = value * 256n + BigInt(block[at + index] ?? 0);
    if (first < 0xc0 && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  } else {
    const digits = latin(block, at, length).trim();
    if (/^[0-7]*$/.test(digits)) return Number.parseInt(digits || '0', 8);
  }
  throw new Refused('ARCHIVE_CORRUPT', `a header has a ${field} that is not a number`);
}
