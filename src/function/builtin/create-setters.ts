/** create-setters v0.1 (krm-functions-catalog functions/go/create-setters/createsetters). */
import { isContainer, noteOf, setNote, textOf } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { WorkBudget } from '../../package/render/work-budget.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { pathOnly, frameworkFailure } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { readList } from './setter-comment.ts';
import { setterValues } from './setter-values.ts';
import { walkFields } from './walk-fields.ts';
import type { Field } from './walk-fields.ts';

export const createSetters: BuiltinFunction = {
  name: 'create-setters',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'mutator',
  summary: 'adds such comments to fields that hold a given value',
  config: ['ConfigMap'],
  fields: 'comments',
  idempotent: 'yes',
};

/** Adds setter comments to fields whose value holds a setter's value. Results: one for each comment. */
function run(input: BuiltinInput): BuiltinOutput {
  const setters = readSetters(setterValues(input.functionConfig));
  const { budget } = input;
  if (setters.scalars.length === 0 && setters.lists.length === 0) {
    return frameworkFailure('failed to create setters: config map cannot be empty');
  }
  const results: ResultItem[] = [];
  for (const item of input.items) {
    const done = (field: Field, comment: string, value: string): void => {
      const message = `Added line comment "${comment}" for field with value "${value}"`;
      results.push({ message, field: { path: field.path }, ...pathOnly(item) });
    };
    walkFields(item, {
      list: (field) => commentList(field, setters, budget, done),
      scalar: (field) => commentScalar(field, setters, budget, done),
    });
  }
  if (results.length === 0) {
    return {
      items: input.items,
      results: [{ message: 'no matches for the input list of setters', severity: 'warning' }],
    };
  }
  return { items: input.items, results };
}

interface Setters {
  /** Longest value first. */
  readonly scalars: readonly { readonly name: string; readonly value: string }[];
  readonly lists: readonly { readonly name: string; readonly values: readonly string[] }[];
}

function readSetters(given: ReadonlyMap<string, string>): Setters {
  const scalars: { name: string; value: string }[] = [];
  const lists: { name: string; values: string[] }[] = [];
  for (const [name, value] of given) {
    const list = /^\s*(?:\[|-\s)/.test(value) ? readList(value) : undefined;
    if (list !== undefined) lists.push({ name, values: scalarsOf(list) });
    else if (value !== '') scalars.push({ name, value });
  }
  scalars.sort((a, b) => b.value.length - a.value.length);
  return { scalars, lists };
}

function scalarsOf(list: unknown[]): string[] {
  return list.map((_, at) => textOf(list, at) ?? '').sort();
}

type Done = (field: Field, comment: string, value: string) => void;

function commentScalar(field: Field, { scalars }: Setters, budget: WorkBudget, done: Done): void {
  const { container, key } = field;
  const value = textOf(container, key);
  if (value === undefined || field.value === null || value.includes('\n')) return;
  const pattern = replaceAll(value, scalars, budget);
  if (pattern === value) return;
  const comment = `kpt-set: ${pattern}`;
  setNote(container, key, { comment });
  done(field, comment, value);
}

/** One pass from the left; at each place the first setter that fits is taken, as Go's strings.Replacer does. */
function replaceAll(value: string, scalars: Setters['scalars'], budget: WorkBudget): string {
  budget.spend('matching', value.length * scalars.length, 'create-setters');
  let out = '';
  for (let at = 0; at < value.length;) {
    const setter = scalars.find((one) => value.startsWith(one.value, at));
    out += setter === undefined ? (value[at] ?? '') : `\${${setter.name}}`;
    at += setter?.value.length ?? 1;
  }
  return out;
}

function commentList(
  field: Field & { readonly value: unknown[] },
  { scalars, lists }: Setters,
  budget: WorkBudget,
  done: Done,
): void {
  const { container, key, value } = field;
  if (value.some(isContainer)) return;
  const texts = scalarsOf(value);
  budget.spend('matching', lists.length, 'create-setters');
  const match = lists.findLast(
    ({ values }) => values.length === texts.length && values.every((text, at) => text === texts[at]),
  );
  const flow = noteOf(container, key).style === 'flow';
  if (match !== undefined) {
    const comment = `kpt-set: \${${match.name}}`;
    if (value.length === 0) setNote(container, key, { comment });
    else setNote(container, key, { style: undefined, keyComment: comment, comment: undefined });
    done(field, comment, `[${value.map((_, at) => textOf(value, at) ?? '').join(', ')}]`);
  } else if (flow && texts.some((text) => replaceAll(text, scalars, budget) !== text)) {
    setNote(container, key, {
      style: undefined,
      keyComment: noteOf(container, key).comment,
      comment: undefined,
    });
  }
}
