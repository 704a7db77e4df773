/** The functions that a repository demands of every package, run on the rendered package as a whole. */

import type { Review } from '../../cel/review.ts';
import { listItems } from '../list-items.ts';
import { crdSafety, isCrdSafety } from '../power/crd-safety.ts';
import { isPinnedSources, pinnedSources } from '../sources/pinned-sources.ts';
import { exempted } from './exempt.ts';
import type { Judged } from './exempt.ts';
import { appliedValue } from './field-notes.ts';
import { sizeFault } from './function-limits.ts';
import type { FunctionOutput, Judgement, ResultItem } from './function-runtime.ts';
import { runOf } from './hydrate.ts';
import type { Hydration } from './hydrate.ts';
import type { KrmObject } from './krm-object.ts';
import { NO_JUDGE, NO_REGO } from './no-judge.ts';
import {
  hasLabels,
  namesOf,
  resourcesOf,
  resultsOf,
  reviewOf,
  subjectsOf,
  withObjects,
} from './policy-review.ts';
import type { RenderContext } from './render-context.ts';
import type { Guardrail } from './render-types.ts';
import { runFunction } from './run-function.ts';
import { wouldChange } from './would-change.ts';

/**
 * Runs mutators first, then validators. All run, whatever the others say: each has its own check. A mutator that
 * does not enforce changes nothing and reports what it would have changed.
 */
export async function runGuardrails({
  guardrails,
  input,
  state,
  context = { path: '.', repository: '' },
  hidden = [],
}: {
  readonly guardrails: readonly Guardrail[];
  readonly input: readonly KrmObject[];
  readonly state: Hydration;
  readonly context?: RenderContext | undefined;
  /** What no function of the package sees: for validators alone. */
  readonly hidden?: readonly KrmObject[] | undefined;
}): Promise<{ readonly items: readonly KrmObject[]; readonly ok: boolean }> {
  let items = input;
  let ok = true;
  const inOrder = [
    ...guardrails.filter(({ type }) => type === 'mutator'),
    ...guardrails.filter(({ type }) => type === 'validator'),
  ];
  for (const guardrail of inOrder) {
    state.signal?.throwIfAborted();
    const seen = guardrail.type === 'validator' ? [...items, ...hidden] : items;
    if (guardrail.labels !== undefined && !hasLabels(guardrail.labels, items, context)) continue;
    state.onStep?.({ package: '.', function: guardrail.name });
    const { name, type, mode, spec, functionConfig, definitions, exemptions = [] } = guardrail;
    const own = builtInCheck(spec, seen, context);
    const { output, items: after } =
      own !== undefined
        ? { output: { exitCode: 0, results: own }, items }
        : guardrail.policy === undefined && guardrail.rego === undefined
          ? await runFunction(seen, {
              spec,
              package: '.',
              runtime: state.runtime,
              signal: state.signal,
              budget: state.budget,
              step: state.runs.length,
              discard: type === 'validator',
              definitions,
              ...(functionConfig && { functionConfig }),
            })
          : await judged(guardrail, seen, state, context);
    const run = runOf('.', spec, type, exempted(output, exemptions, judgedBy(guardrail, seen)));
    const changes =
      type === 'mutator' && mode !== 'enforce' && run.exitCode === 0 ? wouldChange(items, after) : [];
    state.runs.push({
      ...run,
      guardrail: name,
      ...(mode !== 'enforce' && { mode }),
      results: [...run.results, ...changes],
    });
    if (type === 'mutator' && mode === 'enforce') items = after;
    const errors = type === 'validator' && run.results.some((result) => result.severity === 'error');
    if (mode === 'enforce' && (run.exitCode !== 0 || errors)) ok = false;
  }
  return { items, ok };
}

/** What exemptions are matched with; without exemptions it is not asked for. */
function judgedBy({ exemptions = [], policy, rego }: Guardrail, seen: readonly KrmObject[]): Judged {
  if (exemptions.every(({ resources }) => resources === undefined)) return { subjects: [], unclear: [] };
  // Policies are asked about each item of a list, and say which one they mean.
  const lists = policy === undefined && rego === undefined ? seen.filter((item) => listItems(item)) : [];
  return { subjects: subjectsOf(seen), unclear: lists.map(namesOf) };
}

/** What a check that is part of rendering finds; undefined for what is none. */
function builtInCheck(
  spec: Guardrail['spec'],
  seen: readonly KrmObject[],
  context: RenderContext,
): ResultItem[] | undefined {
  if (isCrdSafety(spec)) return crdSafety(resourcesOf(context.base), seen.map(appliedValue));
  return isPinnedSources(spec) ? pinnedSources(seen.map(appliedValue)) : undefined;
}

/** What a policy says of the package, or makes of it, once for each of its params. */
async function judged(
  { policy, rego, params, spec, type }: Guardrail,
  items: readonly KrmObject[],
  { runtime, signal }: Hydration,
  context: RenderContext,
): Promise<{ readonly output: FunctionOutput; readonly items: readonly KrmObject[] }> {
  const { judge, judgeRego } = runtime;
  const ask =
    rego !== undefined
      ? judgeRego && ((asked: Review): Promise<Judgement> => judgeRego(rego, asked, signal))
      : policy && judge && ((asked: Review): Promise<Judgement> => judge(policy, asked, signal));
  if (ask === undefined) {
    return { output: { exitCode: 1, results: [], refused: rego === undefined ? NO_JUDGE : NO_REGO }, items };
  }
  let now = items;
  let review = reviewOf(now, { policy, spec }, context);
  const results: ResultItem[] = [];
  for (const one of params ?? [null]) {
    const { places: _places, kptfile: _kptfile, ...asked } = review;
    const judgement = await ask({ ...asked, params: one });
    if ('refused' in judgement)
      return { output: { exitCode: 1, results, refused: judgement.refused }, items };
    results.push(...resultsOf(judgement.remarks, review));
    if (type === 'validator' || judgement.objects === undefined) continue;
    now = withObjects(now, judgement.objects, review);
    review = reviewOf(now, { policy, spec }, context);
  }
  const failed = results.some(({ severity }) => severity === 'error');
  const grown = failed ? undefined : sizeFault(now);
  if (grown !== undefined) results.push({ message: grown.message, severity: 'error' });
  const output = { exitCode: failed || grown !== undefined ? 1 : 0, results };
  // What cannot be done for one resource is done for none, as with functions.
  return { output, items: output.exitCode === 0 ? now : items };
}
