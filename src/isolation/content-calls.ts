/** The operations as whoever needs them calls them. */
import { PorticoError } from '../error.ts';
import type { PackageDiff } from '../package/diff/diff-types.ts';
import type { MergeInput, MergeResult } from '../package/merge/merge-types.ts';
import type { PackageFiles } from '../package/package.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import type { EvalInput } from '../package/render/eval.ts';
import type { FunctionRun, Guardrail, RenderInput, RenderResult } from '../package/render/render-types.ts';
import type { SettledPackage } from '../package/render/settled.ts';
import type { Share } from './content.ts';
import type { LimitMet } from './limits.ts';
import type { Allowance, Performer } from './perform.ts';
import type { Packages } from './wire-files.ts';

export type RenderWork = Omit<RenderInput, 'memory' | 'onStep'> & {
  /** Functions of the package's own pipeline do not run. */
  readonly guardrailsOnly?: boolean;
};

/** As `src/reconcile/content-port.ts` asks for it. */
export interface Content {
  /** A limit that is met is the result's problem, and every guardrail is refused with it. */
  render(input: RenderWork): Promise<RenderResult>;
  renderSettled(input: RenderWork): Promise<SettledPackage>;
  evaluate(input: EvalInput): Promise<RenderResult>;
  /** Throws what the merge throws; a limit that is met too, as a person's to mend. */
  merge(input: MergeInput, signal?: AbortSignal): Promise<MergeResult>;
  compare(
    sides: { readonly before: PackageFiles; readonly after: PackageFiles },
    signal?: AbortSignal,
  ): Promise<{ readonly content: PackageDiff; readonly power: PowerDiff }>;
}

/** What a job may use, and what it has left of it. */
export interface JobShare {
  readonly share: Share;
  readonly allowance: Allowance;
}

/** `current` is asked at each call: who calls now, and for which job. */
export function createContentCalls(perform: Performer, current: () => JobShare): Content {
  const valueOf = async <Value>(
    operation: string,
    packages: Packages,
    rest: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    const done = await perform({ operation, packages, rest, signal }, current());
    if (done.ok) return done.value as Value;
    throw limitError(done.limit);
  };
  const rendered = async <Result>(operation: string, input: RenderWork): Promise<Result | Unrendered> => {
    const { files, runtime, signal, context, ...rest } = input;
    const { base, ...place } = context ?? {};
    const done = await perform(
      {
        operation,
        packages: { files, ...(base && { base }) },
        rest: { ...rest, ...(context && { context: place }) },
        runtime,
        signal,
      },
      current(),
    );
    return done.ok ? (done.value as Result) : unrendered(files, input.guardrails ?? [], done.limit);
  };
  return {
    render: (input) => rendered<RenderResult>('render', input),
    renderSettled: (input) => rendered<SettledPackage>('renderSettled', input),
    async evaluate({ files, runtime, signal, ...rest }) {
      const piece = { operation: 'evaluate', packages: { files }, rest, runtime, signal };
      const done = await perform(piece, current());
      return done.ok ? (done.value as unknown as RenderResult) : unrendered(files, [], done.limit);
    },
    merge: ({ base, upstream, local, ...rest }, signal) =>
      valueOf('merge', { base, upstream, local }, rest, signal),
    compare: (sides, signal) => valueOf('compare', { ...sides }, {}, signal),
  };
}

type Unrendered = RenderResult & { readonly ok: false };

/** Nothing of the package is known: no guardrail counts as passed. */
function unrendered(files: PackageFiles, guardrails: readonly Guardrail[], limit: LimitMet): Unrendered {
  const { code, message, hint } = limit;
  const refused = { code, message, hint };
  const runs = guardrails.map(({ name, type, spec }): FunctionRun => ({
    package: '.',
    function: name,
    spec,
    type,
    guardrail: name,
    exitCode: 1,
    results: [],
    refused,
  }));
  return { ok: false, files, changed: [], runs, findings: [], problem: { code, message, hint } };
}

/** Like content that is too large: whoever wrote it has to mend it. */
function limitError({ code, message, hint }: LimitMet): PorticoError {
  return new PorticoError(code, message, { hint });
}
