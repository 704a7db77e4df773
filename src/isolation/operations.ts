/**
 * What a worker process can be asked to do with foreign content: an operation by its name, all of them pure. Packages
 * stand at the top of what goes in and comes out, where `wire-files.ts` finds them.
 */
import type { PackageDiff } from '../package/diff/diff-types.ts';
import { diffPackages } from '../package/diff/diff.ts';
import type { MergeInput, MergeResult } from '../package/merge/merge-types.ts';
import { mergePackages } from '../package/merge/merge.ts';
import type { PackageFiles } from '../package/package.ts';
import { diffPower } from '../package/power/power-diff.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import { evalFunction, type EvalInput } from '../package/render/eval.ts';
import type { FunctionRuntime } from '../package/render/function-runtime.ts';
import type { RenderMemory } from '../package/render/memory.ts';
import type { RenderInput, RenderResult } from '../package/render/render-types.ts';
import { renderPackage } from '../package/render/render.ts';
import { renderSettled, type SettledPackage } from '../package/render/settled.ts';

/** What a worker process brings along. */
export interface Tools {
  readonly runtime: FunctionRuntime;
  readonly memory: RenderMemory;
  /** Says what is worked on, so that whoever is told of a limit is told where it was met. */
  readonly step: (at: Step) => void;
}

export interface Step {
  /** Directory of the package, '.' for the root; or what else is worked on. */
  readonly package: string;
  /** The function or guardrail. */
  readonly function: string;
}

type Carried = Pick<RenderInput, 'files' | 'guardrails' | 'checkTwice'> & {
  readonly context?: Omit<NonNullable<RenderInput['context']>, 'base'>;
  /** The package in the base branch, for policies that compare. */
  readonly base?: PackageFiles;
  /** Functions of the package's own pipeline do not run. */
  readonly guardrailsOnly?: boolean;
};

/** Two states of a package. */
export interface Sides {
  readonly before: PackageFiles;
  readonly after: PackageFiles;
}

export interface Comparison {
  readonly content: PackageDiff;
  readonly power: PowerDiff;
}

export const OPERATIONS = {
  render: (input: Carried, tools: Tools): Promise<RenderResult> => renderPackage(renderInput(input, tools)),

  renderSettled: (input: Carried, tools: Tools): Promise<SettledPackage> =>
    renderSettled(renderInput(input, tools)),

  evaluate: (
    { files, spec, includeMetaResources }: Pick<EvalInput, 'files' | 'spec' | 'includeMetaResources'>,
    { runtime, step }: Tools,
  ): Promise<RenderResult> => {
    step({ package: '.', function: spec.image ?? spec.name ?? '' });
    return evalFunction({
      files,
      spec,
      runtime,
      ...(includeMetaResources !== undefined && { includeMetaResources }),
    });
  },

  merge: (input: MergeInput): MergeResult => mergePackages(input),

  compare: ({ before, after }: Sides): Comparison => ({
    content: diffPackages(before, after),
    power: diffPower(before, after),
  }),
};

function renderInput({ base, context, guardrailsOnly, ...input }: Carried, tools: Tools): RenderInput {
  const { runtime, memory, step } = tools;
  const common = {
    ...input,
    onStep: step,
    ...(context && { context: { ...context, ...(base && { base }) } }),
  };
  if (guardrailsOnly !== true) return { ...common, runtime, memory };
  const specs = new Set((input.guardrails ?? []).map(({ spec }) => spec));
  const { each: _each, ...rest } = runtime;
  return {
    ...common,
    runtime: {
      ...rest,
      run: async (spec, given, signal) =>
        specs.has(spec) ? runtime.run(spec, given, signal) : { exitCode: 0, items: given.items, results: [] },
    },
  };
}
