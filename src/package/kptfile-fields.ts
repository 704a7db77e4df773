/**
 * Reads the fields of a Kptfile out of plain data, by hand: every start of the command line passes here, and a schema
 * library costs more time than all the rest. What is of the wrong kind, unknown, or lacks what it needs is left out
 * and told, and the rest is read.
 */
import { holdsCredentials } from '../text/secrets.ts';
import { closestWord } from './closest-word.ts';
import { formatPath } from './yaml/path.ts';

export type Parts = readonly (string | number)[];
export type Tell = (problem: { readonly path: string; readonly message: string }) => void;

/** Reads one value; undefined where it cannot be used, and then it has told why. */
export type Reader<Value> = (raw: unknown, path: Parts, tell: Tell) => Value | undefined;

export interface Fields {
  /** The field under its name, or nothing where it is absent or of no use. */
  optional<Name extends string, Value>(name: Name, read: Reader<Value>): { [name in Name]?: Value };
  /** The field, or what stands for it. */
  or<Value>(name: string, read: Reader<Value>, otherwise: Value): Value;
  /** The field; undefined, and told, where it is absent or of no use. */
  required<Value>(name: string, read: Reader<Value>): Value | undefined;
}

/** Opens a map; `known` names its fields, absent when others may be there too. */
export function fieldsOf(
  raw: unknown,
  path: Parts,
  tell: Tell,
  known?: readonly string[],
): Fields | undefined {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) {
    tell({ path: formatPath(path), message: 'This must be a map' });
    return undefined;
  }
  const present = new Map(Object.entries(raw));
  for (const name of known === undefined ? [] : present.keys()) {
    if (known === undefined || known.includes(name)) continue;
    const near = closestWord(name, known);
    const meant = near === undefined ? '' : `; did you mean "${near}"?`;
    tell({ path: formatPath([...path, name]), message: `kpt does not know the field "${name}"${meant}` });
  }
  const read = <Value>(name: string, reader: Reader<Value>): Value | undefined =>
    present.has(name) ? reader(present.get(name), [...path, name], tell) : undefined;
  return {
    optional: (name, reader) => {
      const value = read(name, reader);
      return (value === undefined ? {} : { [name]: value }) as {
        [key in typeof name]?: NonNullable<typeof value>;
      };
    },
    or: (name, reader, otherwise) => read(name, reader) ?? otherwise,
    required: (name, reader) => {
      if (!present.has(name)) tell({ path: formatPath([...path, name]), message: `"${name}" is missing` });
      return read(name, reader);
    },
  };
}

/** An address of a repository or a page. One that holds a credential is left out, and what is told does not repeat it. */
export const address: Reader<string> = (raw, path, tell) => {
  const value = text(raw, path, tell);
  if (value === undefined || !holdsCredentials(value)) return value;
  const where = formatPath(path);
  tell({
    path: where,
    message: `${where} contains a user name, password or token, which everyone who can read the repository sees: remove it, revoke it where it was issued, and let git's credential helpers provide it`,
  });
  return undefined;
};

export const text: Reader<string> = (raw, path, tell) => {
  if (typeof raw === 'string') return raw;
  tell({ path: formatPath(path), message: 'This must be a text' });
  return undefined;
};

/** A map of texts. */
export const texts: Reader<Readonly<Record<string, string>>> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  if (fields === undefined) return undefined;
  const entries = Object.entries(raw as object).flatMap(([name, value]): [string, string][] => {
    const one = text(value, [...path, name], tell);
    return one === undefined ? [] : [[name, one]];
  });
  return Object.fromEntries(entries);
};

/** A list; items that cannot be used are left out. */
export function listOf<Value>(item: Reader<Value>): Reader<readonly Value[]> {
  return (raw, path, tell) => {
    if (!Array.isArray(raw)) {
      tell({ path: formatPath(path), message: 'This must be a list' });
      return undefined;
    }
    return raw.flatMap((value: unknown, at): Value[] => {
      const one = item(value, [...path, at], tell);
      return one === undefined ? [] : [one];
    });
  };
}

type Optional<Readers> = {
  readonly [Name in keyof Readers]?: Readers[Name] extends Reader<infer Value> ? Value : never;
};
type Defaulted<Defaults> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends readonly [Reader<infer Value>, unknown]
    ? Value
    : never;
};

type Readers = Readonly<Record<string, Reader<unknown>>>;
/** Each with what stands for a field that is absent or of no use. */
type Defaults = Readonly<Record<string, readonly [Reader<unknown>, unknown]>>;

/** A map: fields that may be there, and fields that always are. */
export function mapOf<Some extends Readers>(some: Some): Reader<Optional<Some>>;
export function mapOf<Some extends Readers, All extends Defaults>(
  some: Some,
  all: All,
): Reader<Optional<Some> & Defaulted<All>>;
export function mapOf(some: Readers, all: Defaults = {}): Reader<Record<string, unknown>> {
  return (raw, path, tell) => {
    const fields = fieldsOf(raw, path, tell);
    if (fields === undefined) return undefined;
    const read: Record<string, unknown> = {};
    for (const [name, [reader, otherwise]] of Object.entries(all))
      read[name] = fields.or(name, reader, otherwise);
    for (const [name, reader] of Object.entries(some)) Object.assign(read, fields.optional(name, reader));
    return read;
  };
}
