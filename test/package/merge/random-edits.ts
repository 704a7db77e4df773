import { editKptfile } from './random-kptfile-edits.ts';
import {
  addDoc,
  addOther,
  addSubpackage,
  bumpVersion,
  changeComment,
  editOther,
  moveDoc,
  removeDoc,
  removeOther,
  removeSubpackage,
  renameDoc,
  renameFile,
} from './random-package-edits.ts';
import { onDoc, word } from './random-package.ts';
import type { Chance, Data, Doc, Edit, Model, Value } from './random-package.ts';

/** A random edit of this package; `tag` makes what it writes its own. */
export function randomEdit(from: Chance, model: Model, tag: string): Edit {
  const resources = model.docs.filter((one) => !one.path.endsWith('Kptfile'));
  const makers: ((from: Chance, model: Model, resources: readonly Doc[], tag: string) => Edit | undefined)[] =
    [
      ...Array.from({ length: 7 }, () => setLeaf),
      ...Array.from({ length: 3 }, () => addKey),
      ...Array.from({ length: 3 }, () => removeKey),
      ...Array.from({ length: 4 }, () => addItem),
      ...Array.from({ length: 3 }, () => removeItem),
      ...Array.from({ length: 3 }, () => editKptfile),
      addDoc,
      addDoc,
      removeDoc,
      renameDoc,
      moveDoc,
      renameFile,
      editOther,
      removeOther,
      addOther,
      changeComment,
      bumpVersion,
      addSubpackage,
      removeSubpackage,
      reverseItems,
    ];
  for (;;) {
    const made = from.pick(makers)(from, model, resources, tag);
    if (made !== undefined) return made;
  }
}

type Key = string | { readonly by: string; readonly is: Value };
type Place = readonly Key[];

/** Every place of a value below, list items by their name or content. */
function places(value: Value, at: Place = []): { place: Place; value: Value }[] {
  const here = { place: at, value };
  if (Array.isArray(value)) {
    return [here, ...value.flatMap((item) => places(item, [...at, keyOfItem(value, item)]))];
  }
  if (typeof value !== 'object' || value === null) return [here];
  return [here, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...at, key]))];
}

const KEYS = ['name', 'containerPort', 'port', 'mountPath', 'image', 'key'];

function keyOfItem(list: readonly Value[], item: Value): Key {
  const by = KEYS.find((key) => list.every((one) => isData(one) && one[key] !== undefined));
  return by === undefined ? { by: '', is: structuredClone(item) } : { by, is: (item as Data)[by]! };
}

/** The last key of a place; '' for an item of a list. */
function lastOf(place: Place): string {
  const key = place.at(-1);
  return typeof key === 'string' ? key : '';
}

function isData(value: Value | undefined): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The collection that holds the last key of a place, and that key in it. */
function find(root: Value, place: Place): { holder: Data | Value[]; key: string | number } | undefined {
  let here: Value | undefined = root;
  let holder: Data | Value[] | undefined;
  let at: string | number = '';
  for (const key of place) {
    if (typeof key === 'string') {
      if (!isData(here) || !(key in here)) return undefined;
      [holder, at, here] = [here, key, here[key]];
    } else {
      if (!Array.isArray(here)) return undefined;
      const index: number = here.findIndex((item) =>
        key.by === ''
          ? JSON.stringify(item) === JSON.stringify(key.is)
          : isData(item) && item[key.by] === key.is,
      );
      if (index < 0) return undefined;
      [holder, at, here] = [here, index, here[index]];
    }
  }
  return holder === undefined ? undefined : { holder, key: at };
}

function valueAt(root: Value, place: Place): Value | undefined {
  if (place.length === 0) return root;
  const found = find(root, place);
  return found === undefined ? undefined : (found.holder as Data)[found.key as string];
}

function told(doc: string, place: Place): string {
  return `${doc}:${place.map((key) => (typeof key === 'string' ? `.${key}` : `[${key.by}=${JSON.stringify(key.is)}]`)).join('')}`;
}

const FIXED = new Set(['apiVersion', 'kind', 'name', 'mountPath', 'containerPort', 'port', 'protocol']);

function setLeaf(from: Chance, _: Model, resources: readonly Doc[], tag: string): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const all = places(doc.data).filter(
    ({ place, value }) =>
      value !== null && typeof value !== 'object' && !FIXED.has(lastOf(place)) && place[1] !== 'name',
  );
  if (all.length === 0) return undefined;
  const { place, value } = from.pick(all);
  const lines = typeof value === 'string' && value.includes('\n') ? value.split('\n') : [];
  const changed = lines.length > 0 ? from.below(3) : 0;
  const next =
    typeof value === 'number'
      ? value + (tag === 'u' ? 10 : 20)
      : typeof value === 'boolean'
        ? !value
        : lines.length > 0
          ? (old: string) =>
              old
                .split('\n')
                .map((line, at) => (at === changed ? `${line} ${tag}` : line))
                .join('\n')
          : `${word(value)}-${tag}`;
  return {
    name: `set ${told(doc.key, place)}`,
    apply: onDoc(doc, ({ data }) => {
      const found = find(data, place);
      if (found === undefined) return false;
      const holder = found.holder as Data;
      const old = holder[found.key as string]!;
      holder[found.key as string] = typeof next === 'function' ? next(word(old)) : next;
      return true;
    }),
  };
}

