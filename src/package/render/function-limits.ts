/** What a function may be given and may give back. */
import { PorticoError, type Refusal } from '../../error.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { isMap } from '../plain-values.ts';
import { pathOf } from './bookkeeping.ts';
import type { FunctionOutput, FunctionSpec, ResultItem } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';
import { sizeOf } from './value-size.ts';
import { MAX_RESOURCE_SIZE, MAX_RESOURCES_SIZE, MAX_RESULT_CHARACTERS } from './work-budget.ts';
import type { WorkBudget } from './work-budget.ts';

/** Steps that it takes to find out whether one resource is selected. */
export function selectorCost({ selectors = [], exclude = [] }: FunctionSpec): number {
  return selectors.length + exclude.length === 0 ? 0 : Math.ceil((sizeOf(selectors) + sizeOf(exclude)) / 4);
}

/** Sizes as they were after the last function: between two functions nobody changes a resource. */
const MEASURED = new WeakMap<KrmObject, number>();

function measured(item: KrmObject, most: number): number {
  const size = sizeOf(item, most);
  MEASURED.set(item, size);
  return size;
}

/** Counts one function and what it may be given; a failed run where the package has used up its budget. */
export function spendOn(
  spec: FunctionSpec,
  items: readonly KrmObject[],
  budget: WorkBudget,
): FunctionOutput | undefined {
  try {
    budget.spend('functions', 1);
    budget.spend('matching', selectorCost(spec) * items.length, 'selectors');
    for (const item of items) budget.spend('seen', MEASURED.get(item) ?? measured(item, Infinity));
    return undefined;
  } catch (error) {
    const { code, message, hint } = faultOf(error);
    return { exitCode: 1, results: [], refused: { code, message, hint } };
  }
}

/** Names the first resource that has grown past its limit, or the one at which all together do. */
export function sizeFault(items: readonly KrmObject[]): Refusal | undefined {
  let all = 0;
  for (const item of items) {
    try {
      const size = measured(item, MAX_RESOURCE_SIZE);
      all += size;
      if (size > MAX_RESOURCE_SIZE) return tooLarge(item, 'the resource', MAX_RESOURCE_SIZE);
    } catch (error) {
      return named(item, faultOf(error));
    }
    if (all > MAX_RESOURCES_SIZE) return tooLarge(item, 'all resources together', MAX_RESOURCES_SIZE);
  }
  return undefined;
}

/** Results are written to checks and comments, so that they are bounded as well. */
export function resultsFault(results: readonly ResultItem[]): Refusal | undefined {
  let characters = 0;
  for (const { message, field } of results) {
    characters += 64 + message.length + (field?.path.length ?? 0);
    if (characters <= MAX_RESULT_CHARACTERS) continue;
    return {
      code: 'RESULTS_TOO_LARGE',
      message: `The function's results have more than ${MAX_RESULT_CHARACTERS / 1024 / 1024} MiB.`,
      hint: 'Give it fewer resources or smaller values.',
    };
  }
  return undefined;
}

function tooLarge(item: KrmObject, what: string, most: number): Refusal {
  return named(item, {
    code: 'RESOURCE_TOO_LARGE',
    message: `The function made ${what} larger than ${most / 1024 / 1024} MiB.`,
    hint: 'Make it copy smaller values, or split the package.',
  });
}

function named(item: KrmObject, fault: Refusal): Refusal {
  const name = isMap(item['metadata']) ? item['metadata']['name'] : undefined;
  const resource = [item['kind'], name].filter((part) => typeof part === 'string').join(' ');
  return {
    ...fault,
    message: `${shortenValue(resource, 300)} (${shortenValue(pathOf(item) ?? '', 300)}): ${fault.message}`,
  };
}

function faultOf(error: unknown): Refusal {
  if (!(error instanceof PorticoError)) throw error;
  return { code: error.code, message: error.message, hint: error.hint ?? '' };
}
