import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { run, scratch, type Scratch } from './run-portico.ts';

/** Where compiled code is kept: Node runs it as it is. */
let dir: Scratch;
beforeAll(() => {
  dir = scratch();
});
afterAll(() => dir[Symbol.dispose]());

const MODULE = JSON.stringify(pathToFileURL('src/compiled-code.js').href);
const SCRIPT = `const { keepCompiledCode } = await import(${MODULE}); keepCompiledCode(); console.log((await import('node:module')).getCompileCacheDir() ?? 'none')`;

async function keptIn(home: string, cache = ''): Promise<string> {
  mkdirSync(dir.path(home), { recursive: true });
  const env = { HOME: dir.path(home), XDG_CACHE_HOME: cache };
  const args = ['--input-type=module', '-e', SCRIPT];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: dir.path(home), env });
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

test('it is kept in a directory that the user alone can write', async () => {
  expect(await keptIn('mine')).toContain(dir.path('mine/.cache/portico/'));
  expect(statSync(dir.path('mine/.cache/portico')).mode & 0o777).toBe(0o700);
  expect(await keptIn('named', dir.path('named'))).toContain(dir.path('named/portico/'));
});

test.each([
  ['.cache', 0o777],
  ['.cache/portico', 0o702],
])('none of what others can write is run: %s', async (which, mode) => {
  const home = `open-${mode}`;
  mkdirSync(dir.path(`${home}/.cache/portico`), { recursive: true });
  chmodSync(dir.path(`${home}/${which}`), mode);
  expect(await keptIn(home)).toBe('none');
});

test('nor what is below a relative path, which a repository could bring', async () => {
  expect(await keptIn('relative', './brought')).toContain(dir.path('relative/.cache/portico/'));
});

test('nor what belongs to somebody else, as under sudo', { tags: ['root'] }, async () => {
  mkdirSync(dir.path('theirs/.cache/portico'), { recursive: true });
  chownSync(dir.path('theirs/.cache/portico'), 65_534, 65_534);
  expect(await keptIn('theirs')).toBe('none');
});
