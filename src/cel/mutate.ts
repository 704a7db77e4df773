/** Applies the mutations of a MutatingAdmissionPolicy to resources. Pure, and without any limit of time, as ./judge.ts. */
import { isCelList, isCelMap, isCelUint, type CelInput, type CelValue } from '@bufbuild/cel';

import { applyConfiguration, isMap, sameData, type ListKeysOf } from './apply-configuration.ts';
import { evaluationOf, MAX_STEPS, oneLine, sharedFacts, type Case } from './evaluation.ts';
import { applyJsonPatch, NOT_MEANT } from './json-patch.ts';
import type { Remark } from './judge.ts';
import { isMatch } from './match.ts';
import type { CompiledPolicy } from './policy.ts';
import { changeOf, type Change, type Data, type Review } from './review.ts';
import { celBudget, CelCostError } from './work.ts';

/** What a policy makes of the resources of a review. */
export interface Mutated {
  readonly remarks: readonly Remark[];
  /** The resources that it changes, by their place among the review's changes. */
  readonly objects: readonly { readonly at: number; readonly object: Data }[];
}

/** Mutates every resource that the policy is about; where it cannot be done, a remark says why. */
export function mutate(compiled: CompiledPolicy, review: Review, listKeys: ListKeysOf): Mutated {
  const shared = sharedFacts(review);
  const budget = celBudget(MAX_STEPS);
  const remarks: Remark[] = [];
  const objects: { at: number; object: Data }[] = [];
  for (const [at, change] of review.changes.entries()) {
    if (change.object === null) continue;
    const subject = changeOf(change, review.namespaces);
    if (!(compiled.policy.match ?? []).every((match) => isMatch(match, subject))) continue;
    try {
      const outcome = mutateOne(compiled, { change, subject, shared, budget }, { review, listKeys });
      if ('faults' in outcome) remarks.push(...outcome.faults.map((fault) => ({ at, ...fault })));
      else if (!sameData(outcome.object, change.object)) objects.push({ at, object: outcome.object });
    } catch (error) {
      if (!(error instanceof CelCostError)) throw error;
      const message = `The policy was not applied from here on: ${error.message}. Make its expressions cheaper, or split the package.`;
      return { remarks: [...remarks, { at, kind: 'error', message }], objects };
    }
  }
  return { remarks, objects };
}

type Outcome =
  | { readonly object: Data }
  | { readonly faults: readonly { readonly kind: 'error'; readonly message: string }[] };

function mutateOne(
  compiled: CompiledPolicy,
  asked: Case,
  { review, listKeys }: { readonly review: Review; readonly listKeys: ListKeysOf },
): Outcome {
  const object = asked.change.object ?? {};
  const first = evaluationOf(compiled, asked);
  if (lacksNamespace(compiled, asked)) {
    const lacking = `the package does not hold the Namespace ${asked.subject.namespace}, whose fields the policy reads`;
    return { faults: first.onError('the policy', lacking) };
  }
  const stand = first.conditions();
  if (stand !== true) return stand === false ? { object } : { faults: stand };
  let now = object;
  for (const { kind, expression } of compiled.mutations) {
    // Each sees what the one before it left, and so do the variables.
    const change: Change = { ...asked.change, object: now };
    const evaluation = evaluationOf(compiled, {
      ...asked,
      change,
      subject: changeOf(change, review.namespaces),
    });
    try {
      const wanted = plain(evaluation.run(expression));
      now = kind === 'apply' ? applyConfiguration(now, wanted, listKeys) : patched(now, wanted);
      const other = renamed(object, now);
      if (other !== undefined) throw new Error(`a policy may not change ${other}`);
    } catch (error) {
      if (error instanceof CelCostError) throw error;
      return { faults: evaluation.onError(`the mutation ${oneLine(expression.text)}`, error) };
    }
  }
  return { object: now };
}

function patched(object: Data, operations: unknown): Data {
  const after = applyJsonPatch(object, operations);
  if (after === NOT_MEANT) return object;
  if (!isMap(after)) throw new Error('the patch leaves no resource');
  return after;
}

/** What says which resource it is, where a mutation has changed it. */
function renamed(before: Data, after: Data): string | undefined {
  const field = ['apiVersion', 'kind'].find((name) => before[name] !== after[name]);
  if (field !== undefined) return field;
  const [was, now] = [before['metadata'], after['metadata']].map((one) => (isMap(one) ? one : {}));
  const name = ['name', 'namespace'].find((one) => was?.[one] !== now?.[one]);
  return name === undefined ? undefined : `metadata.${name}`;
}

function lacksNamespace({ reads }: CompiledPolicy, { change, subject }: Case): boolean {
  return reads.has('namespaceObject') && (change.namespace ?? null) === null && subject.namespace !== '';
}

/** Data as YAML gives it. @throws Error for a value that no resource can hold, such as bytes or a type */
function plain(value: CelInput | CelValue): unknown {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new Error('it gives a number that is none');
  }
  if (isCelUint(value)) return plain(value.value);
  if (isCelList(value)) return [...value].map(plain);
  if (isCelMap(value)) {
    return Object.fromEntries(
      [...value].map(([key, inner]) => {
        if (typeof key !== 'string') throw new Error('it gives a map whose keys are no strings');
        return [key, plain(inner)];
      }),
    );
  }
  throw new Error('it gives a value that no resource can hold; for an optional one write `?field`');
}
