/** What becomes of the objects of a cluster when a package follows an earlier state of itself. */
import type { PackageFiles } from '../package/package.ts';
import { executedResources } from './executed.ts';
import { updateReport } from './update-report.ts';

export interface Succession {
  /** The state before: `web@v1`, or a directory. */
  readonly since: string;
  /** Objects that are updated in place, or stay as they are. */
  readonly kept: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly recreated: readonly { readonly object: string; readonly fields: readonly string[] }[];
  /** What a proposal with this difference fails for: custom resource definitions that go, or break what is stored. */
  readonly failures: readonly string[];
  /** Files of either state that cannot be read: what becomes of their objects is unknown. */
  readonly unread: readonly string[];
}

/** Compares the deployed files of two states. Never throws. */
export function successionOf(since: string, before: PackageFiles, after: PackageFiles): Succession {
  const { pivot, failures } = updateReport('.', before, after);
  const { added, removed, recreated, unread } = pivot;
  return {
    since,
    // The pivot counts objects of files that differ; all others stay, too.
    kept: Math.max(0, executedResources(after).resources.length - added.length - recreated.length),
    added: added.map(({ object }) => object),
    removed: removed.map(({ object }) => object),
    recreated: recreated.map(({ object, fields }) => ({ object, fields })),
    failures,
    unread,
  };
}

/** A sentence with the counts, and a line for whatever does not simply stay; what fails comes first. */
export function successionText(succession: Succession): string {
  const { since, kept, added, removed, recreated, failures, unread } = succession;
  return [
    `Compared with ${since}: ${kept} stay, ${added.length} are added, ${removed.length} are removed, ${recreated.length} are recreated`,
    ...failures.map((text) => `fails: ${text}`),
    ...recreated.map(({ object, fields }) => `recreated: ${object} (${fields.join(', ')} cannot be changed)`),
    ...removed.map((object) => `removed: ${object}`),
    ...added.map((object) => `added: ${object}`),
    ...(unread.length === 0 ? [] : [`not known, because they cannot be read: ${unread.join(', ')}`]),
  ].join('\n');
}
