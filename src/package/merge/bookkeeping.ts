import { PorticoError } from '../../error.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import type { YamlNode } from '../yaml/node.ts';
import { editFile, withText } from './resource-files.ts';
import { withBookkeeping } from './resource-merge.ts';
import { readFile, resourcesOf, UPSTREAM_IDENTIFIER } from './resources.ts';
import type { Resource } from './resources.ts';

/** kpt's marks on resources (`# kpt-merge:` and the upstream identifier), kept up where local has them. */
export interface Bookkeeping {
  /** True when local was got by kpt: its files have marks that base's do not. */
  readonly wanted: () => boolean;
  /** A file from upstream as it comes into local. */
  readonly mark: (path: string, file: PackageFile) => PackageFile;
}

/** Looks at local only when asked, and once. */
export function bookkeepingOf(base: PackageFiles, local: PackageFiles): Bookkeeping {
  let known: boolean | undefined;
  const wanted = (): boolean => {
    known ??= [...local].some(([path, file]) => isMarked(path, file) && !isMarked(path, base.get(path)));
    return known;
  };
  return { wanted, mark: (path, file) => (isYaml(path) && wanted() ? marked(path, file) : file) };
}

function isMarked(path: string, file: PackageFile | undefined): boolean {
  if (file === undefined || !isYaml(path)) return false;
  return Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength).includes(
    UPSTREAM_IDENTIFIER,
  );
}

/** True for the files that kpt reads resources from. */
export function isYaml(path: string): boolean {
  return path.endsWith('.yaml') || path.endsWith('.yml');
}

function marked(path: string, file: PackageFile): PackageFile {
  const yaml = readFile(path, file);
  if (yaml instanceof PorticoError) return file;
  const resources = resourcesOf(path, yaml);
  const changed = new Map<Resource, YamlNode>(resources.map((one) => [one, withBookkeeping(one.root, one)]));
  const text = editFile(yaml, resources, { changed, added: [] });
  return text === undefined || text === yaml.source.text ? file : withText(text, file.mode);
}
