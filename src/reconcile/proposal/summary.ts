/** Pure: the one comment that sums a proposal up. */

import type { ApprovalCount } from '../../command/approval-count.ts';
import type { ApprovalState } from '../../command/approval-state.ts';
import { pageAddress } from '../../config/documentation-address.ts';
import { diffMarkdown } from '../../package/diff/diff-markdown.ts';
import type { PackageDiff } from '../../package/diff/diff-types.ts';
import { powerMarkdown } from '../../package/power/power-markdown.ts';
import type { PowerDiff } from '../../package/power/power-types.ts';
import { shortDigest } from '../../revision/digest.ts';
import { counted } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { markedPart } from '../../text/marked-part.ts';
import { hereText, revisionsText } from '../../text/revision-text.ts';
import { AGGREGATE_CHECK, APPROVAL_CHECK, CONFLICTS_CHECK, WAIVED } from '../check-names.ts';
import { configText, type ToldConfig } from '../check/config-check.ts';
import { movesText, type ChannelMove } from '../check/graph-check.ts';
import { outcomeOf } from '../check/render-check.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { Pull } from '../forge/pulls.ts';
import type { OpenConflict } from '../merge/open-conflicts.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import { leftOutText, type LeftOut } from '../review/left-out.ts';
import type { PackageChange } from '../review/proposal-changes.ts';
import type { PublishedRevision } from '../review/published-proposal.ts';
import type { Hold } from '../rollout/hold.ts';
import { code, conflictTable, details, foreignSentence } from '../text/markdown-blocks.ts';
import { mergeNotesText, type MergeNotes } from '../text/merge-notes.ts';
import { SUMMARY_MARKER, downstreamPart } from '../text/summary-marker.ts';
import type { UpdateState } from '../update/state.ts';

export interface SummaryInput {
  readonly pull: Pull;
  readonly digest: string;
  readonly packages: readonly Pick<
    PackageChange,
    'path' | 'newest' | 'next' | 'upstream' | 'version' | 'content' | 'diff'
  >[];
  readonly rendered: readonly Pick<RenderedPackage, 'package' | 'runs' | 'findings'>[];
  readonly checks: readonly CheckInput[];
  readonly approvals: ApprovalCount;
  readonly approval: ApprovalState;
  /** Where the proposal meets what was merged meanwhile, as far as nothing else lists it. */
  readonly conflicts?: readonly OpenConflict[];
  /** What merging it decided by itself. */
  readonly mergeNotes?: MergeNotes;
  /** Nothing in it differs from the registered branch. */
  readonly isEmpty?: boolean;
  /** Commit of Portico that is the head of a branch of someone else. */
  readonly pushed?: string;
  /** Where it changes the configuration: what that would do. */
  readonly configuration?: ToldConfig | null;
  /** Changed files that Portico neither renders nor checks. */
  readonly leftOut?: LeftOut;
  /** Where channels lead elsewhere. */
  readonly moves?: readonly ChannelMove[];
  /** Where a rollout holds it. */
  readonly hold?: Hold;
}

/** True for a comment that sums up a proposal as it is while that is open. */
export function isOfOpenProposal(comment: string): boolean {
  return (
    comment.startsWith(SUMMARY_MARKER) &&
    /^\s*### (?:Draft|Proposal)\b/.test(comment.slice(SUMMARY_MARKER.length))
  );
}

/** The forge takes 65,536 characters; what goes beyond is counted and stands in the checks. */
const BUDGET = 58_000;
/** Rows of the comment; GitHub takes 65,536 characters. */
const MAX_PACKAGES = 100;
/** Lines of differences that are shown without a click, of all packages together. */
const OPEN_LINES = 40;
/** Rows of functions for one package. */
const MAX_FUNCTIONS = 40;
/** Lines of changed privileges for one package. */
const MAX_POWERS = 30;
/** Conflicts that the comment shows; the check has all. */
const MAX_CONFLICTS = 20;

