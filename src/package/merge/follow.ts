/** Pure: which conflicts are about what functions read, and which may be about what functions write. */

import { PorticoError } from '../../error.ts';
import { isKptfile } from '../package.ts';
import type { PackageFiles } from '../package.ts';
import { valueAt, textAt } from '../yaml/node.ts';
import { contentAt } from './conflict-place.ts';
import type { Conflict, Side } from './conflict.ts';
import { readFile, resourcesOf } from './resources.ts';

export interface Parts<Found extends Conflict> {
  /** About a pipeline, or the configuration that one of its functions reads. */
  readonly sources: readonly Found[];
  /** About any other field: a function may write it. */
  readonly others: readonly Found[];
}

/** Sorts the conflicts between fields; those about whole resources and files are of neither sort. */
export function bySource<Found extends Conflict>(
  conflicts: readonly Found[],
  files: PackageFiles,
): Parts<Found> {
  const fields = conflicts.filter(({ path, resource }) => path !== '' && resource !== null);
  const read = configFiles(files);
  const isSource = ({ file, path }: Conflict): boolean =>
    isKptfile(file) ? /^pipeline\b/.test(path) : read.has(file) && !/^metadata\b/.test(path);
  return { sources: fields.filter(isSource), others: fields.filter((one) => !isSource(one)) };
}

/** The files that functions of the package and its subpackages are configured by. */
function configFiles(files: PackageFiles): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [path, file] of files) {
    if (!isKptfile(path)) continue;
    const yaml = readFile(path, file);
    if (yaml instanceof PorticoError) continue;
    const directory = path.slice(0, -'Kptfile'.length);
    for (const { root } of resourcesOf(path, yaml)) {
      for (const kind of ['mutators', 'validators']) {
        const functions = valueAt(root, 'pipeline', kind);
        for (const { value } of functions?.kind === 'list' ? functions.items : []) {
          const config = textAt(value, 'configPath').replace(/^\.\//, '');
          if (config !== '') found.add(directory + config);
        }
      }
    }
  }
  return found;
}

/** These conflicts decided for the side that they do not take. */
export function otherSides(conflicts: readonly Conflict[]): ReadonlyMap<string, Side> {
  return new Map(conflicts.map(({ id, taken }) => [id, taken === 'upstream' ? 'local' : 'upstream']));
}

/** The conflicts at whose place two packages say the same; not those whose resource neither has. */
export function samePlaces<Found extends Conflict>(
  conflicts: readonly Found[],
  one: PackageFiles,
  other: PackageFiles,
): Found[] {
  return conflicts.filter((conflict) => {
    // Of a part, too, the whole place: what was taken may stand in both beside something else.
    const { part: _, ...whole }: Conflict = conflict;
    const content = contentAt(one, whole);
    return content !== undefined && content === contentAt(other, whole);
  });
}
