/** Frames of WebSocket (RFC 6455, section 5) as a client writes and reads them. */
import { randomBytes } from 'node:crypto';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** API servers send at most 32 KiB at a time. */
export const MAX_FRAME_BYTES = 1024 * 1024;

export interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A whole message in one frame, masked as a client must. */
export function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const mask = randomBytes(4);
  const { length } = payload;
  let head: Buffer;
  if (length < 126) head = Buffer.from([0x80 | opcode, 0x80 | length]);
  else if (length < 65_536) {
    head = Buffer.from([0x80 | opcode, 0x80 | 126, 0, 0]);
    head.writeUInt16BE(length, 2);
  } else {
    head = Buffer.from([0x80 | opcode, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  const masked = Buffer.from(payload);
  for (let at = 0; at < length; at += 1) masked[at] = (masked[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return Buffer.concat([head, mask, masked]);
}

/** Gives the frames of a server's bytes as they become whole. @throws Error for frames that no server may send */
export function createFrameReader(): (bytes: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const frames: Frame[] = [];
    for (let size = frameSize(rest); size !== undefined && size.end <= rest.length; size = frameSize(rest)) {
      const first = rest.readUInt8(0);
      frames.push({
        final: (first & 0x80) !== 0,
        opcode: first & 0x0f,
        payload: rest.subarray(size.start, size.end),
      });
      rest = rest.subarray(size.end);
    }
    return frames;
  };
}

/** Where the payload of the first frame lies; undefined while its head is not whole. */
function frameSize(bytes: Buffer): { readonly start: number; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  if ((bytes.readUInt8(0) & 0x70) !== 0) throw new Error('a frame uses an extension that was not agreed on');
  const second = bytes.readUInt8(1);
  if ((second & 0x80) !== 0) throw new Error('a frame of the server is masked');
  const start = second === 126 ? 4 : second === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length =
    second === 126 ? bytes.readUInt16BE(2) : second === 127 ? Number(bytes.readBigUInt64BE(2)) : second;
  if (length > MAX_FRAME_BYTES) throw new Error(`a frame has more than ${MAX_FRAME_BYTES} bytes`);
  return { start, end: start + length };
}
