import { findingsOf } from './findings.ts';
import { runGuardrails } from './guardrails.ts';
import { hydrate, savesOnFailure } from './hydrate.ts';
import type { Hydration } from './hydrate.ts';
import { unsteady } from './idempotence.ts';
import type { KrmObject } from './krm-object.ts';
import { loadPackage } from './load-package.ts';
import type { SourceFile } from './read-resources.ts';
import type { RenderInput, RenderResult } from './render-types.ts';
import { outcomesOf, writeFiles, writeProblem } from './write-files.ts';

/**
 * Runs the pipelines of a package and its subpackages, then the guardrails, and returns the package that comes out.
 * Never throws for what is in the package: what is wrong there is in `problem`, `runs` and `findings`.
 * Throws the signal's reason when it is aborted.
 */
export async function renderPackage(input: RenderInput): Promise<RenderResult> {
  input.signal?.throwIfAborted();
  const { files, runtime, signal, onStep } = input;
  const loaded = loadPackage(files);
  if (!('root' in loaded)) return { ok: false, files, changed: [], runs: [], findings: [], problem: loaded };
  const saves = savesOnFailure(loaded.root);
  const state: Hydration = {
    runtime,
    signal,
    onStep,
    runs: [],
    sources: new Map(),
    saves,
    failed: undefined,
  };
  const items = await hydrate(loaded.root, state);
  const broken = state.failed?.type === 'mutator';
  const guarded = broken
    ? { items, ok: true }
    : await runGuardrails(input.guardrails ?? [], items, state, input.context);
  const keep = state.failed === undefined || saves;
  const result = finish(input, loaded.sources, guarded.items, state, {
    ok: state.failed === undefined && guarded.ok,
    keep,
  });
  if (input.checkTwice !== true || !result.ok || result.changed.length === 0) return result;
  return { ...result, findings: [...result.findings, ...(await unsteady(input, result))] };
}

/** Writes the outcome of a run of functions, if it is to be kept, and places its findings. */
export function finish(
  input: Pick<RenderInput, 'files' | 'guardrails'>,
  sources: ReadonlyMap<string, SourceFile>,
  items: readonly KrmObject[],
  state: Hydration,
  { ok, keep }: { readonly ok: boolean; readonly keep: boolean },
): RenderResult {
  const { files } = input;
  const { runs } = state;
  const outcomes = keep ? outcomesOf(items, state.sources) : [];
  const message = keep ? writeProblem(outcomes, files, sources) : undefined;
  const hint = 'Change the path annotation that the function sets, or the function.';
  const problem = message === undefined ? {} : { problem: { code: 'PATH_REFUSED', message, hint } };
  const written =
    keep && message === undefined
      ? writeFiles(outcomes, files, sources, state.failed === undefined)
      : { files, changed: [], textOf: (path: string) => sources.get(path)?.yaml.source.text };
  const modes = new Map((input.guardrails ?? []).map((guardrail) => [guardrail.name, guardrail.mode]));
  const paths = [...written.files.keys()].filter((path) => written.textOf(path) !== undefined);
  const findings = findingsOf(runs, written.textOf, paths, (name) => modes.get(name));
  return {
    ok: ok && message === undefined,
    files: written.files,
    changed: written.changed,
    runs,
    findings,
    ...problem,
  };
}
