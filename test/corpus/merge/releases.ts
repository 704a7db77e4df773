/** Packages with several published revisions, which the family `history` holds. */
import { z } from 'zod';

import { readCases } from '../read-cases.ts';
import { type Tree, changes, withChanges } from '../tree-changes.ts';

/** The first revision is the whole package; each other one is what changed since. */
const shape = { revisions: z.array(changes).min(2) };

let read: ReturnType<typeof readCases<typeof shape>> | undefined;

/** Returns all packages, each with its revisions in order. */
export function releases(): { readonly name: string; readonly revisions: readonly Tree[] }[] {
  read ??= readCases('history', shape);
  return read.map(({ name, revisions }) => {
    const trees: Tree[] = [];
    for (const made of revisions) trees.push(withChanges(trees.at(-1) ?? {}, made));
    return { name, revisions: trees };
  });
}

/** Returns one revision, counted from 1. */
export function revision(name: string, number: number): Tree {
  const found = releases().find((one) => one.name === name)?.revisions[number - 1];
  if (found === undefined) throw new Error(`there is no revision ${number} of ${name}`);
  return found;
}
