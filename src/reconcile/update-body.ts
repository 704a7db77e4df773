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
}

export function updateTitle(path: string, to: string): string {
  return `Update ${path} to ${to}`;
}

/** The same update gives the same text, so that an unchanged pull request costs no write. */
export function updateBody(input: UpdateBodyInput, hmac: (text: string) => string): string {
  const { path, upstream, from, to, conflicts } = input;
  const parts = [
    // First, because what is too long is cut at the end.
    conflictRecord(conflictKey(input.repository, input.branch), conflicts, hmac),
    `Brings ${code(path)} from ${from === undefined ? 'where it is' : code(from)} to ${code(to)} of ${code(upstream)}.`,
    conflicts.length === 0
      ? ''
      : `**${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}:** upstream and this repository changed the same fields. Upstream's value stands in the branch. Settle each by \`/portico resolve <number> upstream\` or \`local\`, or commit to the branch what it should be.\n\n${conflictTable(conflicts, 20)}`,
    details('What changes here', diffMarkdown(diffPackages(input.before, input.after), { limit: 25_000 })),
    'Commits that you push to this branch are kept. Closing the pull request means: not this revision.',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
