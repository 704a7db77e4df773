/** A text of YAML or JSON → the objects that a cluster gets of it, or why that is uncertain. */
import { PorticoError } from '../../error.ts';
import { InvalidYaml } from '../yaml/invalid-yaml.ts';
import type { YamlFile } from '../yaml/read.ts';
import { readYamlFile } from '../yaml/read.ts';
import { appliedNode } from './applied-value.ts';
import { differencesIn } from './differences.ts';
import type { Difference } from './differences.ts';

export type Applied = { readonly objects: readonly unknown[] } | { readonly refused: readonly Difference[] };

/** Reads what kubectl makes of each document; documents without content are left out. */
export function readApplied(content: string | Uint8Array, path = 'the file'): Applied {
  const text = typeof content === 'string' ? content : utf8Of(content);
  if (text === undefined)
    return { refused: [{ line: 1, what: 'the text is not UTF-8', hint: 'Save the file as UTF-8.' }] };
  let file: YamlFile;
  try {
    file = readYamlFile(text);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const { hint = `Correct ${path}.` } = error;
    return error instanceof InvalidYaml
      ? { refused: [{ line: error.line, what: error.what, hint }] }
      : { refused: [{ line: 1, what: error.message, hint }] };
  }
  const refused = differencesIn(file);
  if (refused.length > 0) return { refused };
  const values = file.documents.map(({ root }) => (root === null ? null : appliedNode(root)));
  return { objects: values.filter((value) => value !== null) };
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
