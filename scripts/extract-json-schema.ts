/** OpenAPI 3.0 and 3.1 schemas turned into plain, small JSON Schema. */

export type JsonObject = Record<string, unknown>;

const DROPPED = new Set([
  'default',
  'deprecated',
  'description',
  'example',
  'examples',
  'externalDocs',
  'format',
  'nullable',
  'readOnly',
  'title',
  'writeOnly',
]);

/** Says whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Turns an OpenAPI schema into JSON Schema: `nullable` becomes a type or an enum member, prose and formats go,
 * references point at `#/schemas/NAME`. `oneOf` becomes `anyOf`: GitHub's alternatives overlap, so that right documents
 * would match two of them.
 */
export function jsonSchema(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const slim: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key.startsWith('x-')) continue;
    slim[key === 'oneOf' ? 'anyOf' : key] = keyword(key, value);
  }
  return schema['nullable'] === true ? orNull(slim) : slim;
}

function keyword(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace('#/components/schemas/', '#/schemas/');
  if (key === 'properties' || key === 'patternProperties') {
    return Object.fromEntries(
      Object.entries(isObject(value) ? value : {}).map(([name, s]) => [name, jsonSchema(s)]),
    );
  }
  if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') {
    const list = (Array.isArray(value) ? value : []).map((each) => jsonSchema(each));
    return list;
  }
  if (key === 'items' || key === 'additionalProperties' || key === 'not') {
    return isObject(value) ? jsonSchema(value) : value;
  }
  return value;
}

function orNull(slim: JsonObject): JsonObject {
  const { type, enum: values } = slim;
  if (typeof type !== 'string') return { anyOf: [slim, { type: 'null' }] };
  return {
    ...slim,
    type: [type, 'null'],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}

/** The schemas that `roots` refer to, directly or through others, each slimmed by {@link jsonSchema}. */
export function reachable(roots: unknown, schemas: JsonObject): JsonObject {
  const found: JsonObject = {};
  const waiting = referencesIn(roots);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name in found) continue;
    if (!(name in schemas)) throw new Error(`the description has no schema ${name}`);
    found[name] = jsonSchema(schemas[name]);
    waiting.push(...referencesIn(found[name]));
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const ref = value['$ref'];
  const own = typeof ref === 'string' ? [ref.slice('#/schemas/'.length)] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}
