/** Pure: what every check is made of. */
import type { Finding } from '../package/render/render-types.ts';
import type { CheckAnnotation, CheckInput } from './forge-port.ts';
import type { RenderedPackage } from './proposal-render.ts';

type Conclusion = NonNullable<CheckInput['conclusion']>;

/** A check before it is bound to a commit. */
export interface Draft {
  readonly name: string;
  readonly conclusion: Conclusion;
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
}

export function annotationOf(one: RenderedPackage, finding: Finding): CheckAnnotation {
  const line = finding.line ?? 1;
  return {
    path: inDirectory(one.package.directory, finding.file ?? 'Kptfile'),
    startLine: line,
    endLine: line,
    ...(finding.column !== undefined && { startColumn: finding.column, endColumn: finding.column }),
    level: finding.severity === 'error' ? 'failure' : finding.severity === 'warning' ? 'warning' : 'notice',
    title: finding.function,
    message: finding.message === '' ? 'The function gave no message.' : finding.message,
  };
}

export function inDirectory(directory: string, path: string): string {
  return directory === '' ? path : `${directory}/${path}`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
