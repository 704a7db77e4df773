import type { Withheld } from '../downstream/update-target.ts';
import type { Arrived } from './direct.ts';
import type { UpdatePull } from './pull.ts';

/** What came of a look at one package. */
export type VariantOutcome = Withheld | UpdatePull | Arrived;
