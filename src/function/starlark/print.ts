/** Values as text: `str` and `repr`. */
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { printFloat } from './number.ts';
import { MAX_DEPTH } from './order.ts';
import { quoteBytes, quoteText } from './text.ts';
import {
  Builtin,
  Bytes,
  Callable,
  Dict,
  Elements,
  List,
  Range,
  StarlarkSet,
  Tuple,
  typeOf,
} from './value.ts';
import type { Value } from './value.ts';

/** As `str`: strings as they are. */
export function printValue(value: Value, budget: Budget): string {
  return typeof value === 'string' ? value : quoteValue(value, budget);
}

/** As `repr`: strings quoted; a list or dict inside itself is shown as dots. */
export function quoteValue(value: Value, budget: Budget): string {
  const text = write(value, budget, []);
  budget.make(32);
  return text;
}

function write(value: Value, budget: Budget, path: Value[]): string {
  budget.work(2 + (path.length >> 3) + (typeof value === 'string' ? value.length : 0));
  const text = writeOne(value, budget, path);
  budget.write(text.length);
  if (typeof value === 'bigint') budget.work(text.length >> 3);
  return text;
}

function writeOne(value: Value, budget: Budget, path: Value[]): string {
  if (value === null) return 'None';
  switch (typeof value) {
    case 'boolean':
      return value ? 'True' : 'False';
    case 'bigint':
      return String(value);
    case 'number':
      return printFloat(value);
    case 'string':
      return quoteText(value);
    default:
  }
  if (value instanceof Bytes) return quoteBytes(value.data);
  if (value instanceof List)
    return path.includes(value) ? '[...]' : `[${inner(value, value.items, budget, path)}]`;
  if (value instanceof Tuple)
    return `(${inner(value, value.items, budget, path)}${value.items.length === 1 ? ',' : ''})`;
  if (value instanceof StarlarkSet) return `set([${inner(value, value.values(), budget, path)}])`;
  if (value instanceof Dict) {
    if (path.includes(value)) return '{...}';
    checkDepth(path);
    path.push(value);
    const entries = Array.from(
      value.pairs(),
      ([key, one]) => `${write(key, budget, path)}: ${write(one, budget, path)}`,
    );
    path.pop();
    return `{${entries.join(', ')}}`;
  }
  if (value instanceof Range) return rangeText(value);
  if (value instanceof Callable) return `<function ${value.name}>`;
  if (value instanceof Builtin) {
    if (value.receiver === undefined) return `<built-in function ${value.name}>`;
    return `<built-in method ${value.name} of ${typeOf(value.receiver)} value>`;
  }
  if (value instanceof Elements) return elementsText(value);
  if (value.type === 'module') return `<module ${quoteText(value.name)}>`;
  return `<${value.type} ${value.name}>`;
}

function inner(value: Value, items: readonly Value[], budget: Budget, path: Value[]): string {
  checkDepth(path);
  path.push(value);
  const text = items.map((item) => write(item, budget, path)).join(', ');
  path.pop();
  return text;
}

function checkDepth(path: readonly Value[]): void {
  if (path.length > MAX_DEPTH) throw fault('value is nested too deeply to be printed');
}

function rangeText({ start, stop, step }: Range): string {
  if (step !== 1) return `range(${start}, ${stop}, ${step})`;
  return start === 0 ? `range(${stop})` : `range(${start}, ${stop})`;
}

function elementsText({ text, type, ordinals }: Elements): string {
  const quoted = type === 'bytes.elems' ? quoteBytes(text) : quoteText(text);
  const method = type.slice(type.indexOf('.') + 1);
  const name =
    !ordinals || type === 'bytes.elems' ? method : method === 'elems' ? 'elem_ords' : 'codepoint_ords';
  return `${quoted}.${name}()`;
}
