/** What tools print → objects, each with its own text → files, one for each object. */
import { createHash } from 'node:crypto';

import { groupOf, kindOf, mapsAt, nameOf, namespaceOf, textAt, type Manifest } from '../bundle/manifest.ts';
import { PorticoError, type Refusal } from '../error.ts';
import { isMap } from '../fbc/go-fields.ts';
import type { Tree } from '../package/tree-digest.ts';
import { fromValue, toValue } from '../package/yaml/compare.ts';
import { fullDocuments } from '../package/yaml/edit.ts';
import { documentText } from '../package/yaml/patch.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import { refuse } from './processor-step.ts';

export interface RenderedObject {
  readonly value: Manifest;
  /** As it was printed, so that comments and order stay; ends in a newline. */
  readonly text: string;
  /** Where it comes from, such as `redis/templates/service.yaml`; '' where nothing tells. */
  readonly source: string;
}

export type Objects = { readonly objects: readonly RenderedObject[] } | { readonly refused: Refusal };

const SOURCE = /^# Source: (.{1,1000})$/m;
/** A marker at the start of a line ends a document wherever it stands, in block scalars too. YAML's lines end in LF. */
const MARKER = /(?<![^\n])---(?![^ \t\r\n])/;
/** Characters of a file name; file systems take 255 bytes. */
const MAX_NAME_LENGTH = 200;

/** The objects of a stream of documents; lists count as their items. `origin` names it where a document cannot be read. */
export function objectsOf(text: string, origin: string): Objects {
  const objects: RenderedObject[] = [];
  let source = '';
  for (const part of text.replaceAll('\r\n', '\n').split(MARKER)) {
    source = SOURCE.exec(part)?.[1] ?? source;
    const place = source === '' ? origin : source;
    let values: readonly unknown[];
    try {
      values = fullDocuments(readYamlFile(part)).map(({ root }) => (root === null ? null : toValue(root)));
    } catch (error) {
      if (!(error instanceof PorticoError)) throw error;
      const hint = 'Fix the template or manifest, or its values.';
      return refuse('PROCESSOR_NO_YAML', `${place}: ${error.message}`, hint);
    }
    const alone = values.length === 1;
    for (const value of values) {
      if (value === null) continue;
      // Documents that end in `...` stand in one part: the text of each must not bring the others along.
      const made = objectsIn(value, alone ? `${part.trim()}\n` : undefined, source);
      if (made === undefined) {
        const message = `${place}: a document is not a Kubernetes object: it needs apiVersion, kind and metadata.name`;
        return refuse('PROCESSOR_NO_OBJECT', message, 'Fix the template or manifest.');
      }
      objects.push(...made);
    }
  }
  return { objects };
}

/** Objects that have no text of their own. */
export function objectOf(value: Manifest, source = ''): RenderedObject {
  return { value, text: documentText(fromValue(value), undefined), source };
}

function objectsIn(
  value: unknown,
  text: string | undefined,
  source: string,
): readonly RenderedObject[] | undefined {
  if (!isMap(value as Manifest)) return undefined;
  const object = value as Manifest;
  if (textAt(object, 'apiVersion') === '' || kindOf(object) === '') return undefined;
  if (kindOf(object).endsWith('List') && Array.isArray(object['items'])) {
    const items = mapsAt(object, 'items').map((item) => objectsIn(item, undefined, source));
    return items.includes(undefined) ? undefined : items.flatMap((item) => item ?? []);
  }
  return nameOf(object) === '' ? undefined : [{ value: object, text: text ?? textOf(object), source }];
}

function textOf(value: Manifest): string {
  return documentText(fromValue(value), undefined);
}

/**
 * One file for each object, named for its kind, namespace and name, so that a new version of a chart shows what changed in
 * which object, wherever its templates lie. Objects of one identity that differ are refused.
 */
export function objectTree(
  objects: readonly RenderedObject[],
): { readonly files: Tree } | { readonly refused: Refusal } {
  const held = new Map<string, RenderedObject>();
  for (const object of objects) {
    const identity = identityOf(object.value);
    const other = held.get(identity);
    if (other === undefined) held.set(identity, object);
    else if (bodyOf(other.text) !== bodyOf(object.text)) {
      const places = [other, object].map(({ source }) => source).filter((source) => source !== '');
      const where = places.length === 2 ? ` (${places.join(' and ')})` : '';
      const message = `${calledObject(object.value)} is defined twice with different content${where}`;
      return refuse('PROCESSOR_TWINS', message, 'A cluster keeps one of them: take the other out.');
    }
  }
  const named = Map.groupBy(held, ([, { value }]) => fileName(value));
  const files = [...named].flatMap(([name, those]) =>
    those.map(([identity, { text }]) => {
      const file = those.length === 1 && name.length <= MAX_NAME_LENGTH ? name : distinct(name, identity);
      return [`${file}.yaml`, new TextEncoder().encode(text)] as const;
    }),
  );
  return { files: new Map(files.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** An object as people name it: `Deployment web/redis`. */
export function calledObject(object: Manifest): string {
  const namespace = namespaceOf(object);
  return `${kindOf(object)} ${namespace === '' ? '' : `${namespace}/`}${nameOf(object)}`;
}

function identityOf(object: Manifest): string {
  return JSON.stringify([groupOf(object), kindOf(object), namespaceOf(object), nameOf(object)]);
}

function fileName(object: Manifest): string {
  const parts = [kindOf(object), namespaceOf(object), nameOf(object)].filter((part) => part !== '');
  return parts.map((part) => part.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-')).join('_');
}

/** Names that several objects would have, or that are too long, end in a digest of whose they are. */
function distinct(name: string, identity: string): string {
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH)}_${digest}`;
}

/** The comment with the template is not part of the object. */
function bodyOf(text: string): string {
  return text.replace(SOURCE, '').trim();
}
