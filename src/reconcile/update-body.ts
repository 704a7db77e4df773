/** Pure: what an update pull request says. */
import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { diffPackages } from '../package/diff/diff.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import type { PackageFiles } from '../package/package.ts';
import { code, conflictTable, details } from './markdown-blocks.ts';
import { conflictKey } from './open-conflicts.ts';
import { conflictRecord } from './update-record.ts';

export interface UpdateBodyInput {
  readonly repository: number;
  readonly branch: string;
  readonly path: string;
  readonly upstream: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly before: PackageFiles;
  readonly after: PackageFiles;
  readonly conflicts: readonly Conflict[];
  /** The package is made by this pull request. */
  readonly created: boolean;
  /** Markdown lines of the revisions on the way. */
  readonly revisions?: readonly string[];
  /** The variant that keeps the package, and the file that says so. */
  readonly variant?: { readonly name: string; readonly place: string };
}

export function updateTitle(
  {
    path,
    exists,
    planned,
    upstream,
  }: {
    readonly path: string;
    readonly exists: boolean;
    readonly planned?: unknown;
    readonly upstream: { readonly current: string | undefined };
  },
  to: string,
): string {
  if (!exists) return `Create ${path} at ${to}`;
  return planned !== undefined && upstream.current === to
    ? `Bring ${path} in step with its variant`
    : `Update ${path} to ${to}`;
}

/** The same update gives the same text, so that an unchanged pull request costs no write. */
export function updateBody(input: UpdateBodyInput, hmac: (text: string) => string): string {
  const { conflicts, variant, revisions = [] } = input;
  const parts = [
    // First, because what is too long is cut at the end.
    conflictRecord(conflictKey(input.repository, input.branch), conflicts, hmac),
    openingOf(input),
    variant === undefined
      ? ''
      : `The variant ${code(variant.name)} keeps this package in step; ${code(variant.place)} says how.`,
    conflicts.length === 0
      ? ''
      : `**${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}:** upstream and this repository changed the same fields. Upstream's value stands in the branch. Settle each by \`/portico resolve <number> upstream\` or \`local\`, or commit to the branch what it should be.\n\n${conflictTable(conflicts, 20)}`,
    details('What changes here', diffMarkdown(diffPackages(input.before, input.after), { limit: 25_000 })),
    revisions.length === 0 ? '' : details('Revisions on the way', revisions.join('\n')),
    `Commits that you push to this branch are kept. Closing the pull request means: not this revision. ${code(`/portico pause ${input.path}`)} stops updates of this package, and \`/portico update <revision>\` brings another.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function openingOf({ path, upstream, from, to, created }: UpdateBodyInput): string {
  if (created) return `Makes ${code(path)} from ${code(to)} of ${code(upstream)}.`;
  if (from === to) return `Leaves ${code(path)} at ${code(to)} of ${code(upstream)}, with other values.`;
  return `Brings ${code(path)} from ${from === undefined ? 'where it is' : code(from)} to ${code(to)} of ${code(upstream)}.`;
}
