import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { nearest } from './nearest.ts';
import { Builtin, Callable, Dict, Tuple, typeOf } from './value.ts';
import type { Value } from './value.ts';

const NONE: ReadonlyMap<string, Value> = new Map();

/** Calls a value. @throws PorticoError for what is no function */
export function callValue(
  callee: Value,
  args: Value[],
  budget: Budget,
  named: ReadonlyMap<string, Value> = NONE,
): Value {
  budget.work(1);
  if (callee instanceof Callable) return callee.invoke(args, named, budget);
  if (callee instanceof Builtin) {
    // It may look a tuple up, which costs by what is in it.
    for (const arg of args) if (arg instanceof Tuple) budget.work(arg.weight);
    return callee.invoke(args, named, budget);
  }
  throw fault(`invalid call of non-function (${typeOf(callee)})`);
}

/** The parameters of a function of the script. */
export interface Signature {
  readonly name: string;
  /** Those that take positional arguments, then those that can only be named. */
  readonly names: readonly string[];
  /** How many of them take positional arguments. */
  readonly positional: number;
  /** For each its default; undefined where it must be given. */
  readonly fallbacks: readonly (Value | undefined)[];
  readonly rest: boolean;
  readonly keywords: boolean;
}

/**
 * Gives each parameter its argument.
 * @returns the values in the order of `names`, then the tuple of `*` and the dict of `**` where there are such
 */
export function bindArguments(
  signature: Signature,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): (Value | undefined)[] {
  const { name, names, fallbacks } = signature;
  if (args.length > signature.positional && !signature.rest)
    throw tooMany(signature, args.length + named.size);
  const values: (Value | undefined)[] = names.map((_, at) =>
    at < signature.positional ? args[at] : undefined,
  );
  const others = new Dict();
  for (const [key, value] of named) {
    const at = names.indexOf(key);
    if (at >= 0) {
      if (values[at] !== undefined)
        throw fault(`function ${name} got multiple values for parameter "${key}"`);
      values[at] = value;
    } else if (signature.keywords) {
      others.set(key, value);
    } else {
      if (names.length === 0 && !signature.rest)
        throw fault(`function ${name} accepts no arguments (${args.length + named.size} given)`);
      throw fault(`function ${name} got an unexpected keyword argument "${key}"${nearest(key, names)}`);
    }
  }
  const missing: string[] = [];
  for (const [at, parameter] of names.entries()) {
    values[at] ??= fallbacks[at];
    if (values[at] === undefined) missing.push(parameter);
  }
  if (missing.length > 0) {
    const plural = missing.length === 1 ? '' : 's';
    throw fault(`function ${name} missing ${missing.length} argument${plural} (${missing.join(', ')})`);
  }
  if (signature.rest) values.push(new Tuple(args.slice(signature.positional)));
  if (signature.keywords) values.push(others);
  return values;
}

function tooMany({ name, positional, fallbacks, names, keywords }: Signature, given: number): Error {
  if (names.length === 0 && !keywords) return fault(`function ${name} accepts no arguments (${given} given)`);
  const most = fallbacks.slice(0, positional).some((one) => one !== undefined) ? 'at most ' : '';
  const plural = positional === 1 ? '' : 's';
  return fault(`function ${name} accepts ${most}${positional} positional argument${plural} (${given} given)`);
}
