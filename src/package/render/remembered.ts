/** Rendering where every function looks at one resource at a time: files that did not change are not looked at again. */
import { annotationOf, clearPlace, indexOf, PACKAGE_PATH, pathOf, setPlace } from './bookkeeping.ts';
import { editInPlace } from './edit-documents.ts';
import { copyValue } from './field-notes.ts';
import { resultsFault, selectorCost, sizeFault } from './function-limits.ts';
import type { FunctionSpec, ItemFunction } from './function-runtime.ts';
import { runOf } from './hydrate.ts';
import type { KrmObject } from './krm-object.ts';
import type { LoadedPackage } from './load-package.ts';
import type { FileOutcome, RenderMemory } from './memory.ts';
import { absentField } from './package-sources.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import type { FunctionRun, Guardrail, RenderInput } from './render-types.ts';
import { configMapOf } from './run-function.ts';
import { isSelected } from './select.ts';
import { sizeOf } from './value-size.ts';
import { MAX_FUNCTIONS, WorkBudget } from './work-budget.ts';

/** One function that an item goes through. */
interface Step {
  readonly dir: string;
  readonly spec: FunctionSpec;
  readonly guardrail?: string;
  readonly each: ItemFunction;
  /** What it costs to find out whether an item is selected. */
  readonly selecting: number;
  /** All that its doing depends on. */
  readonly key: string;
}

export interface Remembered {
  readonly runs: readonly FunctionRun[];
  /** Texts of the files that changed. */
  readonly changed: ReadonlyMap<string, FileOutcome>;
}

/**
 * The outcome of a render whose functions all look at one item at a time; undefined where one does not, where a
 * function would fail, or where a resource has to be seen with the others. Then nothing is changed.
 */
export function renderRemembered(
  root: LoadedPackage,
  sources: ReadonlyMap<string, SourceFile>,
  input: Pick<RenderInput, 'runtime' | 'guardrails' | 'onStep'>,
  memory: RenderMemory,
): Remembered | undefined {
  // What files cost that are known counts as well: a limit must not depend on what is remembered.
  const budget = new WorkBudget();
  const steps = stepsOf(root, input, budget);
  if (steps === undefined || steps.length > MAX_FUNCTIONS) return undefined;
  const outcomes = new Map<string, FileOutcome>();
  const answers = new Map<SourceDocument, readonly unknown[]>();
  for (const loaded of inOrder(root)) {
    const mine = steps.filter(
      ({ dir }) => dir === '.' || dir === loaded.dir || loaded.dir.startsWith(`${dir}/`),
    );
    const places = new Map(mine.map((step, at) => [step, at]));
    const chain = JSON.stringify([loaded.dir, ...mine.map(({ key }) => key)]);
    for (const path of new Set(loaded.documents.map(({ file }) => file))) {
      const source = sources.get(path);
      if (source === undefined) return undefined;
      const known = memory.outcome(source, chain);
      if (known !== undefined && !budget.has(known.work)) return undefined;
      if (known !== undefined) budget.add(known.work);
      const outcome = known ?? outcomeOf({ source, dir: loaded.dir, steps: mine, chain, budget });
      if (outcome === undefined) return undefined;
      memory.keep(source, outcome);
      if (outcome.bytes !== undefined) outcomes.set(path, outcome);
      for (const [at, document] of source.documents.entries()) {
        const ownAnswers = outcome.answers[at] ?? [];
        answers.set(
          document,
          steps.length === mine.length ? ownAnswers : steps.map((step) => ownAnswers[places.get(step) ?? -1]),
        );
      }
    }
  }
  const runs = runsOf(root, steps, answers, input);
  return runs.some(({ results }) => resultsFault(results) !== undefined)
    ? undefined
    : { runs, changed: outcomes };
}

/** All functions in the order in which they run; undefined where one does not look at items alone. */
function stepsOf(
  root: LoadedPackage,
  { runtime, guardrails = [] }: Pick<RenderInput, 'runtime' | 'guardrails'>,
  budget: WorkBudget,
): Step[] | undefined {
  if (annotationOf(root.kptfile.value, 'kpt.dev/bfs-rendering')?.toLowerCase() === 'true') return undefined;
  const steps: Step[] = [];
  const add = (dir: string, spec: FunctionSpec, guardrail?: Guardrail): boolean => {
    // A configuration that is a resource may be changed by functions before.
    if (spec.configPath !== undefined || spec.configRef !== undefined) return false;
    const config = guardrail?.functionConfig ?? configMapOf(spec);
    const each = runtime.each?.(spec, config === undefined ? undefined : copyValue(config), budget);
    if (each === undefined) return false;
    const key = JSON.stringify([dir, each.key, config, spec.selectors, spec.exclude], exactIntegers);
    const selecting = selectorCost(spec);
    steps.push({
      dir,
      spec,
      each,
      selecting,
      key,
      ...(guardrail === undefined ? {} : { guardrail: guardrail.name }),
    });
    return true;
  };
  for (const { dir, pipeline } of afterChildren(root)) {
    if (pipeline.validators.length > 0) return undefined;
    for (const spec of pipeline.mutators) if (!add(dir, spec)) return undefined;
  }
  for (const guardrail of guardrails) {
    const simple =
      guardrail.policy === undefined && guardrail.rego === undefined && guardrail.labels === undefined;
    if (!simple || guardrail.type !== 'mutator' || guardrail.mode !== 'enforce') return undefined;
    if (!add('.', guardrail.spec, guardrail)) return undefined;
  }
  return steps;
}

