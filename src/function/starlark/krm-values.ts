/** Resources as values of a script, and back. */
import { isMap } from '../../package/plain-values.ts';
import { noteOf, setField } from '../../package/render/field-notes.ts';
import type { Container } from '../../package/render/field-notes.ts';
import { keepNotes } from '../../package/render/keep-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { shortenValue } from '../../text/cut-text.ts';
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { MAX_DEPTH } from './order.ts';
import { peekItems } from './sequence.ts';
import { decodeText, encodeText } from './text.ts';
import { Dict, Elements, List, Range, StarlarkSet, Tuple, typeOf } from './value.ts';
import type { Compound, Value } from './value.ts';

/** A resource, or a part of one. Numbers that are spelled with a point or an exponent are floats. */
export function fromKrm(value: unknown, float = false): Value {
  if (typeof value === 'string') return encodeText(value);
  if (typeof value === 'number') return Number.isInteger(value) && !float ? BigInt(value) : value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    const list = new List(value.map((item, at) => fromKrm(item, isFloat(value, at))));
    list.origin = value;
    return list;
  }
  if (!isMap(value)) return null;
  const dict = new Dict();
  for (const key of Object.keys(value)) dict.set(encodeText(key), fromKrm(value[key], isFloat(value, key)));
  dict.origin = value;
  return dict;
}

function isFloat(container: Container, key: string | number): boolean {
  const { source } = noteOf(container, key);
  return source !== undefined && /[.eE]/.test(source) && !/^0[xo]/.test(source);
}

/**
 * What a script has left of its resources. Resources, and parts of them, that it was given keep their comments,
 * quotes, spellings and the order of their keys; maps that it made come with sorted keys, as upstream writes them.
 * @throws PorticoError for what is no resource
 */
export function toKrmItems(items: Value | undefined, budget: Budget): KrmObject[] {
  const list = items === undefined ? undefined : peekItems(items, budget);
  if (list === undefined || items instanceof Dict)
    throw fault(`resource_list["items"] must be a list, not ${typeOf(items ?? null)}`);
  return list.map((item, at) => {
    if (!(item instanceof Dict)) throw fault(`items[${at}] must be a dict, not ${typeOf(item)}`);
    const made = toKrm({ value: item, budget, path: `items[${at}]` }) as KrmObject;
    return item.origin === undefined ? headFirst(made) : made;
  });
}

/** Plain data of any value. `path` is for messages, `parts` are the parts of the resource that the value is expected to be. */
export function toKrm({
  value,
  budget,
  path,
  depth = 0,
  parts = NONE,
}: {
  readonly value: Value;
  readonly budget: Budget;
  readonly path: string;
  readonly depth?: number | undefined;
  readonly parts?: ReadonlySet<unknown> | undefined;
}): unknown {
  if (typeof value === 'string') {
    budget.write(value.length);
    return decodeText(value);
  }
  if (typeof value === 'bigint') {
    // The catalog's function refuses it too: YAML tools read larger numbers as floats.
    if (BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value)
      throw fault(`${shortenValue(path, 100)}: ${value} out of range (want value in 64-bit range)`);
    return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
  }
  if (value === null || typeof value !== 'object') return value;
  if (depth > MAX_DEPTH)
    throw fault(`${shortenValue(path, 100)} is nested too deeply: does it contain itself?`);
  budget.work(10);
  const made = value instanceof Dict ? mapOf(value, budget, path, depth) : listOf(value, budget, path, depth);
  // A part that stayed in its place gets its notes with the whole.
  if (
    (value instanceof Dict || value instanceof List) &&
    value.origin !== undefined &&
    !parts.has(value.origin)
  )
    keepNotes(value.origin, made);
  return made;
}

const NONE: ReadonlySet<unknown> = new Set();

function listOf(value: Compound, budget: Budget, path: string, depth: number): unknown[] {
  const listed =
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof StarlarkSet ||
    value instanceof Range ||
    value instanceof Elements;
  const items = listed ? peekItems(value, budget) : undefined;
  if (items === undefined)
    throw fault(`${shortenValue(path, 100)} is a ${typeOf(value)}, which a resource cannot hold`);
  budget.collect(items.length);
  const parts = value instanceof List && value.origin !== undefined ? new Set(value.origin) : NONE;
  return items.map((item, at) =>
    toKrm({ value: item, budget, path: `${path}[${at}]`, depth: depth + 1, parts }),
  );
}

function mapOf(dict: Dict, budget: Budget, path: string, depth: number): KrmObject {
  budget.pairs(dict.size);
  const map: KrmObject = {};
  const { origin } = dict;
  const texts = dict.keys().map((key) => {
    if (typeof key === 'string') return key;
    throw fault(
      `${shortenValue(path, 100)} has a key of type ${typeOf(key)}; in a resource keys are strings`,
    );
  });
  if (origin === undefined) texts.sort();
  for (const text of texts) {
    const key = decodeText(text);
    const parts = origin !== undefined && Object.hasOwn(origin, key) ? new Set([origin[key]]) : NONE;
    setField(
      map,
      key,
      toKrm({ value: dict.get(text) ?? null, budget, path: `${path}.${key}`, depth: depth + 1, parts }),
    );
  }
  return map;
}

/** What every resource begins with, then the rest. */
function headFirst(item: KrmObject): KrmObject {
  const ordered: KrmObject = {};
  const head = ['apiVersion', 'kind', 'metadata'].filter((key) => Object.hasOwn(item, key));
  for (const key of new Set([...head, ...Object.keys(item)])) setField(ordered, key, item[key]);
  return ordered;
}
