import * as fc from 'fast-check';

import {
  kptfile,
  places,
  resource,
  type Doc,
  type Model,
  type Spot,
  type Value,
  type Words,
} from './token-package.ts';

/** One edit that somebody may make; the numbers say where. */
export interface Edit {
  readonly what: keyof typeof EDITS;
  readonly at: number;
  readonly where: number;
}

type Change = (model: Model, word: Words, at: number, where: number) => void;

function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}

function resources({ docs }: Model): Doc[] {
  return docs.filter(({ path }) => !path.endsWith('Kptfile'));
}

const FIXED = ['apiVersion', 'kind', 'metadata', 'name', 'image'];

/** Places that may be changed or removed: not what makes a resource one, nor what names it. */
function open({ data, path }: Doc): Spot[] {
  return places(data).filter(
    ({ path: place }) =>
      !(place.length === 1 && FIXED.includes(String(place[0]))) &&
      // Another name makes another item, as of a container.
      place.at(-1) !== 'name' &&
      !(path.endsWith('Kptfile') && FIXED.includes(String(place.at(-1)))),
  );
}

function values(doc: Doc): Spot[] {
  return open(doc).filter(({ value }) => typeof value === 'string' && /^[bul]\d+x$/.test(value));
}

function put({ holder, path }: Spot, value: Value | undefined): void {
  const key = path.at(-1)!;
  if (Array.isArray(holder)) holder.splice(Number(key), 1, ...(value === undefined ? [] : [value]));
  else if (value === undefined) delete holder[key];
  else holder[key] = value;
}

/** The same shape with other words. */
function renewed(value: Value, word: Words): Value {
  if (typeof value === 'string') return word();
  if (Array.isArray(value)) return value.map((item) => renewed(item, word));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [/^[bul]\d+x$/.test(key) ? word() : key, renewed(item, word)]),
  );
}

function inDoc(change: (doc: Doc, word: Words, where: number) => void): Change {
  return (model, word, at, where) => {
    const doc = pick(model.docs, at);
    if (doc !== undefined) change(doc, word, where);
  };
}

/** Who gives a resource another name and another place at once makes a new one: each does one of the two. */
function once(change: (doc: Doc, word: Words, model: Model) => void): Change {
  return inResource((doc, word, model) => {
    if (doc.isElsewhere === true) return;
    change(doc, word, model);
    doc.isElsewhere = true;
  });
}

function inResource(change: (doc: Doc, word: Words, model: Model) => void): Change {
  return (model, word, at) => {
    const doc = pick(resources(model), at);
    if (doc !== undefined) change(doc, word, model);
  };
}

function inList(change: (list: Value[], where: number, word: Words) => void): Change {
  return inDoc((doc, word, where) => {
    const lists = places(doc.data).filter(({ value }) => Array.isArray(value) && value.length > 0);
    const spot = pick(lists, where);
    if (spot !== undefined) change(spot.value as Value[], Math.floor(where / lists.length), word);
  });
}

function commented(kind: 'line' | 'lead', text: (word: Words) => string | undefined): Change {
  return inDoc((doc, word, where) => {
    const spot = pick(values(doc), where);
    if (spot === undefined) return;
    const comment = text(word);
    const key = `${kind} ${spot.value as string}`;
    if (comment === undefined) delete doc.comments[key];
    else doc.comments[key] = comment;
  });
}

const EDITS = {
  set: inDoc((doc, word, where) => {
    const spot = pick(values(doc), where);
    if (spot === undefined) return;
    const now = word();
    for (const kind of ['line', 'lead']) {
      const comment = doc.comments[`${kind} ${spot.value as string}`];
      if (comment !== undefined) doc.comments[`${kind} ${now}`] = comment;
    }
    put(spot, now);
  }),
  remove: inDoc((doc, _, where) => {
    const spot = pick(open(doc), where);
    if (spot !== undefined && !(doc.path.endsWith('Kptfile') && spot.path.length < 3)) put(spot, undefined);
  }),
  key: inDoc((doc, word, where) => {
    const maps = places(doc.data).filter(
      ({ value, path }) => typeof value === 'object' && !Array.isArray(value) && path.at(-1) !== 'metadata',
    );
    const spot = pick(maps, where);
    if (spot !== undefined) Object.assign(spot.value, { [word()]: word() });
  }),
  item: inList((list, where, word) => {
    list.splice(where % (list.length + 1), 0, renewed(list[0]!, word));
  }),
  order: inList((list) => void list.reverse()),
  line: commented('line', (word) => word()),
  lead: commented('lead', (word) => word()),
  setter: commented('line', (word) => `kpt-set: \${${word()}}`),
  bare: commented('line', () => undefined),
  foot: inResource((doc, word) => void (doc.comments['foot '] = word())),
  rename: once((doc, word) => void ((doc.data['metadata'] as { name: Value }).name = word())),
  namespace: once((doc, word) => void ((doc.data['metadata'] as { namespace: Value }).namespace = word())),
  move: once((doc, word) => void (doc.path = doc.path.replace(/[^/]*$/, `moved-${word()}.yaml`))),
  file: (model, word, at) => {
    const path = pick(resources(model), at)?.path;
    const inside = model.docs.filter((doc) => doc.path === path);
    if (path === undefined || inside.some(({ isElsewhere }) => isElsewhere === true)) return;
    const now = path.replace(/[^/]*$/, `renamed-${word()}.yaml`);
    for (const doc of inside) [doc.path, doc.isElsewhere] = [now, true];
  },
  drop: (model, _, at) => {
    const doc = pick(resources(model), at);
    model.docs = model.docs.filter((one) => one !== doc);
  },
  add: (model, word, at, where) => {
    const kind = (['Deployment', 'ConfigMap', 'Widget', 'Role'] as const)[where % 4]!;
    const path = pick([...resources(model).map((one) => one.path), `new-${word()}.yaml`], at)!;
    const made = resource(word(), path, { kind, size: 1 + (where % 2), marks: where % 64 }, word);
    model.docs.splice(where % 3 === 0 ? 0 : model.docs.length, 0, made);
  },
  text: ({ others }, word, at, where) => {
    const lines = pick(Object.values(others), at);
    if (lines === undefined) return;
    if (where % 3 === 0) lines.splice(where % (lines.length + 1), 0, word());
    else if (lines.length > 0 && where % 3 === 1) lines[where % lines.length] = word();
    else lines.splice(where % Math.max(1, lines.length), 1);
  },
  notes: ({ others }, word, at) => {
    if (at % 2 === 0) others[`notes-${word()}.txt`] = [word(), word()];
    else delete others['notes.txt'];
  },
  sub: (model, word, at, where) => {
    if (at % 2 === 0) {
      model.docs = model.docs.filter(({ path }) => !path.startsWith('sub/'));
      return;
    }
    const directory = `sub-${word()}`;
    model.docs.push(kptfile(`${directory}/Kptfile`, where % 3, word));
    const one = { kind: 'Widget', size: 1, marks: where % 64 } as const;
    model.docs.push(resource(word(), `${directory}/in.yaml`, one, word));
  },
} satisfies Record<string, Change>;

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...(Object.keys(EDITS) as (keyof typeof EDITS)[])),
    at: fc.nat(7),
    where: fc.nat(199),
  }),
  { maxLength: 5 },
);

/** The package after these edits. */
export function edited(model: Model, list: readonly Edit[], word: Words): Model {
  const copy = structuredClone(model);
  for (const { what, at, where } of list) EDITS[what](copy, word, at, where);
  return copy;
}
