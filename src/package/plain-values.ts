/** Values as readers of YAML and JSON give them, asked for whatever stands on the way there. */

/** A map as data. */
export type Fields = Readonly<Record<string, unknown>>;

type FieldPath = readonly (string | number)[];

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value itself where it is a map, else an empty one. */
export function mapOf(value: unknown): Fields {
  return isMap(value) ? value : {};
}

/** The value below a path of keys; undefined when there is none. */
export function valueAt(value: unknown, ...path: FieldPath): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** '' where there is no text. */
export function textAt(value: unknown, ...path: FieldPath): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The maps of a list; what is none stands as an empty map, so that positions hold. */
export function listAt(value: unknown, ...path: FieldPath): Fields[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.map(mapOf) : [];
}

export function textsAt(value: unknown, ...path: FieldPath): string[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

export function mapAt(value: unknown, ...path: FieldPath): Fields {
  return mapOf(valueAt(value, ...path));
}

/** The group of an `apiVersion`; '' for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
