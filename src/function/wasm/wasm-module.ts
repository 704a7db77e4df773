/** A WebAssembly module's binary form, as far as its memory goes. */
import { PorticoError } from '../../error.ts';

/** Bytes of one page of memory. */
export const PAGE = 65_536;
const IMPORT_SECTION = 2;
const MEMORY_SECTION = 5;

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

/**
 * The module with its memory held to so many bytes: the maximum in its memory section is set, or lowered.
 * @throws PorticoError WASM_INVALID for what is no module or has a memory of an unusual kind, WASM_MEMORY for one
 * that begins with more
 */
export function capMemory(bytes: Uint8Array, memoryBytes: number): Uint8Array {
  const found = sectionOf(bytes, MEMORY_SECTION);
  if (found === undefined) return bytes;
  const section = cappedSection({ bytes, at: found.body }, Math.floor(memoryBytes / PAGE));
  return Buffer.concat([bytes.subarray(0, found.start), section, bytes.subarray(found.end)]);
}

/**
 * The size, in pages, of the memory that a module imports, held to so many bytes; one page where it imports none.
 * @throws PorticoError as capMemory
 */
export function importedMemory(bytes: Uint8Array, memoryBytes: number): { initial: number; maximum: number } {
  const pages = Math.floor(memoryBytes / PAGE);
  const found = sectionOf(bytes, IMPORT_SECTION);
  if (found === undefined) return { initial: 1, maximum: pages };
  const reader: Reader = { bytes, at: found.body };
  for (let left = readNumber(reader); left > 0; left -= 1) {
    skipText(reader);
    skipText(reader);
    const kind = bytes[reader.at++];
    if (kind === 2) return limitsOf(reader, pages);
    // A function has the number of its type, a table its type and limits, a global its type and whether it changes.
    if (kind === 0) readNumber(reader);
    else if (kind === 1) {
      reader.at += 1;
      if (bytes[reader.at++] === 1) readNumber(reader);
      readNumber(reader);
    } else if (kind === 3) reader.at += 2;
    else throw invalid('It imports something of an unknown kind.');
  }
  return { initial: 1, maximum: pages };
}

function skipText(reader: Reader): void {
  const length = readNumber(reader);
  reader.at += length;
}

/** Where a section begins, where its content does, and where it ends; undefined where the module has none. */
function sectionOf(
  bytes: Uint8Array,
  wanted: number,
): { readonly start: number; readonly body: number; readonly end: number } | undefined {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  if (header.some((byte, at) => bytes[at] !== byte)) {
    const component = bytes[4] === 0x0d ? ' It is a component: build a core module for wasip1.' : '';
    throw invalid(`It does not begin as a WebAssembly module does.${component}`);
  }
  const reader: Reader = { bytes, at: header.length };
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = bytes[reader.at++];
    const size = readNumber(reader);
    const body = reader.at;
    if (body + size > bytes.length) throw invalid('It ends in the middle of a section.');
    if (id === wanted) return { start, body, end: body + size };
    reader.at = body + size;
  }
  return undefined;
}

function cappedSection(reader: Reader, pages: number): Uint8Array {
  if (readNumber(reader) !== 1) throw invalid(UNUSUAL);
  const { initial, maximum } = limitsOf(reader, pages);
  const body = [1, 1, ...numberBytes(initial), ...numberBytes(maximum)];
  return Uint8Array.from([MEMORY_SECTION, ...numberBytes(body.length), ...body]);
}

const UNUSUAL = 'It has more than one memory, or a shared or 64-bit one.';

/** The limits of a memory as they stand in a section, held to so many pages. */
function limitsOf(reader: Reader, pages: number): { initial: number; maximum: number } {
  const flags = reader.bytes[reader.at++] ?? 0;
  if (flags > 1) throw invalid(UNUSUAL);
  const least = readNumber(reader);
  const most = Math.min(pages, flags === 1 ? readNumber(reader) : pages);
  if (least > pages) {
    const [needed, given] = [least, pages].map((number) => `${Math.ceil((number * PAGE) / 1024 / 1024)} MiB`);
    throw new PorticoError('WASM_MEMORY', `It begins with ${needed} of memory; the limit is ${given}.`, {
      blame: 'user',
      hint: 'Raise memoryMi of the function in the configuration, or build it with less.',
    });
  }
  return { initial: least, maximum: Math.max(least, most) };
}

/** An unsigned LEB128 of at most 32 bits. */
function readNumber(reader: Reader): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw invalid('It ends in the middle of a number.');
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  throw invalid('It holds a number that is too long.');
}

function numberBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest === 0 ? low : low + 128);
  } while (rest > 0);
  return bytes;
}

function invalid(why: string): PorticoError {
  return new PorticoError('WASM_INVALID', `The file is not a module that can run here. ${why}`, {
    blame: 'user',
    hint: 'Build a command for WASI preview 1, such as Go with GOOS=wasip1 or Rust with wasm32-wasip1.',
  });
}
