import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import { readKptfile } from '../../src/package/kptfile.ts';
import { readKrmignore } from '../../src/package/krmignore.ts';
import { mergePackages } from '../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { editYaml, readYaml } from '../../src/package/yaml/edit.ts';
import { locate } from './yaml/locate.ts';
import { noise, noisyText, mapData } from './yaml/noise.ts';

// The long run takes minutes.
vi.setConfig({ testTimeout: 3_600_000 });

/** Inputs tried: some in the everyday run, `FUZZ_RUNS` for the long one. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 400);

const scrap = fc.constantFrom(
  'a',
  ': ',
  '\n',
  '- ',
  '  ',
  '    ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  "'",
  '|',
  '>',
  '|2-',
  '#',
  ' #',
  '&x',
  '*x',
  '!!str ',
  '!t ',
  '? ',
  '---\n',
  '...\n',
  '\t',
  '\r\n',
  '\r',
  '<<',
  '%YAML 1.2\n',
  '\uFEFF',
  '\u0000',
  '\ud800',
  'é',
  'null',
  '~',
  '0',
  'kind: X\n',
  'metadata:\n  name: x\n',
  'apiVersion: v1\n',
);
const soup = fc.array(scrap, { maxLength: 40 }).map((parts) => parts.join(''));
const damaged = fc.tuple(mapData, noise, fc.nat(), scrap).map(([value, how, at, part]) => {
  const text = noisyText(value, how);
  const place = at % (text.length + 1);
  return text.slice(0, place) + part + text.slice(place + (at % 3));
});
const text = fc.oneof(soup, damaged, fc.string({ unit: 'binary', maxLength: 200 }));
const bytes = fc.oneof(
  text.map((value) => new TextEncoder().encode(value)),
  fc.uint8Array({ maxLength: 200 }),
);

function tolerant(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    expect(error.message).not.toBe('');
  }
}

test('no input crashes reading or editing', () => {
  fc.assert(
    fc.property(text, bytes, (value, raw) => {
      tolerant(() => readYaml(value));
      tolerant(() => editYaml(value, [{ op: 'set', document: 0, path: ['a'], value: { b: ['c'] } }]));
      tolerant(() => editYaml(value, [{ op: 'delete', document: 0, path: ['metadata'] }]));
      tolerant(() => editYaml(value, [{ op: 'insert-document', value: { a: 1 }, at: 0 }]));
      tolerant(() => locate(value, 0, ['metadata', 'name'], { nearest: true }));
      tolerant(() => readKptfile(raw));
      readKrmignore(value)('a/b/c.yaml');
    }),
    { numRuns: RUNS, examples: [['&x\n\uFEFF: ', new Uint8Array()]] },
  );
});

test('no input crashes a merge', () => {
  const tree: fc.Arbitrary<PackageFiles> = fc
    .dictionary(
      fc.constantFrom(
        'a.yaml',
        'b.yaml',
        'c.json',
        'Kptfile',
        'sub/Kptfile',
        'sub/x.yaml',
        '.krmignore',
        'README.md',
      ),
      bytes,
    )
    .map(
      (files) =>
        new Map(Object.entries(files).map(([path, raw]) => [path, { mode: '100644' as const, bytes: raw }])),
    );
  fc.assert(
    fc.property(
      tree,
      tree,
      tree,
      fc.constantFrom(
        'resource-merge' as const,
        'fast-forward' as const,
        'force-delete-replace' as const,
        'copy-merge' as const,
      ),
      (base, upstream, local, strategy) => {
        tolerant(() => mergePackages({ base, upstream, local, strategy }));
      },
    ),
    { numRuns: RUNS },
  );
});
