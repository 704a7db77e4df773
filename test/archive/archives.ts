/** Archives byte by byte, so that they can be wrong in one place. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface TarEntry {
  readonly name?: string | Buffer;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly mode?: number;
  readonly size?: string;
  readonly prefix?: string;
  readonly checksum?: string;
}

/** Entries and the two empty blocks at the end. */
export function tar(...entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);
}

export function tarEntry(entry: TarEntry): Buffer {
  const { name = 'a.yaml', type = '0', body = '', mode = 0o644, prefix = '' } = entry;
  const content = Buffer.from(body);
  const header = Buffer.alloc(512);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100, 'latin1');
  header.write(entry.size ?? `${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(prefix, 345, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 8 * 0x20);
  header.write(entry.checksum ?? `${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** A record of a pax header. */
export function pax(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const length = rest + String(rest + 2).length;
  return `${length} ${key}=${value}\n`;
}

export interface ZipEntry {
  readonly name?: string;
  readonly body?: string | Buffer;
  readonly mode?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly crc?: number;
  readonly localName?: string;
  /** Uses the content of the entry before. */
  readonly shared?: boolean;
  readonly extra?: Buffer;
}

/** Entries, the directory and its end; `trailer` follows. */
export function zip(entries: readonly ZipEntry[], { before = '', comment = '', trailer = '' } = {}): Buffer {
  const parts: Buffer[] = [Buffer.from(before)];
  const central: Buffer[] = [];
  let offset = before.length;
  let last = 0;
  for (const entry of entries) {
    const {
      name = 'a.yaml',
      body = '',
      mode = 0o100_644,
      method = 8,
      flags = 0x0800,
      extra = Buffer.alloc(0),
    } = entry;
    const content = Buffer.from(body);
    const packed = method === 8 ? deflateRawSync(content) : content;
    const numbers = [entry.crc ?? crc32(content), packed.length, entry.size ?? content.length];
    const common = (label: string, extraLength: number): Buffer => {
      const fields = Buffer.alloc(26);
      for (const [at, value] of [
        [0, 20],
        [2, flags],
        [4, method],
      ] as const)
        fields.writeUInt16LE(value, at);
      for (const [at, value] of numbers.entries()) fields.writeUInt32LE(value, 10 + 4 * at);
      fields.writeUInt16LE(Buffer.byteLength(label), 22);
      fields.writeUInt16LE(extraLength, 24);
      return fields;
    };
    if (entry.shared !== true) {
      const label = entry.localName ?? name;
      const local = Buffer.concat([Buffer.from('PK\x03\x04'), common(label, 0), Buffer.from(label), packed]);
      last = offset;
      offset += local.length;
      parts.push(local);
    }
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(last, 10);
    central.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02\x14\x03'),
        common(name, extra.length),
        tail,
        Buffer.from(name),
        extra,
      ]),
    );
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...parts, directory, end, Buffer.from(comment), Buffer.from(trailer)]);
}
