import { SIZE, type Budget } from './budget.ts';
import { fault } from './fault.ts';
import { checkSize, countWork, floatModulo, floorDivide, modulo, toFloat } from './number.ts';
import { compare, equals } from './order.ts';
import { formatPercent } from './percent.ts';
import { itemsOf } from './sequence.ts';
import { Bytes, Dict, Elements, isTrue, List, Range, StarlarkSet, Tuple, typeOf, weightOf } from './value.ts';
import type { Value } from './value.ts';

/**
 * What a binary operator gives; `and`, `or` are not among them.
 * @throws PorticoError for operands that it does not know
 */
export function binary(operator: string, x: Value, y: Value, budget: Budget): Value {
  switch (operator) {
    case '==':
      return equals(x, y, budget);
    case '!=':
      return !equals(x, y, budget);
    case '<':
      return compare({ x, y, operator, budget }) < 0;
    case '>':
      return compare({ x, y, operator, budget }) > 0;
    case '<=':
      return compare({ x, y, operator, budget }) <= 0;
    case '>=':
      return compare({ x, y, operator, budget }) >= 0;
    case 'in':
      return contains(y, x, budget);
    case 'not in':
      return !contains(y, x, budget);
    default:
  }
  if (typeof x === 'bigint' && typeof y === 'bigint') return ofInts(operator, x, y, budget);
  if (isNumber(x) && isNumber(y)) {
    const float = ofFloats(operator, asFloat(x), asFloat(y));
    if (float !== undefined) return float;
  }
  const result = ofOthers(operator, x, y, budget);
  if (result === undefined) throw fault(`unknown binary op: ${typeOf(x)} ${operator} ${typeOf(y)}`);
  return result;
}

/** What a unary operator gives. @throws PorticoError for operands that it does not know */
export function unary(operator: string, x: Value): Value {
  if (operator === 'not') return !isTrue(x);
  if (typeof x === 'bigint') return operator === '-' ? -x : operator === '~' ? ~x : x;
  if (typeof x === 'number' && operator !== '~') return operator === '-' ? -x : x;
  throw fault(`unknown unary op: ${operator}${typeOf(x)}`);
}

/** `x += y` and its kin: lists and dicts change in place. */
export function augment(operator: string, x: Value, y: Value, budget: Budget): Value {
  if (operator === '+' && x instanceof List) {
    const items = itemsOf(y, budget);
    if (items !== undefined) {
      x.checkMutable('extend');
      for (const item of items) x.items.push(item);
      return x;
    }
  }
  if (operator === '|' && x instanceof Dict && y instanceof Dict) {
    budget.collect(y.size);
    weigh(y.keys(), budget);
    if (x !== y) for (const [key, value] of y.pairs()) x.set(key, value);
    return x;
  }
  return binary(operator, x, y, budget);
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

function asFloat(value: bigint | number): number {
  return typeof value === 'bigint' ? toFloat(value) : value;
}

function ofInts(operator: string, x: bigint, y: bigint, budget: Budget): Value {
  countWork(x, y, budget);
  switch (operator) {
    case '+':
      return checkSize(x + y);
    case '-':
      return checkSize(x - y);
    case '*':
      return checkSize(x * y);
    case '/':
      if (y === 0n) throw fault('floating-point division by zero');
      return toFloat(x) / toFloat(y);
    case '//':
      return floorDivide(x, y);
    case '%':
      return modulo(x, y);
    case '&':
      return x & y;
    case '|':
      return x | y;
    case '^':
      return x ^ y;
    case '<<':
      if (y < 0n) throw fault(`negative shift count: ${y}`);
      if (y >= 512n) throw fault(`shift count too large: ${y}`);
      return checkSize(x << y);
    default:
      if (y < 0n) throw fault(`negative shift count: ${y}`);
      return x >> (y > 1_000_000n ? 1_000_000n : y);
  }
}

function ofFloats(operator: string, x: number, y: number): Value | undefined {
  switch (operator) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '/':
      if (y === 0) throw fault('floating-point division by zero');
      return x / y;
    case '//':
      if (y === 0) throw fault('floored division by zero');
      return Math.floor(x / y);
    case '%':
      return floatModulo(x, y);
    default:
      return undefined;
  }
}

function ofOthers(operator: string, x: Value, y: Value, budget: Budget): Value | undefined {
  if (operator === '%' && typeof x === 'string') return formatPercent(x, y, budget);
  if (operator === '+') return joined(x, y, budget);
  if (operator === '*') {
    if (typeof x === 'bigint') return repeated(y, x, budget);
    if (typeof y === 'bigint') return repeated(x, y, budget);
  }
  if (operator === '|' && x instanceof Dict && y instanceof Dict) {
    budget.pairs(x.size + y.size);
    const union = new Dict();
    weigh([...x.keys(), ...y.keys()], budget);
    for (const [key, value] of x.pairs()) union.set(key, value);
    for (const [key, value] of y.pairs()) union.set(key, value);
    return union;
  }
  if (x instanceof StarlarkSet && y instanceof StarlarkSet) return ofSets(operator, x, y, budget);
  return undefined;
}

