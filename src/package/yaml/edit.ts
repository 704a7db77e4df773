import { PorticoError } from '../../error.ts';
import type { YamlPath } from './path.ts';

/** What YAML can hold once Kubernetes has read it. Integers past 2^53 are bigints. */
export type YamlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

/** `document` counts the non-empty documents of the file from 0. */
export type YamlEdit =
  /** Sets the node; missing parents are made. A collection that is there is edited in place, only where it differs. Path [] is the whole document. */
  | { readonly op: 'set'; readonly document: number; readonly path: YamlPath; readonly value: YamlValue }
  | { readonly op: 'delete'; readonly document: number; readonly path: YamlPath }
  /** Inserts an item into the list at `path` before position `at` (default: the end). */
  | {
      readonly op: 'insert';
      readonly document: number;
      readonly path: YamlPath;
      readonly value: YamlValue;
      readonly at?: number;
    }
  /** Renames the map key at the end of `path`. */
  | { readonly op: 'rename'; readonly document: number; readonly path: YamlPath; readonly to: string }
  /** Inserts a document before document `at` (default: the end). */
  | { readonly op: 'insert-document'; readonly value: YamlValue; readonly at?: number }
  | { readonly op: 'delete-document'; readonly document: number };

/** 1-based line and column of a node; `range` are offsets into the text (UTF-16 units), value only. */
export interface YamlLocation {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly range: readonly [start: number, end: number];
}

/**
 * Applies edits in order to the text of a YAML or JSON file; every byte that no edit concerns stays.
 * Throws `YAML_INVALID` when the text does not parse and `YAML_PATH` when a path leads nowhere.
 */
export function editYaml(_text: string, _edits: readonly YamlEdit[]): string {
  throw new PorticoError('NOT_YET', 'editYaml');
}

/** The values of the non-empty documents as Kubernetes reads them (YAML 1.1 words). Throws `YAML_INVALID`. */
export function readYaml(_text: string): YamlValue[] {
  throw new PorticoError('NOT_YET', 'readYaml');
}

/**
 * Finds the node at a path, or its nearest parent when `nearest` is asked for; undefined when there is none
 * or the text does not parse.
 */
export function locate(
  _text: string,
  _documentIndex: number,
  _path: YamlPath,
  _options: { readonly nearest?: boolean } = {},
): YamlLocation | undefined {
  throw new PorticoError('NOT_YET', 'locate');
}
