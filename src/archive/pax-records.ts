/** Records of a pax header: `LENGTH KEY=VALUE` and a line feed, each. */
import { Refused, shown } from './refused.ts';
import { decodeName } from './tar-header.ts';

/** What a header says about the entry behind it, as far as it matters here. */
export interface PaxRecords {
  readonly path?: string;
  readonly size?: number;
}

/** Keys that change what an entry is; a reader that passes them by sees another content. */
const CHANGES_CONTENT = /^(?:GNU\.sparse\.|GNU\.volume\.|SCHILY\.(?:realsize|filetype)|hdrcharset$|charset$)/;

/** Reads the records. Throws for any that is not as it should be, instead of going on with half of them. */
export function readPaxRecords(bytes: Uint8Array): PaxRecords {
  let records: PaxRecords = {};
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const digits =
      space < 0 || space - at > 8 ? '' : Buffer.from(bytes.subarray(at, space)).toString('latin1');
    const end = at + Number(/^[1-9]\d*$/.test(digits) ? digits : Number.NaN);
    if (!(end <= bytes.length) || end < space + 4 || bytes[end - 1] !== 0x0a) throw corrupt();
    const record = bytes.subarray(space + 1, end - 1);
    const equals = record.indexOf(0x3d);
    if (equals < 1) throw corrupt();
    records = { ...records, ...meaning(decodeName(record.subarray(0, equals)), record.subarray(equals + 1)) };
    at = end;
  }
  return records;
}

function meaning(key: string, value: Uint8Array): PaxRecords {
  if (CHANGES_CONTENT.test(key))
    throw new Refused('ARCHIVE_ENTRY', `the archive has ${shown(key)}, which is not read`);
  if (key === 'path') return { path: decodeName(value) };
  if (key !== 'size') return {};
  const digits = Buffer.from(value).toString('latin1');
  const size = Number(digits);
  if (!/^\d{1,16}$/.test(digits) || !Number.isSafeInteger(size)) throw corrupt();
  return { size };
}

function corrupt(): Refused {
  return new Refused('ARCHIVE_CORRUPT', 'a pax header is not as it should be');
}
