/** The version of the chart or operator that a package holds, and the revision of its upstream that it is made from. */
import { PorticoError } from '../error.ts';
import { readKptfile } from './kptfile.ts';
import type { PackageFiles } from './package.ts';
import { listAt, textAt } from './plain-values.ts';
import { SOURCES_LOCK_FILE } from './sources/source-files.ts';

/** As `BUNDLE_RECORD` of `fbc`, which packages do not import. */
const BUNDLE_RECORD = 'catalog-bundle.json';
/** Larger files are not ours. */
const MAX_BYTES = 256 * 1024;
/** As Portico writes the lock: a field of an entry of `sources`. */
const LOCKED_VERSION = /^ {4}version: (["']?)([^\s"'`|]{1,64})\1$/gm;
/** A field of `spec`, as operator-sdk and people write it. */
const VERSION_OF_SPEC = /^ {2}version: (["']?)([^\s"'`|]{1,64})\1$/m;
const SHOWN = /^[\w.+-]{1,64}$/;

/** The version of the operator, or of the one chart, that a package holds; undefined where it says none, or several. */
export function packageVersion(files: PackageFiles): string | undefined {
  const written = writtenVersion(files);
  if (written !== undefined) return written;
  const record = textOf(files, BUNDLE_RECORD);
  if (record !== undefined) return bundleVersion(record);
  const lock = textOf(files, SOURCES_LOCK_FILE) ?? '';
  const versions = new Set([...lock.matchAll(LOCKED_VERSION)].map(([, , version = '']) => version));
  const [only] = versions;
  return versions.size === 1 && only !== undefined && SHOWN.test(only) ? only : undefined;
}

/** Of the bundle as its author writes it, in which a record of an import is older. */
function writtenVersion(files: PackageFiles): string | undefined {
  const paths = [...files.keys()];
  if (!paths.some((path) => path.startsWith('metadata/'))) return undefined;
  for (const path of paths.filter((one) => /^manifests\/[^/]+\.ya?ml$/.test(one))) {
    const text = textOf(files, path) ?? '';
    if (!/^kind: ClusterServiceVersion$/m.test(text)) continue;
    const [, , version] = VERSION_OF_SPEC.exec(text) ?? [];
    return version !== undefined && SHOWN.test(version) ? version : undefined;
  }
  return undefined;
}

function bundleVersion(text: string): string | undefined {
  try {
    const [found] = listAt(JSON.parse(text), 'bundle', 'properties').filter(
      (property) => property['type'] === 'olm.package',
    );
    const version = textAt(found, 'value', 'version');
    return SHOWN.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

/** The ref of the upstream that the Kptfile locks, without the path before it: `v3` of `web/v3`. */
export function lockedRef(files: PackageFiles): string | undefined {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return undefined;
  try {
    return readKptfile(kptfile.bytes).kptfile.upstreamLock?.git?.ref.split('/').at(-1);
  } catch (error) {
    // A Kptfile that cannot be read has a check of its own.
    if (error instanceof PorticoError && error.blame === 'user') return undefined;
    throw error;
  }
}

function textOf(files: PackageFiles, path: string): string | undefined {
  const file = files.get(path);
  return file === undefined || file.bytes.length > MAX_BYTES
    ? undefined
    : new TextDecoder().decode(file.bytes);
}
