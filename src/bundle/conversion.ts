/** What converting a bundle came to. A refusal is an outcome, not an error. */
import type { Manifest } from './manifest.ts';

export type Conversion =
  | { readonly refused: readonly string[] }
  | {
      /** In the order in which they are to be applied. */
      readonly objects: readonly Manifest[];
      /** What the conversion leaves out or overwrites, for whoever reviews it. */
      readonly notes: readonly string[];
    };
