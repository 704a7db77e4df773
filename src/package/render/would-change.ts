/** What a mutator that is not enforced would do, as findings on the fields that it would write. */
import { counted } from '../../text/counted.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { isMap } from '../plain-values.ts';
import { formatPath } from '../yaml/path.ts';
import { annotationOf, ID, indexOf, isBookkeeping, pathOf } from './bookkeeping.ts';
import { sameValue, textOf } from './field-notes.ts';
import type { ResultItem } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';

/** More are counted. */
const MAX_COUNT = 200;

type Path = readonly (string | number)[];

/** Warnings, one for each field; a whole list counts as one where items come or go. Empty where nothing would change. */
export function wouldChange(before: readonly KrmObject[], after: readonly KrmObject[]): ResultItem[] {
  const old = new Map(before.map((item) => [annotationOf(item, ID), item]));
  const kept = new Set(after.map((item) => annotationOf(item, ID)));
  const results = [
    ...after.flatMap((item) => {
      const id = annotationOf(item, ID);
      const was = id === undefined ? undefined : old.get(id);
      if (was === undefined) return [wouldResult(item, 'add this resource')];
      return sameValue(was, item) ? [] : changesOf(was, item);
    }),
    ...before.flatMap((item) =>
      kept.has(annotationOf(item, ID)) ? [] : [wouldResult(item, 'remove this resource')],
    ),
  ];
  if (results.length <= MAX_COUNT) return results;
  const message = `This guardrail would change ${counted(results.length - MAX_COUNT, 'more field')}.`;
  return [...results.slice(0, MAX_COUNT), { message, severity: 'warning' }];
}

function changesOf(was: KrmObject, item: KrmObject): ResultItem[] {
  const results: ResultItem[] = [];
  compare(was, item, [], (path, current, proposed) => {
    const name = formatPath(path);
    const what = proposed === undefined ? `remove ${name}` : `set ${name} to ${shown(proposed)}`;
    const values = {
      ...(current !== undefined && { currentValue: current }),
      ...(proposed !== undefined && { proposedValue: proposed }),
    };
    results.push({ ...wouldResult(was, what), field: { path: name, ...values } });
  });
  return results.length > 0 ? results : [wouldResult(was, 'write this resource in another way')];
}

function compare(
  was: unknown,
  is: unknown,
  path: Path,
  tell: (path: Path, current: unknown, proposed: unknown) => void,
): void {
  if (isMap(was) && isMap(is)) {
    const inAnnotations = path.length === 2 && path[0] === 'metadata' && path[1] === 'annotations';
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (inAnnotations && isBookkeeping(key)) continue;
      compare(was[key], is[key], [...path, key], tell);
    }
    return;
  }
  if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    for (const [at, one] of was.entries()) compare(one, is[at], [...path, at], tell);
    return;
  }
  if (!sameValue(was, is, false)) tell(path, was, is);
}

function wouldResult(item: KrmObject, what: string): ResultItem {
  const path = pathOf(item);
  const index = indexOf(item);
  const { metadata } = item;
  const [name, namespace] = isMap(metadata)
    ? [textOf(metadata, 'name'), textOf(metadata, 'namespace')]
    : [undefined, undefined];
  return {
    message: `This guardrail would ${what}.`,
    severity: 'warning',
    resourceRef: {
      apiVersion: textOf(item, 'apiVersion') ?? '',
      kind: textOf(item, 'kind') ?? '',
      name: name ?? '',
      ...(namespace !== undefined && { namespace }),
    },
    ...(path !== undefined && { file: { path, ...(index !== undefined && { index }) } }),
  };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
  return shortenValue(text, 100);
}
