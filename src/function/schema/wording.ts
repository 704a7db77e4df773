/** How kubeconform's library (santhosh-tekuri/jsonschema v6, kind/kind.go) words what it found. */
import { shortenValue } from '../../text/cut-text.ts';
import type { TypeName } from './schema.ts';

/** Values and names come from packages and may be of any size; messages stay readable. */
const MAX_LENGTH = 200;
const MAX_COUNT = 20;

/** The JSON type of a value; whole numbers, also those past 2^53, are integers. */
export function nameOfType(value: unknown): TypeName {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'string':
      return 'string';
    default:
      return 'object';
  }
}

/** Text in single quotes, cut where it is long. */
export function quote(text: string): string {
  return `'${JSON.stringify(shortenValue(text, MAX_LENGTH))
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

/** Names in quotes behind one another, the first twenty. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_COUNT).map(quote).join(', ');
  return names.length > MAX_COUNT ? `${shown} and ${names.length - MAX_COUNT} more` : shown;
}

/** A value as a message shows it. */
export function display(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'object' && value !== null ? 'value' : String(value);
}
