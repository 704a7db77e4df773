/** Kubernetes' own kinds. The generated text is read when the first resource is checked, not when the program starts. */
import { readFileSync } from 'node:fs';

import type { Schema, TypeName } from './schema.ts';

interface Tables {
  /** `apps/v1 Deployment` → model. */
  readonly kinds: ReadonlyMap<string, string>;
  /** Model → its line, `name:type name:type`. */
  readonly models: ReadonlyMap<string, string>;
}

let tables: Tables | undefined;
const schemas = new Map<string, Schema>();

/** The schema of a kind of Kubernetes' own API (release in the head of kubernetes.txt); undefined for any other. */
export function kubernetesSchema(apiVersion: string, kind: string): Schema | undefined {
  const model = read().kinds.get(`${apiVersion} ${kind}`);
  return model === undefined ? undefined : schemaOf(model, false);
}

/** The schema of `metadata`. */
export function metadataSchema(): Schema {
  return schemaOf('V1ObjectMeta', true);
}

function read(): Tables {
  if (tables !== undefined) return tables;
  const kinds = new Map<string, string>();
  const models = new Map<string, string>();
  for (const line of readFileSync(new URL('./kubernetes.txt', import.meta.url), 'utf8').split('\n')) {
    const [what, first = '', second = '', third = ''] = line.split(' ', 4);
    if (what === 'kind') kinds.set(`${first} ${second}`, third);
    else if (what === 'model') models.set(first, line.slice(`model ${first}`.length).trimStart());
  }
  return (tables = { kinds, models });
}

/** The schema of a type as the text spells it. Optional fields may be null, as upstream's schemas have it. */
function schemaOf(type: string, nullable: boolean): Schema {
  const key = `${type}${nullable ? '?' : ''}`;
  let schema = schemas.get(key);
  if (schema === undefined) schemas.set(key, (schema = makeSchema(type, nullable)));
  return schema;
}

const SCALARS: Readonly<Record<string, readonly TypeName[]>> = {
  boolean: ['boolean'],
  date: ['string'],
  'int-or-string': ['integer', 'string'],
  integer: ['integer'],
  number: ['number'],
  object: ['object'],
  quantity: ['number', 'string'],
  string: ['string'],
};

function makeSchema(type: string, nullable: boolean): Schema {
  if (type === 'any') return {};
  const or = (...types: readonly TypeName[]): { types: readonly TypeName[] } => ({
    types: nullable ? ['null', ...types] : types,
  });
  const scalar = SCALARS[type];
  if (scalar !== undefined)
    return { ...or(...scalar), ...(type === 'date' && { rules: { format: 'date-time' } }) };
  const inner = schemaWithin(type);
  if (type.startsWith('[')) return { ...or('array'), items: inner };
  if (type.startsWith('{')) return { ...or('object'), additional: inner };
  return modelSchema(type, or('object'));
}

/** The schema of what a list or map holds; models hold nothing, they have fields. */
function schemaWithin(type: string): Schema {
  return /^[[{]/.test(type) ? schemaOf(type.slice(1, -1), true) : {};
}

/** Models refer to one another in circles, so the fields are read when they are asked for. */
function modelSchema(model: string, base: Schema): Schema {
  let fields: { readonly properties: ReadonlyMap<string, Schema>; readonly required: readonly string[] };
  const get = (): typeof fields => (fields ??= readFields(read().models.get(model) ?? ''));
  return {
    ...base,
    closed: true,
    get properties() {
      return get().properties;
    },
    get required() {
      return get().required;
    },
  };
}

function readFields(line: string): { properties: Map<string, Schema>; required: string[] } {
  const properties = new Map<string, Schema>();
  const required: string[] = [];
  for (const field of line.split(' ')) {
    const colon = field.indexOf(':');
    if (colon === -1) continue;
    const name = field.slice(0, colon);
    const must = field.endsWith('!');
    if (must) required.push(name);
    properties.set(name, schemaOf(field.slice(colon + 1, must ? -1 : undefined), !must));
  }
  return { properties, required };
}
