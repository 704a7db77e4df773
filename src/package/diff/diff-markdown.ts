import type { PackageDiff } from './diff-types.ts';

export interface DiffMarkdownOptions {
  /** Most characters (UTF-16 units) of the result; what does not fit is counted in a last line. Default 60,000. */
  readonly limit?: number;
  /** Link to the whole diff, named where something was left out. */
  readonly more?: string;
}

/**
 * A package diff for a reviewer: a summary line, then one collapsible block per kind of change. Text from the package
 * stands in code only, so that mentions, links, markers and commands in it do nothing.
 */
export function diffMarkdown(diff: PackageDiff, options: DiffMarkdownOptions = {}): string {
  throw new Error(`not yet ${String(diff.same)} ${options.limit ?? 0}`);
}
