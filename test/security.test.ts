import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { describe, expect, test } from 'vitest';

import { globProblem, matchesGlob } from '../src/config/glob.ts';
import { PorticoError } from '../src/error.ts';
import { editYaml, readYaml } from '../src/package/yaml/edit.ts';

const rows = [
  ...readFileSync('docs/security.md', 'utf8').matchAll(
    /^\| (\d+) \| (.+?) \| (.+?) \| `(.+?)` \| (.*?) \|$/gm,
  ),
].map(([, number = '', what = '', title = '', file = '', seen = '']) => ({
  number: Number(number),
  what,
  title,
  file,
  seen,
}));

describe('the attacks', () => {
  test('all are there, in their order', () => {
    const numbers = rows.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect([...new Set(numbers)]).toEqual(Array.from({ length: 153 }, (_, index) => index + 1));
  });

  test.each(rows)('$number $what: the test is there, and was seen to fail', ({ file, title, seen }) => {
    expect(seen).toMatch(/.+: .+/);
    expect(existsSync(file), file).toBe(true);
    expect(readFileSync(file, 'utf8').replaceAll("\\'", "'")).toContain(title);
  });
});

describe('who is an author, in docs/lifecycle.md', () => {
  const authors = [
    ...readFileSync('docs/lifecycle.md', 'utf8').matchAll(/^\| (.+?) \| .+? \| (.+?) · `(test\/.+?)` \|$/gm),
  ].map(([, what = '', title = '', file = '']) => ({ what, title, file }));

  test('has every way in which content comes', () => {
    expect(authors.length).toBeGreaterThanOrEqual(20);
  });

  test.each(authors.filter(({ title }) => title !== 'the same'))(
    '$what: the test is there',
    ({ file, title }) => {
      expect(readFileSync(file, 'utf8').replaceAll("\\'", "'")).toContain(title.replaceAll("\\'", "'"));
    },
  );
});

/** Where foreign content is worked on: a process with limits that is ended. */
const WORKER = 'src/isolation/worker.ts';

/** What a file and everything that it loads, or starts, imports; what is only a type is not loaded. */
function loadedBy(entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    if (file === WORKER) continue;
    const text = readFileSync(file, 'utf8').replaceAll(/^import type [^;]*;/gm, '');
    const specifiers = text.matchAll(/(?:from |import\(|new URL\()'(\.[^']+\.ts)'/g);
    for (const [, specifier] of specifiers) loaded.add(posix.join(posix.dirname(file), specifier!));
  }
  return loaded;
}

test('43 archives are unpacked in processes that may be ended: nothing else that runs in the server knows how', () => {
  const server = [...loadedBy('src/main.ts')].filter((file) => file !== 'src/archive/archive-limits.ts');
  expect(server.length).toBeGreaterThan(300);
  expect(server).toContain(WORKER);
  // Beside those processes the command line alone reads archives, with bounds of its own (test/archive/hostile.test.ts).
  const unpacking = server.filter((file) => {
    const text = readFileSync(file, 'utf8');
    // Loose objects of git and layers are written; whatever reads compressed bytes has another name.
    const fromZlib = [...text.matchAll(/import ([^;]*?) from 'node:zlib'/g)].map(([, names]) => names);
    return (
      file.startsWith('src/archive/') ||
      fromZlib.some((names = '') => !/^\{ (?:(?:deflate|crc32)(?:, )?)+ \}$/.test(names)) ||
      /from '(?:tar|tar-stream|unzipper|adm-zip|decompress)'/.test(text)
    );
  });
  expect(unpacking).toEqual([]);
});

test('45 deep flow lists in fifty files are fifty errors, and the process lives', () => {
  const codes = Array.from({ length: 93 }, (_, index) => {
    try {
      readYaml(`a${index}: ${'['.repeat(1_000)}${']'.repeat(1_000)}`);
      return 'read';
    } catch (error) {
      return error instanceof PorticoError ? error.code : String(error);
    }
  });
  expect(new Set(codes)).toEqual(new Set(['YAML_LIMIT']));
});

test('47 a map of a megabyte: an edit changes its bytes and no other', () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `  key-${index}: "value ${index}"\r\n`);
  const text = `\uFEFFdata:\r\n${lines.join('')}`;
  const edited = editYaml(text, [{ op: 'set', document: 0, path: ['data', 'key-20000'], value: 'new' }]);
  expect(edited).toBe(text.replace('"value 20000"', '"new"'));
});

describe('48 globs', () => {
  test.each(['{a,b}'.repeat(22), 'a'.repeat(65_536), '!x', '/x', ''])('%.30j is refused', (glob) =>
    expect(globProblem(glob)).toBeDefined(),
  );

  test('a longest one that backtracks in naive matchers is answered', () => {
    const glob = `${'*a'.repeat(100)}b`;
    expect(globProblem(glob)).toBeUndefined();
    expect(matchesGlob('a'.repeat(200), [glob])).toBe(false);
  });
});
