/** JSON Patch (RFC 6902) and JSON Pointer (RFC 6901) over data. */
import { isMap, sameData } from './apply-configuration.ts';
import type { Data } from './review.ts';

/** Operations of one patch. */
const MAX_OPERATIONS = 1000;

/** Said where a `test` does not hold: then the patch changes nothing, and that is no fault. */
export const NOT_MEANT = Symbol('a test of the patch does not hold');

/** @throws Error with a sentence for an operation that is none, or whose place is not there */
export function applyJsonPatch(object: Data, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw new Error('the expression does not build a list of JSONPatch');
  if (operations.length > MAX_OPERATIONS)
    throw new Error(`the patch has more than ${MAX_OPERATIONS} operations`);
  let here: unknown = structuredClone(object);
  for (const operation of operations) {
    const { op, path, from, value } = readOperation(operation);
    switch (op) {
      case 'add':
        here = put(here, path, given(value, op), 'add');
        break;
      case 'replace':
        find(here, path);
        here = put(here, path, given(value, op), 'replace');
        break;
      case 'remove':
        here = removed(here, path);
        break;
      case 'copy':
        here = put(here, path, structuredClone(find(here, named(from, op))), 'add');
        break;
      case 'move': {
        const source = named(from, op);
        if (path.startsWith(`${source}/`)) throw new Error(`${source} cannot be moved into itself`);
        const moved = find(here, source);
        here = put(removed(here, source), path, moved, 'add');
        break;
      }
      case 'test':
        if (!holds(here, path, given(value, op))) return NOT_MEANT;
        break;
      default:
        throw new Error(`a JSON patch has no operation ${JSON.stringify(op).slice(0, 50)}`);
    }
  }
  return here;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string | undefined;
  readonly value: unknown;
}

function readOperation(operation: unknown): Operation {
  const { op, path, from, value } = isMap(operation) ? operation : {};
  if (typeof op !== 'string') throw new Error('an operation of the patch has no op');
  if (typeof path !== 'string') throw new Error(`${op} of the patch has no path`);
  return { op, path, from: typeof from === 'string' ? from : undefined, value };
}

function given(value: unknown, op: string): unknown {
  if (value === undefined) throw new Error(`${op} of the patch has no value`);
  return structuredClone(value);
}

function named(from: string | undefined, op: string): string {
  if (from === undefined) throw new Error(`${op} of the patch has no from`);
  return from;
}

function holds(here: unknown, path: string, value: unknown): boolean {
  try {
    return sameData(find(here, path), value);
  } catch {
    return value === null;
  }
}

function stepsOf(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new Error(`the path ${path} does not begin with /`);
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function find(here: unknown, path: string): unknown {
  let value = here;
  for (const step of stepsOf(path)) value = inside(value, step, path);
  return value;
}

function inside(value: unknown, step: string, path: string): unknown {
  if (Array.isArray(value)) return value[placeIn(step, path, value.length - 1)];
  if (isMap(value) && Object.hasOwn(value, step)) return value[step];
  throw new Error(`there is no ${path}`);
}

/** The value that is changed is the copy that the patch works on. */
function put(here: unknown, path: string, value: unknown, how: 'add' | 'replace'): unknown {
  const steps = stepsOf(path);
  const last = steps.pop();
  if (last === undefined) return value;
  let container = here;
  for (const step of steps) container = inside(container, step, path);
  if (Array.isArray(container)) {
    if (how === 'replace') container[placeIn(last, path, container.length - 1)] = value;
    else if (last === '-') container.push(value);
    else container.splice(placeIn(last, path, container.length), 0, value);
  } else if (isMap(container)) {
    Object.defineProperty(container, last, { value, enumerable: true, writable: true, configurable: true });
  } else throw new Error(`there is no place for ${path}`);
  return here;
}

function removed(here: unknown, path: string): unknown {
  const steps = stepsOf(path);
  const last = steps.pop();
  if (last === undefined) throw new Error('a patch cannot remove the whole resource');
  let container = here;
  for (const step of steps) container = inside(container, step, path);
  inside(container, last, path);
  if (Array.isArray(container)) container.splice(Number(last), 1);
  else Reflect.deleteProperty(container as object, last);
  return here;
}

function placeIn(step: string, path: string, highest: number): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(step) || Number(step) > highest) throw new Error(`there is no ${path}`);
  return Number(step);
}
