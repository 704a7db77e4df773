/** Rendering what was rendered must change nothing; a function that does not keep to it is named. */
import { hydrate } from './hydrate.ts';
import type { Hydration } from './hydrate.ts';
import { loadPackage } from './load-package.ts';
import type { Finding, FunctionRun, RenderInput, RenderResult } from './render-types.ts';
import { WorkBudget } from './work-budget.ts';
import { outcomesOf, writeFiles } from './write-files.ts';

/** Warnings for a rendered package that its own pipeline changes once more. */
export async function unsteady(input: RenderInput, rendered: RenderResult): Promise<Finding[]> {
  const { runtime, signal } = input;
  const loaded = loadPackage(rendered.files, input.memory);
  if (!('root' in loaded)) return [];
  const changing = new Set<FunctionRun>();
  const state: Hydration = {
    runtime,
    signal,
    budget: new WorkBudget(),
    onStep: undefined,
    runs: [],
    sources: new Map(),
    changing,
    failed: undefined,
  };
  const items = await hydrate(loaded.root, state);
  if (state.failed !== undefined) return [warning(state.failed, 'fails on the rendered package.')];
  const { changed } = writeFiles(outcomesOf(items, state.sources), rendered.files, loaded.sources);
  if (changed.length === 0) return [];
  // Functions that only undo each other are steady together, and change nothing in the end.
  const files = `${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ', …' : ''}`;
  return [...changing].map((run) => warning(run, `changes the rendered package again (${files}).`));
}

function warning(run: FunctionRun, what: string): Finding {
  const message = `${run.function} is not idempotent: it ${what}`;
  return {
    severity: 'warning',
    message,
    function: run.function,
    item: { message, severity: 'warning', tags: { code: 'NOT_IDEMPOTENT' } },
  };
}
