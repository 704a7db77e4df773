/** Pure: two drafts of one package, where one is published and the other goes on. */
import { sameFile } from '../package.ts';
import type { PackageFiles } from '../package.ts';
import { withLines } from './conflict-lines.ts';
import type { Choice, Side } from './conflict.ts';
import { mergeKptfile } from './kptfile-merge.ts';
import { tellLostComments } from './lost-comments.ts';
import type { MergeResult } from './merge-types.ts';
import { mergePackages } from './merge.ts';
import { createReport } from './report.ts';

/**
 * The registered branch's package merged into the proposal's. `upstream` is the registered branch. Unlike in an update,
 * the root Kptfile's own upstream and lock are merged too: both sides are the same package.
 */
export function mergeConcurrent(sides: {
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
  /** The side that stands where both changed the same field; upstream where it is absent. */
  readonly onConflict?: Side;
  /** Conflicts that somebody settled, by id. */
  readonly decisions?: ReadonlyMap<string, Choice>;
}): Pick<MergeResult, 'files' | 'conflicts' | 'notes'> {
  const merged = mergePackages({ ...sides, samePackage: true });
  const report = createReport(sides.onConflict ?? 'upstream', sides.decisions);
  const { base, upstream, local } = sides;
  const versions = {
    base: base.get('Kptfile'),
    upstream: upstream.get('Kptfile'),
    local: local.get('Kptfile'),
  };
  const kptfile =
    versions.upstream !== undefined && sameFile(versions.local, versions.base)
      ? versions.upstream
      : mergeKptfile('Kptfile', versions, false, report);
  if (kptfile === undefined) return merged;
  const files = new Map([...merged.files, ['Kptfile', kptfile] as const]);
  tellLostComments(
    { base: rootKptfile(base), upstream: rootKptfile(upstream), local: rootKptfile(local) },
    rootKptfile(files),
    report,
  );
  const elsewhere = merged.conflicts.filter(({ file }) => file !== 'Kptfile');
  const notes = [...merged.notes.filter(({ file }) => file !== 'Kptfile'), ...report.notes];
  return { files, conflicts: withLines([...elsewhere, ...report.conflicts], files), notes };
}

function rootKptfile(files: PackageFiles): PackageFiles {
  return new Map([...files].filter(([path]) => path === 'Kptfile'));
}
