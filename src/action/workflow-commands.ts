/**
 * Pure: what a step tells the runner. Texts may be anyone's; in a value nothing of them is a command
 * (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands, `actions/toolkit` escapes the same).
 */

import { counted } from '../text/counted.ts';
import { cutText, shorten } from '../text/cut-text.ts';
import { showHidden } from '../text/hidden-characters.ts';
import { codeSpan, inert, table } from '../text/markdown.ts';
import type { CheckReport, ReportFinding } from './check-report.ts';

/** A runner shows no more annotations of a job. */
const MAX_ANNOTATIONS = 50;
/** Rows of the summary, which may have 1 MiB. */
const MAX_ROWS = 300;
const MAX_MESSAGE = { bytes: 4_000 };

const LEVELS: Readonly<Record<ReportFinding['severity'], string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};
const WORST_FIRST: readonly ReportFinding['severity'][] = ['error', 'warning', 'info'];

/** One line for each finding, the worst first. */
export function annotations(findings: readonly ReportFinding[]): readonly string[] {
  return byWeight(findings)
    .slice(0, MAX_ANNOTATIONS)
    .map(({ severity, rule, message, file, line }) =>
      annotation(LEVELS[severity], cutText(message, MAX_MESSAGE), {
        title: shorten(rule, { bytes: 200 }),
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line: String(line) }),
      }),
    );
}

export function annotation(
  level: string,
  message: string,
  properties: Readonly<Record<string, string>> = {},
): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(value)}`);
  return `::${level}${list.length === 0 ? '' : ` ${list.join(',')}`}::${escapedData(showHidden(message))}`;
}

function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** An entry of the file of outputs; `delimiter` must be a random word that no value holds. */
export function output(name: string, value: string, delimiter: string): string {
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

/** The summary of a check, in Markdown in which nothing foreign is live. */
export function checkSummary({ packages, findings }: CheckReport): string {
  const failed = packages.filter(({ ok }) => !ok).length;
  const head =
    packages.length === 0 && findings.length > 0
      ? '### Portico: the check could not begin'
      : failed === 0
        ? `### Portico: ${counted(packages.length, 'package')} in order`
        : `### Portico: ${failed} of ${counted(packages.length, 'package')} not in order`;
  return [
    head,
    ...tableUpTo(
      ['package', 'result', 'findings'],
      packages.map((one) => [
        codeSpan(one.path),
        one.ok ? 'in order' : '**not in order**',
        String(one.findings),
      ]),
    ),
    ...tableUpTo(
      ['finding', 'place', 'by'],
      byWeight(findings).map(({ severity, message, file, line, rule }) => [
        `${severity}: ${inert(cutText(message, MAX_MESSAGE))}`,
        file === undefined ? '' : codeSpan(line === undefined ? file : `${file}:${line}`),
        codeSpan(rule),
      ]),
    ),
    '',
  ].join('\n');
}

function tableUpTo(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length > MAX_ROWS ? ['', `${rows.length - MAX_ROWS} more are in the log.`] : [];
  return ['', table(head, rows.slice(0, MAX_ROWS)), ...more];
}

function byWeight(findings: readonly ReportFinding[]): readonly ReportFinding[] {
  return findings.toSorted((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity));
}
