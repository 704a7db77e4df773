/** `.indexignore`: which files of a catalog directory are no part of the catalog. */
import { readKrmignore, type IgnoreMatcher } from '../package/krmignore.ts';
import type { PackageFiles } from '../package/package.ts';

const NAME = '.indexignore';

/** Each directory may have one, and its patterns are relative to it. What one of them hides no other brings back. */
export function indexIgnore(files: PackageFiles): IgnoreMatcher {
  const matchers = new Map<string, IgnoreMatcher>();
  for (const [path, { bytes }] of files) {
    if (path !== NAME && !path.endsWith(`/${NAME}`)) continue;
    matchers.set(path.slice(0, -NAME.length), readKrmignore(new TextDecoder().decode(bytes)));
  }
  return (path) => {
    if (path === NAME || path.endsWith(`/${NAME}`)) return true;
    if (matchers.size === 0) return false;
    const parts = path.split('/');
    for (let depth = 0; depth < parts.length; depth += 1) {
      const directory = depth === 0 ? '' : `${parts.slice(0, depth).join('/')}/`;
      if (matchers.get(directory)?.(path.slice(directory.length)) === true) return true;
    }
    return false;
  };
}
