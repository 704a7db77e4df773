import type { PackageFile } from '../package.ts';
import { sameFile } from '../package.ts';
import type { FileChange } from './diff-types.ts';
import { lineHunks } from './line-diff.ts';
import { decode } from './resource-file.ts';

/** Past this a file is not compared by lines. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Compares one file by lines. At least one side is there. */
export function diffFile({
  path,
  before,
  after,
  from,
  reason,
}: {
  readonly path: string;
  readonly before: PackageFile | undefined;
  readonly after: PackageFile | undefined;
  readonly from: string | undefined;
  readonly reason: string | undefined;
}): FileChange {
  const [old, now] = [linesOf(before), linesOf(after)];
  const opaque = old === undefined || now === undefined;
  const hunks = opaque ? [] : lineHunks(old, now);
  return {
    file: path,
    change:
      from !== undefined
        ? 'moved'
        : before === undefined
          ? 'added'
          : after === undefined
            ? 'removed'
            : 'changed',
    ...(from === undefined ? {} : { from }),
    opaque,
    hunks,
    added: hunks.reduce((sum, hunk) => sum + hunk.after.lines.length, 0),
    removed: hunks.reduce((sum, hunk) => sum + hunk.before.lines.length, 0),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** True when both hold the same bytes, whatever their modes. */
export function isCopy(a: PackageFile | undefined, b: PackageFile): boolean {
  return a !== undefined && sameFile({ ...a, bytes: a.bytes, mode: b.mode }, b);
}

/** The lines with their line feeds, so that a missing last one shows; undefined for what is no text or too large. */
function linesOf(file: PackageFile | undefined): string[] | undefined {
  if (file === undefined) return [];
  if (file.bytes.length > MAX_BYTES) return undefined;
  const text = decode(file.bytes);
  return text === undefined ? undefined : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}
