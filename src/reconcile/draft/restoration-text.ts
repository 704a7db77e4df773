/** Pure: what the pull request says that restores the revision before one that fails. */
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { restoresPart } from './restored-text.ts';

export interface Restoration {
  readonly path: string;
  readonly directory: RepositoryDirectory;
  /** The revision that fails, and the commit with its tag. */
  readonly revision: string;
  readonly commit: string;
  /** The revision that is restored. */
  readonly to: string;
  /** What fails, as others named it. */
  readonly failures: readonly string[];
}

/** Reports that are listed. */
const MAX_LISTED = 20;

export function restorationBody({
  path,
  revision,
  commit,
  to,
  failures,
}: Omit<Restoration, 'directory'>): string {
  const more = failures.length - MAX_LISTED;
  const listed = [
    ...failures.slice(0, MAX_LISTED).map((what) => `- ${foreignSentence(`failing: ${what}`)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
  return [
    `**${code(`${path}@${revision}`)} fails where it runs**, as reported for the commit ${code(commit.slice(0, 12))} or of a later one that holds the same:`,
    listed.join('\n'),
    `Portico made this branch to restore ${code(path)} as published in ${code(to)}: its content, the lock of its sources, and what the processors made of them. What it changes is in Portico's comment below, which follows the branch. Nothing is restored until someone merges this. Then the versions of ${code(revision)} are not proposed again.`,
    restoresPart(path, to),
    `To keep ${code(revision)}, close this pull request; Portico does not open it again for that revision. To decide such cases by yourself, pause the package: \`/portico pause ${path}\`.`,
  ].join('\n\n');
}

/** What is said on it when the revision that failed is healthy again, or fails after that. */
export function recoveredText(
  { path, revision }: Pick<Restoration, 'path' | 'revision'>,
  outcome: 'closed' | 'kept' | 'failing',
): string {
  const name = code(`${path}@${revision}`);
  const again = `${name} is healthy again, as reported for the published commit or of a later one that holds the same.`;
  switch (outcome) {
    case 'closed':
      return `**Closed.** ${again} To restore the earlier revision all the same, reopen this pull request. If ${name} fails again, Portico reopens it.`;
    case 'kept':
      return `${again} This pull request stays open because people have worked on it; close it if nothing is to be restored.`;
    case 'failing':
      return `**Reopened.** ${name} was healthy for a while and fails again.`;
  }
}
