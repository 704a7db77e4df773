/** Pure: the check of the configuration, of a proposal that changes it or of the branch that holds it. */

import type { ConfigProblem } from '../../config/config-problem.ts';
import { counted, notShown } from '../../text/counted.ts';
import { shorten, shortenValue } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { CONFIG_CHECK } from '../check-names.ts';
import type { CheckAnnotation, CheckInput } from '../forge/checks.ts';
import { code, foreignSentence, tableUpTo } from '../text/markdown-blocks.ts';
import { placed, withHint, type CheckContent } from './check-content.ts';
import type { ConfigTrial, TrialFinding } from './config-trial.ts';
import { changesText, weakestText, type ChangedConfig } from './configuration-table.ts';

/** A proposed configuration: its mistakes, or what it would do. */
export interface ProposedConfig extends ChangedConfig {
  readonly problems: readonly ConfigProblem[];
  /** Null where it has mistakes, or demands of packages what is demanded already. */
  readonly trial: ConfigTrial | null;
  /** Where a guardrail stands in the file, by its name. 1-based. */
  readonly placeOf: (guardrail: string) => { readonly line: number; readonly column: number };
  readonly file: string;
}

/**
 * Failing for mistakes alone. It waits for those who must approve what is weaker; packages that would newly fail make it neutral,
 * because that may be what is wanted.
 */
export function configCheck(proposed: ProposedConfig): CheckContent {
  const { problems, trial, changes, approval } = proposed;
  if (problems.length > 0) return mistakes(problems);
  const summary = ['It takes effect when it is merged.', changesText(proposed, MAX_CHANGES)];
  const missing = approval !== undefined && approval.by.length === 0;
  const weaker = weakestText(changes);
  const asked = missing ? `; needs approval from ${approval.needed.join(' or ')}` : '';
  const named = weaker === '' ? '' : shorten(`Weaker: ${weaker}${asked}`, MAX_TITLE);
  if (trial === null) {
    return {
      name: CONFIG_CHECK,
      conclusion: missing ? 'action_required' : 'success',
      title: named || 'The configuration is valid',
      summary: joined(summary),
    };
  }
  return trialCheck({ ...proposed, trial }, { missing, named, summary });
}

function trialCheck(
  { trial, placeOf, file }: ProposedConfig & { readonly trial: ConfigTrial },
  {
    missing,
    named,
    summary,
  }: { readonly missing: boolean; readonly named: string; readonly summary: readonly string[] },
): CheckContent {
  const { broken, newly } = trial;
  const blocking = newly.filter(({ mode }) => mode === 'enforce');
  const at = (guardrail: string, level: CheckAnnotation['level'], message: string): CheckAnnotation => {
    const { line, column } = placeOf(guardrail);
    const place = { startLine: line, endLine: line, startColumn: column, endColumn: column };
    return { path: file, ...place, level, title: `guardrail ${guardrail}`, message };
  };
  const byGuardrail = Map.groupBy(newly, ({ guardrail }) => guardrail);
  const { annotations } = placed([
    ...broken.map(({ guardrail, message, hint }) => at(guardrail, 'failure', withHint(message, hint))),
    ...[...byGuardrail].map(([guardrail, found]) =>
      at(
        guardrail,
        'warning',
        `${counted(packagesIn(found), 'published package')} would start to fail this guardrail.`,
      ),
    ),
    ...trial.notRun.map((guardrail) => at(guardrail, 'notice', `Not run before the merge. ${BEFORE_MERGE}`)),
  ]);
  return {
    name: CONFIG_CHECK,
    conclusion:
      broken.length > 0
        ? 'failure'
        : missing
          ? 'action_required'
          : blocking.length > 0
            ? 'neutral'
            : 'success',
    title: broken.length > 0 || named === '' ? titleOf(trial, blocking) : named,
    summary: joined([...summary, trialSummary(trial)]),
    annotations,
  };
}

function titleOf({ broken, newly, packages }: ConfigTrial, blocking: readonly TrialFinding[]): string {
  const of = `of ${counted(packages, 'package')}`;
  const failing = blocking.length > 0 ? `${packagesIn(blocking)} ${of} would start to fail` : '';
  if (broken.length > 0) return joined([`${counted(broken.length, 'guardrail')} cannot run`, failing], '; ');
  if (failing !== '') return failing;
  return newly.length > 0
    ? `The configuration is valid; ${packagesIn(newly)} ${of} would get new warnings`
    : `The configuration is valid, and no package would start to fail`;
}

const BEFORE_MERGE = 'Until then, only built-in functions run, and they read only what is approved.';

/** Rows of the comment; the check has all. */
const MAX_IN_COMMENT = 10;
/** Characters of a title; GitHub takes 255. */
const MAX_TITLE = 250;
/** Settings that the check lists, and the comment. */
const MAX_CHANGES = 200;
const MAX_CHANGES_IN_COMMENT = 30;

/** What the comment of a proposal needs. */
export type ToldConfig = ChangedConfig & Pick<ProposedConfig, 'problems' | 'trial'>;

/** What a proposed configuration would do, or its mistakes, for the comment of its proposal. */
export function configText(proposed: ToldConfig): string {
  const { problems, trial } = proposed;
  if (problems.length > 0) return `**Mistakes in the configuration**\n\n${problemTable(problems)}`;
  const changes = `**Configuration.** ${changesText(proposed, MAX_CHANGES_IN_COMMENT)}`;
  return trial === null ? changes : joined([changes, trialText(trial)]);
}

