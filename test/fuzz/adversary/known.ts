/** Documents that were trouble once, by the decisions that make them, as small as they could be made. */
import type { Order } from './host.ts';

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
];