function addKey(from: Chance, _: Model, resources: readonly Doc[], tag: string): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const maps = places(doc.data).filter(
    ({ place, value }) =>
      isData(value) &&
      ['labels', 'annotations', 'data', 'limits', 'nodeSelector', 'deeper', 'empty', 'nested'].includes(
        lastOf(place),
      ),
  );
  const values: Value[] = ['plain', 'yes', '012', 'two words', 'a: b', 'l1\nl2\n'];
  const value = from.pick(values);
  const key = from.some(20) ? 'same-key' : `key-${tag}${from.below(3)}`;
  if (maps.length === 0 || from.some(20)) {
    const name = `fresh-${tag}${from.below(2)}`;
    const made: Data = { [name]: value };
    return {
      name: `add map ${doc.key}.metadata.labels`,
      apply: onDoc(doc, ({ data }) => {
        const metadata = data['metadata'] as Data;
        metadata['labels'] = { ...(metadata['labels'] as Data | undefined), ...made };
        return true;
      }),
    };
  }
  const { place } = from.pick(maps);
  return {
    name: `add ${told(doc.key, [...place, key])}`,
    apply: onDoc(doc, ({ data }) => {
      const map = valueAt(data, place);
      if (!isData(map)) return false;
      map[key] = value;
      return true;
    }),
  };
}

function removeKey(from: Chance, _: Model, resources: readonly Doc[]): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const all = places(doc.data).filter(
    ({ place }) =>
      place.length > 1 &&
      typeof place.at(-1) === 'string' &&
      !FIXED.has(lastOf(place)) &&
      !['template', 'containers', 'matchLabels'].includes(lastOf(place)),
  );
  if (all.length === 0) return undefined;
  const { place } = from.pick(all);
  return {
    name: `remove ${told(doc.key, place)}`,
    apply: onDoc(doc, ({ data }) => {
      const found = find(data, place);
      if (found === undefined) return false;
      delete (found.holder as Data)[found.key as string];
      return true;
    }),
  };
}

function lists(doc: Doc): { place: Place; value: Value[] }[] {
  return places(doc.data).flatMap(({ place, value }) => (Array.isArray(value) ? [{ place, value }] : []));
}

function addItem(from: Chance, _: Model, resources: readonly Doc[], tag: string): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const found = lists(doc);
  if (found.length === 0) return undefined;
  const { place, value } = from.pick(found);
  const [sample] = value;
  const item: Value = isData(sample) ? { ...structuredClone(sample) } : `word-${tag}`;
  if (isData(item)) {
    if ('name' in item) item['name'] = `new-${tag}`;
    for (const key of ['containerPort', 'port']) if (key in item) item[key] = tag === 'u' ? 1001 : 1002;
    if ('mountPath' in item) item['mountPath'] = `/new-${tag}`;
    if ('key' in item) item['key'] = `new-${tag}`;
    if ('verbs' in item) item['verbs'] = [`verb-${tag}`];
  }
  const at = from.pick(['end', 'start'] as const);
  return {
    name: `add item ${at} ${told(doc.key, place)}`,
    apply: onDoc(doc, ({ data }) => {
      const list = valueAt(data, place);
      if (!Array.isArray(list)) return false;
      if (at === 'end') list.push(structuredClone(item));
      else list.unshift(structuredClone(item));
      return true;
    }),
  };
}

function removeItem(from: Chance, _: Model, resources: readonly Doc[]): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const items = places(doc.data).filter(({ place }) => typeof place.at(-1) === 'object');
  if (items.length === 0) return undefined;
  const { place } = from.pick(items);
  return {
    name: `remove item ${told(doc.key, place)}`,
    apply: onDoc(doc, ({ data }) => {
      const found = find(data, place);
      if (found === undefined) return false;
      (found.holder as Value[]).splice(found.key as number, 1);
      return true;
    }),
  };
}

function reverseItems(from: Chance, _: Model, resources: readonly Doc[]): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const found = lists(doc).filter(({ value }) => value.length > 1);
  if (found.length === 0) return undefined;
  const { place } = from.pick(found);
  return {
    name: `reverse ${told(doc.key, place)}`,
    apply: onDoc(doc, ({ data }) => {
      const list = valueAt(data, place);
      if (!Array.isArray(list)) return false;
      list.reverse();
      return true;
    }),
  };
}
