import { kubeconform } from '../../../src/function/builtin/check-schemas.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { readResources } from '../../../src/package/render/read-resources.ts';
import { WorkBudget } from '../../../src/package/render/work-budget.ts';

interface Options {
  readonly strict?: boolean;
  /** Resources that are in the list too. */
  readonly beside?: readonly KrmObject[];
  /** Definitions from elsewhere. */
  readonly definitions?: readonly KrmObject[];
}

/** What kubeconform says about the resources in a text, as `path: message`. */
export function check(text: string, options: Options = {}): string[] {
  return readResources('in.yaml', text).documents.flatMap(({ value }) => check.value(value, options));
}

check.value = (value: KrmObject, { strict = true, beside = [], definitions = [] }: Options = {}): string[] =>
  kubeconform({
    items: [...beside, value],
    definitions,
    functionConfig: { data: { strict: String(strict) } },
    version: 'v0.1',
    budget: new WorkBudget(),
  }).results.map(({ field, message }) => (field === undefined ? message : `${field.path}: ${message}`));

check.read = (text: string): KrmObject => readResources('in.yaml', text).documents[0]!.value;
