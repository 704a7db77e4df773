import { bundles } from './bundles.ts';
import { catalogs } from './catalogs.ts';
import type { Family } from './family.ts';

/** All families of golden cases that a tool answers. */
export const FAMILIES: readonly Family[] = [bundles, catalogs];
