/** Checks a value against a schema by walking both. Messages are worded as kubeconform's library words them. */
import { isMap } from '../../package/plain-values.ts';
import { getField, noteOf } from '../../package/render/field-notes.ts';
import type { Container } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { readPlain } from '../../package/yaml/scalar.ts';
import type { Schema, ValueRules } from './schema.ts';
import { brokenRules } from './value-rules.ts';
import { listed, nameOfType } from './wording.ts';

export interface Complaint {
  /** Keys and list positions from the root. */
  readonly path: readonly string[];
  readonly message: string;
  /** Where to look, if that is below the path: the unknown field. */
  readonly at?: readonly string[];
}

/** What one run may cost; shared by all values that it checks. */
export interface Budget {
  /** Values, and characters held against patterns, that may still be looked at. */
  steps: number;
  /** Complaints that may still be made. */
  complaints: number;
}

export interface ValidateOptions {
  /** Unknown fields are complaints. */
  readonly strict: boolean;
  readonly budget: Budget;
}

/** Deeper values are not looked into; what is read from YAML never is so deep. */
const MAX_NESTING = 200;

/**
 * Everything about the value that the schema does not allow, in the order of the text. Stops where the budget is used
 * up: `steps` or `complaints` is below zero then, and what was found before is returned.
 */
export function validate(schema: Schema, value: unknown, options: ValidateOptions): Complaint[] {
  const complaints: Complaint[] = [];
  const walk: Walk = {
    ...options,
    path: [],
    complain(message, at) {
      if (options.budget.complaints-- > 0)
        complaints.push({ path: [...walk.path], message, ...(at && { at: [...walk.path, at] }) });
    },
  };
  visit(schema, value, walk);
  return complaints;
}

interface Walk extends ValidateOptions {
  readonly path: string[];
  complain(message: string, at?: string): void;
}

function visit(schema: Schema, value: unknown, walk: Walk): void {
  if (spent(walk)) return;
  if (walk.path.length > MAX_NESTING) return walk.complain(`nested more than ${MAX_NESTING} levels deep`);
  const got = nameOfType(value);
  if (schema.types !== undefined && !schema.types.includes(got)) {
    const whole = got === 'integer' && schema.types.includes('number');
    if (!whole)
      return walk.complain(`got ${got === 'integer' ? 'number' : got}, want ${schema.types.join(' or ')}`);
  }
  // Null where a field may be missing is dropped by the server before it looks at anything else.
  if (got === 'null' && schema.types !== undefined) return;
  if (schema.rules !== undefined) {
    walk.budget.steps -= costOf(schema.rules, value);
    if (walk.budget.steps < 0) return;
    for (const message of brokenRules(schema.rules, value)) walk.complain(message);
  }
  if (Array.isArray(value)) visitList(schema, value, walk);
  else if (isMap(value)) visitMap(schema, value, walk);
  visitAlternatives(schema, value, walk);
}

function spent({ budget }: Walk): boolean {
  return --budget.steps < 0 || budget.complaints < 0;
}

function costOf(rules: ValueRules, value: unknown): number {
  const text = typeof value === 'string' ? value.length : 0;
  return (rules.enum?.length ?? 0) + Math.ceil(text / 16) + (rules.pattern?.cost(text) ?? 0);
}

function visitList({ items }: Schema, value: unknown[], walk: Walk): void {
  if (items === undefined) return;
  for (const at of value.keys()) {
    if (spent(walk)) return;
    below(walk, String(at), () => visit(items, readField(value, at), walk));
  }
}

function visitMap(schema: Schema, value: KrmObject, walk: Walk): void {
  const { properties, required = [], additional, closed = false } = schema;
  walk.budget.steps -= required.length;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0)
    walk.complain(`missing ${missing.length === 1 ? 'property' : 'properties'} ${listed(missing)}`);
  if (properties === undefined && additional === undefined && !closed) return;
  const unknown: string[] = [];
  for (const key of Object.keys(value)) {
    if (spent(walk)) return;
    const own = properties?.get(key) ?? additional;
    if (own !== undefined) below(walk, key, () => visit(own, readField(value, key), walk));
    else if (closed && walk.strict) unknown.push(key);
  }
  if (unknown.length > 0) walk.complain(`additional properties ${listed(unknown)} not allowed`, unknown[0]);
}

/** A field as the API server reads it. Functions see YAML 1.1's `yes`, `on` and the like as text; it sees booleans. */
function readField(container: Container, key: string | number): unknown {
  const value = getField(container, key);
  if (typeof value !== 'string') return value;
  const { source, style } = noteOf(container, key);
  return style === undefined && source === value ? readPlain(value) : value;
}

function below(walk: Walk, key: string, act: () => void): void {
  walk.path.push(key);
  act();
  walk.path.pop();
}

function visitAlternatives({ rules }: Schema, value: unknown, walk: Walk): void {
  if (rules === undefined) return;
  for (const schema of rules.allOf ?? []) visit(schema, value, walk);
  if (rules.anyOf !== undefined && !rules.anyOf.some((schema) => holds(schema, value, walk)))
    walk.complain('anyOf failed');
  if (rules.oneOf !== undefined) {
    const matched = [...rules.oneOf.keys()].filter((at) => holds(rules.oneOf?.[at] ?? {}, value, walk));
    if (matched.length === 0) walk.complain('oneOf failed, none matched');
    if (matched.length > 1) walk.complain(`oneOf failed, subschemas ${matched[0]}, ${matched[1]} matched`);
  }
  if (rules.not !== undefined && holds(rules.not, value, walk)) walk.complain('not failed');
}

/** Whether a value fits; says nothing, and uses up steps alone. */
function holds(schema: Schema, value: unknown, walk: Walk): boolean {
  let fits = true;
  visit(schema, value, {
    strict: walk.strict,
    budget: walk.budget,
    path: [],
    complain() {
      fits = false;
    },
  });
  return fits;
}
