/** The parameters of ready-made policies: defaults filled in, mistakes told. */
import type { ParamType, ReadyPolicy } from '../cel/policies/ready-policy.ts';
import { closestWord } from '../package/closest-word.ts';

type Params = Readonly<Record<string, unknown>>;

/** True for what JSON can say: `.nan` and `.inf` it cannot, and digests are made of it. */
export function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || Object.values(value).every(isJson);
    default:
      return false;
  }
}

/** All params of a policy, with defaults for those that are not given. */
export function filledParams(policy: ReadyPolicy, given: Params): Record<string, unknown> {
  const defaults = Object.entries(policy.params).map(([name, { default: value }]) => [name, value ?? null]);
  return { ...Object.fromEntries(defaults), ...given };
}

/** What is wrong with the params that a guardrail gives; `param` is absent where one is missing. */
export function paramProblems(
  policy: ReadyPolicy,
  given: Params,
): { readonly param?: string; readonly message: string }[] {
  const known = Object.keys(policy.params);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const wrong = Object.entries(policy.params).flatMap(([name, { type, required }]) => {
    const value = given[name];
    if (value === undefined) return required === true ? [{ message: `needs the param ${name}` }] : [];
    return IS[type](value) ? [] : [{ param: name, message: `must be ${WORDS[type]}` }];
  });
  return [
    ...unknown.map((param) => {
      const near = closestWord(param, known);
      const hint = near === undefined ? `params here: ${known.join(', ') || 'none'}` : `did you mean ${near}`;
      return { param, message: `is not a param of ${policy.name}; ${hint}` };
    }),
    ...wrong,
  ];
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const IS: Readonly<Record<ParamType, (value: unknown) => boolean>> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every(isText),
  number: (value) => typeof value === 'number' && Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  'map of texts': (value) => isMap(value) && Object.values(value).every(isText),
};

const WORDS: Readonly<Record<ParamType, string>> = {
  text: 'a string',
  texts: 'a list of strings',
  number: 'a whole number',
  boolean: 'true or false',
  'map of texts': 'a map of strings',
};
