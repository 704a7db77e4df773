/** Schemas of custom resources, from the CustomResourceDefinitions beside them. */
import { isMap } from '../../package/plain-values.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { metadataSchema } from './kubernetes-schema.ts';
import { linearPattern } from './linear-pattern.ts';
import type { Bound, Pattern, Schema, SchemaOf, TypeName, ValueRules } from './schema.ts';

/**
 * Reads the definitions among the resources (apiextensions.k8s.io/v1 and v1beta1). A schema is read when a resource of
 * its kind is met. What stands wrongly in a definition demands nothing: the definition has its own schema.
 */
export function customResourceSchemas(items: readonly KrmObject[]): SchemaOf {
  const sources = new Map<string, () => Schema>();
  for (const item of items) {
    if (item['kind'] !== 'CustomResourceDefinition' || !isMap(item['spec'])) continue;
    const { spec } = item;
    const kind = isMap(spec['names']) ? spec['names']['kind'] : undefined;
    // Before v1 unknown fields were kept unless the definition said otherwise.
    const prunes =
      item['apiVersion'] === 'apiextensions.k8s.io/v1beta1'
        ? spec['preserveUnknownFields'] === false
        : spec['preserveUnknownFields'] !== true;
    for (const version of versionsOf(spec)) {
      const own = isMap(version['schema']) ? version['schema'] : spec['validation'];
      const raw = isMap(own) ? own['openAPIV3Schema'] : undefined;
      if (isMap(raw))
        sources.set(`${String(spec['group'])}/${String(version['name'])} ${String(kind)}`, () =>
          rootSchema(raw, prunes),
        );
    }
  }
  const read = new Map<string, Schema>();
  return (apiVersion, kind) => {
    const key = `${apiVersion} ${kind}`;
    const source = sources.get(key);
    if (source !== undefined && !read.has(key)) read.set(key, source());
    return read.get(key);
  };
}

function versionsOf(spec: KrmObject): KrmObject[] {
  const { version, versions } = spec;
  const listed: KrmObject[] = Array.isArray(versions) ? versions.filter(isMap) : [];
  return typeof version === 'string' && listed.length === 0 ? [{ name: version }] : listed;
}

/** The server itself sees to `apiVersion`, `kind` and `metadata`, whatever the schema says of them. */
function rootSchema(raw: KrmObject, prunes: boolean): Schema {
  const schema = read(raw, { prunes, nullable: false, depth: 0, parts: { left: MAX_PARTS } });
  return { ...schema, types: ['object'], properties: withHead(schema.properties, metadataSchema()) };
}

function withHead(
  properties: ReadonlyMap<string, Schema> | undefined,
  metadata: Schema,
): ReadonlyMap<string, Schema> {
  return new Map([
    ...(properties ?? []),
    ['apiVersion', { types: ['string'] }],
    ['kind', { types: ['string'] }],
    ['metadata', metadata],
  ]);
}

interface Place {
  /** Fields that the schema does not name are dropped by the server. */
  readonly prunes: boolean;
  /** The server drops null in fields that need not be there. */
  readonly nullable: boolean;
  readonly depth: number;
  /** How many more parts of the schema are read. */
  readonly parts: { left: number };
}

/** Deeper parts of a schema demand nothing, nor do those past this number; real ones have some ten thousand. */
const MAX_DEPTH = 100;
const MAX_PARTS = 100_000;
const TYPES = new Set<unknown>(['boolean', 'number', 'integer', 'string', 'array', 'object']);

function read(raw: unknown, place: Place): Schema {
  if (!isMap(raw) || place.depth > MAX_DEPTH || --place.parts.left < 0) return {};
  const nullable = place.nullable || raw['nullable'] === true;
  const types: TypeName[] =
    raw['x-kubernetes-int-or-string'] === true
      ? ['integer', 'string']
      : TYPES.has(raw['type'])
        ? [raw['type'] as TypeName]
        : [];
  const rules = readRules(raw, place);
  return {
    ...(types.length > 0 && { types: nullable ? ['null', ...types] : types }),
    ...readFields(raw, { ...place, depth: place.depth + 1 }),
    ...(isMap(raw['items']) && {
      items: read(raw['items'], { ...place, nullable: false, depth: place.depth + 1 }),
    }),
    ...(rules !== undefined && { rules }),
  };
}

