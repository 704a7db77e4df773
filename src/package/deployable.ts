/** What of a package is for the cluster; the rest is for the tools and people that work on the package. */
import { PorticoError } from '../error.ts';
import { readResourceFile, type PlacedResource } from './diff/resource-file.ts';
import { isMarkedLocal } from './local-config.ts';
import { filesOutside, type PackageFiles } from './package.ts';

/**
 * The resources of a package that are applied: without Kptfiles, without what is marked as local configuration, and without
 * files that hold no resources, and without what is in `inputs`, directories that processors read. A file of which everything stays
 * is the same file. Throws `NOT_DEPLOYABLE` for a file of which it cannot be said.
 */
export function deployableFiles(files: PackageFiles, inputs: readonly string[] = []): PackageFiles {
  const own = filesOutside(files, inputs);
  const kept = new Map(own);
  for (const [path, file] of own) {
    const read = readResourceFile(path, file);
    if ('reason' in read) {
      if (read.reason !== undefined) {
        throw new PorticoError('NOT_DEPLOYABLE', `${path}: ${read.reason}`, {
          blame: 'user',
          hint: 'Fix the file, or give it an extension other than .yaml, .yml and .json.',
        });
      }
      kept.delete(path);
      continue;
    }
    const deployable = read.resources.filter((resource) => !isForTools(resource));
    if (deployable.length === 0) kept.delete(path);
    else if (deployable.length < read.resources.length) {
      const text = deployable.map((resource) => `${resource.text}\n`).join('---\n');
      kept.set(path, { mode: file.mode, bytes: Buffer.from(text) });
    }
  }
  return kept;
}

function isForTools({ ref, value }: PlacedResource): boolean {
  return (ref.kind === 'Kptfile' && ref.apiVersion.startsWith('kpt.dev/')) || isMarkedLocal(value);
}
