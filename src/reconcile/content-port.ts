/**
 * Work on content that nobody here wrote: packages of proposals, of upstreams, of drafts. It may take for ever, or all
 * memory, so it is done elsewhere and within limits.
 *
 * A limit that is met is, for a render, the result's problem, with every guardrail refused; anything else throws it as
 * what a person has to mend (`CONTENT_TIME`, `CONTENT_MEMORY`, `CONTENT_OUTPUT`, `CONTENT_COUNT`, `CONTENT_DEPTH`,
 * `CONTENT_CRASH`), like content that is too large to be read.
 */
import type { PackageDiff } from '../package/diff/diff-types.ts';
import type { MergeInput, MergeResult } from '../package/merge/merge-types.ts';
import type { PackageFiles } from '../package/package.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import type { EvalInput } from '../package/render/eval.ts';
import type { RenderInput, RenderResult } from '../package/render/render-types.ts';
import type { SettledPackage } from '../package/render/settled.ts';

export type RenderWork = Omit<RenderInput, 'memory' | 'onStep'> & {
  /** Functions of the package's own pipeline do not run. */
  readonly guardrailsOnly?: boolean;
};

export interface Content {
  render(input: RenderWork): Promise<RenderResult>;
  renderSettled(input: RenderWork): Promise<SettledPackage>;
  evaluate(input: EvalInput): Promise<RenderResult>;
  merge(input: MergeInput, signal?: AbortSignal): Promise<MergeResult>;
  compare(
    sides: { readonly before: PackageFiles; readonly after: PackageFiles },
    signal?: AbortSignal,
  ): Promise<{ readonly content: PackageDiff; readonly power: PowerDiff }>;
}
