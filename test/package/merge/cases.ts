import { z } from 'zod';

import type { MergeInput } from '../../../src/package/merge/merge-types.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { answer, input, localOf, published } from '../../corpus/merge/trees.ts';
import { readCases } from '../../corpus/read-cases.ts';
import { overlay, withChanges } from '../../corpus/tree-changes.ts';
import { packageOf } from './trees.ts';

/** A golden case: three packages, what kpt makes of them, and what Portico does. */
export interface MergeCase extends MergeInput {
  readonly name: string;
  /** Undefined where kpt fails. */
  readonly kpt: PackageFiles | undefined;
  /** Why Portico's result is another one than kpt's. */
  readonly differs: string | undefined;
  /** Portico's result where it differs; the code of the error where it refuses; undefined where it is that of kpt. */
  readonly portico: PackageFiles | string | undefined;
  /** `file:path side` of each conflict that Portico reports. */
  readonly conflicts: readonly string[];
  /** Codes of the notes that Portico reports. */
  readonly notes: readonly string[];
}

const shape = {
  ...input,
  ...answer,
  differs: z.string().optional(),
  portico: z.union([z.strictObject({ files: overlay }), z.strictObject({ refused: z.string() })]).optional(),
  conflicts: z.array(z.string()).optional(),
  notes: z.array(z.string()).optional(),
};

let read: MergeCase[] | undefined;

/** Returns all cases of the family `merge`. */
export function mergeCases(): readonly MergeCase[] {
  read ??= readCases('merge', shape).map((one) => {
    const { base, upstream } = published(one);
    const local = localOf(one, base);
    const files = (texts: Record<string, string>): PackageFiles => packageOf(texts, one.executable);
    const { portico } = one;
    const result =
      portico === undefined || 'refused' in portico ? undefined : withChanges(local, portico.files);
    return {
      name: one.name,
      strategy: one.strategy ?? 'resource-merge',
      base: files(base),
      upstream: files(upstream),
      local: files(local),
      kpt: 'files' in one.expected ? files(withChanges(local, one.expected.files)) : undefined,
      differs: one.differs,
      portico: portico !== undefined && 'refused' in portico ? portico.refused : result && files(result),
      conflicts: one.conflicts ?? [],
      notes: one.notes ?? [],
    };
  });
  return read;
}
