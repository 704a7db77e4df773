/** How built-in functions take their arguments, with the messages of the language. */
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { itemsOf } from './sequence.ts';
import { typeOf } from './value.ts';
import type { Value } from './value.ts';

/** Takes no named arguments, and between `least` and `most` others. */
export function positional({
  name,
  args,
  named,
  least,
  most = least,
}: {
  readonly name: string;
  readonly args: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
  readonly least: number;
  readonly most?: number | undefined;
}): void {
  if (named.size > 0) throw fault(`${name}: unexpected keyword arguments`);
  const count = args.length;
  if (count >= least && count <= most) return;
  const wanted = least === most ? String(least) : count < least ? `at least ${least}` : `at most ${most}`;
  throw fault(`${name}: got ${count} argument${count === 1 ? '' : 's'}, want ${wanted}`);
}

/**
 * Puts positional and named arguments in the order of `names`; a name that ends in `?` need not be given.
 * @returns a value for each name, undefined for those that are not given
 */
export function unpack(
  name: string,
  names: readonly string[],
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): (Value | undefined)[] {
  if (args.length > names.length)
    throw fault(`${name}: got ${args.length} arguments, want at most ${names.length}`);
  const values: (Value | undefined)[] = names.map((_, at) => args[at]);
  const plain = names.map((one) => one.replace('?', ''));
  for (const [key, value] of named) {
    const at = plain.indexOf(key);
    if (at < 0) throw fault(`${name}: unexpected keyword argument "${key}"`);
    if (values[at] !== undefined) throw fault(`${name}: got multiple values for keyword argument "${key}"`);
    values[at] = value;
  }
  for (const [at, one] of names.entries())
    if (values[at] === undefined && !one.endsWith('?')) throw fault(`${name}: missing argument for ${one}`);
  return values;
}

export function asString(name: string, parameter: string | number, value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw wrongType(name, parameter, value, 'string');
}

function asInt(name: string, parameter: string | number, value: Value | undefined): bigint {
  if (typeof value === 'bigint') return value;
  throw wrongType(name, parameter, value, 'int');
}

/** An int that fits a JavaScript number exactly. */
export function asSize(name: string, parameter: string | number, value: Value | undefined): number {
  const int = asInt(name, parameter, value);
  if (int > Number.MAX_SAFE_INTEGER || int < Number.MIN_SAFE_INTEGER)
    throw fault(`${name}: for parameter ${parameter}: ${int} out of range`);
  return Number(int);
}

/** All items of an iterable, in an array of its own. */
export function asItems(
  name: string,
  parameter: string | number,
  value: Value | undefined,
  budget: Budget,
): Value[] {
  const items = value === undefined ? undefined : itemsOf(value, budget);
  if (items === undefined) throw wrongType(name, parameter, value, 'iterable');
  return items;
}

export function wrongType(
  name: string,
  parameter: string | number,
  value: Value | undefined,
  wanted: string,
): Error {
  return fault(`${name}: for parameter ${parameter}: got ${typeOf(value ?? null)}, want ${wanted}`);
}