function readFields(
  raw: KrmObject,
  place: Place,
): Pick<Schema, 'properties' | 'required' | 'additional' | 'closed'> {
  const { properties: fields, required: must, additionalProperties } = raw;
  const required = Array.isArray(must) ? must.filter((name) => typeof name === 'string') : [];
  let properties: ReadonlyMap<string, Schema> | undefined;
  if (isMap(fields)) {
    properties = new Map(
      Object.keys(fields).map((name) => {
        const field = fields[name];
        const given = isMap(field) && Object.hasOwn(field, 'default');
        return [name, read(field, { ...place, nullable: given || !required.includes(name) })];
      }),
    );
  }
  const embedded = raw['x-kubernetes-embedded-resource'] === true;
  const keeps = raw['x-kubernetes-preserve-unknown-fields'] === true || !place.prunes;
  const additional = isMap(additionalProperties)
    ? read(additionalProperties, { ...place, nullable: true })
    : undefined;
  const needed = required.filter((name) => !hasDefault(fields, name));
  return {
    ...(embedded ? { properties: withHead(properties, {}) } : properties !== undefined && { properties }),
    ...(needed.length > 0 && { required: needed }),
    ...(additional !== undefined && { additional }),
    ...(raw['type'] === 'object' && !keeps && additionalProperties !== true && { closed: true }),
  };
}

function hasDefault(fields: unknown, name: string): boolean {
  const field = isMap(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined;
  return isMap(field) && Object.hasOwn(field, 'default');
}

function readRules(raw: KrmObject, place: Place): ValueRules | undefined {
  const number = (name: string): number | undefined => {
    const value = raw[name];
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  };
  const bound = (name: 'minimum' | 'maximum', exclusive: string): Bound | undefined => {
    const value = number(name);
    return value === undefined ? undefined : { value, exclusive: raw[exclusive] === true };
  };
  // Alternatives only judge values: which fields there are, the schema around them says.
  const judged: Place = { ...place, prunes: false, nullable: false, depth: place.depth + 1 };
  const all = (name: string): Schema[] | undefined => {
    const list: unknown = raw[name];
    return Array.isArray(list) ? list.map((one) => read(one, judged)) : undefined;
  };
  const multipleOf = number('multipleOf');
  const rules: { [Rule in keyof ValueRules]: ValueRules[Rule] | undefined } = {
    enum: Array.isArray(raw['enum']) ? raw['enum'] : undefined,
    format: raw['format'] === 'date-time' ? 'date-time' : undefined,
    pattern: typeof raw['pattern'] === 'string' ? readPattern(raw['pattern']) : undefined,
    minLength: number('minLength'),
    maxLength: number('maxLength'),
    minimum: bound('minimum', 'exclusiveMinimum'),
    maximum: bound('maximum', 'exclusiveMaximum'),
    multipleOf: multipleOf !== undefined && multipleOf > 0 ? multipleOf : undefined,
    minItems: number('minItems'),
    maxItems: number('maxItems'),
    minProperties: number('minProperties'),
    maxProperties: number('maxProperties'),
    allOf: all('allOf'),
    anyOf: all('anyOf'),
    oneOf: all('oneOf'),
    not: isMap(raw['not']) ? read(raw['not'], judged) : undefined,
  };
  const given = Object.entries(rules).filter(([, rule]) => rule !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Its cost is counted by who asks. */
const COUNTED_BEFORE = (): void => {};

/** A pattern that cannot be run demands nothing. */
function readPattern(source: string): Pattern {
  let compiled: ReturnType<typeof linearPattern> | null = null;
  const get = (): ReturnType<typeof linearPattern> =>
    compiled === null ? (compiled = linearPattern(source)) : compiled;
  return {
    source,
    cost: (length) => {
      const pattern = get();
      return typeof pattern === 'object' ? Math.ceil((pattern.instructions * length) / 4) : 0;
    },
    matches: (text) => {
      const pattern = get();
      if (pattern === 'too large') return 'too large';
      return pattern?.test(text, COUNTED_BEFORE) ?? true;
    },
  };
}
