import { digestOf, shortDigest } from '../../revision/digest.ts';
import { PUBLICATION_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { CommitInfo } from '../git-port.ts';
import { code, foreignSentence, tableUpTo } from '../text/markdown-blocks.ts';

/** Reasons of each row. */
const MAX_REASONS = 6;
/** Rows of each table of the check. */
const MAX_ROWS = 100;

/** A state that is not published: it came by a push, or by a merge without the approvals that it needed. */
export interface Unapproved {
  readonly commit: CommitInfo;
  /** Number of the pull request; null for a push. */
  readonly pull: number | null;
  /** What its approvals lacked, in sentences. */
  readonly missing?: readonly string[];
  /** The package, where it was approved by someone who had no right to: the check keeps that, because the forge forgets it. */
  readonly refused?: string;
}

/** What there is to tell of a commit of the registered branch, by package path. */
export interface PublicationNews {
  /** What nobody approved and is not published. */
  readonly flagged: ReadonlyMap<string, Unapproved>;
  /** Why a revision could not be made, as Markdown. */
  readonly refused: ReadonlyMap<string, string>;
  /** Revisions that were published without the approvals that they need. */
  readonly unapproved: ReadonlyMap<string, string>;
}

/** Pure: what a commit of the registered branch says about packages that are not published, or that nobody approved. */
export function publicationCheck(
  commit: string,
  { flagged, refused, unapproved }: PublicationNews,
): CheckInput {
  const names = [...new Set([...refused.keys(), ...flagged.keys()])];
  const past = [...flagged].map(([path, { commit: state, pull, missing = [] }]) => [
    code(path),
    code(state.oid.slice(0, 7)),
    pull === null
      ? 'a push'
      : [`#${pull}, merged without the required approvals`, ...missing.slice(0, 1).map(foreignSentence)].join(
          ': ',
        ) +
        missing
          .slice(1, MAX_REASONS)
          .map((one) => ` ${foreignSentence(one)}`)
          .join(''),
  ]);
  const wrong = [...refused].map(([path, why]) => [code(path), why]);
  const without = [...unapproved].map(([path, revision]) => [code(path), code(revision)]);
  const title = [
    ...(names.length === 0 ? [] : [`Not published: ${names.join(', ')}`]),
    ...(unapproved.size === 0 ? [] : [`Published without approval: ${[...unapproved.keys()].join(', ')}`]),
  ].join('; ');
  return {
    name: PUBLICATION_CHECK,
    headSha: commit,
    externalId: externalIdOf(commit, flagged),
    status: 'completed',
    conclusion: refused.size > 0 ? 'failure' : 'neutral',
    title,
    summary: [
      ...(wrong.length === 0
        ? []
        : ['These packages could not be published:', rows(['package', 'why'], wrong)]),
      ...(past.length === 0 ? [] : [PAST, rows(['package', 'commit', 'came from'], past), REMEDY]),
      ...(without.length === 0 ? [] : [WITHOUT, rows(['package', 'revision'], without)]),
    ].join('\n\n'),
  };
}

/** Names the packages whose approval at this very commit was given without the right to. */
function externalIdOf(commit: string, flagged: PublicationNews['flagged']): string {
  const here = [...flagged.values()].filter((state) => state.commit.oid === commit);
  return [commit, ...here.flatMap(({ refused }) => (refused === undefined ? [] : [idOf(refused)]))].join(' ');
}

/** Whether the check of a commit says that a package was merged there with an approval by someone who had no right to give it. */
export function isRefusedIn(externalId: string, directory: string): boolean {
  return externalId.split(' ').slice(1).includes(idOf(directory));
}

function idOf(directory: string): string {
  return shortDigest(digestOf('portico refused 1', directory));
}

const PAST =
  'These packages are not published in their current state: it reached the branch without approval.';
const REMEDY =
  'An approval that is given after the merge does not count. The next approved proposal that changes the package publishes this state with it: open one; its check `portico/approval` says who must approve it. To publish direct pushes and unapproved merges automatically, set `publish.directPushes: publish` in `.github/portico.yaml`.';
const WITHOUT =
  'These revisions were published without the approvals that the configuration requires, because `publish.directPushes: publish` is set. Their tags say `Approved-by: none`.';

function rows(heads: readonly string[], all: readonly (readonly string[])[]): string {
  return tableUpTo(MAX_ROWS, heads, all);
}

/** The same once all of it is published. */
export function publishedCheck(head: string): CheckInput {
  return {
    name: PUBLICATION_CHECK,
    headSha: head,
    externalId: head,
    status: 'completed',
    conclusion: 'success',
    title: 'Everything is published',
    summary: 'Every package on the branch is published in its current state.',
  };
}
