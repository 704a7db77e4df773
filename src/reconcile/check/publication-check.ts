import { PUBLICATION_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { CommitInfo } from '../git-port.ts';
import { code, tableUpTo } from '../text/markdown-blocks.ts';

/** Rows of each table of the check. */
const MAX_ROWS = 100;

/** A state that is not published: it came by a push, or by a merge without the approvals that it needed. */
export interface Unapproved {
  readonly commit: CommitInfo;
  /** Number of the pull request; null for a push. */
  readonly pull: number | null;
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
  const past = [...flagged].map(([path, { commit: state, pull }]) => [
    code(path),
    code(state.oid.slice(0, 7)),
    pull === null ? 'a push' : `#${pull}, merged without the required approvals`,
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
    externalId: commit,
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

const PAST =
  'These packages are not published in their current state: it reached the branch without approval.';
const REMEDY =
  'The next approved proposal that changes the package publishes this state with it. To publish direct pushes and unapproved merges automatically, set `publish.directPushes: publish` in `.github/portico.yaml`.';
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
