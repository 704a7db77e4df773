/** Equality and order. */
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { Bytes, Dict, List, Module, Range, StarlarkSet, Tuple, typeOf } from './value.ts';
import type { Value } from './value.ts';

/** Values inside one another that a comparison, a conversion or a printout goes into. */
export const MAX_DEPTH = 100;

/** @throws PorticoError for values that contain themselves */
export function equals(x: Value, y: Value, budget: Budget, depth = 0): boolean {
  if (typeof x === 'string' && typeof y === 'string') {
    if (x.length === y.length) budget.work(x.length >> 6);
    return x === y;
  }
  if (x === y) return true;
  if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) {
    if (isNumber(x) && isNumber(y))
      // oxlint-disable-next-line eqeqeq -- an int and a float are equal when their values are
      return x == y || (Number.isNaN(x) && Number.isNaN(y));
    return false;
  }
  if (depth > MAX_DEPTH) throw fault('comparison exceeded maximum recursion depth');
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    budget.work(1);
    if (x.items.length !== y.items.length) return false;
    for (const [at, item] of x.items.entries()) {
      budget.work(1);
      if (!equals(item, y.items[at] ?? null, budget, depth + 1)) return false;
    }
    return true;
  }
  if (x instanceof Dict && y instanceof Dict) {
    budget.work(1);
    if (x.size !== y.size) return false;
    for (const [key, value] of x.pairs()) {
      budget.work(1);
      const other = y.get(key);
      if (other === undefined || !equals(value, other, budget, depth + 1)) return false;
    }
    return true;
  }
  if (x instanceof StarlarkSet && y instanceof StarlarkSet) {
    budget.work(x.size);
    return x.size === y.size && x.values().every((value) => y.has(value));
  }
  if (x instanceof Bytes && y instanceof Bytes) return x.data === y.data;
  if (x instanceof Range && y instanceof Range) {
    if (x.length !== y.length) return false;
    return x.length === 0 || (x.start === y.start && (x.length === 1 || x.step === y.step));
  }
  return x instanceof Module && y instanceof Module && x.name === y.name;
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/**
 * Below 0 where `x` comes before `y`; `operator` is for the message.
 * @throws PorticoError for values that have no order
 */
export function compare({
  x,
  y,
  operator,
  budget,
  depth = 0,
}: {
  readonly x: Value;
  readonly y: Value;
  readonly operator: string;
  readonly budget: Budget;
  readonly depth?: number | undefined;
}): number {
  if (isNumber(x) && isNumber(y)) return compareNumbers(x, y);
  if (typeof x === 'string' && typeof y === 'string') {
    budget.work(Math.min(x.length, y.length) >> 6);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (typeof x === 'boolean' && typeof y === 'boolean') return Number(x) - Number(y);
  if (x instanceof Bytes && y instanceof Bytes) return x.data < y.data ? -1 : x.data > y.data ? 1 : 0;
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    if (depth > MAX_DEPTH) throw fault('comparison exceeded maximum recursion depth');
    for (const [at, item] of x.items.entries()) {
      const other = y.items[at];
      if (other === undefined) return 1;
      budget.work(1);
      if (!equals(item, other, budget, depth + 1))
        return compare({ x: item, y: other, operator, budget, depth: depth + 1 });
    }
    return x.items.length - y.items.length;
  }
  throw fault(`${typeOf(x)} ${operator} ${typeOf(y)} not implemented`);
}

/** NaN comes after all other numbers. */
function compareNumbers(x: bigint | number, y: bigint | number): number {
  const [left, right] = [Number.isNaN(x), Number.isNaN(y)];
  if (left || right) return Number(left) - Number(right);
  return x < y ? -1 : x > y ? 1 : 0;
}
