import type { ErrorCode } from '../error-code.ts';
import { PorticoError } from '../error.ts';
import type { Place } from './catalog.ts';

/** A catalog that cannot be read: the sentence, and where it stands. */
export class CatalogMistake extends PorticoError {
  /** The sentence alone, without its place. */
  readonly sentence: string;
  readonly place: Partial<Place>;

  constructor(sentence: string, place: Partial<Place> = {}, code: ErrorCode = 'CATALOG_INVALID') {
    const { file, line } = place;
    const where = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
    super(code, where + sentence, {
      blame: 'user',
      hint: 'Correct the file, or list it in .indexignore.',
    });
    this.sentence = sentence;
    this.place = place;
  }
}
