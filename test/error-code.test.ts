import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { ERROR_CODES, errorReference, SYSTEM_ERROR_CODES } from '../src/error-code.ts';

const root = new URL('../', import.meta.url);
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => path !== 'src/error-code.ts')
  .map((path) => readFileSync(new URL(path, root), 'utf8'))
  .concat(readFileSync(new URL('localforge/src/error.ts', root), 'utf8'))
  .concat(readFileSync(new URL('packages/cli/no-server.js', root), 'utf8'))
  .join('\n');

test('the page of error codes is generated from their table', () => {
  const page = readFileSync(new URL('docs/errors.md', root), 'utf8');
  expect(page, 'run: npm run docs').toBe(errorReference());
});

test('every code of the table is in use, and the table is in order', () => {
  const codes = Object.keys(ERROR_CODES);
  expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  expect(SYSTEM_ERROR_CODES.filter((code) => !sources.includes(`${code}: [`))).toEqual([]);
  expect(codes).toEqual(codes.toSorted((a, b) => (a < b ? -1 : 1)));
});
