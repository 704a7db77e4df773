/** What a script's expressions give. Ints are bigints, floats are numbers, strings are bytes (see text.ts). */
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';

export type Value = null | boolean | bigint | number | string | Compound;

export type Compound =
  | List
  | Tuple
  | Dict
  | StarlarkSet
  | Bytes
  | Range
  | Elements
  | Callable
  | Builtin
  | Module;

/** A thing that functions of the language can be made of: what it got, and what it may use up. */
export type Native = (args: Value[], named: ReadonlyMap<string, Value>, budget: Budget) => Value;

export class List {
  items: Value[];
  /** How many loops go over it now: it cannot be changed then. */
  readers = 0;
  /** The list of a resource that it was read from. */
  origin: unknown[] | undefined;

  constructor(items: Value[]) {
    this.items = items;
  }

  /** @throws PorticoError while a loop goes over the list */
  checkMutable(verb: string): void {
    if (this.readers > 0) throw fault(`cannot ${verb} list during iteration`);
  }
}

/** A tuple that holds the same one many times over would be a key without end. */
const HEAVIEST_KEY = 1000;

export class Tuple {
  readonly items: readonly Value[];
  /** How much there is to look at when it is a key, tuples inside it counted with all that they hold. */
  readonly weight: number;

  constructor(items: readonly Value[]) {
    this.items = items;
    const weight = items.reduce((sum: number, item) => sum + weightOf(item), 1);
    this.weight = Math.min(weight, HEAVIEST_KEY + 1);
  }
}

/** What it costs to find a value in a hash table, in steps. */
export function weightOf(value: Value): number {
  if (value instanceof Tuple) return value.weight;
  return typeof value === 'string' ? 1 + (value.length >> 6) : 1;
}

type Key = unknown;

/** Keys in the order in which they came. */
export class Dict {
  private readonly entries = new Map<Key, [Value, Value]>();
  readers = 0;
  /** The map of a resource that it was read from. */
  origin: { readonly [field: string]: unknown } | undefined;

  get size(): number {
    return this.entries.size;
  }

  get(key: Value): Value | undefined {
    return this.entries.get(keyOf(key))?.[1];
  }

  set(key: Value, value: Value): void {
    const hashed = keyOf(key);
    this.checkMutable('insert into');
    const entry = this.entries.get(hashed);
    if (entry === undefined) this.entries.set(hashed, [key, value]);
    else entry[1] = value;
  }

  delete(key: Value): Value | undefined {
    const hashed = keyOf(key);
    this.checkMutable('delete from');
    const entry = this.entries.get(hashed);
    this.entries.delete(hashed);
    return entry?.[1];
  }

  clear(): void {
    this.checkMutable('clear');
    this.entries.clear();
  }

  keys(): Value[] {
    return Array.from(this.entries.values(), ([key]) => key);
  }

  pairs(): Iterable<readonly [Value, Value]> {
    return this.entries.values();
  }

  private checkMutable(verb: string): void {
    if (this.readers > 0) throw fault(`cannot ${verb} hash table during iteration`);
  }
}

export class StarlarkSet {
  private readonly entries = new Map<Key, Value>();
  readers = 0;

  get size(): number {
    return this.entries.size;
  }

  has(value: Value): boolean {
    return this.entries.has(keyOf(value));
  }

  add(value: Value): void {
    const hashed = keyOf(value);
    if (this.readers > 0) throw fault('cannot insert into hash table during iteration');
    if (!this.entries.has(hashed)) this.entries.set(hashed, value);
  }

  delete(value: Value): boolean {
    const hashed = keyOf(value);
    if (this.readers > 0) throw fault('cannot delete from hash table during iteration');
    return this.entries.delete(hashed);
  }

  values(): Value[] {
    return [...this.entries.values()];
  }
}

export class Bytes {
  readonly data: string;

  constructor(data: string) {
    this.data = data;
  }
}

export class Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  at(index: number): bigint {
    return BigInt(this.start + index * this.step);
  }
}

/** What `elems()` and its kin give: a sequence that can only be gone over. */
export class Elements {
  readonly text: string;
  readonly type: 'string.elems' | 'string.codepoints' | 'bytes.elems';
  readonly ordinals: boolean;
  readonly items: readonly Value[];

  constructor(text: string, type: Elements['type'], ordinals: boolean, items: readonly Value[]) {
    this.text = text;
    this.type = type;
    this.ordinals = ordinals;
    this.items = items;
  }
}

/** A function of the script; `invoke` comes from the compiler. */
export class Callable {
  readonly name: string;
  readonly invoke: Native;

  constructor(name: string, invoke: Native) {
    this.name = name;
    this.invoke = invoke;
  }
}

export class Builtin {
  readonly name: string;
  readonly invoke: Native;
  /** What a method belongs to. */
  readonly receiver: Value | undefined;

  constructor(name: string, invoke: Native, receiver?: Value) {
    this.name = name;
    this.invoke = invoke;
    this.receiver = receiver;
  }
}

/** Named values that cannot be changed: a library, or `ctx`. */
export class Module {
  readonly name: string;
  readonly type: string;
  readonly members: ReadonlyMap<string, Value>;
  /** Why members that are not there are not. */
  readonly missing: string | undefined;

  constructor(name: string, members: ReadonlyMap<string, Value>, type = 'module', missing?: string) {
    this.name = name;
    this.members = members;
    this.type = type;
    this.missing = missing;
  }
}

export function typeOf(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof List) return 'list';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof StarlarkSet) return 'set';
  if (value instanceof Bytes) return 'bytes';
  if (value instanceof Range) return 'range';
  if (value instanceof Callable) return 'function';
  if (value instanceof Builtin) return 'builtin_function_or_method';
  return value.type;
}

/** Whether a value counts as true. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0;
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict || value instanceof StarlarkSet) return value.size > 0;
  if (value instanceof Bytes) return value.data !== '';
  return value instanceof Range ? value.length > 0 : true;
}

/** Past every byte: keys of tuples and bytes cannot be taken for those of strings. */
const TUPLE = '\u0100';
const BYTES = '\u0101';

/**
 * What a value is found by in a hash table: equal values have the same, in the sense of a JavaScript map.
 * @throws PorticoError for values that can be changed
 */
function keyOf(value: Value): unknown {
  if (typeof value === 'number') return floatKey(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Bytes) return BYTES + value.data;
  if (value instanceof Tuple) {
    if (value.weight > HEAVIEST_KEY) throw fault('the tuple is too large for a key');
    return TUPLE + value.items.map(partOfKey).join('');
  }
  if (value instanceof Callable || value instanceof Builtin) return value;
  if (value instanceof Range)
    return `\u0102${value.length === 0 ? 0 : value.start},${value.length < 2 ? 1 : value.step},${value.length}`;
  throw fault(`unhashable type: ${typeOf(value)}`);
}

/** 1 and 1.0 are the same key. */
function floatKey(value: number): bigint | number {
  return Number.isInteger(value) ? BigInt(value) : value;
}

const IDENTITIES = new WeakMap<object, number>();
let identities = 0;

/** A part of a tuple's key, with its length, so that no two tuples run into one another. */
function partOfKey(value: Value): string {
  const key = keyOf(value);
  if (typeof key === 'string') return `s${key.length}:${key}`;
  if (typeof key !== 'object' || key === null) return `${typeof key}:${String(key)};`;
  let identity = IDENTITIES.get(key);
  if (identity === undefined) {
    identities += 1;
    identity = identities;
    IDENTITIES.set(key, identity);
  }
  return `o${identity};`;
}
