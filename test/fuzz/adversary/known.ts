/** Documents that were trouble once, by the decisions that make them, as small as they could be made. */
import type { Order } from './host.ts';

const read = (text: string): number[] => text.split(' ').map(Number);

export const KNOWN: readonly (Order & { readonly what: string })[] = [
  { what: 'a tag whose message has tens of thousands of trailers', subject: 'messages', numbers: [6, 1, 11] },
  { what: 'a rule of CODEOWNERS with tens of thousands of owners', subject: 'owners', numbers: [6, 2, 11] },
  {
    what: 'as many channels as revisions, tens of thousands of each',
    subject: 'refs',
    numbers: [6, 0, 2, 5, 5, 0, 2, 5, 5],
  },
  {
    what: 'a glob that stands for any number of names dozens of times over',
    subject: 'globs',
    numbers: [0, 21730, 4730, 43288, 0, 0, 0, 0],
  },
  {
    what: 'a configuration of thousands of keys',
    subject: 'configuration',
    numbers: read('0 0 3525 13 16086 0 0 58621 38437 56680 5179 35342 39855 18624 47327 13243 9187 41261'),
  },
  {
    what: 'a name of an image that is an expression with too many parts',
    subject: 'render',
    numbers: read('0 19189 0 41769 0 62856 0 11408 0 25005 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3669 0 0 0 0'),
  },
];
