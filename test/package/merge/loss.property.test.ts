import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { RUNS } from '../yaml/noise.ts';
import { edited, edits } from './token-edits.ts';
import { printed, tokenPackage, WORD, words } from './token-package.ts';
import { textOf } from './trees.ts';

// The long run takes minutes.
vi.setConfig({ testTimeout: 3_600_000 });

/** Ten times as often as other properties in the long form: the packages are small. */
const TRIES = process.env['FC_RUNS'] === undefined ? RUNS : RUNS * 10;

const three = fc.tuple(tokenPackage, edits, edits).map(([model, theirs, own]) => ({
  base: printed(model),
  upstream: printed(edited(model, theirs, words('u'))),
  local: printed(edited(model, own, words('l'))),
}));

describe('what a merge may not do', () => {
  test('a second merge changes nothing', () => {
    fc.assert(
      fc.property(three, ({ base, upstream, local }) => {
        const trees = { base, upstream, local };
        const { files } = mergePackages(trees);
        const again = mergePackages({ ...trees, local: files });
        expect(again.changed, shown({ ...trees, merged: files, again: again.files })).toEqual([]);
      }),
      { numRuns: TRIES },
    );
  });

  test('nothing of either side is lost, brought back or doubled without a word', () => {
    fc.assert(
      fc.property(three, (trees) => {
        const merged = mergePackages(trees);
        expect(untold(trees, merged), shown({ ...trees, merged: merged.files }, merged)).toEqual([]);
      }),
      { numRuns: TRIES },
    );
  });
});

type Trees = { readonly base: PackageFiles; readonly upstream: PackageFiles; readonly local: PackageFiles };

/** Words of which each side's change did not arrive, and nothing tells. */
function untold({ base, upstream, local }: Trees, merged: MergeResult): string[] {
  const [b, u, l, m] = [base, upstream, local, merged.files].map(wordsOf) as [
    Counted,
    Counted,
    Counted,
    Counted,
  ];
  const told = toldWords([base, upstream, local], merged);
  const another = new Set([upstream, local].flatMap((files) => [...wordsOfOthers(files, b)]));
  const ofMembers = [upstream, local].map((files) => new Set(commentsOfNewMembers(files, b)));
  const wrong: string[] = [];
  for (const word of new Set([...b.keys(), ...u.keys(), ...l.keys()])) {
    const isWanted = b.has(word) ? u.has(word) && l.has(word) : true;
    const count = m.get(word) ?? 0;
    if (count === (isWanted ? 1 : 0) || told.has(word)) continue;
    // Each new member of a set brings its own comments, also where another had the same.
    const bringing = ofMembers.filter((words) => words.has(word)).length;
    if (bringing > 0 && count === bringing) continue;
    // A resource of another name is another one, where it cannot be followed without doubt.
    if (count > 0 && another.has(word)) continue;
    wrong.push(`${word} ${count === 0 ? 'lost' : isWanted ? 'doubled' : 'back'}`);
  }
  return wrong;
}

/** The words that conflicts and notes speak of, with the comments that belong to them. */
function toldWords(trees: readonly PackageFiles[], { conflicts, notes }: MergeResult): ReadonlySet<string> {
  const told = new Set(wordsIn(JSON.stringify([conflicts, notes]).replaceAll('\\n', ' ')));
  const inConflict = new Set(wordsIn(JSON.stringify(conflicts).replaceAll('\\n', ' ')));
  // Of a subpackage as a whole one conflict tells, or one note.
  const whole = [
    ...conflicts.flatMap(({ file, path }) => (path === '' ? [file] : [])),
    ...notes.flatMap(({ file, code }) => (code.startsWith('SUBPACKAGE_') ? [file] : [])),
  ].flatMap((file) => (file.endsWith('/Kptfile') ? [file.slice(0, -'Kptfile'.length)] : []));
  // That something is there again, or twice, is told by name.
  const twice = new Set(
    notes.flatMap(({ code, file }) => (['RENAMED_TWICE', 'COMES_RENAMED'].includes(code) ? [file] : [])),
  );
  for (const files of trees) {
    for (const [path, file] of files) {
      const isTold = whole.some((directory) => path.startsWith(directory)) || twice.has(path);
      if (isTold) for (const word of wordsIn(textOf(file))) told.add(word);
    }
    for (const [word, carrier] of commentsIn(files)) if (inConflict.has(carrier)) told.add(word);
  }
  return told;
}

/** The words of comments, each with the first word of the line that it belongs to, or of its document. */
function* commentsIn(files: PackageFiles): Generator<[string, string]> {
  for (const file of files.values()) {
    for (const document of textOf(file).split('---\n')) {
      const lines = document.split('\n').map((line) => line.split('#'));
      const [name = ''] = lines.flatMap(([data = '']) => wordsIn(data));
      let above: string[] = [];
      for (const [data = '', comment = ''] of lines) {
        above.push(...wordsIn(comment));
        if (/^[\s-]*$/.test(data)) continue;
        const [carrier = name] = wordsIn(data);
        for (const word of above) yield [word, carrier];
        above = [];
      }
      for (const word of above) yield [word, name];
    }
  }
}

/** The words of comments that belong to members of sets which base does not have. */
function* commentsOfNewMembers(files: PackageFiles, base: Counted): Generator<string> {
  for (const file of files.values()) {
    for (const [set] of textOf(file).matchAll(/^ {2}finalizers:\n(?: {4}[-#].*\n)*/gm)) {
      for (const [word, carrier] of commentsIn(new Map([['', { ...file, bytes: Buffer.from(set) }]])))
        if (carrier !== word && !base.has(carrier)) yield word;
    }
  }
}

/** The words of resources whose name or namespace base does not have. */
function* wordsOfOthers(files: PackageFiles, base: Counted): Generator<string> {
  for (const file of files.values()) {
    for (const document of textOf(file).split('---\n')) {
      const names = [...document.matchAll(/^ {2}name(?:space)?: (\S+)/gm)].map(([, name = '']) => name);
      if (names.some((name) => /^[ul]\d/.test(name) && !base.has(name))) yield* wordsIn(document);
    }
  }
}

function wordsIn(text: string): string[] {
  return text.match(WORD) ?? [];
}

type Counted = ReadonlyMap<string, number>;

function wordsOf(files: PackageFiles): Counted {
  const counted = new Map<string, number>();
  for (const file of files.values())
    for (const [word] of textOf(file).matchAll(WORD)) counted.set(word, (counted.get(word) ?? 0) + 1);
  return counted;
}

/** The texts of a counterexample. */
function shown(trees: Record<string, PackageFiles>, merged?: MergeResult): string {
  const texts = Object.entries(trees).map(([name, files]) =>
    [name, ...[...files].map(([path, file]) => `[${path}]\n${textOf(file)}`)].join('\n'),
  );
  const { conflicts = [], notes = [] } = merged ?? {};
  return [...texts, JSON.stringify({ conflicts, notes }, undefined, 1)].join('\n======== ');
}
