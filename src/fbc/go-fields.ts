/**
 * Fields of a document read as Go's JSON decoder reads them into a struct: names without regard to case, null as absence,
 * and its words where a value is of another type.
 */
import type { YamlValue } from '../package/yaml/edit.ts';
import type { Fields } from './catalog.ts';

/** Values of one map by name, without regard to case; the exact name wins. */
export class FieldReader {
  readonly #fields: Fields;
  readonly #struct: string;
  readonly #folded = new Map<string, string>();
  readonly #known = new Set<string>();

  /** `struct` is the name that Go's messages have, such as `Bundle`. */
  constructor(fields: Fields, struct: string) {
    this.#fields = fields;
    this.#struct = struct;
    for (const name of Object.keys(fields)) this.#folded.set(name.toLowerCase(), name);
    for (const name of Object.keys(fields)) if (name === name.toLowerCase()) this.#folded.set(name, name);
  }

  value(name: string): YamlValue | undefined {
    return this.raw(name) ?? undefined;
  }

  /** As it stands: a raw message of Go's holds null, too. */
  raw(name: string): YamlValue | undefined {
    const key = Object.hasOwn(this.#fields, name) ? name : this.#folded.get(name.toLowerCase());
    if (key === undefined) return undefined;
    this.#known.add(key);
    return this.#fields[key];
  }

  text(name: string): string {
    const value = this.value(name);
    if (value === undefined) return '';
    if (typeof value === 'string') return value;
    throw new TypeMistake(value, `${this.#struct}.${name}`, 'string');
  }

  list(name: string, type: string): readonly YamlValue[] {
    const value = this.value(name);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value as readonly YamlValue[];
    throw new TypeMistake(value, `${this.#struct}.${name}`, type);
  }

  texts(name: string): readonly string[] {
    return this.list(name, '[]string').map((item) => {
      if (item === null) return '';
      if (typeof item === 'string') return item;
      throw new TypeMistake(item, `${this.#struct}.${name}`, 'string');
    });
  }

  /** Maps below a field; `struct` names both the field and its type to Go. */
  maps(name: string, struct: string, type: string): readonly FieldReader[] {
    return this.list(name, `[]${type}`).map((item) => {
      if (item === null) return new FieldReader({}, struct);
      if (isMap(item)) return new FieldReader(item, struct);
      throw new TypeMistake(item, `${this.#struct}.${name}`, type);
    });
  }

  map(name: string, struct: string, type: string): FieldReader | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (isMap(value)) return new FieldReader(value, struct);
    throw new TypeMistake(value, `${this.#struct}.${name}`, type);
  }

  /** What nobody asked for. */
  rest(): Fields {
    const rest = Object.create(null) as Record<string, YamlValue>;
    for (const [name, value] of Object.entries(this.#fields)) if (!this.#known.has(name)) rest[name] = value;
    return rest;
  }
}

/** A value of another type than the field's. */
export class TypeMistake extends Error {
  constructor(value: YamlValue, field: string, type: string) {
    super(`json: cannot unmarshal ${kindOf(value)} into Go struct field ${field} of type ${type}`);
    this.name = 'TypeMistake';
  }
}

function kindOf(value: YamlValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return typeof value;
}

export function isMap(value: YamlValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
