import type { Withheld } from '../downstream/update-target.ts';
import type { Arrived } from './direct.ts';
import type { UpdatePull } from './pull.ts';

/** What came of a look at one package. */
export type VariantOutcome = (Withheld | UpdatePull | Arrived) & {
  /** The revision of this upstream, or the state of its sources, that the package is at. */
  readonly from?: string;
};
