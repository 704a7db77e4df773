/** Charts that lie packed in `charts/`, unpacked: their templates ask for the time and the cluster like any others. */
import { ARCHIVE_LIMITS, type ArchiveLimits } from '../../archive/archive-limits.ts';
import { readArchive } from '../../archive/read-archive.ts';
import type { Refusal } from '../../error.ts';
import { asTree } from '../../package/tree-digest.ts';
import type { Tree } from '../../package/tree-digest.ts';
import { refuse } from '../processor-step.ts';

/** Charts in charts in charts: real ones have two of them. */
const MAX_NESTED = 5;
const MEBIBYTE = 1024 * 1024;
/** Of all packed charts together: what is staged for Helm may not be more. */
const LIMITS: ArchiveLimits = { ...ARCHIVE_LIMITS, totalBytes: 64 * MEBIBYTE, entries: 10_000 };

/** As Helm finds them; it passes by what begins with a dot or an underscore. */
const PACKED = /^((?:charts\/[^/]+\/)*charts\/([^/._][^/]*))\.tgz$/;

/**
 * The files with every packed chart as the directory that Helm would see in its place. Refused where one cannot be unpacked:
 * what cannot be searched may be another content tomorrow.
 */
export function withPackedCharts(files: Tree): { readonly files: Tree } | { readonly refused: Refusal } {
  const all = new Map(files);
  let { totalBytes, entries } = LIMITS;
  for (let nested = 0; nested <= MAX_NESTED; nested += 1) {
    const packed = [...all].filter(([path]) => PACKED.test(path));
    if (packed.length === 0) return { files: all };
    for (const [path, bytes] of packed) {
      const [, directory = ''] = PACKED.exec(path) ?? [];
      const read = readArchive(bytes, { ...LIMITS, totalBytes, entries });
      if ('refused' in read) return unreadable(path, read.refused.message);
      if ([...all.keys()].some((other) => other.startsWith(`${directory}/`))) {
        return unreadable(path, `${directory} is there, too`);
      }
      all.delete(path);
      for (const [inner, content] of asTree(read.files)) {
        const slash = inner.indexOf('/');
        if (slash > 0) all.set(`${directory}/${inner.slice(slash + 1)}`, content);
        totalBytes -= content.length;
        entries -= 1;
      }
    }
  }
  return unreadable('charts', `charts are packed in each other more than ${MAX_NESTED} times`);
}

function unreadable(path: string, why: string): { readonly refused: Refusal } {
  const hint = 'Unpack the chart into a directory of its own, or pack it again with `helm package`.';
  return refuse('CHART_DEPENDENCIES', `${path}: ${why}`, hint);
}
