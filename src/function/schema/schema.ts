/** What a value may be: the one form that Kubernetes' own schema and those of CRDs are read into. */

/** Types of JSON, in the order in which messages name them. */
export const TYPE_NAMES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'] as const;
export type TypeName = (typeof TYPE_NAMES)[number];

export interface Schema {
  /** Absent: any type. */
  readonly types?: readonly TypeName[];
  readonly properties?: ReadonlyMap<string, Schema>;
  readonly required?: readonly string[];
  /** For fields that `properties` does not have. */
  readonly additional?: Schema;
  /** True where a field that is neither in `properties` nor `additional` is unknown to the API server. */
  readonly closed?: boolean;
  readonly items?: Schema;
  readonly rules?: ValueRules;
}

/** What CRDs demand of values beside their types (JSON Schema, as OpenAPI v3 has it). */
export interface ValueRules {
  readonly enum?: readonly unknown[];
  readonly format?: 'date-time';
  readonly pattern?: Pattern;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: Bound;
  readonly maximum?: Bound;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

export interface Pattern {
  readonly source: string;
  /** Steps that it takes to hold a text of this length against the pattern. */
  cost(length: number): number;
  /** `too large`: it would take too long to find out. */
  matches(text: string): boolean | 'too large';
}

export interface Bound {
  readonly value: number;
  /** The value itself is not allowed. */
  readonly exclusive: boolean;
}

/** Gives the schema of a kind; undefined where none is known. */
export type SchemaOf = (apiVersion: string, kind: string) => Schema | undefined;
