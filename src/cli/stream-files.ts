import { PorticoError } from '../error.ts';
import { pathProblem } from '../package/limits.ts';
import type { PackageFiles } from '../package/package.ts';
import { moveTo, pathOf } from '../package/render/bookkeeping.ts';
import { copyValue } from '../package/render/field-notes.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { defaultPath } from '../package/render/run-function.ts';
import { outcomesOf, writeFiles } from '../package/render/write-files.ts';

/**
 * Resources of a stream as the files of a new package: each at the path that its annotation names, else where kpt puts a new
 * resource. Throws `PACKAGE_PATH` for a path that leads out of it.
 */
export function filesOfStream(items: readonly KrmObject[]): PackageFiles {
  const placed = items.map((item) => {
    const copy = copyValue(item);
    if (pathOf(copy) === undefined) moveTo(copy, defaultPath(copy));
    return copy;
  });
  const outcomes = outcomesOf(placed, new Map());
  for (const { file } of outcomes) {
    const problem = pathProblem(file);
    if (problem === undefined) continue;
    throw new PorticoError('PACKAGE_PATH', `a resource is for ${JSON.stringify(file)}: ${problem}`, {
      blame: 'user',
      hint: 'Correct its annotation internal.config.kubernetes.io/path, or remove it.',
    });
  }
  return writeFiles(outcomes, new Map(), new Map()).files;
}
