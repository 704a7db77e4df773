/** Pure: the one comment that sums a proposal up. */
import type { ApprovalCount, NotCountedReason } from '../command/approval-count.ts';
import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import type { PackageDiff } from '../package/diff/diff-types.ts';
import { shortDigest } from '../revision/digest.ts';
import type { CheckInput, Pull } from './forge-port.ts';
import { code, details, table } from './markdown-blocks.ts';

export const SUMMARY_MARKER = '<!-- portico:summary -->';

export interface SummaryInput {
  readonly pull: Pull;
  readonly digest: string;
  readonly packages: readonly {
    readonly path: string;
    readonly newest: string | undefined;
    readonly next: string | null;
    readonly diff: PackageDiff | null;
  }[];
  readonly checks: readonly CheckInput[];
  readonly approvals: ApprovalCount;
  readonly renderPushed: boolean;
}

const DIFF_BUDGET = 40_000;

/** The comment's text for an open proposal. The same facts give the same text, so that nothing is written twice. */
export function summaryOf(input: SummaryInput): string {
  const failing = input.checks.filter(
    ({ conclusion }) => conclusion === 'failure' && conclusion !== undefined,
  );
  const parts = [
    `### ${headline(input, failing.length)}`,
    input.packages.length === 0 ? 'No package is touched.' : packagesTable(input),
    failing.length === 0
      ? ''
      : table(
          ['fails', 'why'],
          failing.filter(({ name }) => name !== 'portico').map(({ name, title }) => [code(name), title]),
        ),
    approvalLine(input.approvals),
    nextStep(input, failing.length),
    ...input.packages.map(({ path, diff }) =>
      diff === null || diff.same
        ? ''
        : details(
            `What changes in <code>${escapeHtml(path)}</code>`,
            diffMarkdown(diff, { limit: Math.floor(DIFF_BUDGET / input.packages.length) }),
          ),
    ),
    `<sub>Content ${code(shortDigest(input.digest))} · <code>/portico help</code></sub>`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The comment's text once the proposal is merged. */
export function publishedSummary(
  revisions: readonly { readonly path: string; readonly revision: string; readonly url: string }[],
  removed: readonly string[] = [],
): string {
  const gone =
    removed.length === 0
      ? []
      : [
          `Removed from the branch: ${removed.map(code).join(', ')}. The tags stay, and no number is used again.`,
        ];
  if (revisions.length === 0) {
    if (gone.length > 0) return ['### Deleted', ...gone].join('\n\n');
    return '### Merged\n\nNo package changed, so there is no new revision.';
  }
  return [
    `### Published ${revisions.map(({ path, revision }) => code(`${path}@${revision}`)).join(', ')}`,
    table(
      ['package', 'revision'],
      revisions.map(({ path, revision, url }) => [code(path), `[${code(revision)}](${url})`]),
    ),
    ...gone,
    'Update pull requests follow in the repositories downstream.',
  ].join('\n\n');
}

function headline({ pull, checks, packages }: SummaryInput, failing: number): string {
  const removes = packages.length > 0 && packages.every(({ next }) => next === null);
  const state = `${pull.draft ? 'Draft' : 'Proposal'}${removes ? ' of a deletion' : ''}`;
  if (checks.length === 0) return state;
  return failing > 0 ? `${state}: something has to be mended` : `${state}: all checks pass`;
}

function packagesTable({ packages }: SummaryInput): string {
  return table(
    ['package', 'newest revision', 'after the merge', 'resources'],
    packages.map(({ path, newest, next, diff }) => [
      code(path),
      newest === undefined ? 'none' : code(newest),
      next === null ? 'removed' : code(next),
      diff === null ? '' : counts(diff),
    ]),
  );
}

function counts({ counts: of }: PackageDiff): string {
  const parts = [
    of.added > 0 ? `${of.added} added` : '',
    of.changed > 0 ? `${of.changed} changed` : '',
    of.removed > 0 ? `${of.removed} removed` : '',
    of.moved > 0 ? `${of.moved} moved` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'no data changed' : parts.join(', ');
}

function approvalLine(approvals: ApprovalCount): string {
  const who = approvals.counted.map(({ login }) => code(login)).join(', ');
  const line = `Approvals for this content: ${approvals.counted.length} of ${approvals.required}${who === '' ? '' : ` (${who})`}.`;
  const others = approvals.notCounted.map(
    ({ login, reason }) => `${code(login)} does not count: ${REASONS[reason]}`,
  );
  const against = approvals.changesRequested.map((login) => `${code(login)} asks for changes`);
  return [line, ...others, ...against].join(' · ');
}

const REASONS: Record<NotCountedReason, string> = {
  'other-content': 'it was given for other content',
  'not-permitted': 'this person may not approve here',
  'self-approval': 'the author cannot approve',
  'before-rejection': 'the proposal was rejected after it',
  dismissed: 'the review was dismissed',
  withdrawn: 'it was withdrawn',
  bot: 'bots cannot approve',
};

function nextStep({ pull, approvals }: SummaryInput, failing: number): string {
  if (failing > 0) return '**Next:** mend what fails and push to this branch.';
  if (pull.draft) return '**Next:** `/portico propose` when it is ready for review.';
  if (approvals.counted.length < approvals.required)
    return '**Next:** an approving review, or `/portico approve`.';
  return '**Next:** `/portico publish`, or merge it.';
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
