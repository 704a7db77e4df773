/** list-setters v0.1 (krm-functions-catalog functions/go/list-setters/listsetters). */
import { isMap } from '../../package/plain-values.ts';
import { annotationOf, PACKAGE_PATH, pathOf } from '../../package/render/bookkeeping.ts';
import { isContainer, noteOf, textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { frameworkFailure, kindOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { deriveSetters, listComment, readList, setterPattern, settersIn } from './setter-comment.ts';
import { setterValues } from './setter-values.ts';
import { walkFields } from './walk-fields.ts';

export const listSetters: BuiltinFunction = {
  name: 'list-setters',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'validator',
  summary: 'reports setters, with value, type and count',
  config: ['none'],
  fields: 'none',
  idempotent: 'yes',
};

interface Setter {
  value: string;
  type: string;
  count: number;
}

/** Reports the setters of a package: those that its Kptfile gives and those in comments. Changes nothing. */
function run(input: BuiltinInput): BuiltinOutput {
  const setters = new Map<string, Setter>();
  const kptfile = input.items.find(
    (item) => kindOf(item) === 'Kptfile' && (annotationOf(item, PACKAGE_PATH) ?? '.') === '.',
  );
  if (kptfile !== undefined) {
    const problem = seed(kptfile, input.items, setters);
    if (problem !== undefined) return frameworkFailure(`failed to list setters: ${problem}`);
  }
  for (const item of input.items) collect(item, setters);
  const results = [...setters.keys()].sort().map((name) => {
    const setter = setters.get(name);
    return {
      message: `Name: ${name}, Value: ${setter?.value}, Type: ${setter?.type}, Count: ${setter?.count}`,
    };
  });
  if (results.length > 0) return { items: input.items, results };
  return { items: input.items, results: [{ message: 'no setters found', severity: 'warning' }] };
}

/** Setters that the Kptfile's apply-setters get, whether or not a comment names them. */
function seed(
  kptfile: KrmObject,
  items: readonly KrmObject[],
  setters: Map<string, Setter>,
): string | undefined {
  const pipeline = kptfile['pipeline'] ?? {};
  const mutators = isMap(pipeline) ? (pipeline['mutators'] ?? []) : undefined;
  if (!Array.isArray(mutators)) return 'unable to read Kptfile: `pipeline.mutators` is not a list';
  for (const mutator of mutators.filter(isMap)) {
    if (!String(mutator['image']).includes('apply-setters')) continue;
    const path = mutator['configPath'];
    const config =
      typeof path === 'string' ? items.find((item) => pathOf(item) === path) : { data: mutator['configMap'] };
    for (const [name, value] of setterValues(config)) setters.set(name, { ...seeded(value), count: 0 });
  }
  return undefined;
}

function seeded(value: string): Pick<Setter, 'value' | 'type'> {
  const list = /^\s*(?:\[|-\s)/.test(value) ? readList(value) : undefined;
  return list === undefined ? { value, type: typeOf(value) } : { value: printList(list), type: 'array' };
}

function collect(item: KrmObject, setters: Map<string, Setter>): void {
  walkFields(item, {
    list: ({ container, key, value }) => {
      const pattern = setterPattern(listComment(noteOf(container, key)));
      const [name] = settersIn(pattern ?? '');
      if (name !== undefined && pattern === `\${${name}}`)
        add(setters, name, printList(value, true), 'array');
    },
    scalar: ({ container, key }) => {
      const pattern = setterPattern(noteOf(container, key).comment);
      const value = textOf(container, key);
      if (pattern === undefined || value === undefined) return;
      for (const [name, found] of deriveSetters(pattern, value)) {
        // Only a setter that is the whole value has the value's own type.
        const quoted = noteOf(container, key).style !== undefined;
        add(setters, name, found, pattern === `\${${name}}` && !quoted ? typeOf(found) : 'str');
      }
    },
  });
}

/** The first value counts; its type gives way to a better one than string. */
function add(setters: Map<string, Setter>, name: string, value: string, type: string): void {
  const known = setters.get(name);
  if (known === undefined) setters.set(name, { value, type, count: 1 });
  else {
    known.count += 1;
    if (known.type === 'str') known.type = type;
  }
}

/** Lists in resources are reported sorted, those of the Kptfile as they are. */
function printList(list: unknown[], sorted = false): string {
  const texts = list.map((item, at) => (isContainer(item) ? JSON.stringify(item) : (textOf(list, at) ?? '')));
  return `[${(sorted ? texts.sort() : texts).join(', ')}]`;
}

function typeOf(text: string): string {
  if (/^[-+]?\d+$/.test(text)) return 'int';
  if (/^[-+]?(?:\.\d+|\d+\.\d*)(?:[eE][-+]?\d+)?$/.test(text)) return 'float';
  return /^(?:true|false)$/i.test(text) ? 'bool' : 'str';
}
