/** A WebAssembly module's binary form, as far as its memory goes. */
import { PorticoError } from '../../error.ts';

const PAGE = 65_536;
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
    if (id === MEMORY_SECTION) {
      const section = cappedSection(reader, Math.floor(memoryBytes / PAGE));
      const rest = bytes.subarray(body + size);
      return Buffer.concat([bytes.subarray(0, start), section, rest]);
    }
    reader.at = body + size;
  }
  return bytes;
}

function cappedSection(reader: Reader, pages: number): Uint8Array {
  const count = readNumber(reader);
  const flags = reader.bytes[reader.at++] ?? 0;
  if (count !== 1 || flags > 1) throw invalid('It has more than one memory, or a shared or 64-bit one.');
  const least = readNumber(reader);
  const most = Math.min(pages, flags === 1 ? readNumber(reader) : pages);
  if (least > pages) {
    const [needed, given] = [least, pages].map((number) => `${Math.ceil((number * PAGE) / 1024 / 1024)} MiB`);
    throw new PorticoError('WASM_MEMORY', `It begins with ${needed} of memory; the limit is ${given}.`, {
      hint: 'Raise memoryMi of the function in the configuration, or build it with less.',
    });
  }
  const body = [1, 1, ...numberBytes(least), ...numberBytes(Math.max(least, most))];
  return Uint8Array.from([MEMORY_SECTION, ...numberBytes(body.length), ...body]);
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
  return new PorticoError('WASM_INVALID', `The file is no module that can run here. ${why}`, {
    hint: 'Build a command for WASI preview 1, such as Go with GOOS=wasip1 or Rust with wasm32-wasip1.',
  });
}