/** The comment's text for an open proposal. The same facts give the same text, so that nothing is written twice. */
export function summaryOf(input: SummaryInput): string {
  const failing = input.checks.filter((check) => check.conclusion === 'failure' || isOpenConflict(check));
  const waived = input.checks.filter(({ title }) => title.endsWith(WAIVED));
  const head = joined([
    `### ${headline(input, failing.length)}`,
    input.hold?.text ?? '',
    packagesText(input),
    movesText(input.moves ?? []),
    input.configuration ? configText(input.configuration) : '',
    input.leftOut === undefined ? '' : leftOutText(input.leftOut),
    failing.length + waived.length === 0
      ? ''
      : table(
          ['fails', 'why'],
          [...failing, ...waived]
            .filter(({ name }) => name !== AGGREGATE_CHECK)
            .map(({ name, title }) => [code(name), foreignSentence(title).replace(/\.$/, '')]),
        ),
    input.pushed === undefined
      ? ''
      : `Portico committed ${code(input.pushed.slice(0, 7))} to this branch. Before you push again, run \`git pull --rebase\`.`,
    conflictsPart(input),
    input.mergeNotes === undefined ? '' : mergeNotesText(input.mergeNotes),
    approvalLine(input.approval),
    nextStep(input, failing.length),
  ]);
  const about = pageAddress('lifecycle');
  const link = about === undefined ? '' : ` · [what this is](${about})`;
  const foot = `<sub>Content ${code(shortDigest(input.digest))} · <code>/portico help</code>${link}</sub>`;
  return [head, ...packageParts(input, BUDGET - head.length - foot.length), foot].join('\n\n');
}

function untouched({ isEmpty = false, pull }: SummaryInput): string {
  return isEmpty
    ? `Nothing differs from ${code(pull.baseRef)}: the changes are already there, or were reverted.`
    : 'No package is changed.';
}

/** What both sides changed: this side's value stands for now, and the other's is not lost. */
function conflictsPart({ conflicts = [], pull }: SummaryInput): string {
  if (conflicts.length === 0) return '';
  return `${code(pull.baseRef)}, or the upstream of the package, changed the same fields or lines as this proposal. Choose a value with \`/portico resolve <number> upstream\` or \`local\`, or with a commit.\n\n${conflictTable(conflicts, MAX_CONFLICTS)}`;
}

function packagesText(input: SummaryInput): string {
  if (input.packages.length > 0) return packagesTable(input);
  return input.configuration || (input.moves ?? []).length > 0 ? '' : untouched(input);
}

/** One fold for each package: its resources, what it may do, what the functions did. As many as there is room for. */
function packageParts({ packages, rendered }: SummaryInput, budget: number): string[] {
  const changed = packages.filter(
    ({ content, diff }) => !content.same || diff.changes.length > 0 || diff.unread.length > 0,
  );
  const parts: string[] = [];
  let room = budget - 100;
  let open = OPEN_LINES;
  for (const [at, { path, content, diff }] of changed.entries()) {
    const functions = functionTable(rendered.find((one) => one.package.path === path));
    const may = powerMarkdown(diff, MAX_POWERS);
    const power = may === '' ? '' : `**Privileges**\n\n${may}`;
    const own = Math.floor(room / (changed.length - at)) - functions.length - power.length - 200;
    const shown = content.same ? '' : diffMarkdown(content, { limit: Math.max(200, own) });
    const body = joined([shown, power, functions]);
    const lines = shown.split('\n').length + power.split('\n').length;
    const part = details(`What changes in <code>${escapeHtml(path)}</code>`, body, lines <= open);
    if (part.length + 2 > room) break;
    room -= part.length + 2;
    open -= lines;
    parts.push(part);
  }
  const left = changed.length - parts.length;
  return left === 0 ? parts : [...parts, `… and ${counted(left, 'more package')}; see the checks.`];
}

/** What each function of a package's render did; a function without findings says so in one word. */
function functionTable(one: SummaryInput['rendered'][number] | undefined): string {
  if (one === undefined || one.runs.length === 0) return '';
  const rows = one.runs
    .slice(0, MAX_FUNCTIONS)
    .map((run) => [
      code(run.function),
      run.guardrail === undefined ? run.type : `guardrail ${code(run.guardrail)}`,
      outcomeOf(run),
    ]);
  const more = one.runs.length > MAX_FUNCTIONS ? `\n\n… and ${one.runs.length - MAX_FUNCTIONS} more.` : '';
  return details('Functions', `${table(['function', 'as', 'result'], rows)}${more}`);
}

function named(revisions: readonly PublishedRevision[]): string {
  return revisions.map(({ path, revision }) => code(`${path}@${revision}`)).join(', ');
}