function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** Packages as their pipelines run: those below first. */
function afterChildren(loaded: LoadedPackage): LoadedPackage[] {
  return [...loaded.subpackages.flatMap(afterChildren), loaded];
}

/** Packages as their resources are listed: a package's own first. */
function inOrder(loaded: LoadedPackage): LoadedPackage[] {
  return [loaded, ...loaded.subpackages.flatMap(inOrder)];
}

/** Runs the functions over the documents of one file. */
function outcomeOf({
  source,
  dir,
  steps,
  chain,
  budget,
}: {
  readonly source: SourceFile;
  readonly dir: string;
  readonly steps: readonly Step[];
  readonly chain: string;
  readonly budget: WorkBudget;
}): FileOutcome | undefined {
  const before = budget.used();
  const answers: unknown[][] = [];
  const values: KrmObject[] = [];
  for (const document of source.documents) {
    const item = copyValue(document.value);
    // What grows past a limit is told of where all resources are seen.
    if (!isAffordable(item, steps, budget)) return undefined;
    const path = dir === '.' ? document.file : document.file.slice(dir.length + 1);
    setPlace(item, { package: dir, path, index: document.index });
    const ownAnswers: unknown[] = [];
    for (const { spec, each } of steps) {
      const one = isSelected(item, spec) ? attempt(each, item) : { answer: undefined };
      if (one === undefined) return undefined;
      ownAnswers.push(one.answer);
    }
    // Who moves a resource, or makes it none, has to be looked at with the others.
    const isUnchanged =
      pathOf(item) === path &&
      indexOf(item) === document.index &&
      annotationOf(item, PACKAGE_PATH) === dir &&
      annotationOf(item, 'config.kubernetes.io/path') === path &&
      absentField(item) === absentField(document.value);
    if (!isUnchanged) return undefined;
    clearPlace(item, document.value);
    if (sizeFault([item]) !== undefined) return undefined;
    answers.push(ownAnswers);
    values.push(item);
  }
  const text = editInPlace(source, values);
  const bytes = text === source.yaml.source.text ? undefined : new TextEncoder().encode(text);
  return { chain, text, bytes, answers, work: budget.since(before) };
}

/** Counts the item once for each function, and what it takes to select it. */
function isAffordable(item: KrmObject, steps: readonly Step[], budget: WorkBudget): boolean {
  const seen = sizeOf(item) * steps.length;
  const matching = steps.reduce((sum, { selecting }) => sum + selecting, 0);
  if (budget.left('seen') < seen || budget.left('matching') < matching) return false;
  budget.spend('seen', seen);
  budget.spend('matching', matching);
  return true;
}

/** A function that trips over an item is run as a whole, which tells of it. */
function attempt(each: ItemFunction, item: KrmObject): { readonly answer: unknown } | undefined {
  try {
    const answer = each.apply(item);
    return answer === undefined ? undefined : { answer };
  } catch {
    return undefined;
  }
}

function runsOf(
  root: LoadedPackage,
  steps: readonly Step[],
  answers: ReadonlyMap<SourceDocument, readonly unknown[]>,
  { onStep }: Pick<RenderInput, 'onStep'>,
): FunctionRun[] {
  const seen = new Map<string, readonly SourceDocument[]>();
  for (const loaded of afterChildren(root)) {
    const below = loaded.subpackages.flatMap(({ dir }) => seen.get(dir) ?? []);
    seen.set(loaded.dir, [...loaded.documents, ...below]);
  }
  return steps.map(({ dir, spec, each, guardrail }, at) => {
    const all: unknown[] = [];
    for (const document of seen.get(dir) ?? []) {
      const one = answers.get(document)?.[at];
      if (one !== undefined) all.push(one);
    }
    const run = runOf(dir, spec, 'mutator', { exitCode: 0, results: each.finish(all) });
    onStep?.({ package: dir, function: guardrail ?? run.function });
    return guardrail === undefined ? run : { ...run, guardrail };
  });
}
