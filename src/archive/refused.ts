/** Why an archive is not unpacked. */
import { shortenValue } from '../text/cut-text.ts';
export type RefusalCode =
  | 'ARCHIVE_COLLISION'
  | 'ARCHIVE_CORRUPT'
  | 'ARCHIVE_ENTRY'
  | 'ARCHIVE_FORMAT'
  | 'ARCHIVE_LIMIT'
  | 'ARCHIVE_PATH';

/** Ends the reading of an archive; `readArchive` makes a value of it. */
export class Refused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'Refused';
    this.code = code;
  }
}

/** A path or name for a message, short and harmless. */
export function shown(name: string): string {
  return JSON.stringify(shortenValue(name, 200));
}
