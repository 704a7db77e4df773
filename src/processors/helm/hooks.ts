/**
 * What becomes of a chart's hooks in rendered resources, where nothing runs at a moment of an installation. Tests are left
 * out; CRDs are no hooks any more; the others are left out or kept as ordinary resources, as the package says.
 */
import { mapAt, textAt } from '../../bundle/manifest.ts';
import { calledObject, type RenderedObject } from '../rendered-objects.ts';

export interface WithoutHooks {
  readonly objects: readonly RenderedObject[];
  readonly notes: readonly string[];
}

const TESTS = new Set(['test', 'test-success', 'test-failure']);

export function sortHooks(all: readonly RenderedObject[], rule: 'leave-out' | 'keep'): WithoutHooks {
  const objects: RenderedObject[] = [];
  const notes: string[] = [];
  for (const object of all) {
    const events = eventsOf(object);
    const called = calledObject(object.value);
    const named = `${called} is a hook (${events.join(', ')})`;
    if (events.length === 0) objects.push(object);
    else if (events.every((event) => TESTS.has(event))) {
      notes.push(`${called} is a test of the chart and is skipped`);
    } else if (events.includes('crd-install')) objects.push(object);
    else if (rule === 'keep') {
      objects.push(object);
      notes.push(`${named} and is kept as an ordinary resource`);
    } else notes.push(`${named} and is skipped`);
  }
  return { objects, notes };
}

function eventsOf({ value }: RenderedObject): readonly string[] {
  const hook = textAt(mapAt(mapAt(value, 'metadata'), 'annotations'), 'helm.sh/hook');
  return hook
    .split(',')
    .map((event) => event.trim())
    .filter((event) => event !== '');
}
