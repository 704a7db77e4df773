/** Pictures of the documentation: every one is named, and every one that is named is there, small, and says in words what it shows. */
import { globSync, readFileSync, readdirSync, statSync } from 'node:fs';

import { expect, test } from 'vitest';

import { picturesIn, stepsOf } from '../scripts/pictures/page-steps.ts';
import { FIRST_HOUR } from '../scripts/pictures/shots.ts';

/** Whoever reads by telephone loads them all, in bytes. */
const MAX_BYTES = 100_000;
/** Of PNG: where its header has the width. */
const WIDTH_AT = 16;

const pages = globSync('docs/*.md').map((file) => readFileSync(file, 'utf8'));

test('every picture that a page names is there, and every one that is there is named', () => {
  const files = readdirSync('docs/pictures').map((name) => name.replace(/\.png$/, ''));
  expect(files.length).toBeGreaterThan(5);
  expect([...new Set(pages.flatMap(picturesIn))].toSorted()).toEqual(files.toSorted());
  // What is not written as the script reads it would be taken by nobody.
  const images = pages.flatMap((page) => page.match(/!\[/g) ?? []);
  expect(images.length).toBe(pages.flatMap(picturesIn).length);
  for (const page of pages)
    for (const [, words = ''] of page.matchAll(/!\[([^\]]*)\]/g)) expect(words).toMatch(/^.{40,}\.$/);
});

test('the script takes each picture of the first hour after the commands that lead to it', () => {
  const page = readFileSync('docs/first-hour.md', 'utf8');
  expect(stepsOf(page).flatMap(({ pictures }) => pictures)).toEqual(picturesIn(page));
  expect(Object.keys(FIRST_HOUR)).toEqual(picturesIn(page));
});

test('all are PNG, as wide as each other, and small', () => {
  for (const name of readdirSync('docs/pictures')) {
    const bytes = readFileSync(`docs/pictures/${name}`);
    expect(bytes.subarray(1, 4).toString(), name).toBe('PNG');
    expect(bytes.readUInt32BE(WIDTH_AT), name).toBe(960);
    expect(statSync(`docs/pictures/${name}`).size, name).toBeLessThanOrEqual(MAX_BYTES);
  }
});
