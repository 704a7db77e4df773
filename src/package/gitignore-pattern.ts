/** One pattern of a gitignore file, matched by minimatch as git matches it. It matches a path itself: the caller asks for each directory above. */
import { readGlob, type Glob } from './glob.ts';

export interface GitignorePattern extends Glob {
  /** Matches directories alone. */
  readonly isDirectory: boolean;
  /** Begins at the directory of the file; any other pattern matches a name at any depth. */
  readonly isAnchored: boolean;
  /** Without wildcards: the path, or the name. */
  readonly literal: string | undefined;
}

/** Reads a pattern without its `!`. Undefined for a pattern that matches nothing. */
export function readGitignorePattern(text: string): GitignorePattern | undefined {
  const isDirectory = text.endsWith('/');
  const body = isDirectory ? text.slice(0, -1) : text;
  const isAnchored = body.includes('/');
  const names = body
    .replace(/^\//, '')
    .split('/')
    .map((name) => (/^\*{2,}$/.test(name) ? '**' : name))
    .filter((name, at, all) => name !== '**' || all[at - 1] !== '**');
  // No path has such a name.
  if (names.some((name) => name === '' || name === '.' || name === '..')) return undefined;
  const path = names.join('/');
  const glob = readGlob(isAnchored ? path : `**/${path}`);
  if (glob === undefined) return undefined;
  return { isDirectory, isAnchored, literal: /[*?[\\]/.test(path) ? undefined : path, ...glob };
}
