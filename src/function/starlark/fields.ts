import type { Budget } from './budget.ts';
import { BYTES_METHODS } from './bytes-methods.ts';
import { DICT_METHODS } from './dict-methods.ts';
import { fault } from './fault.ts';
import { LIST_METHODS } from './list-methods.ts';
import type { Method } from './method.ts';
import { nearest } from './nearest.ts';
import { SET_METHODS } from './set-methods.ts';
import { STRING_METHODS } from './string-methods.ts';
import { Builtin, Bytes, Dict, List, Module, StarlarkSet, Tuple, typeOf } from './value.ts';
import type { Native, Value } from './value.ts';

const NO_METHODS: ReadonlyMap<string, Method<never>> = new Map();

/** A field or method of a value; undefined where it has none of that name. */
export function findField(object: Value, name: string): Value | undefined {
  if (object instanceof Module) {
    const value = object.members.get(name);
    if (value === undefined && object.missing !== undefined)
      throw fault(`${object.name}.${name} is not available here: ${object.missing}`);
    return value;
  }
  const method = methodsOf(object).get(name) as Method<Value> | undefined;
  if (method === undefined) return undefined;
  const invoke: Native = (args, named, budget) => {
    // Methods of dicts and sets look for what they are given.
    for (const arg of args) if (arg instanceof Tuple) budget.work(arg.weight);
    return method(object, args, named, budget);
  };
  return new Builtin(name, invoke, object);
}

/** `object.name`. @throws PorticoError where there is no such field */
export function getField(object: Value, name: string, budget: Budget): Value {
  budget.make(32);
  const value = findField(object, name);
  if (value !== undefined) return value;
  throw fault(`${kindOf(object)} has no .${name} field or method${nearestField(name, object)}`);
}

/** `object.name = value`: nothing here has fields that can be set. */
export function setField(object: Value, name: string, _value: Value): never {
  throw fault(`can't assign to .${name} field of ${kindOf(object)}`);
}

/** Names of all fields and methods. */
export function fieldNames(object: Value): string[] {
  const names = object instanceof Module ? object.members.keys() : methodsOf(object).keys();
  return [...names].sort();
}

function nearestField(name: string, object: Value): string {
  return nearest(name, fieldNames(object)).replace('mean ', 'mean .');
}

function kindOf(object: Value): string {
  return object instanceof Module && object.type !== 'module' ? object.name : typeOf(object);
}

function methodsOf(object: Value): ReadonlyMap<string, Method<never>> {
  if (typeof object === 'string') return STRING_METHODS;
  if (object instanceof Dict) return DICT_METHODS;
  if (object instanceof List) return LIST_METHODS;
  if (object instanceof StarlarkSet) return SET_METHODS;
  return object instanceof Bytes ? BYTES_METHODS : NO_METHODS;
}
