/** Generated gitignore files with paths, and what `git check-ignore` says of them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';

export interface IgnoreCase {
  readonly ignore: string;
  readonly paths: readonly string[];
}

/** Returns the ignored paths of each case. One git reads all cases: each has a directory with a .gitignore of its own. */
export function askGit(cases: readonly IgnoreCase[]): readonly ReadonlySet<string>[] {
  const repository = mkdtempSync(join(tmpdir(), 'check-ignore-'));
  try {
    execFileSync('git', ['init', '-q', repository]);
    cases.forEach(({ ignore }, at) => {
      mkdirSync(join(repository, `${at}`));
      writeFileSync(join(repository, `${at}/.gitignore`), ignore);
    });
    const settings = ['-c', 'core.ignoreCase=false', '-c', 'core.excludesFile='];
    const output = execFileSync(
      'git',
      [...settings, 'check-ignore', '--no-index', '-v', '-n', '-z', '--stdin'],
      {
        cwd: repository,
        input: cases.flatMap(({ paths }, at) => paths.map((path) => `${at}/${path}\0`)).join(''),
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      },
    );
    const ignored = cases.map(() => new Set<string>());
    for (const [, pattern = '', path = ''] of output.matchAll(/[^\0]*\0[^\0]*\0([^\0]*)\0([^\0]*)\0/g)) {
      const slash = path.indexOf('/');
      // A pattern that begins with `!` brings the path back.
      if (pattern !== '' && !pattern.startsWith('!'))
        ignored[Number(path.slice(0, slash))]?.add(path.slice(slash + 1));
    }
    return ignored;
  } finally {
    rmSync(repository, { recursive: true });
  }
}

const joined = (parts: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(parts, { minLength: 1, maxLength }).map((all) => all.join(''));

const oddName = joined(fc.constantFrom('a', 'b', 'ab', '.', '*', '!', '#', ' ', ']'), 3);
const name = fc
  .oneof({ weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', '.a', 'a.b') }, oddName)
  .filter((one) => one !== '.' && one !== '..');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
export const paths = fc.uniqueArray(path, { minLength: 20, maxLength: 20 });

const WILDCARDS = [
  '?',
  '.',
  '**/',
  '/**',
  '/*/',
  '***',
  'a*',
  '*b',
  '//',
  '{a,b}',
  '+(a)',
  '!',
  '#',
  '\\*',
  '\\ ',
];
const CLASSES = ['[', ']', '[ab]', '[!a]', '[^b]', '[a-b]', '[]a]', '[[:alpha:]]', '\\', '\\!', '\\#', ' '];

/** `names` are the pieces beside names, stars and slashes. */
const patternOf = (...names: string[]): fc.Arbitrary<string> =>
  joined(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('a', 'b', '*', '**', '/', '/') },
      fc.constantFrom(...names),
    ),
    6,
  ).filter(
    // git drops the name before `a**` and reads what remains as `**`, against its own documentation.
    // It takes a slash in brackets or behind an escape for a character. Portico matches nothing by such a pattern.
    (one) => !/[^/*]\*\*/.test(one) && !/\[[^\]]*\/|\\\//.test(one),
  );

const line = fc
  .tuple(
    fc.constantFrom('', '', '', '', '!', '/', ' ', '#'),
    patternOf(...WILDCARDS, ...CLASSES),
    fc.constantFrom('', '', '', '/', ' ', '\r'),
  )
  .map((parts) => parts.join(''))
  .filter((one) => !one.startsWith(' **'));

export const ignoreCases: fc.Arbitrary<IgnoreCase> = fc.record({
  ignore: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => `${lines.join('\n')}\n`),
  paths,
});

/** Patterns that mean the same in CODEOWNERS and in a gitignore file. */
export const ownerPatterns = patternOf(...WILDCARDS).filter(
  (one) => !/^(?:[!#]|\\#)/.test(one) && !/\/\/|\*\*\/$|\/\*$/.test(one),
);
