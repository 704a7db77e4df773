/** Makes values that fit a JSON Schema: one with all that it may have, and the same with single fields null or absent. */

export interface SampleSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SampleSchema>>;
  readonly required?: readonly string[];
  readonly items?: SampleSchema;
  readonly allOf?: readonly SampleSchema[];
  readonly anyOf?: readonly SampleSchema[];
  readonly oneOf?: readonly SampleSchema[];
}

type Path = readonly (string | number)[];

const STRINGS: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T10:00:00Z',
  uri: 'https://example.com/x',
  email: 'x@example.com',
};

/** Deeper than anything is read; descriptions refer to themselves. */
const DEEPEST = 6;

/**
 * A value with every field, optional ones too. `resolve` gives what a `$ref` names. Where there are several kinds of value, `kind`
 * (from 0) says which of them: past the last it begins with the first again.
 */
export function sampleOf(
  schema: SampleSchema,
  resolve: (ref: string) => SampleSchema,
  depth = 0,
  kind = 0,
): unknown {
  const inner = (part: SampleSchema, deeper = 0): unknown => sampleOf(part, resolve, depth + deeper, kind);
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.find((value) => value !== null);
  if (schema.allOf !== undefined) {
    const { allOf, ...own } = schema;
    const parts = own.properties === undefined ? allOf : [...allOf, own];
    return parts.map((part) => inner(part)).reduce(both);
  }
  if (schema.type !== undefined && [schema.type].flat().every((one) => one === 'null')) return null;
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.type !== 'null');
  const choice = choices[kind % Math.max(1, choices.length)];
  if (choice !== undefined && schema.properties === undefined) return inner(choice);
  const type = [schema.type ?? (schema.properties === undefined ? 'string' : 'object')]
    .flat()
    .find((one) => one !== 'null');
  switch (type) {
    case 'object': {
      const names = Object.entries(schema.properties ?? {});
      const kept = depth < DEEPEST ? names : names.filter(([name]) => schema.required?.includes(name));
      return Object.fromEntries(kept.map(([name, part]) => [name, inner(part, 1)]));
    }
    case 'array':
      return schema.items === undefined || depth >= DEEPEST ? [] : [inner(schema.items, 1)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return STRINGS[schema.format ?? ''] ?? 'x';
  }
}

/** What fits two descriptions of one value: where both say something, the later unless it says nothing special. */
function both(first: unknown, later: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(later)) {
    const [one, other]: unknown[] = [first[0], later[0]];
    return later.length === 0 ? first : [both(one, other)];
  }
  if (!isRecord(first) || !isRecord(later)) return isPlaceholder(later) ? (first ?? later) : later;
  const names = [...new Set([...Object.keys(first), ...Object.keys(later)])];
  return Object.fromEntries(names.map((name) => [name, both(first[name], later[name])]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlaceholder = (value: unknown): boolean =>
  value === undefined || value === true || value === 1 || value === 'x';

/** The same with the field at a path null, or not there. */
export function changedAt(value: unknown, [key, ...rest]: Path, to: 'null' | 'absent'): unknown {
  const copy: Record<string | number, unknown> | unknown[] = Array.isArray(value)
    ? [...(value as unknown[])]
    : { ...(value as Record<string, unknown>) };
  const fields = copy as Record<string | number, unknown>;
  if (rest.length > 0) fields[key!] = changedAt(fields[key!], rest, to);
  else if (to === 'null') fields[key!] = null;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete fields[key!];
  return copy;
}

/** Runs `work` on a value and says which of its fields were looked at. */
export function pathsRead(value: object, work: (value: unknown) => void): Path[] {
  const { watched, read } = watch(value);
  work(watched);
  return read();
}

/** The value as it tells on whoever reads it: `read` answers which of its fields were looked at until then. */
export function watch(value: object): { readonly watched: object; readonly read: () => Path[] } {
  const seen = new Map<string, Path>();
  const watched = (target: object, path: Path): object =>
    new Proxy(target, {
      get(object, key, receiver) {
        const found: unknown = Reflect.get(object, key, receiver);
        if (typeof key === 'symbol' || !Object.hasOwn(object, key)) return found;
        if (Array.isArray(object) && !/^\d+$/.test(key)) return found;
        const here = [...path, key];
        seen.set(here.join('/'), here);
        return typeof found === 'object' && found !== null ? watched(found, here) : found;
      },
    });
  return { watched: watched(value, []), read: () => [...seen.values()] };
}
