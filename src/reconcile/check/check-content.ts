/** Pure: what every check is made of. */

import type { Finding } from '../../package/render/render-types.ts';
import { fileIn } from '../../revision/package-path.ts';
import { shorten, shortenValue } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import type { CheckAnnotation, CheckInput } from '../forge/checks.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import { code, sentence, shownValue } from '../text/markdown-blocks.ts';

type Conclusion = NonNullable<CheckInput['conclusion']>;

/** A check before it is bound to a commit. */
export interface CheckContent {
  readonly name: string;
  readonly conclusion: Conclusion;
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
}

/** So many stand on lines (GitHub takes 50 in a call); the rest stands in the check's text. */
const MAX_ANNOTATIONS = 300;
/** So many of the rest are listed. */
const MAX_LISTED = 500;

/** A finding on its line, with what it speaks of behind a fold. */
export function annotationOf(one: RenderedPackage, finding: Finding): CheckAnnotation {
  const line = finding.line ?? 1;
  const details = detailsOf(finding);
  return {
    path: fileIn(one.package.directory, finding.file ?? 'Kptfile'),
    startLine: line,
    endLine: line,
    ...(finding.column !== undefined && { startColumn: finding.column, endColumn: finding.column }),
    level: finding.severity === 'error' ? 'failure' : finding.severity === 'warning' ? 'warning' : 'notice',
    title: titleOf(finding),
    message: finding.message === '' ? 'The function gave no message.' : finding.message,
    ...(details !== '' && { rawDetails: details }),
  };
}

function titleOf({ function: name, guardrail, resource }: Finding): string {
  const what = resource === undefined || resource.kind === '' ? '' : `: ${resource.kind} ${resource.name}`;
  return `${guardrail ?? name}${what}`;
}

/** An annotation has room for 16,000 bytes. */
const MAX_MESSAGE_LENGTH = 4_000;

/** A title has room for that much of a message. */
const MAX_TITLE_LENGTH = 120;

/** The first of so many findings as a title: which resource, and what is wrong with it. */
export function findingTitle({ resource, message, file }: Finding, of: number): string {
  const where =
    resource === undefined || resource.kind === '' ? (file ?? '') : `${resource.kind} ${resource.name}`;
  const what = titlePart(message);
  const more = of > 1 ? `, and ${of - 1} more` : '';
  return `${joined([where, what], ': ') || '1 finding'}${more}`;
}

/** A message on one line, as long as a title may be, without its full stop. */
export function titlePart(message: string): string {
  return shorten(message, MAX_TITLE_LENGTH).replace(/\.$/, '');
}

/** A message and what to do: the hint is never cut, because the message has its limit before it. */
export function withHint(message: string, hint: string): string {
  return `${shortenValue(sentence(message), MAX_MESSAGE_LENGTH)} ${hint}`;
}

/** Resource, field, current and proposed value, one on a line. */
function detailsOf({ function: name, guardrail, resource, item: { field } }: Finding): string {
  const lines = [
    ...(guardrail === undefined ? [] : [`function: ${name}`]),
    ...(resource === undefined || resource.kind === ''
      ? []
      : [
          `resource: ${resource.apiVersion} ${resource.kind} ${resource.namespace === '' ? '' : `${resource.namespace}/`}${resource.name}`,
        ]),
    ...(field === undefined || field.path === '' ? [] : [`field: ${field.path}`]),
    ...(field?.currentValue === undefined ? [] : [`current value: ${shownValue(field.currentValue, 4000)}`]),
    ...(field?.proposedValue === undefined
      ? []
      : [`proposed value: ${shownValue(field.proposedValue, 4000)}`]),
  ];
  return lines.join('\n');
}

/** Errors first; what goes beyond the limit comes as a list for the check's text. */
export function placed(annotations: readonly CheckAnnotation[]): {
  readonly annotations: readonly CheckAnnotation[];
  readonly rest: string;
} {
  if (annotations.length <= MAX_ANNOTATIONS) return { annotations, rest: '' };
  const sorted = annotations.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const left = sorted.slice(MAX_ANNOTATIONS);
  const listed = left
    .slice(0, MAX_LISTED)
    .map(
      ({ path, startLine, message }) => `- ${code(`${path}:${startLine}`)}: ${code(shorten(message, 200))}`,
    );
  const more = left.length > listed.length ? [`- and ${left.length - listed.length} more`] : [];
  const head = `${annotations.length} findings; the first ${MAX_ANNOTATIONS} are annotated on their lines, these are not:`;
  return { annotations: sorted.slice(0, MAX_ANNOTATIONS), rest: [head, '', ...listed, ...more].join('\n') };
}

const LEVELS: readonly CheckAnnotation['level'][] = ['failure', 'warning', 'notice'];
