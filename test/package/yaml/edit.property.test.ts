import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import { editYaml, readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlEdit, YamlValue } from '../../../src/package/yaml/edit.ts';
import { formatPath, parsePath } from '../../../src/package/yaml/path.ts';
import type { PathSegment } from '../../../src/package/yaml/path.ts';
import { locate } from './locate.ts';
import { data, mapData, noise, noisyText, RUNS } from './noise.ts';

// The long run takes minutes.
vi.setConfig({ testTimeout: 3_600_000 });

type Path = (string | number)[];

function paths(value: YamlValue, here: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return [here];
  const below = Array.isArray(value)
    ? value.flatMap((item: YamlValue, at) => paths(item, [...here, at]))
    : Object.entries(value).flatMap(([key, item]) => paths(item, [...here, key]));
  return [here, ...below];
}

function changed(
  value: YamlValue,
  [first, ...rest]: Path,
  change: (old: YamlValue) => YamlValue | undefined,
): YamlValue | undefined {
  if (first === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.flatMap((item: YamlValue, at) => {
      if (at !== first) return [item];
      const inner = changed(item, rest, change);
      return inner === undefined ? [] : [inner];
    });
  }
  return Object.fromEntries(
    Object.entries(value as Record<string, YamlValue>).flatMap(([key, item]) => {
      if (key !== first) return [[key, item]];
      const inner = changed(item, rest, change);
      return inner === undefined ? [] : [[key, inner]];
    }),
  );
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('lossless edits', () => {
  test('the noise keeps the data', () => {
    fc.assert(
      fc.property(mapData, noise, (value, how) => {
        expect(plain(readYaml(noisyText(value, how))[0])).toEqual(plain(value));
      }),
      { numRuns: RUNS },
    );
  });

  test('parse(edit(text)) = edit(parse(text)); other lines stay', () => {
    fc.assert(
      fc.property(
        mapData,
        noise,
        fc.nat(),
        data,
        fc.constantFrom('set', 'delete', 'insert', 'rename'),
        (value, how, pick, fresh, op) => {
          const text = noisyText(value, how);
          const all = paths(value).slice(1);
          const path = all[pick % all.length]!;
          let edit: YamlEdit;
          let wanted: YamlValue | undefined;
          if (op === 'set') {
            edit = { op, document: 0, path, value: fresh };
            wanted = changed(value, path, () => fresh);
          } else if (op === 'delete') {
            edit = { op, document: 0, path };
            wanted = changed(value, path, () => undefined);
          } else if (op === 'insert') {
            const lists = [[], ...all].filter((one) =>
              Array.isArray(one.reduce<unknown>((at, part) => (at as never)[part], value)),
            );
            if (lists.length === 0) return;
            const list = lists[pick % lists.length]!;
            edit = { op, document: 0, path: list, value: fresh, at: 0 };
            wanted = changed(value, list, (old) => [fresh, ...(old as YamlValue[])]);
          } else {
            if (typeof path.at(-1) !== 'string') return;
            edit = { op, document: 0, path, to: 'renamed key' };
            wanted = changed(value, path.slice(0, -1), (old) =>
              Object.fromEntries(
                Object.entries(old as object).map(([key, item]) => [
                  key === path.at(-1) ? 'renamed key' : key,
                  item as YamlValue,
                ]),
              ),
            );
          }
          const after = editYaml(text, [edit]);
          expect(plain(readYaml(after)[0])).toEqual(plain(wanted));
          expect(editYaml(after, [{ op: 'set', document: 0, path: [], value: wanted! }])).toBe(after);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('bytes outside the edited value are untouched', () => {
    fc.assert(
      fc.property(
        mapData,
        noise,
        fc.nat(),
        fc.integer({ min: 100_000, max: 999_999 }),
        (value, how, pick, fresh) => {
          const text = noisyText(value, how);
          const leaves = paths(value).filter((path) => {
            const at = path.reduce<unknown>((here, part) => (here as never)[part], value);
            return path.length > 0 && (typeof at === 'number' || typeof at === 'boolean');
          });
          if (leaves.length === 0) return;
          const path = leaves[pick % leaves.length]!;
          const [start, end] = locate(text, 0, path)!.range;
          expect(editYaml(text, [{ op: 'set', document: 0, path, value: fresh }])).toBe(
            text.slice(0, start) + String(fresh) + text.slice(end),
          );
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('paths are read as they are written', () => {
    const segment: fc.Arbitrary<PathSegment> = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.nat(),
      fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.string(), {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      }),
    );
    fc.assert(
      fc.property(fc.array(segment), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
      { numRuns: RUNS },
    );
  });
});
