/**
 * The format of gzip (RFC 1952) with one compressed block (RFC 1951). The zlib of Node compresses by a hash that differs with
 * the processor, and its choices change with its versions; the digest of a layer must not. So this is ours, and its output
 * may never change: every byte follows from the input alone.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

const WINDOW = 32_768;
const LEAST = 3;
/** Bytes of one match, RFC 1951 section 3.2.5. */
const MAX_MATCH = 258;
/** How many earlier places with the same first bytes are looked at. */
const CHAIN = 48;
const HASH_BITS = 15;
const END_OF_BLOCK = 256;
/** After so many bytes others have a turn; they take some five milliseconds. */
const PART = 128 * 1024;

/** Extra bits and first lengths of the codes 257 to 285, and the same for distances (RFC 1951, section 3.2.5). */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTHS = [...firsts(LENGTH_BITS.slice(0, -1), LEAST), MAX_MATCH];
const DISTANCE_BITS = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const DISTANCES = firsts(DISTANCE_BITS, 1);

/** Code of each length and distance, so that none is searched. */
const LENGTH_CODES = Uint8Array.from({ length: MAX_MATCH + 1 }, (_, length) => lastUpTo(LENGTHS, length));
const DISTANCE_CODES = Uint8Array.from({ length: WINDOW + 1 }, (_, distance) =>
  lastUpTo(DISTANCES, distance),
);

/** Compresses bytes; the same bytes give the same result on every machine. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const out = new BitWriter(bytes.length);
  // No name, no time, no flags, and a system of which nothing is said.
  for (const byte of [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]) out.bits(byte, 8);
  await writeBlock(out, bytes);
  out.align();
  for (const word of [crc32(bytes), bytes.length]) {
    for (const shift of [0, 8, 16, 24]) out.bits((word >>> shift) & 0xff, 8);
  }
  return out.bytes();
}

/** The last block, with the fixed codes. */
async function writeBlock(out: BitWriter, bytes: Uint8Array): Promise<void> {
  out.bits(0b011, 3);
  const heads = new Int32Array(1 << HASH_BITS).fill(-1);
  const earlier = new Int32Array(WINDOW).fill(-1);
  const remember = (at: number): void => {
    if (at + LEAST > bytes.length) return;
    const hash = hashAt(bytes, at);
    earlier[at % WINDOW] = heads[hash] ?? -1;
    heads[hash] = at;
  };
  let turns = PART;
  for (let at = 0; at < bytes.length;) {
    if (at >= turns) {
      await turn();
      turns += PART;
    }
    const { length, distance } = longest(bytes, at, heads, earlier);
    if (length < LEAST) {
      writeSymbol(out, bytes[at] ?? 0);
      remember(at);
      at += 1;
      continue;
    }
    const lengthCode = LENGTH_CODES[length] ?? 0;
    writeSymbol(out, END_OF_BLOCK + 1 + lengthCode);
    out.bits(length - (LENGTHS[lengthCode] ?? 0), LENGTH_BITS[lengthCode] ?? 0);
    const distanceCode = DISTANCE_CODES[distance] ?? 0;
    out.reversed(distanceCode, 5);
    out.bits(distance - (DISTANCES[distanceCode] ?? 0), DISTANCE_BITS[distanceCode] ?? 0);
    for (const end = at + length; at < end; at += 1) remember(at);
  }
  writeSymbol(out, END_OF_BLOCK);
}

/** The longest earlier run of the same bytes; of equal ones the nearest. */
function longest(
  bytes: Uint8Array,
  at: number,
  heads: Int32Array,
  earlier: Int32Array,
): { readonly length: number; readonly distance: number } {
  let length = 0;
  let distance = 0;
  const most = Math.min(MAX_MATCH, bytes.length - at);
  if (most < LEAST) return { length, distance };
  let place = heads[hashAt(bytes, at)] ?? -1;
  for (let times = 0; times < CHAIN && place >= 0 && at - place <= WINDOW; times += 1) {
    if (bytes[place + length] === bytes[at + length]) {
      let same = 0;
      while (same < most && bytes[place + same] === bytes[at + same]) same += 1;
      if (same > length) [length, distance] = [same, at - place];
      if (length === most) break;
    }
    const before = earlier[place % WINDOW] ?? -1;
    // What is older than the window was written over.
    if (before >= place) break;
    place = before;
  }
  return { length, distance };
}

function hashAt(bytes: Uint8Array, at: number): number {
  const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  return Math.imul(three, 0x9e37_79b1) >>> (32 - HASH_BITS);
}

/** The fixed codes (RFC 1951, section 3.2.6). */
function writeSymbol(out: BitWriter, symbol: number): void {
  if (symbol < 144) out.reversed(0x30 + symbol, 8);
  else if (symbol < 256) out.reversed(0x190 + symbol - 144, 9);
  else if (symbol < 280) out.reversed(symbol - 256, 7);
  else out.reversed(0xc0 + symbol - 280, 8);
}

function firsts(extraBits: readonly number[], first: number): number[] {
  const found = [first];
  for (const bits of extraBits.slice(0, -1)) found.push((found.at(-1) ?? 0) + 2 ** bits);
  return found;
}

function lastUpTo(values: readonly number[], most: number): number {
  return Math.max(
    0,
    values.findLastIndex((value) => value <= most),
  );
}

/** Bits from the lowest of each byte on. */
class BitWriter {
  #buffer: Uint8Array;
  #length = 0;
  #held = 0;
  #count = 0;

  constructor(expected: number) {
    this.#buffer = new Uint8Array(1024 + Math.ceil(expected / 4));
  }

  bits(value: number, count: number): void {
    this.#held |= value << this.#count;
    this.#count += count;
    while (this.#count >= 8) {
      this.#push(this.#held & 0xff);
      this.#held >>>= 8;
      this.#count -= 8;
    }
  }

  /** Huffman's codes begin with their highest bit. */
  reversed(code: number, count: number): void {
    let turned = 0;
    for (let bit = 0; bit < count; bit += 1) turned |= ((code >> bit) & 1) << (count - 1 - bit);
    this.bits(turned, count);
  }

  align(): void {
    if (this.#count > 0) this.bits(0, 8 - this.#count);
  }

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#buffer.length) {
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    this.#buffer[this.#length] = byte;
    this.#length += 1;
  }
}