function joined(x: Value, y: Value, budget: Budget): Value | undefined {
  if (typeof x === 'string' && typeof y === 'string') {
    budget.write(x.length + y.length);
    return x + y;
  }
  if (x instanceof Bytes && y instanceof Bytes) {
    budget.write(x.data.length + y.data.length);
    return new Bytes(x.data + y.data);
  }
  if (x instanceof List && y instanceof List) {
    budget.collect(x.items.length + y.items.length);
    return new List([...x.items, ...y.items]);
  }
  if (x instanceof Tuple && y instanceof Tuple) {
    budget.collect(x.items.length + y.items.length);
    return new Tuple([...x.items, ...y.items]);
  }
  return undefined;
}

function repeated(value: Value, count: bigint, budget: Budget): Value | undefined {
  const times = Number(count < 0n ? 0n : count > 1_000_000_000n ? 1_000_000_000n : count);
  if (typeof value === 'string') {
    budget.write(value.length * times);
    return value.repeat(times);
  }
  if (value instanceof Bytes) {
    budget.write(value.data.length * times);
    return new Bytes(value.data.repeat(times));
  }
  if (!(value instanceof List || value instanceof Tuple)) return undefined;
  budget.collect(value.items.length * times);
  const items: Value[] = [];
  for (let at = 0; at < times && value.items.length > 0; at += 1)
    for (const item of value.items) items.push(item);
  return value instanceof List ? new List(items) : new Tuple(items);
}

function ofSets(operator: string, x: StarlarkSet, y: StarlarkSet, budget: Budget): Value | undefined {
  const [left, right] = [x.values(), y.values()];
  budget.collect(left.length + right.length);
  weigh([...left, ...right], budget);
  switch (operator) {
    case '|':
      return setOf([...left, ...right], budget);
    case '&':
      return setOf(
        left.filter((one) => y.has(one)),
        budget,
      );
    case '-':
      return setOf(
        left.filter((one) => !y.has(one)),
        budget,
      );
    case '^':
      return setOf([...left.filter((one) => !y.has(one)), ...right.filter((one) => !x.has(one))], budget);
    default:
      return undefined;
  }
}

/** A set of values, without doubles. */
export function setOf(values: Iterable<Value>, budget: Budget): StarlarkSet {
  budget.make(SIZE.set);
  const set = new StarlarkSet();
  for (const value of values) {
    budget.work(weightOf(value));
    budget.make(SIZE.member);
    set.add(value);
  }
  return set;
}

/** Counts the work of looking each of them up. */
export function weigh(keys: Iterable<Value>, budget: Budget): void {
  for (const key of keys) budget.work(weightOf(key));
}

function contains(container: Value, item: Value, budget: Budget): boolean {
  budget.work(weightOf(item) - 1);
  if (container instanceof List || container instanceof Tuple) {
    budget.work(container.items.length >> 2);
    return container.items.some((one) => equals(one, item, budget));
  }
  if (container instanceof Dict) return container.get(item) !== undefined;
  if (container instanceof StarlarkSet) return container.has(item);
  if (typeof container === 'string') {
    if (typeof item !== 'string')
      throw fault(`'in <string>' requires string as left operand, not ${typeOf(item)}`);
    budget.search(container.length, item.length);
    return container.includes(item);
  }
  if (container instanceof Bytes) {
    if (item instanceof Bytes) {
      budget.search(container.data.length, item.data.length);
      return container.data.includes(item.data);
    }
    if (typeof item !== 'bigint')
      throw fault(`'in bytes' requires bytes or int as left operand, not ${typeOf(item)}`);
    if (item < 0n || item > 255n) throw fault(`int in bytes: ${item} out of range`);
    return container.data.includes(String.fromCharCode(Number(item)));
  }
  if (container instanceof Range) {
    if (typeof item !== 'bigint') {
      throw fault(`'in <range>' requires integer as left operand, not ${typeOf(item)}`);
    }
    const steps = (Number(item) - container.start) / container.step;
    return Number.isInteger(steps) && steps >= 0 && steps < container.length;
  }
  if (container instanceof Elements) return container.items.some((one) => equals(one, item, budget));
  throw fault(`unknown binary op: ${typeOf(item)} in ${typeOf(container)}`);
}
