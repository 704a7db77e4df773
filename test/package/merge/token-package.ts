import * as fc from 'fast-check';

import type { PackageFile } from '../../../src/package/package.ts';

/**
 * Packages in which every name, key, value, line and comment is a word of its own, so that whatever a merge loses, brings
 * back or doubles can be found by looking for words.
 */
export type Value = string | Value[] | { [key: string]: Value };
type Data = { [key: string]: Value };

export interface Doc {
  /** Stays through every edit. */
  readonly id: string;
  path: string;
  data: Data;
  /** Comments beside (`line`) and above (`lead`) a value, by kind and that value, and below the document (`foot`). */
  comments: Record<string, string>;
  /** Whoever edits the package has renamed or moved it. */
  isElsewhere?: boolean;
}

export interface Model {
  docs: Doc[];
  /** Lines of files that hold no resources. */
  others: Record<string, string[]>;
}

/** Words that nobody has used yet: `b7x` in base, `u7x` upstream, `l7x` in local. */
export type Words = () => string;

export function words(side: 'b' | 'u' | 'l'): Words {
  let count = 0;
  return () => `${side}${(count += 1)}x`;
}

/** The words of all sides in a text. */
export const WORD = /\b[bul]\d+x\b/g;

const KINDS = ['Deployment', 'ConfigMap', 'Widget', 'Role'] as const;
const FILES = ['app.yaml', 'more.yaml'];

interface Wish {
  readonly kind: (typeof KINDS)[number];
  readonly file: number;
  readonly isBelow: boolean;
  readonly size: number;
  readonly marks: number;
}

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom(...KINDS),
  file: fc.nat(FILES.length - 1),
  isBelow: fc.boolean(),
  size: fc.integer({ min: 1, max: 3 }),
  marks: fc.nat(63),
});

/** A package of some resources in some files, a pipeline with setters, a subpackage and a file of text. */
export const tokenPackage: fc.Arbitrary<Model> = fc
  .record({ wishes: fc.array(wish, { minLength: 1, maxLength: 4 }), setters: fc.nat(2) })
  .map(({ wishes, setters }) => {
    const word = words('b');
    const docs = [kptfile('Kptfile', setters, word)];
    if (wishes.some(({ isBelow }) => isBelow)) docs.push(kptfile('sub/Kptfile', 0, word));
    for (const [at, { kind, file, isBelow, size, marks }] of wishes.entries())
      docs.push(resource(`r${at}`, `${isBelow ? 'sub/' : ''}${FILES[file]}`, { kind, size, marks }, word));
    return { docs, others: { 'notes.txt': [word(), word(), word(), word(), word()] } };
  });

export function kptfile(path: string, setters: number, word: Words): Doc {
  const values = Object.fromEntries(Array.from({ length: setters }, (_, at) => [`set${at}`, word()]));
  const labels = { image: 'example/set-labels:v1', configMap: { [word()]: word() } };
  const setter = { image: 'example/apply-setters:v1', configMap: values };
  return {
    id: path,
    path,
    data: {
      apiVersion: 'kpt.dev/v1',
      kind: 'Kptfile',
      metadata: { name: 'pkg', annotations: { [word()]: word() } },
      info: { description: word(), keywords: [word(), word()] },
      pipeline: { mutators: setters === 0 ? [labels] : [setter, labels] },
    },
    comments: {},
  };
}

