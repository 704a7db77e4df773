import { toolFindings } from '../tool-files/tool-files.ts';
import { findingsOf } from './findings.ts';
import type { runGuardrails as RunGuardrails } from './guardrails.ts';
import { hiddenFiles, hiddenItems, hiddenResults } from './hidden-resources.ts';
import type { HiddenFile } from './hidden-resources.ts';
import { hydrate, runOf, savesOnFailure } from './hydrate.ts';
import type { Hydration } from './hydrate.ts';
import type { KrmObject } from './krm-object.ts';
import { loadPackage } from './load-package.ts';
import { misreadRun } from './misread-files.ts';
import type { SourceFile } from './read-resources.ts';
import { renderRemembered } from './remembered.ts';
import type { Remembered } from './remembered.ts';
import { withRenderStatus } from './render-status.ts';
import type { Finding, RenderInput, RenderResult } from './render-types.ts';
import { WorkBudget } from './work-budget.ts';
import { outcomesOf, writeFiles, writeProblem } from './write-files.ts';

/**
 * Runs the pipelines of a package and its subpackages, then the guardrails, and returns the package that comes out.
 * Never throws for what is in the package: what is wrong there is in `problem`, `runs` and `findings`.
 * Throws the signal's reason when it is aborted.
 */
export async function renderPackage(input: RenderInput): Promise<RenderResult> {
  input.signal?.throwIfAborted();
  const { files, runtime, signal, onStep } = input;
  const loaded = loadPackage(files, input.memory);
  if (!('root' in loaded)) return { ok: false, files, changed: [], runs: [], findings: [], problem: loaded };
  const { guardrails = [] } = input;
  const hidden = guardrails.length === 0 ? [] : hiddenFiles(files);
  const judgesHidden =
    hidden.length > 0 ||
    (input.context?.links ?? []).length > 0 ||
    (guardrails.length > 0 && toolFindings(files, input.context?.deploy).length > 0);
  const known =
    input.memory && !judgesHidden
      ? renderRemembered(loaded.root, loaded.sources, input, input.memory)
      : undefined;
  if (known !== undefined) return remembered(input, loaded.sources, known);
  const saves = savesOnFailure(loaded.root);
  const state: Hydration = {
    runtime,
    signal,
    budget: new WorkBudget(),
    onStep,
    runs: [],
    sources: new Map(),
    hidden,
    saves,
    failed: undefined,
  };
  const items = await hydrate(loaded.root, state);
  const broken = state.failed?.type === 'mutator';
  const guarded =
    broken || guardrails.length === 0
      ? { items, ok: true }
      : await guard({
          guardrails,
          input: items,
          state,
          context: input.context,
          hidden: hiddenItems(hidden, files),
        });
  const shown = tellHidden(input, hidden, state);
  const keep = state.failed === undefined || saves;
  const done = finish({
    input,
    sources: loaded.sources,
    items: guarded.items,
    state,
    ok: state.failed === undefined && guarded.ok && shown,
    keep,
  });
  return withRenderStatus(done, saves);
}

/** Tells what is hidden; false where that fails: where a guardrail is enforced, nothing may newly be hidden from it. */
function tellHidden(
  { files, guardrails = [], context = { path: '.', repository: '' } }: RenderInput,
  hidden: readonly HiddenFile[],
  state: Hydration,
): boolean {
  if (guardrails.length === 0) return true;
  const enforced = guardrails.some(({ mode }) => mode === 'enforce');
  const results = hiddenResults(hidden, files, context).map((result) =>
    enforced ? result : { ...result, severity: 'warning' as const },
  );
  if (results.length === 0) return true;
  const fails = results.some(({ severity }) => severity === 'error');
  const run = runOf('.', { name: 'hidden files' }, 'validator', { exitCode: fails ? 1 : 0, results });
  state.runs.push(run);
  return !fails;
}

/** Policies are loaded where there are any: most of a short run is loading code. */
async function guard(asked: Parameters<typeof RunGuardrails>[0]): ReturnType<typeof RunGuardrails> {
  const { runGuardrails } = await import('./guardrails.ts');
  return runGuardrails(asked);
}

/** The result of a render that went file by file. Nothing was made, moved or removed, and nothing failed. */
async function remembered(
  input: RenderInput,
  sources: ReadonlyMap<string, SourceFile>,
  { runs, changed }: Remembered,
): Promise<RenderResult> {
  const files = new Map(input.files);
  for (const [path, { bytes }] of changed) {
    const mode = files.get(path)?.mode ?? '100644';
    if (bytes !== undefined) files.set(path, { mode, bytes });
  }
  const textOf = (path: string): string | undefined =>
    changed.get(path)?.text ?? sources.get(path)?.yaml.source.text;
  const paths = [...changed.keys()].sort();
  const misread = isJudged(input) ? misreadRun(files, sources, paths, textOf) : undefined;
  const all = misread === undefined ? runs : [...runs, misread];
  const done = withFindings({ ok: misread === undefined, files, changed: paths, runs: all }, () =>
    findingsOf(all, textOf, [...sources.keys()], () => undefined),
  );
  return withRenderStatus(done, false);
}

function isJudged({ guardrails = [], judged = false }: Pick<RenderInput, 'guardrails' | 'judged'>): boolean {
  return judged || guardrails.length > 0;
}

/** Findings are made when they are asked for: a render that is only to be written needs none. */
function withFindings(result: Omit<RenderResult, 'findings'>, find: () => readonly Finding[]): RenderResult {
  let found: readonly Finding[] | undefined;
  return Object.defineProperty(result, 'findings', {
    enumerable: true,
    get: () => (found ??= find()),
  }) as RenderResult;
}

/** Writes the outcome of a run of functions, if it is to be kept, and places its findings. */
export function finish({
  input,
  sources,
  items,
  state,
  ok,
  keep,
}: {
  readonly input: Pick<RenderInput, 'files' | 'guardrails' | 'judged'>;
  readonly sources: ReadonlyMap<string, SourceFile>;
  readonly items: readonly KrmObject[];
  readonly state: Hydration;
  readonly ok: boolean;
  readonly keep: boolean;
}): RenderResult {
  const { files } = input;
  const { runs } = state;
  const outcomes = keep ? outcomesOf(items, state.sources) : [];
  const message = keep ? writeProblem(outcomes, files, sources) : undefined;
  const hint = 'Change the path annotation that the function sets, or the function.';
  const problem: Pick<RenderResult, 'problem'> =
    message === undefined ? {} : { problem: { code: 'PATH_REFUSED', message, hint } };
  const written =
    keep && message === undefined
      ? writeFiles(outcomes, files, sources, state.failed === undefined)
      : { files, changed: [], textOf: (path: string) => sources.get(path)?.yaml.source.text };
  const misread = isJudged(input)
    ? misreadRun(written.files, sources, written.changed, (path) => written.textOf(path))
    : undefined;
  if (misread !== undefined) runs.push(misread);
  const modes = new Map((input.guardrails ?? []).map((guardrail) => [guardrail.name, guardrail.mode]));
  const hidden = new Map((state.hidden ?? []).map(({ path, source }) => [path, source?.yaml.source.text]));
  const textOf = (path: string): string | undefined => written.textOf(path) ?? hidden.get(path);
  const paths = [...written.files.keys()].filter((path) => textOf(path) !== undefined);
  const findings = findingsOf(runs, textOf, paths, (name) => modes.get(name));
  return {
    ok: ok && message === undefined && misread === undefined,
    files: written.files,
    changed: written.changed,
    runs,
    findings,
    ...problem,
  };
}
