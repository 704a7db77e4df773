/** apply-setters v0.1 and v0.2 (krm-functions-catalog functions/go/apply-setters/applysetters). */
import { noteOf, sameValue, setField, setNote, setText, textOf } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import { keepNotes } from '../../package/render/keep-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { WorkBudget } from '../../package/render/work-budget.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import { pathOnly, frameworkFailure } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import {
  deriveSetters,
  fillPattern,
  isSettled,
  listComment,
  readList,
  setterPattern,
  settersIn,
} from './setter-comment.ts';
import { setterValues } from './setter-values.ts';
import { walkFields } from './walk-fields.ts';
import type { Field } from './walk-fields.ts';

export const applySetters: BuiltinFunction = {
  name: 'apply-setters',
  versions: [
    { major: 0, minor: 1, patch: 9, run },
    { major: 0, minor: 2, patch: 9, run, each: applySettersEach },
  ],
  type: 'mutator',
  summary: 'sets the fields whose comment `# kpt-set: ${name}` names a given setter',
  config: ['ConfigMap'],
  fields: 'fields with such a comment',
  idempotent: 'yes',
};

/** Sets the fields whose comment names one of the given setters. Results: one for each field that was set. */
function run(input: BuiltinInput): BuiltinOutput {
  const setters = setterValues(input.functionConfig);
  const { budget } = input;
  const results: ResultItem[] = [];
  for (const item of input.items) {
    const problem = setItem(item, { setters, budget }, results);
    if (problem !== undefined) return frameworkFailure(`failed to apply setters: ${problem}`);
  }
  if (results.length > 0) return { items: input.items, results };
  if (input.version === 'v0.1') return frameworkFailure(`failed to apply setters: ${NO_MATCHES}`);
  return { items: input.items, results: [{ message: NO_MATCHES }] };
}

/** The same, one resource at a time. */
function applySettersEach({
  functionConfig,
  version,
  budget,
}: Omit<BuiltinInput, 'items'>): Each | undefined {
  if (version === 'v0.1') return undefined;
  const setters = setterValues(functionConfig);
  return each({
    apply: (item) => {
      const results: ResultItem[] = [];
      return setItem(item, { setters, budget }, results) === undefined ? results : undefined;
    },
    finish: (all) => (all.some(({ length }) => length > 0) ? all.flat() : [{ message: NO_MATCHES }]),
  });
}

const NO_MATCHES = 'no matches for input setter(s)';

/** Sets one resource's fields; what went wrong, if anything. */
interface Given {
  readonly setters: ReadonlyMap<string, string>;
  readonly budget: WorkBudget;
}

function setItem(item: KrmObject, given: Given, results: ResultItem[]): string | undefined {
  let problem: string | undefined;
  const done = (field: Field, value: string): void => {
    results.push({
      message: `set field value to ${JSON.stringify(value)}`,
      field: { path: field.path },
      ...pathOnly(item),
    });
  };
  walkFields(item, {
    list: (field) => {
      problem ??= setList(field, given, done);
    },
    scalar: (field) => {
      problem ??= setScalar(field, given, done);
    },
  });
  return problem;
}

type Done = (field: Field, value: string) => void;

function setScalar(field: Field, { setters, budget }: Given, done: Done): string | undefined {
  const { container, key } = field;
  const pattern = setterPattern(noteOf(container, key).comment);
  if (pattern === undefined || field.value === null) return undefined;
  const names = settersIn(pattern);
  if (!names.some((name) => setters.has(name))) return undefined;
  const old = textOf(container, key) ?? '';
  if (isSettled(pattern, old, setters)) {
    done(field, old);
    return undefined;
  }
  const derived = deriveSetters(pattern, old);
  const value = fillPattern(pattern, (name) => {
    const put = setters.get(name) ?? derived.get(name);
    budget.spend('copied', put?.length ?? 0, 'apply-setters');
    return put;
  });
  const missing = settersIn(value);
  if (missing.length > 0) {
    return `values for setters [${missing.map((name) => `\${${name}}`).join(' ')}] must be provided`;
  }
  done(field, value);
  if (value === old) return undefined;
  if (value === '') setNote(container, key, { style: 'double' });
  setText(container, key, value);
  return undefined;
}

function setList(
  field: Field & { readonly value: unknown[] },
  { setters, budget }: Given,
  done: Done,
): string | undefined {
  const { container, key } = field;
  const comment = listComment(noteOf(container, key));
  const pattern = setterPattern(comment);
  if (pattern === undefined) return undefined;
  const [name, ...others] = settersIn(pattern);
  if (name === undefined || ![name, ...others].some((one) => setters.has(one))) return undefined;
  if (pattern !== `\${${name}}`) return `invalid setter pattern for array node: "${pattern}"`;
  const given = setters.get(name) ?? '';
  if (given === '') {
    done(field, given);
    setField(container, key, []);
    setNote(container, key, { style: 'flow', comment, keyComment: undefined });
    return undefined;
  }
  // A list is read anew for each field that takes it.
  budget.spend('copied', given.length, 'apply-setters');
  const list = readList(given);
  if (list === undefined) return `input to array setter must be an array of values, but found "${given}"`;
  done(field, given);
  if (sameValue(field.value, list, false)) return undefined;
  keepNotes(field.value, list);
  setField(container, key, list);
  if (list.length === 0) setNote(container, key, { style: 'flow', comment, keyComment: undefined });
  else setNote(container, key, { style: undefined, comment: undefined, keyComment: comment });
  return undefined;
}