/** The comment's text once the proposal is merged. */
export function publishedSummary(
  revisions: readonly PublishedRevision[],
  removed: readonly string[] = [],
  downstream: (path: string) => string = () => '',
): string {
  const gone =
    removed.length === 0
      ? []
      : [
          `Removed from the branch: ${removed.map(code).join(', ')}. The tags stay, and their numbers are never reused.`,
        ];
  if (revisions.length === 0) {
    if (gone.length > 0) return ['### Deleted', ...gone].join('\n\n');
    return '### Merged\n\nNo package changed, so there is no new revision.';
  }
  const retired = revisions.filter((one) => one.retired === true);
  const standing = revisions.filter((one) => one.retired !== true);
  return [
    standing.length > 0 ? `### Published ${named(standing)}` : '### Published, then retired',
    ...(standing.length === 0
      ? []
      : [
          table(
            ['package', 'revision', 'difference'],
            standing.map(({ path, revision, url, before }) => [
              code(path),
              `[${code(revision)}](${url})`,
              before === undefined
                ? 'first revision'
                : `[${code(before.revision)} → ${code(revision)}](${before.compare})`,
            ]),
          ),
        ]),
    ...(retired.length === 0
      ? []
      : [
          `${named(retired)} ${retired.length === 1 ? 'was' : 'were'} retired: the tag is removed, and the number is never reused.`,
        ]),
    ...(revisions.some(({ unapproved }) => unapproved === true)
      ? ['It was merged without the required approvals; the tag says `Approved-by: none`.']
      : []),
    ...gone,
    ...revisions.map(({ path }) => markedPart(downstreamPart(path), downstream(path))),
  ].join('\n\n');
}

/** The comment's text once the proposal is merged, as long as its revisions are still to come. */
export function mergedSummary(): string {
  return '### Merged\n\nIts revision will be published shortly. If it takes long, see the check `portico/publication` on the branch.';
}

/** The comment's text once the proposal is closed. It offers no reopening of an update that Portico closed or replaces. */
export function closedSummary(
  update?: Pick<Extract<UpdateState, { kind: 'closed' }>, 'why' | 'brings'>,
): string {
  if (update?.why !== undefined) return '### Closed by Portico\n\nNothing was published.';
  const isOver = update?.brings.length === 0;
  return `### Closed without merging\n\nNothing was published.${isOver ? '' : ' Reopen the pull request to continue.'}`;
}

/** Reasons that are shown. */
const MAX_MISSING = 10;

/** The comment's text where it was merged, and nobody had approved what came to the branch. */
export function unapprovedSummary(paths: readonly string[], missing: readonly string[] = []): string {
  return [
    '### Merged without approval, not published',
    `The merged content did not have the approvals that the configuration requires, so there is no revision of ${paths.map(code).join(', ')}.`,
    ...missing.slice(0, MAX_MISSING).map((one) => `- ${foreignSentence(one)}`),
    '**Next:** open another proposal that changes the package, and have those approve it who are named above: it publishes this content with it. An approval here no longer counts. To block such merges, require the check `portico` in a ruleset.',
  ].join('\n\n');
}

function headline({ pull, checks, packages, approval, hold }: SummaryInput, failing: number): string {
  const removes = packages.length > 0 && packages.every(({ next }) => next === null);
  const state = `${pull.draft ? 'Draft' : 'Proposal'}${removes ? ' of a deletion' : ''}`;
  if (checks.length === 0) return state;
  if (failing > 0) return `${state}: ${failingNames(checks)}`;
  if (hold !== undefined) return `${state}: held by its rollout`;
  const waiting = waitingFor(checks).length > 0;
  if (waiting) return `${state}: a required approver has to approve`;
  const waived = checks.filter(({ title }) => title.endsWith(WAIVED)).length;
  if (approval.kind !== 'missing')
    return `${state}: ${waived === 0 ? 'all checks pass' : 'failing guardrails are waived'}`;
  return `${state}: ${waived === 0 ? '' : 'failing guardrails are waived; '}needs approval`;
}

/** The check that fails by its name, or how many. */
function failingNames(checks: readonly CheckInput[]): string {
  const names = checks
    .filter((check) => check.conclusion === 'failure' || isOpenConflict(check))
    .map(({ name }) => name)
    .filter((name) => name !== AGGREGATE_CHECK);
  const [first = AGGREGATE_CHECK, ...others] = names;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return others.length === 0 && first === CONFLICTS_CHECK
    ? 'conflicts must be settled'
    : `${code(first)}${more} ${others.length === 0 ? 'fails' : 'fail'}`;
}

/** An open conflict is something to be settled in the content; other checks that wait, wait for an approval. */
function isOpenConflict({ conclusion, name }: CheckInput): boolean {
  return conclusion === 'action_required' && name === CONFLICTS_CHECK;
}

/** Checks that wait for somebody in particular. */
function waitingFor(checks: readonly CheckInput[]): readonly CheckInput[] {
  return checks.filter(
    ({ conclusion, name }) =>
      conclusion === 'action_required' && ![AGGREGATE_CHECK, APPROVAL_CHECK, CONFLICTS_CHECK].includes(name),
  );
}

function packagesTable({ packages }: SummaryInput): string {
  const rows = packages
    .slice(0, MAX_PACKAGES)
    .map(({ content, diff, ...change }) => [
      code(change.path),
      revisionCell(change),
      counts(content),
      powers(diff),
    ]);
  const left = packages.length - rows.length;
  const more = left > 0 ? `\n\n… and ${counted(left, 'more package')}.` : '';
  const header = ['package', 'published revision', 'resources in the cluster', 'privileges'];
  return table(header, rows) + more;
}

