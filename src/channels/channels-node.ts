/** Fields of a document with their lines: what is of another kind is told where it stands. */
import { resolved, type MapNode, type YamlNode } from '../package/yaml/node.ts';

/** Codes are those of docs/channels.md. */
export type Rule = 'C00' | `C0${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `C1${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7}`;

export interface ChannelProblem {
  readonly rule: Rule;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export type Tell = (
  rule: Rule,
  at: YamlNode | number | undefined,
  message: string,
  severity?: 'warning',
) => void;

/** One map of the document, read field by field; what nobody reads is an unknown field. */
export class Section {
  readonly #node: MapNode | undefined;
  readonly #name: string;
  readonly #tell: Tell;
  readonly #known = new Set<string>();

  constructor(node: YamlNode | undefined, name: string, tell: Tell) {
    const found = node === undefined ? undefined : resolved(node);
    if (found !== undefined && found.kind !== 'map') tell('C00', node, `${name} must be a map`);
    this.#node = found?.kind === 'map' ? found : undefined;
    this.#name = name;
    this.#tell = tell;
  }

  get node(): YamlNode | undefined {
    return this.#node;
  }

  value(field: string): YamlNode | undefined {
    this.#known.add(field);
    const entry = this.#node?.entries.find(({ name }) => name === field);
    const value = entry === undefined ? undefined : resolved(entry.value);
    return value?.kind === 'scalar' && value.value === null ? undefined : value;
  }

  /** Undefined where it is not there, and, told, where it is no text. */
  text(field: string): string | undefined {
    const value = this.value(field);
    if (value === undefined) return undefined;
    if (value.kind === 'scalar' && typeof value.value === 'string') return value.value;
    this.#tell('C00', value, `${this.#name}.${field} must be a text`);
    return undefined;
  }

  flag(field: string): boolean {
    const value = this.value(field);
    if (value === undefined) return false;
    if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
    this.#tell('C00', value, `${this.#name}.${field} must be true or false`);
    return false;
  }

  choice<Word extends string>(field: string, words: readonly Word[]): Word | undefined {
    const text = this.text(field);
    const found = words.find((word) => word === text);
    if (text !== undefined && found === undefined) {
      this.#tell('C00', this.value(field), `${this.#name}.${field} is one of ${words.join(', ')}`);
    }
    return found;
  }

  list(field: string): readonly YamlNode[] {
    const value = this.value(field);
    if (value === undefined) return [];
    if (value.kind === 'list') return value.items.map((item) => resolved(item.value));
    this.#tell('C00', value, `${this.#name}.${field} must be a list`);
    return [];
  }

  texts(field: string): readonly string[] {
    return this.list(field).flatMap((item) => {
      if (item.kind === 'scalar' && typeof item.value === 'string') return [item.value];
      this.#tell('C00', item, `${this.#name}.${field} holds texts`);
      return [];
    });
  }

  /** Tells of every field that was not asked for. */
  refuseOthers(): void {
    for (const { name, key } of this.#node?.entries ?? []) {
      if (!this.#known.has(name))
        this.#tell('C02', key, `${this.#name} has no field ${JSON.stringify(name)}`);
    }
  }
}
