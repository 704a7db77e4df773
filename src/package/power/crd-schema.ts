/** Two schemas of one version of an API: which values that were valid are so no longer, or mean something else. */
import { shortenValue } from '../../text/cut-text.ts';
import { valueAt, mapAt, textsAt, type Fields, isMap, mapOf } from '../plain-values.ts';
import { jsonOf, type FieldPath } from './power-resources.ts';

export interface SchemaIssue {
  /** `^` is the object, such as `^.spec.size`; `[*]` are the items of a list or the values of a map. */
  readonly field: string;
  readonly check: string;
  readonly text: string;
  /** In the newer schema, or as near to it as there is something. */
  readonly path: FieldPath;
  /** The keyword, and what it said before and says now; for lists of names or values those that came or went. */
  readonly keyword?: string;
  readonly was?: unknown;
  readonly is?: unknown;
}

/** Depth and number of fields that are looked at; beyond them a schema counts as changed. */
const MAX_DEPTH = 60;
const MAX_ISSUES = 200;

/** Everything in the newer schema that an object of the older one may trip over; what is not known to be safe counts. */
export function compareSchemas(old: unknown, now: unknown): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  compareField(mapOf(old), mapOf(now), { field: '^', path: [], depth: 0, issues });
  return issues.slice(0, MAX_ISSUES);
}

interface Spot {
  readonly field: string;
  readonly path: FieldPath;
  readonly depth: number;
  readonly issues: SchemaIssue[];
}

/** These say nothing about which values are valid. */
const SILENT = new Set(['description', 'title', 'example', 'externalDocs', '$schema', 'id']);

/** Looked at by functions of their own. */
const NESTED = new Set(['properties', 'items', 'additionalProperties', 'required', 'enum']);

/** Raised or added they refuse more. */
const LOWER_BOUNDS = new Set(['minimum', 'minLength', 'minItems', 'minProperties']);
/** Lowered or added they refuse more. */
const UPPER_BOUNDS = new Set(['maximum', 'maxLength', 'maxItems', 'maxProperties']);

/** Taken away they refuse less; added or changed they may refuse more. */
const ONLY_REMOVABLE = new Set(['pattern', 'format', 'multipleOf', 'x-kubernetes-validations', 'not']);

function compareField(old: Fields, now: Fields, spot: Spot): void {
  const { field, path, depth, issues } = spot;
  if (issues.length >= MAX_ISSUES || same(old, now)) return;
  const say: Sayer = (check, text, key, values) => {
    issues.push({ field, check, text, path: key === undefined ? path : [...path, key], ...values });
  };
  if (depth > MAX_DEPTH) return say('unhandled', 'changed deeper than is checked');
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (SILENT.has(key) || NESTED.has(key)) continue;
    const [was, is] = [old[key], now[key]];
    if (same(was, is)) continue;
    const issue = keywordIssue(key, was, is);
    if (issue !== undefined) {
      say(issue.check, issue.text, is === undefined ? undefined : key, { keyword: key, was, is });
    }
  }
  compareEnum(old, now, say);
  compareRequired(old, now, say);
  compareProperties(old, now, spot);
  compareInside('items', old, now, spot);
  compareInside('additionalProperties', old, now, spot);
}

function keywordIssue(
  key: string,
  was: unknown,
  is: unknown,
): Pick<SchemaIssue, 'check' | 'text'> | undefined {
  const changed = `${shown(was)} became ${shown(is)}`;
  if (LOWER_BOUNDS.has(key) || UPPER_BOUNDS.has(key)) {
    if (is === undefined) return undefined;
    if (was === undefined) return { check: key, text: `${key} ${shown(is)} was added` };
    if (!isNumber(was) || !isNumber(is)) return { check: 'unhandled', text: `${key}: ${changed}` };
    const tighter = LOWER_BOUNDS.has(key) ? is > was : is < was;
    return tighter ? { check: key, text: changed } : undefined;
  }
  if (ONLY_REMOVABLE.has(key)) {
    if (is === undefined) return undefined;
    const text = was === undefined ? `${key} was added` : `${key}: ${changed}`;
    return { check: key, text };
  }
  if (key === 'exclusiveMinimum' || key === 'exclusiveMaximum' || key === 'uniqueItems') {
    return is === true ? { check: key, text: `${key} was added` } : undefined;
  }
  if (key === 'x-kubernetes-preserve-unknown-fields') {
    return is === true ? undefined : { check: key, text: 'unknown fields are dropped now' };
  }
  if (key === 'type') return { check: 'type', text: changed };
  if (key === 'default') return { check: 'default', text: changed };
  if (key === 'nullable') {
    return {
      check: 'nullable',
      text: is === true ? 'null is allowed now, which clients may not know' : 'null is refused now',
    };
  }
  return { check: 'unhandled', text: `${key}: ${changed}` };
}

type Sayer = (
  check: string,
  text: string,
  key?: string,
  values?: Pick<SchemaIssue, 'keyword' | 'was' | 'is'>,
) => void;

function compareEnum(old: Fields, now: Fields, say: Sayer): void {
  const [was, is] = [listOf(old['enum']), listOf(now['enum'])];
  if (is === undefined) return;
  if (was === undefined) return say('enum', `only ${shown(is)} are allowed now`, 'enum', { is });
  const gone = was.filter((value) => !is.some((other) => same(other, value)));
  if (gone.length > 0) {
    say('enum', `${gone.map(shown).join(', ')} no longer allowed`, 'enum', { was: gone, is });
  }
}

function compareRequired(old: Fields, now: Fields, say: Sayer): void {
  const before = new Set(textsAt(old, 'required'));
  const added = textsAt(now, 'required').filter((name) => !before.has(name));
  if (added.length > 0) {
    say('required', `${added.map(shown).join(', ')} must be there now`, 'required', { is: added });
  }
}

function compareProperties(old: Fields, now: Fields, spot: Spot): void {
  const [was, is] = [mapAt(old, 'properties'), mapAt(now, 'properties')];
  for (const [name, schema] of Object.entries(was)) {
    const field = `${spot.field}.${name}`;
    if (!Object.hasOwn(is, name)) {
      const path = valueAt(now, 'properties') === undefined ? spot.path : [...spot.path, 'properties'];
      spot.issues.push({
        field,
        check: 'removed',
        text: 'the field was removed, and its values are dropped',
        path,
      });
      continue;
    }
    const path = [...spot.path, 'properties', name];
    compareField(mapOf(schema), mapOf(is[name]), { ...spot, field, path, depth: spot.depth + 1 });
  }
}

/** Of lists and maps: a schema that was not there allowed everything. */
function compareInside(key: 'items' | 'additionalProperties', old: Fields, now: Fields, spot: Spot): void {
  const [was, is] = [old[key], now[key]];
  if (same(was, is)) return;
  const path = [...spot.path, key];
  const field = `${spot.field}[*]`;
  if (isMap(was) && isMap(is)) {
    compareField(was, is, { ...spot, field, path, depth: spot.depth + 1 });
    return;
  }
  const opened = is === true || (is === undefined && key === 'items');
  if (opened) return;
  const text = `${key}: ${shown(was)} became ${shown(is)}`;
  spot.issues.push({ field, check: 'unhandled', text, path: is === undefined ? spot.path : path });
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function same(one: unknown, other: unknown): boolean {
  return jsonOf(one) === jsonOf(other);
}

function shown(value: unknown): string {
  const text = jsonOf(value);
  return shortenValue(text, 120);
}
