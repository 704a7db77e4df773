import { SIZE, type Budget } from './budget.ts';
import { fault } from './fault.ts';
import { quoteValue } from './print.ts';
import { Bytes, Dict, List, Range, Tuple, typeOf, weightOf } from './value.ts';
import type { Value } from './value.ts';

type Sequence = List | Tuple | string | Bytes | Range;

function isSequence(value: Value): value is Sequence {
  return (
    typeof value === 'string' ||
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Bytes ||
    value instanceof Range
  );
}

function textOf(value: string | Bytes): string {
  return value instanceof Bytes ? value.data : value;
}

function sizeOf(value: Sequence): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Bytes) return value.data.length;
  return value instanceof Range ? value.length : value.items.length;
}

/** `object[index]`. @throws PorticoError for a key or position that is not there */
export function getItem(object: Value, index: Value, budget: Budget): Value {
  if (object instanceof Dict) {
    budget.work(weightOf(index) - 1);
    const value = object.get(index);
    if (value === undefined) throw fault(`key ${quoteValue(index, budget)} not in dict`);
    return value;
  }
  if (!isSequence(object)) throw fault(`unhandled index operation ${typeOf(object)}[${typeOf(index)}]`);
  const at = positionIn(object, index, sizeOf(object));
  if (typeof object === 'string') return object[at] ?? '';
  if (object instanceof Bytes) return BigInt(object.data.charCodeAt(at));
  return object instanceof Range ? object.at(at) : (object.items[at] ?? null);
}

/** `object[index] = value`. */
export function setItem(object: Value, index: Value, value: Value, budget: Budget): void {
  if (object instanceof Dict) {
    budget.make(SIZE.entry);
    budget.work(weightOf(index) - 1);
    object.set(index, value);
  } else if (object instanceof List) {
    const at = positionIn(object, index, object.items.length);
    object.checkMutable('assign to element of');
    object.items[at] = value;
  } else {
    throw fault(`${typeOf(object)} value does not support item assignment`);
  }
}

function positionIn(object: Value, index: Value, size: number): number {
  if (typeof index !== 'bigint') throw fault(`${typeOf(object)} index: got ${typeOf(index)}, want int`);
  const at = Number(index < 0n ? index + BigInt(size) : index);
  if (at >= 0 && at < size) return at;
  if (size === 0) throw fault(`index ${index} out of range: empty ${typeOf(object)}`);
  throw fault(`${typeOf(object)} index ${index} out of range [${-size}:${size - 1}]`);
}

/** `object[low:high:step]`; `None` stands for a bound that is not given. */
export function slice({
  object,
  low,
  high,
  step,
  budget,
}: {
  readonly object: Value;
  readonly low: Value;
  readonly high: Value;
  readonly step: Value;
  readonly budget: Budget;
}): Value {
  if (!isSequence(object)) throw fault(`invalid slice operand ${typeOf(object)}`);
  const size = sizeOf(object);
  const stride = step === null ? 1 : asBound(step, 'step');
  if (stride === 0) throw fault('zero is not a valid slice step');
  const [first, last] = stride > 0 ? [0, size] : [-1, size - 1];
  const clamp = (value: Value, what: string, fallback: number): number => {
    if (value === null) return fallback;
    const at = asBound(value, what);
    return Math.min(Math.max(at < 0 ? at + size : at, first), last);
  };
  const from = clamp(low, 'start', stride > 0 ? 0 : size - 1);
  const to = clamp(high, 'end', stride > 0 ? size : -1);
  const count = Math.max(0, Math.ceil((to - from) / stride));
  if (object instanceof Range)
    return new Range(
      object.start + from * object.step,
      object.start + to * object.step,
      object.step * stride,
    );
  if (object instanceof List || object instanceof Tuple) {
    budget.collect(count);
    const items = pick(object.items, from, stride, count);
    return object instanceof List ? new List(items) : new Tuple(items);
  }
  budget.write(count);
  const text = textOf(object);
  if (stride !== 1) budget.collect(count);
  const cut =
    stride === 1 ? text.slice(from, from + count) : pick(Array.from(text), from, stride, count).join('');
  return typeof object === 'string' ? cut : new Bytes(cut);
}

function pick<Item>(items: readonly Item[], from: number, stride: number, count: number): Item[] {
  if (stride === 1) return items.slice(from, from + count);
  return Array.from({ length: count }, (_, at) => items[from + at * stride] as Item);
}

function asBound(value: Value, what: string): number {
  if (typeof value !== 'bigint') throw fault(`invalid ${what} index: got ${typeOf(value)}, want int`);
  return Number(value);
}
