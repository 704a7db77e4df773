/** The cases of three-way merges: what each side did to a package, and what `kpt pkg update` makes of it. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { z } from 'zod';

import { tree } from '../read-cases.ts';
import { type Tree, changes, overlay, withChanges } from '../tree-changes.ts';
import { revision } from './releases.ts';

const FILES = join(import.meta.dirname, 'files');

/** The input of a case. */
export const input = {
  /** Files of base that many cases share, by the path in the package: `sub/config.yaml` is `files/config.yaml`. */
  from: z.array(z.string()).optional(),
  /** A package of the family `history`, with the revisions that are base and upstream. */
  release: z.tuple([z.string(), z.int(), z.int()]).optional(),
  base: changes.optional(),
  upstream: changes.optional(),
  /** Edits of what `kpt pkg get` wrote. */
  local: changes.optional(),
  /** Local was never written by kpt: its edits are made to base itself. */
  plain: z.boolean().optional(),
  strategy: z.enum(['resource-merge', 'fast-forward', 'force-delete-replace', 'copy-merge']).optional(),
  /** The strategy that the local Kptfile names, where the update is called without one. */
  stored: z.string().optional(),
  /** What the local Kptfile lacks: its upstream, or only the lock. */
  lacks: z.enum(['upstream', 'lock']).optional(),
  /** Paths that are executable in every tree. */
  executable: z.array(z.string()).optional(),
  /** Trees of the repository `https://git.example/parts` by tag. */
  parts: z.record(z.string(), tree).optional(),
};

/** What the tool gives: the package that `kpt pkg get` writes, and local after the update or the error's text. */
export const answer = {
  got: overlay.optional(),
  expected: z.union([z.strictObject({ files: overlay }), z.strictObject({ error: z.string() })]),
};

export type Input = z.infer<z.ZodObject<typeof input>> & {
  readonly got?: z.infer<typeof overlay> | undefined;
};

/** The Kptfile that kpt gives to a package without one, less the links to its upstream. */
export const BARE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n';

export interface Trees {
  readonly base: Tree;
  readonly upstream: Tree;
  readonly local: Tree;
}

/** Returns the two published revisions of a case. */
export function published(one: Input): Pick<Trees, 'base' | 'upstream'> {
  if (one.release !== undefined) {
    const [name, from, to] = one.release;
    return { base: revision(name, from), upstream: revision(name, to) };
  }
  const shared = (one.from ?? []).map((path) => [
    path,
    readFileSync(join(FILES, basename(path)), 'utf8'),
  ]) as [string, string][];
  const base = withChanges(Object.fromEntries(shared), one.base);
  return { base, upstream: withChanges(base, one.upstream) };
}

/** Returns the local package of a case. */
export function localOf(one: Input, base: Tree): Tree {
  const got = one.plain === true ? base : withChanges(base, one.got);
  return withChanges({ Kptfile: BARE, ...got }, one.local);
}
