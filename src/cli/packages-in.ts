/** The packages of a work tree, as it stands. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { MAX_DEPTH } from '../package/limits.ts';

export const CONFIGURATION = '.github/portico.yaml';

/** True for the top of a clone, and for any directory with a configuration of its own. */
export function isRepositoryTop(directory: string): boolean {
  return existsSync(join(directory, CONFIGURATION)) || existsSync(join(directory, '.git'));
}

/**
 * Directories below a directory that hold a package, relative to it and sorted; `.` for itself. Subpackages belong to the
 * package around them. What git and installers of libraries keep is not looked at, nor are symbolic links.
 */
export function packagesIn(directory: string): readonly string[] {
  const found: string[] = [];
  const walk = (below: string, depth: number): void => {
    const entries = readdirSync(join(directory, below), { withFileTypes: true });
    if (entries.some((entry) => entry.name === 'Kptfile' && entry.isFile())) {
      found.push(below);
      return;
    }
    if (depth >= MAX_DEPTH) return;
    for (const entry of entries) {
      if (entry.isDirectory() && !SKIPPED.has(entry.name))
        walk(below === '.' ? entry.name : `${below}/${entry.name}`, depth + 1);
    }
  };
  walk('.', 0);
  return found.sort();
}

const SKIPPED = new Set(['.git', '.github', 'node_modules']);
