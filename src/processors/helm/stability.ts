/**
 * Charts that do not come out the same each time: random values, keys made anew, the time. What is reviewed must be what is
 * applied, so they are refused, with the templates that do it.
 */
import type { Refusal } from '../../error.ts';
import type { Tree } from '../../package/tree-digest.ts';
import { refuse } from '../processor-step.ts';
import { calledObject, type RenderedObject } from '../rendered-objects.ts';
import { templatesOf } from './chart.ts';
import { templateCalls } from './template-calls.ts';

/** A day long ago, as an expression of a template. */
const ANOTHER_DAY = '(toDate "2006-01-02" "1999-12-31")';

/** What one run came to, without what is left out of it anyway. */
interface Outcome {
  readonly objects: readonly RenderedObject[];
}

/** Why the outcome of two runs is no result; undefined where they are equal. */
export function difference(first: Outcome, second: Outcome, because: string): Refusal | undefined {
  const [a, b] = [first.objects, second.objects];
  if (a.length === b.length && a.every(({ text }, at) => text === b[at]?.text)) return undefined;
  const places = differing(a, b);
  const shown = places.slice(0, 10).join('; ');
  const more = places.length > 10 ? `; and ${places.length - 10} more` : '';
  const message = `the chart does not come out the same each time (${because}): ${shown}${more}`;
  const hint =
    'Set the value in a values file, name an existing Secret, or exclude the template: the reviewed content ' +
    'must equal what is applied.';
  return refuse('CHART_UNSTABLE', message, hint).refused;
}

function differing(a: readonly RenderedObject[], b: readonly RenderedObject[]): readonly string[] {
  const texts = new Map(b.map((object) => [keyOf(object), object.text]));
  const places = a.filter((object) => texts.get(keyOf(object)) !== object.text).map(place);
  const known = new Set(a.map(keyOf));
  const fresh = b.filter((object) => !known.has(keyOf(object))).map(place);
  const all = [...new Set([...places, ...fresh])];
  return all.length === 0 ? ['its order of templates'] : all;
}

function keyOf({ source, value }: RenderedObject): string {
  return `${source}\n${calledObject(value)}`;
}

function place({ source, value }: RenderedObject): string {
  return source === '' ? calledObject(value) : `${source} (${calledObject(value)})`;
}

/**
 * The chart on another day: where templates ask for the time, a fixed one stands in its place. Two runs one after the other
 * are of the same day, and would not tell. Undefined where nothing asks.
 */
export function onAnotherDay(files: Tree): Tree | undefined {
  const changed = templatesOf(files).flatMap(([path, text]) => {
    const calls = templateCalls(text).filter(({ name }) => name === 'now');
    if (calls.length === 0) return [];
    let shifted = '';
    let at = 0;
    for (const { start, end } of calls) {
      shifted += `${text.slice(at, start)}${ANOTHER_DAY}`;
      at = end;
    }
    return [[path, new TextEncoder().encode(shifted + text.slice(at))] as const];
  });
  return changed.length === 0 ? undefined : new Map([...files, ...changed]);
}
