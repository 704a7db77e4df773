/** Whether a key is there, and whether it is null, merges like a value. The expectations follow from one rule. */
import { describe, expect, test } from 'vitest';

import { diffPackages } from '../../../src/package/diff/diff.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import { packageOf, textOf, textsOf } from './trees.ts';

/** A state of one field as flow YAML; undefined where the key is absent. */
type State = string | undefined;

const KINDS = {
  scalar: ['one', 'two'],
  map: ['{a: one}', '{a: two}'],
  list: ['[one]', '[two]'],
} as const;

/** Gives a text with the field `x` in a state; `mine` differs on the local side, so that the resource is merged. */
type Write = (state: State, mine: string) => string;

const line = (indent: string, key: string, state: State): string =>
  state === undefined ? '' : `${indent}${key}: ${state}\n`;
const head = (gvk: string, labels: string): string =>
  `${gvk}metadata:\n  name: web\n  labels:\n    mine: ${labels}\n`;
const WIDGET = 'apiVersion: acme.example/v1\nkind: Widget\n';
const DEPLOYMENT = 'apiVersion: apps/v1\nkind: Deployment\n';
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\n';

const PLACES: readonly { readonly place: string; readonly file?: string; readonly write: Write }[] = [
  {
    place: 'a map of a custom resource',
    write: (state, mine) => `${head(WIDGET, mine)}spec:\n  mode: fast\n${line('  ', 'x', state)}`,
  },
  {
    place: 'a named item of a custom resource',
    write: (state, mine) =>
      `${head(WIDGET, mine)}spec:\n  parts:\n  - name: left\n${line('    ', 'x', state)}  - name: right\n`,
  },
  {
    place: 'an item without a name',
    write: (state, mine) =>
      `${head(WIDGET, mine)}spec:\n  parts:\n  - at: left\n    size: 1\n${line('    ', 'x', state)}  - at: right\n`,
  },
  {
    place: 'a field of a custom resource',
    write: (state, mine) => `${head(WIDGET, mine)}${line('', 'x', state)}spec:\n  mode: fast\n`,
  },
  {
    place: 'a map of a Deployment',
    write: (state, mine) => `${head(DEPLOYMENT, mine)}spec:\n  replicas: 1\n${line('  ', 'x', state)}`,
  },
  {
    place: 'a container of a Deployment',
    write: (state, mine) =>
      `${head(DEPLOYMENT, mine)}spec:\n  template:\n    spec:\n      containers:\n      - name: web\n${line('        ', 'x', state)}`,
  },
  {
    place: 'the data of a ConfigMap',
    write: (state, mine) => `${head(CONFIG_MAP, mine)}${line('', 'data', state)}immutable: false\n`,
  },
  {
    place: 'the metadata of a Deployment',
    write: (state, mine) =>
      `${DEPLOYMENT}metadata:\n${line('  ', 'creationTimestamp', state)}  name: web\n  labels:\n    mine: ${mine}\n`,
  },
  {
    place: 'values without a kind',
    write: (state, mine) => `mine: ${mine}\n${line('', 'x', state)}last: true\n`,
  },
  {
    place: 'a pipeline',
    file: 'Kptfile',
    write: (state, mine) =>
      `apiVersion: kpt.dev/v1\nkind: Kptfile\n${head('', mine)}${line('', 'info', state)}`,
  },
];

/** The rule of a merge of three values. */
function merged(base: State, upstream: State, local: State): { state: State; conflicts: number } {
  if (upstream === base) return { state: local, conflicts: 0 };
  if (local === base || local === upstream) return { state: upstream, conflicts: 0 };
  return { state: upstream, conflicts: 1 };
}

/** Three times absent, null, or one of the two values. */
function triples(kind: keyof typeof KINDS): [State, State, State][] {
  const states: State[] = [undefined, 'null', ...KINDS[kind]];
  return states.flatMap((base) =>
    states.flatMap((upstream) => states.map((local): [State, State, State] => [base, upstream, local])),
  );
}

describe.each(PLACES)('$place', ({ place, file = 'web.yaml', write }) => {
  const tree = (text: string) => packageOf({ [file]: text });

  describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s', (kind) => {
    test.each(triples(kind))('base %s, upstream %s and local %s merge by presence', (b, u, l) => {
      const [base, upstream, local] = [write(b, 'theirs'), write(u, 'theirs'), write(l, 'ours')].map(tree);
      const result = mergePackages({ base: base!, upstream: upstream!, local: local! });
      const expected = merged(b, u, l);
      expect(readYaml(textOf(result.files.get(file)))).toEqual(readYaml(write(expected.state, 'ours')));
      expect(result.conflicts).toHaveLength(expected.conflicts);
      expect(mergePackages({ base: base!, upstream: upstream!, local: result.files }).changed).toEqual([]);
      expect(mergePackages({ base: upstream!, upstream: upstream!, local: result.files }).changed).toEqual(
        [],
      );
      // After an update only the edits of a person differ from upstream: the label, and x where local changed it.
      const changes = diffPackages(upstream!, result.files).resources.flatMap(({ fields }) => fields);
      const others = changes.filter(({ path }) => !path.endsWith('mine'));
      if (!place.startsWith('values')) {
        expect(changes.length - others.length).toBe(1);
        expect(others.length > 0).toBe(expected.state !== u);
      }
      // The laws, byte for byte.
      expect(textsOf(mergePackages({ base: base!, upstream: base!, local: local! }).files)).toEqual(
        textsOf(local!),
      );
      expect(textsOf(mergePackages({ base: base!, upstream: upstream!, local: base! }).files)).toEqual(
        textsOf(upstream!),
      );
    });
  });
});
