/** Pure: the moment under a text that is kept up to date, so that whoever reads it knows how old it is. Alone it is no reason to write. */

import { momentText } from '../../text/duration.ts';

const AS_OF = /\n\nAs of (\d{4}-\d\d-\d\d \d\d:\d\d) UTC(?:[.;]|, )[^\n]{0,100}$/;

/** The text with the moment, in UTC to the minute, and what is to be said of it. An empty text stays as it is. */
export function dated(text: string, now: Date, more = ''): string {
  if (text === '') return '';
  return `${text}\n\nAs of ${momentText(now.getTime())}${more}.`;
}

/** The text as it was before it was dated. */
export function undated(text: string): string {
  return text.replace(AS_OF, '');
}

/** When a text was dated, in milliseconds since 1970; 0 where it was not. */
export function dateOf(text: string): number {
  const moment = AS_OF.exec(text)?.[1];
  return moment === undefined ? 0 : Date.parse(`${moment.replace(' ', 'T')}:00Z`);
}
