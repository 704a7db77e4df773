/** Pure: from what functions propose for single fields to the file as it would be. */
import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../package.ts';
import { editYaml, type YamlEdit, type YamlValue } from '../yaml/edit.ts';
import { readResources } from './read-resources.ts';
import type { Finding } from './render-types.ts';

/** A proposal is a small thing: longer ones are shown and not applied. */
const MAX_LENGTH = 10_000;

/** True for a finding that says what the field should be. */
export function proposesValue({ item, file }: Finding): boolean {
  return file !== undefined && item.field?.proposedValue !== undefined && item.field.path !== '';
}

/**
 * The files with every proposed value written, losslessly. Left out is what cannot be done for certain: a field that is
 * not found, or that holds something else than the function saw.
 *
 * @returns only the files that differ
 */
export function withProposedValues(files: PackageFiles, findings: readonly Finding[]): PackageFiles {
  const changed = new Map<string, { readonly mode: '100644' | '100755'; readonly bytes: Uint8Array }>();
  for (const [path, proposals] of Map.groupBy(findings.filter(proposesValue), ({ file = '' }) => file)) {
    const file = files.get(path);
    if (file === undefined) continue;
    const before = new TextDecoder().decode(file.bytes);
    const after = proposals.reduce((text, finding) => applied(path, text, finding), before);
    if (after !== before) changed.set(path, { mode: file.mode, bytes: new TextEncoder().encode(after) });
  }
  return changed;
}

function applied(path: string, text: string, finding: Finding): string {
  try {
    const edit = editOf(path, text, finding);
    return edit === undefined ? text : editYaml(text, [edit]);
  } catch (error) {
    if (error instanceof PorticoError && error.blame === 'user') return text;
    throw error;
  }
}

function editOf(path: string, text: string, { item, resource }: Finding): YamlEdit | undefined {
  const { field, place, file } = item;
  if (field === undefined || !isYamlValue(field.proposedValue)) return undefined;
  if (shown(field.proposedValue).length > MAX_LENGTH) return undefined;
  const { documents } = readResources(path, text);
  const index = place?.index ?? file?.index ?? 0;
  const isThat = (value: Readonly<Record<string, unknown>>): boolean =>
    resource === undefined || resource.kind === '' || value['kind'] === resource.kind;
  const document =
    documents.find((one) => one.index === index && isThat(one.value)) ??
    (documents.length === 1 ? documents[0] : undefined);
  if (document === undefined) return undefined;
  const found = resolvePath(document.value, field.path);
  if (found === undefined) return undefined;
  const { currentValue } = field;
  if (currentValue !== undefined && shown(currentValue) !== shown(found.value)) return undefined;
  return { op: 'set', document: document.index, path: found.path, value: field.proposedValue };
}

interface Resolved {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * A path such as `spec.containers[0].image` or `metadata.labels.app.kubernetes.io/name` against the data that it names:
 * keys may hold dots themselves. The last key may be missing from its map; everything above it must be there.
 */
export function resolvePath(root: unknown, path: string): Resolved | undefined {
  const keys: (string | number)[] = [];
  let here = root;
  let rest = path.replace(/^\$?\.?/, '');
  while (rest !== '') {
    const position = /^\[(\d+)\]\.?|^(\d+)(?:\.|$)/.exec(rest);
    if (Array.isArray(here)) {
      const at = Number(position?.[1] ?? position?.[2]);
      if (position === null || at >= here.length) return undefined;
      keys.push(at);
      here = here[at] as unknown;
      rest = rest.slice(position[0].length);
      continue;
    }
    if (typeof here !== 'object' || here === null) return undefined;
    const key = keyIn(Object.keys(here), rest);
    keys.push(key.name);
    if (!Object.hasOwn(here, key.name)) return key.rest === '' ? { path: keys, value: undefined } : undefined;
    here = (here as Readonly<Record<string, unknown>>)[key.name];
    ({ rest } = key);
  }
  return keys.length === 0 ? undefined : { path: keys, value: here };
}

/** The longest key that the path goes on with; else the next word of it. */
function keyIn(keys: readonly string[], path: string): { readonly name: string; readonly rest: string } {
  const bracket = /^\["?([^"\]]+)"?\]\.?/.exec(path);
  if (bracket?.[1] !== undefined) return { name: bracket[1], rest: path.slice(bracket[0].length) };
  const plain = path.replaceAll('\\.', '.');
  const [known] = keys
    .filter((key) => plain.startsWith(key) && /^$|^[.[]/.test(plain.slice(key.length)))
    .toSorted((a, b) => b.length - a.length);
  const name = known ?? /^(?:\\.|[^.[])*/.exec(path)?.[0].replaceAll('\\.', '.') ?? '';
  const from = known === undefined ? path : plain;
  const used = known === undefined ? (/^(?:\\.|[^.[])*/.exec(path)?.[0].length ?? 0) : known.length;
  return { name, rest: from.slice(used).replace(/^\./, '') };
}

function isYamlValue(value: unknown): value is YamlValue {
  if (value === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isYamlValue);
  return typeof value === 'object' && Object.values(value).every(isYamlValue);
}

/** Functions write numbers as text now and then. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, bigText) ?? '');
}

function bigText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