function trialText(trial: ConfigTrial): string {
  const { newly, rewritten, packages, notRun, broken } = trial;
  const failing = newly.filter(({ mode }) => mode === 'enforce');
  const of = `of ${counted(packages, 'package')} would`;
  const verdict = [
    ...(failing.length > 0 ? [`**${packagesIn(failing)} ${of} start to fail** with this configuration`] : []),
    ...(newly.length > failing.length
      ? [`**${packagesIn(newly.filter(({ mode }) => mode !== 'enforce'))} ${of} get new warnings**`]
      : []),
  ].join(', and ');
  const rows = worstFirst(newly).slice(0, MAX_IN_COMMENT).map(findingRow);
  const more = newly.length - rows.length;
  return joined([
    verdict === ''
      ? `No package would start to fail with this configuration (${packages} checked).`
      : `${verdict}. Published revisions stay published; ${whatToFix(trial)}`,
    brokenTable(broken.slice(0, MAX_IN_COMMENT)),
    rows.length === 0 ? '' : table(['package', 'guardrail', 'mode', 'findings', 'first finding'], rows),
    more > 0 ? `The check ${code(CONFIG_CHECK)} lists ${more} more.` : '',
    rewritten.length === 0 ? '' : `A mutator would rewrite the next proposal for ${names(rewritten)}.`,
    notRun.length === 0 ? '' : `Not run before the merge: ${names(notRun)}.`,
  ]);
}

/** A package cannot fix a guardrail that cannot run. */
function whatToFix({ newly, broken }: Pick<ConfigTrial, 'newly' | 'broken'>): string {
  const isBroken = ({ guardrail }: TrialFinding): boolean =>
    broken.some((one) => one.guardrail === guardrail);
  return newly.every(isBroken)
    ? 'no proposal passes until the guardrail is fixed.'
    : 'the next proposal for each package has to fix it.';
}

function brokenTable(broken: ConfigTrial['broken']): string {
  if (broken.length === 0) return '';
  return table(
    ['guardrail', 'problem', 'how to fix it'],
    broken.map(({ guardrail, message, hint }) => [
      code(guardrail),
      foreignSentence(message),
      foreignSentence(hint),
    ]),
  );
}

function worstFirst(newly: readonly TrialFinding[]): readonly TrialFinding[] {
  return newly.toSorted((a, b) => Number(b.mode === 'enforce') - Number(a.mode === 'enforce'));
}

function findingRow({ package: path, revision, guardrail, mode, errors, message }: TrialFinding): string[] {
  const at = code(revision === null ? path : `${path}@${revision}`);
  return [at, code(guardrail), mode, String(errors), code(shortenValue(message, 1_000))];
}

function packagesIn(findings: readonly TrialFinding[]): number {
  return new Set(findings.map((finding) => finding.package)).size;
}

/** Findings of new guardrails that the check lists. */
const MAX_ROWS = 200;
/** Names in one sentence. */
const MAX_NAMES = 50;

function trialSummary({ packages, left, newly, rewritten, notRun, broken }: ConfigTrial): string {
  const rows = worstFirst(newly).slice(0, MAX_ROWS).map(findingRow);
  return joined([
    brokenTable(broken),
    `Its guardrails ran on the newest revision of ${counted(packages, 'package')} (on the branch, for a package without a revision). ${newly.length === 0 ? 'None would start to fail.' : `These would start to fail. They stay published; ${whatToFix({ newly, broken })}`}`,
    rows.length === 0 ? '' : table(['package', 'guardrail', 'mode', 'findings', 'first finding'], rows),
    notShown(newly.length - MAX_ROWS),
    rewritten.length === 0
      ? ''
      : `A mutator would rewrite the next proposal for these packages: ${names(rewritten)}.`,
    notRun.length === 0 ? '' : `Not run before the merge: ${names(notRun)}. ${BEFORE_MERGE}`,
    left === 0 ? '' : `${counted(left, 'package')} beyond the first ${packages} were not checked.`,
  ]);
}

function names(all: readonly string[]): string {
  const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
  return all.slice(0, MAX_NAMES).map(code).join(', ') + more;
}

function problemTable(problems: readonly ConfigProblem[], most = MAX_IN_COMMENT): string {
  const rows = problems.map(({ file, line, message, hint }) => [code(`${file}:${line}`), message, hint]);
  return tableUpTo(most, ['where', 'problem', 'how to fix it'], rows);
}

function mistakes(problems: readonly ConfigProblem[]): CheckContent {
  return {
    name: CONFIG_CHECK,
    conclusion: 'failure',
    title: `${counted(problems.length, 'error')} in the configuration`,
    summary: problemTable(problems, problems.length),
    annotations: problems.map((problem) => ({
      path: problem.file,
      startLine: problem.line,
      endLine: problem.line,
      startColumn: problem.column,
      endColumn: problem.column,
      level: 'failure',
      title: problem.path === '' ? 'portico.yaml' : problem.path,
      message: withHint(problem.message, problem.hint),
    })),
  };
}

/** The same for the head of the default branch, where a mistake leaves the last good version in force, or none. */
export function configCheckAt(
  head: string,
  problems: readonly ConfigProblem[],
  inForce: boolean,
): CheckInput {
  const draft = mistakes(problems);
  const state = inForce
    ? 'The last valid version stays in effect.'
    : 'No valid version was found, so Portico does nothing in this repository.';
  return {
    ...draft,
    summary: `${state}\n\n${draft.summary}`,
    headSha: head,
    externalId: head,
    status: 'completed',
  };
}
