import { bundles } from './bundles.ts';
import { catalogs } from './catalogs.ts';
import type { Family } from './family.ts';
import { functions } from './functions.ts';
import { mergeLists } from './merge-lists.ts';
import { merge } from './merge.ts';
import { readings } from './readings.ts';
import { render } from './render.ts';
import { variants } from './variants.ts';

/** All families of golden cases that a tool answers. */
export const FAMILIES: readonly Family[] = [
  bundles,
  catalogs,
  functions,
  merge,
  mergeLists,
  readings,
  render,
  variants,
];
