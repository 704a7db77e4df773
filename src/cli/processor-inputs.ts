/** Directories of a package that processors read, and that whoever deploys leaves out. */
import { filesOutside, type PackageFiles } from '../package/package.ts';
import { SOURCES_FILE } from '../package/sources/source-files.ts';
import { consumedDirectories, processorsSchema } from '../processors/processor-spec.ts';
import { readSources } from '../sources/read-sources.ts';
import type { Call } from './verb.ts';

/** None, with a warning, where the document of sources cannot be read. */
export function processorInputs(call: Call, files: PackageFiles): readonly string[] {
  const file = files.get(SOURCES_FILE);
  if (file === undefined) return [];
  const read = readSources({ file: SOURCES_FILE, bytes: file.bytes }, processorsSchema);
  if ('document' in read) {
    const { processors, sources } = read.document;
    return consumedDirectories(
      processors,
      sources.map(({ destination }) => destination),
    );
  }
  call.terminal.warn(`${SOURCES_FILE} cannot be read, so everything counts as deployed`);
  return [];
}

/** Returns the files without those that only processors read. */
export function deployedFiles(call: Call, files: PackageFiles): PackageFiles {
  return filesOutside(files, processorInputs(call, files));
}
