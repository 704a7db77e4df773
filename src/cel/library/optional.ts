/** Optional values (cel-go's cel/library.go and the functions behind `.?`, `[?]`, `[?x]` and `{?k: v}`). */
import { celEnv, celFunc, celList, celMap, celMethod, isCelError, isCelList, isCelMap } from '@bufbuild/cel';
import type { CelFunc, CelInput, CelUint, CelValue } from '@bufbuild/cel';
import { isReflectMessage, type ReflectMessage } from '@bufbuild/protobuf/reflect';

import { SUGAR } from '../desugar.ts';
import { opaque } from '../opaque.ts';
import { BOOL, DYN, LIST, STRING } from './types.ts';

interface Box {
  /** Undefined: nothing in it. */
  readonly value: CelValue | undefined;
}

const optional = opaque<Box>('optional_type');

export const OPTIONAL = optional.desc;

export function some(value: CelValue): ReflectMessage {
  return optional.wrap({ value }, '+');
}

export function none(): ReflectMessage {
  return optional.wrap({ value: undefined }, '');
}

function boxOf(value: unknown): Box {
  const box = optional.unwrap(value);
  if (box === undefined) throw new Error('not an optional value');
  return box;
}

function contentOf(value: unknown): CelValue {
  const { value: content } = boxOf(value);
  if (content === undefined) throw new Error('optional.none() dereference');
  return content;
}

/** What `operand.?key` gives, whether the operand is an optional itself or not. */
function access(operand: CelValue, key: CelValue): CelInput {
  const box = optional.unwrap(operand);
  const from = box === undefined ? operand : box.value;
  if (from === undefined) return none();
  const found = entryOf(from, key);
  return found === undefined ? none() : some(found);
}

function entryOf(from: CelValue, key: CelValue): CelValue | undefined {
  if (isCelMap(from)) return from.get(key as string | bigint | boolean | CelUint | number);
  if (isCelList(from)) {
    if (typeof key !== 'bigint' && typeof key !== 'number') throw new Error('a list is indexed by numbers');
    return Number.isInteger(Number(key)) ? from.get(Number(key)) : undefined;
  }
  if (isReflectMessage(from) && typeof key === 'string') {
    const field = from.fields.find(({ name }) => name === key);
    if (field === undefined) throw new Error(`no such field '${key}'`);
    return from.isSet(field) ? (from.get(field) as CelValue) : undefined;
  }
  throw new Error('optional access to a value that is not a map, list or message');
}

/** Null, false, zero and what is empty. */
function isZero(value: CelValue): boolean {
  if (isCelList(value) || isCelMap(value)) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  return value === null || value === false || value === '' || value === 0 || value === 0n;
}

const plainEquals = celEnv().funcs.find('_==_');

/** Optionals are equal when both are empty or their contents are. */
function equal(a: CelValue, b: CelValue): boolean {
  const [left, right] = [optional.unwrap(a), optional.unwrap(b)];
  if (left !== undefined && right !== undefined) {
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return equal(left.value, right.value);
  }
  const result = plainEquals?.call(0, undefined, [a, b]);
  if (isCelError(result)) throw result;
  return result === true;
}

/** Makes a list of elements some of which are optional. */
function listOf(elements: Iterable<CelValue>, flags: Iterable<CelValue>): CelInput[] {
  const wanted = [...flags];
  return [...elements].flatMap((element, at): CelInput[] => {
    if (wanted[at] !== true) return [element];
    const { value } = boxOf(element);
    return value === undefined ? [] : [value];
  });
}

function mapOf(keys: CelValue[], contents: CelValue[], flags: CelValue[]): CelValue {
  const map = new Map<string | bigint | boolean | CelUint, CelInput>();
  for (const [at, key] of keys.entries()) {
    const content = contents[at];
    const value = content === undefined || flags[at] !== true ? content : boxOf(content).value;
    if (value === undefined) continue;
    if (map.has(key as string)) throw new Error('map key conflict');
    map.set(key as string, value);
  }
  return celMap(map);
}

const { type } = optional;

export const optionals: CelFunc[] = [
  celFunc('_==_', [DYN, DYN], BOOL, equal),
  celFunc('_!=_', [DYN, DYN], BOOL, (a, b) => !equal(a, b)),
  celFunc('optional.of', [DYN], type, some),
  celFunc('optional.none', [], type, none),
  celFunc('optional.ofNonZeroValue', [DYN], type, (value) => (isZero(value) ? none() : some(value))),
  celMethod('hasValue', type, [], BOOL, function () {
    return boxOf(this).value !== undefined;
  }),
  celMethod('value', type, [], DYN, function () {
    return contentOf(this);
  }),
  celMethod('orValue', type, [DYN], DYN, function (other) {
    const { value } = boxOf(this);
    return value === undefined ? other : value;
  }),
  celMethod('or', type, [type], type, function (other) {
    return boxOf(this).value === undefined ? other : this;
  }),
  celMethod(SUGAR.select, DYN, [STRING], DYN, function (field) {
    return access(this, field);
  }),
  celMethod(SUGAR.index, DYN, [DYN], DYN, function (key) {
    return access(this, key);
  }),
  celFunc('__list_of', [LIST, LIST], LIST, (elements, flags) => celList(listOf(elements, flags))),
  celFunc('__optional_map_of', [LIST, LIST, LIST], DYN, (keys, contents, flags) =>
    mapOf([...keys], [...contents], [...flags]),
  ),
  celFunc('optional.unwrap', [LIST], LIST, (list) => celList(unwrapped(list))),
  celMethod('unwrapOpt', LIST, [], LIST, function () {
    return celList(unwrapped(this));
  }),
  celMethod('first', LIST, [], type, function () {
    return this.size === 0 ? none() : some(this.get(0) ?? null);
  }),
  celMethod('last', LIST, [], type, function () {
    return this.size === 0 ? none() : some(this.get(this.size - 1) ?? null);
  }),
];

function unwrapped(list: Iterable<CelValue>): CelValue[] {
  return [...list].flatMap((one) => {
    const { value } = boxOf(one);
    return value === undefined ? [] : [value];
  });
}
