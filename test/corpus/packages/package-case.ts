/** A whole package as people write them, and what its built-in functions change: every other byte stays. */
import type { z } from 'zod';

import { type CaseHead, readCases, tree } from '../read-cases.ts';
import { changes } from '../tree-changes.ts';

export const shape = {
  package: tree,
  changes,
};

export type PackageCase = CaseHead & z.infer<z.ZodObject<typeof shape>>;

export function readPackages(): PackageCase[] {
  return readCases('packages', shape);
}