/** Whose numbers these are: a package that has an upstream has two of them. */
function revisionCell({
  newest,
  next,
  upstream,
  version,
}: Pick<PackageChange, 'newest' | 'next' | 'upstream' | 'version'>): string {
  if (next === null) return `removed${newest === undefined ? '' : `; ${hereText(newest, code)} stays`}`;
  return revisionsText({ upstream, here: { from: newest, to: next, version } }, code);
}

function powers({ changes, unread }: PowerDiff): string {
  const wider = changes.filter(({ direction }) => direction === 'wider').length;
  const narrower = changes.length - wider;
  const parts = [
    wider > 0 ? `▲ ${wider} gained` : '',
    narrower > 0 ? `▼ ${narrower} lost` : '',
    unread.length > 0 ? 'unknown' : '',
  ];
  return joined(parts, ', ') || 'unchanged';
}

function counts({ counts: of, files: changed }: PackageDiff): string {
  // What they hold may have changed: nobody can tell.
  const unread = changed.filter(({ reason }) => reason !== undefined).length;
  const parts = [
    of.added > 0 ? `${of.added} added` : '',
    of.changed > 0 ? `${of.changed} changed` : '',
    of.removed > 0 ? `${of.removed} removed` : '',
    of.moved > 0 ? `${of.moved} moved` : '',
    of.comments + of.order + of.format > 0
      ? `${of.comments + of.order + of.format} only written differently`
      : '',
    unread > 0 ? `${counted(unread, 'file')} unread` : '',
  ].filter((part) => part !== '');
  const files = of.files - unread;
  const own = files === 0 ? '' : `${counted(files, 'package file')} changed`;
  return joined([parts.join(', ') || 'none changed', own], '; ');
}

function approvalLine({ sentence, notes }: ApprovalState): string {
  return [sentence, ...notes].map(foreignSentence).join(' ');
}

function nextStep(input: SummaryInput, failing: number): string {
  const { checks } = input;
  const mendable = checks.filter(({ actions = [] }) => actions.length > 0).map(({ name }) => code(name));
  const how =
    mendable.length > 0
      ? `\n\nTo fix what ${mendable.join(', ')} found, press **Fix** on the check, or apply the suggestions on the lines.`
      : '';
  return stepOf(input, failing) + how;
}

function stepOf(
  {
    pull,
    approval,
    approvals,
    checks,
    packages,
    configuration,
    hold,
    moves = [],
    isEmpty = false,
  }: SummaryInput,
  failing: number,
): string {
  const onlyConflicts = checks.every(
    ({ conclusion, name }) =>
      conclusion !== 'failure' || name === CONFLICTS_CHECK || name === AGGREGATE_CHECK,
  );
  if (failing > 0 && onlyConflicts) {
    return '**Next:** settle the conflicts that the check `portico/conflicts` lists, with `/portico resolve` or a commit.';
  }
  if (failing > 0) return '**Next:** fix what fails and push to this branch.';
  if (hold !== undefined) return `**Next:** ${hold.remedy}`;
  const isConfiguration = packages.length === 0 && configuration !== undefined && configuration !== null;
  const isPromotion = packages.length === 0 && moves.length > 0;
  if (pull.draft && packages.length === 0 && !isConfiguration && !isPromotion)
    return '**Next:** push a change to a package to this branch.';
  if (pull.draft) return '**Next:** comment `/portico propose` when it is ready for review.';
  const [asked] = waitingFor(checks);
  if (asked !== undefined) return `**Next:** ${code(asked.name)}: ${foreignSentence(asked.title)}`;
  if (approvals.changesRequested.length > 0) {
    return `**Next:** ${approvals.changesRequested.map(code).join(', ')} must review again, or someone must dismiss the review that requests changes.`;
  }
  if (approval.kind === 'missing')
    return `**Next:** ${foreignSentence(approval.remedy ?? approval.sentence)}`;
  if (isPromotion)
    return '**Next:** press the merge button; the channels then offer the revisions above. `/portico publish` is for packages.';
  if (isConfiguration) return '**Next:** merge it; the configuration then takes effect.';
  if (isEmpty) return '**Next:** close it; there is nothing left to merge.';
  if (packages.length === 0) return '**Next:** merge it; there is no package to publish.';
  // Where revisions have three parts, the command says which goes up; the button means minor.
  const parts = packages.some(({ next }) => next?.includes('.') === true) ? ' major|minor|patch' : '';
  return `**Next:** comment \`/portico publish${parts}\`, or merge it.`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
