import { z } from 'zod';

import { readCases } from '../../corpus/read-cases.ts';

const shape = {
  apiVersion: z.string(),
  kind: z.string(),
  /** The keys by which a list merges, by its path with `[]` behind each list; none where the items are united. */
  expected: z.record(z.string(), z.array(z.string())),
};

/** Returns which lists kpt's schema merges, by kind (`apps/v1 Deployment`). */
export function goldenLists(): ReadonlyMap<string, Readonly<Record<string, readonly string[]>>> {
  return new Map(
    readCases('merge-lists', shape).map((one) => [`${one.apiVersion} ${one.kind}`, one.expected]),
  );
}
