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
    what: 'a configuration with thousands of unknown fields',
    subject: 'configuration',
    numbers: read(
      '21608 41297 54512 36894 55525 39422 26657 3199 63244 36985 41357 47997 62799 20676 6855 31262 32879 6453 186 40737 30727 3042 27535 3307 15951 30092 29671 18956 37307 36917 6461 11356 17422 50856 26259 62514 12430 56748 40206 40925 25731 38171 22932 62252 47130 24884 57546 235 64976 48230 42356 42813 55057 80 49821 41912 54367 41786 31455 48142',
    ),
  },
  {
    what: 'a name of an image that is an expression with too many parts',
    subject: 'render',
    numbers: read('0 19189 0 41769 0 62856 0 11408 0 25005 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3669 0 0 0 0'),
  },
];
