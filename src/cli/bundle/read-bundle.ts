import { readFileSync, statSync } from 'node:fs';

import { ARCHIVE_LIMITS } from '../../archive/archive-limits.ts';
import { readArchive } from '../../archive/read-archive.ts';
import { BUNDLE_FORMATS, formatOf, type BundleFormat } from '../../bundle/bundle-format.ts';
import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../../package/package.ts';
import { usageError } from '../exit-code.ts';
import { readFolder } from '../folder.ts';
import type { Call } from '../verb.ts';

/** A bundle as it is in a directory or archive, and the format that it has or is said to have. */
export function readBundle(call: Call): { readonly files: PackageFiles; readonly format: BundleFormat } {
  const path = call.path(call.positionals[0] ?? '.');
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const files = isFile ? unpacked(path) : readFolder(path, { warn: call.terminal.warn });
  const format = BUNDLE_FORMATS.find((one) => one === call.text('format'));
  return { files, format: format ?? formatOf(files) };
}

/** The files of an archive. Throws `ARCHIVE_…` for one that is not taken whole. */
function unpacked(path: string): PackageFiles {
  const { size } = statSync(path);
  if (size > ARCHIVE_LIMITS.archiveBytes) {
    const most = ARCHIVE_LIMITS.archiveBytes;
    throw new PorticoError('ARCHIVE_LIMIT', `${path} has ${size} bytes; the limit is ${most}`, {
      blame: 'user',
    });
  }
  const read = readArchive(readFileSync(path));
  if ('files' in read) return read.files;
  throw new PorticoError(read.refused.code, `${path}: ${read.refused.message}`, {
    blame: 'user',
    hint: 'Nothing was unpacked. An archive (tar, gzipped tar or zip) may hold only files and directories.',
  });
}

/** The APIs of `--known-api`. */
export function knownApis(call: Call): ReadonlySet<string> {
  const named = call.list('known-api');
  const wrong = named.find((api) => !/^[^/\s]+\/[^/\s]+$/.test(api));
  if (wrong !== undefined) {
    throw usageError(
      `--known-api cannot be ${wrong}`,
      'Write the group and the kind, such as cert-manager.io/Issuer.',
    );
  }
  return new Set(named);
}
