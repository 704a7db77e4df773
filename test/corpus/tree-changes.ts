/** Trees of texts, and changes of them as cases write them: a reader sees what one side did, not the whole file again. */
import { z } from 'zod';

import type { tree } from './read-cases.ts';

export type Tree = z.infer<typeof tree>;

/** By path: the file's new text, null where the file goes, or pairs of a text that occurs once and what replaces it. */
export const changes = z.record(
  z.string(),
  z.union([z.string(), z.null(), z.array(z.tuple([z.string(), z.string()]))]),
);

export type Changes = z.infer<typeof changes>;

/** By path: the text of files that differ, null for those that are gone. Tools' results are written in this form. */
export const overlay = z.record(z.string(), z.string().nullable());

/** @throws if a text that is to be replaced occurs never, or more than once */
export function withChanges(before: Tree, made: Changes = {}): Tree {
  const after = new Map(Object.entries(before));
  for (const [path, change] of Object.entries(made)) {
    if (change === null) {
      if (!after.delete(path)) throw new Error(`there is no ${path} to remove`);
    } else after.set(path, typeof change === 'string' ? change : replaced(path, after.get(path), change));
  }
  return Object.fromEntries(after);
}

function replaced(path: string, before: string | undefined, pairs: readonly [string, string][]): string {
  let text = before;
  if (text === undefined) throw new Error(`there is no ${path} to change`);
  for (const [from, to] of pairs) {
    const count = text.split(from).length - 1;
    if (count !== 1) throw new Error(`${path} has ${count} times ${JSON.stringify(from)}`);
    text = text.split(from).join(to);
  }
  return text;
}

/** Returns the changes that make one tree of another, as whole files in the order of their paths. */
export function changesBetween(before: Tree, after: Tree): z.infer<typeof overlay> {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    paths.filter((path) => before[path] !== after[path]).map((path) => [path, after[path] ?? null]),
  );
}
