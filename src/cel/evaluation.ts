/** Evaluating the expressions of a policy for one resource: what they see, what an error in them means, what they cost. */
import { celError, type CelInput, type CelResult, type CelValue } from '@bufbuild/cel';

import { shorten } from '../text/cut-text.ts';
import type { Expression } from './compile.ts';
import { toCelInput } from './data.ts';
import type { Subject } from './match.ts';
import type { CompiledPolicy } from './policy.ts';
import { changeOf, facts, type Change, type Review } from './review.ts';
import { CelCostError, within, work, type CelBudget } from './work.ts';

/**
 * Steps of all expressions of one policy over all resources of one package: about two seconds of a processor. The
 * heaviest of the ready-made policies takes some hundred a resource.
 */
export const MAX_STEPS = 10_000_000;

/** One resource, and what all resources of the review share. */
export interface Case {
  readonly change: Change;
  readonly subject: Subject;
  readonly shared: Readonly<Record<string, CelInput>>;
  readonly budget: CelBudget;
}

interface Fault {
  readonly kind: 'error';
  readonly message: string;
}

export interface Evaluation {
  /** @throws CelCostError, and what CEL calls an error */
  readonly run: (expression: Expression) => CelValue;
  /** Whether the policy is about the resource, or why that is not known. */
  readonly conditions: () => boolean | Fault[];
  /** What an expression that cannot be evaluated means. */
  readonly onError: (what: string, error: unknown) => Fault[];
}

/** The variables that are the same for every resource of a package. */
export function sharedFacts({ params, package: facts, resources }: Review): Record<string, CelInput> {
  return {
    params: toCelInput(params ?? null),
    package: toCelInput(facts),
    ...(resources && { resources: toCelInput(resources) }),
  };
}

/** What stands for the resource where the package is judged as a whole. */
export function packageCase({ namespaces }: Review): { readonly change: Change; readonly subject: Subject } {
  const change = { object: null, oldObject: null };
  return { change, subject: changeOf(change, namespaces) };
}

export function evaluationOf(
  compiled: CompiledPolicy,
  { change, subject, shared, budget }: Case,
): Evaluation {
  const { policy } = compiled;
  const variables = withComputed({ ...facts(change, subject), ...shared }, compiled);
  const onError: Evaluation['onError'] = (what, error) => {
    if (policy.onError === 'ignore') return [];
    return [{ kind: 'error', message: `${what} could not be evaluated: ${textOf(error)}` }];
  };
  const run: Evaluation['run'] = (expression) =>
    within(budget, () => {
      work(1);
      return expression.evaluate(variables);
    });
  function conditions(): boolean | Fault[] {
    const failed: Fault[] = [];
    for (const { name, expression } of compiled.conditions) {
      try {
        if (run(expression) !== true) return false;
      } catch (error) {
        if (error instanceof CelCostError) throw error;
        failed.push(...onError(`the condition ${name}`, error));
        if (policy.onError === 'ignore') return false;
      }
    }
    // A condition that is false wins over one that cannot be evaluated.
    return failed.length === 0 || failed;
  }
  return { run, conditions, onError };
}

/** `variables.<name>` are evaluated when they are first read, once a resource. */
function withComputed(
  values: Readonly<Record<string, CelInput>>,
  { variables }: CompiledPolicy,
): Record<string, CelInput> {
  const all: Record<string, CelInput> = { ...values };
  for (const { name, expression } of variables) {
    let known: CelResult<CelInput> | undefined;
    Object.defineProperty(all, `variables.${name}`, {
      enumerable: false,
      get: () => {
        if (known !== undefined) return known;
        try {
          known = expression.evaluate(all);
        } catch (error) {
          // An error is a value too: `true || variables.broken` is true.
          known = celError(`variables.${name}: ${textOf(error)}`);
        }
        return known;
      },
    });
  }
  return all;
}

/** A text on one line, shortened to be quoted. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return shorten(line, 200);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