/** `marks` are bits that say which comments it has. */
export function resource(
  id: string,
  path: string,
  { kind, size, marks }: { kind: (typeof KINDS)[number]; size: number; marks: number },
  word: Words,
): Doc {
  const many = <Item>(make: () => Item, count = size): Item[] => Array.from({ length: count }, make);
  const named = (): Data => ({ name: word(), value: word() });
  const body: Record<(typeof KINDS)[number], () => Data> = {
    Deployment: () => ({
      spec: {
        replicas: word(),
        template: {
          spec: {
            containers: many(() => ({
              name: word(),
              image: word(),
              args: many(word, size + 1),
              env: many(named),
            })),
            tolerations: many(() => ({ key: word(), operator: word() })),
          },
        },
      },
    }),
    ConfigMap: () => ({ data: Object.fromEntries(many(() => [word(), word()], size + 1)) }),
    Widget: () => ({
      spec: {
        parts: many(named),
        words: many(word, size + 2),
        nested: { deep: { [word()]: word(), [word()]: word() }, [word()]: word() },
      },
    }),
    Role: () => ({ rules: many(() => ({ resources: many(word, 2), verbs: [word()] })) }),
  };
  const data: Data = {
    apiVersion: {
      Deployment: 'apps/v1',
      ConfigMap: 'v1',
      Widget: 'example.org/v1',
      Role: 'rbac.authorization.k8s.io/v1',
    }[kind],
    kind,
    metadata: { name: word(), labels: { [word()]: word() }, finalizers: many(word) },
    ...body[kind](),
  };
  const comments: Record<string, string> = {};
  for (const [at, place] of places(data)
    .filter(({ value }) => typeof value === 'string')
    .entries()) {
    if (((marks >> (at % 6)) & 1) === 0 || at % 2 === 1 || !(place.value as string).startsWith('b')) continue;
    const kind = at % 3 === 0 ? 'lead' : 'line';
    comments[`${kind} ${place.value as string}`] =
      kind === 'line' && at % 4 === 0 ? `kpt-set: \${${word()}}` : word();
  }
  if ((marks & 8) !== 0) comments['foot '] = word();
  return { id, path, data, comments };
}

export interface Spot {
  readonly path: readonly (string | number)[];
  readonly value: Value;
  readonly holder: Value[] | Data;
}

/** Every place below the root, with what holds it. */
export function places(value: Value, path: readonly (string | number)[] = []): Spot[] {
  if (typeof value === 'string') return [];
  const entries: [string | number, Value][] = Array.isArray(value)
    ? value.map((item, at) => [at, item])
    : Object.entries(value);
  return entries.flatMap(([key, inner]) => [
    { path: [...path, key], value: inner, holder: value },
    ...places(inner, [...path, key]),
  ]);
}

/** The package as files. */
export function printed({ docs, others }: Model): Map<string, PackageFile> {
  const texts = new Map<string, string>();
  for (const doc of docs) {
    const before = texts.get(doc.path);
    texts.set(doc.path, `${before === undefined ? '' : `${before}---\n`}${textOfDoc(doc)}`);
  }
  for (const [path, lines] of Object.entries(others))
    texts.set(path, lines.map((line) => `${line}\n`).join(''));
  return new Map(
    [...texts].map(([path, text]) => [path, { mode: '100644', bytes: new TextEncoder().encode(text) }]),
  );
}

function textOfDoc({ data, comments }: Doc): string {
  const foot = comments['foot '];
  return block(data, '', comments) + (foot === undefined ? '' : `# ${foot}\n`);
}

function block(value: Value[] | Data, indent: string, comments: Record<string, string>): string {
  const entries: [string | number, Value][] = Array.isArray(value)
    ? value.map((item, at) => [at, item])
    : Object.entries(value);
  return entries
    .map(([key, inner]) => {
      const of = typeof inner === 'string' ? inner : '';
      const [lead, line] = [comments[`lead ${of}`], comments[`line ${of}`]];
      const above = lead === undefined ? '' : `${indent}# ${lead}\n`;
      const mark = Array.isArray(value) ? '-' : `${key}:`;
      if (typeof inner === 'string')
        return `${above}${indent}${mark} ${inner}${line === undefined ? '' : ` # ${line}`}\n`;
      if (Object.keys(inner).length === 0)
        return `${above}${indent}${mark} ${Array.isArray(inner) ? '[]' : '{}'}\n`;
      const below = block(inner, `${indent}  `, comments);
      if (!Array.isArray(value)) return `${above}${indent}${mark}\n${below}`;
      // The first entry of an item stands beside its dash, and comments of it above.
      const lines = below.split('\n');
      const first = lines.findIndex((one) => !one.trim().startsWith('#'));
      const opening = lines.slice(0, first).map((one) => `${one.slice(2)}\n`);
      return `${opening.join('')}${indent}- ${lines
        .slice(first)
        .join('\n')
        .slice(indent.length + 2)}`;
    })
    .join('');
}
