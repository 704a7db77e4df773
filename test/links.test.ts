import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { expect, test } from 'vitest';

import { pageAddress, schemaAddress } from '../src/config/documentation-address.ts';
import { onboardingBody } from '../src/reconcile/sweep/onboarding-text.ts';

const PAGES = globSync(['*.md', 'docs/*.md', 'localforge/README.md']);

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(page, 'utf8')
    .replaceAll(/^```[^]*?^```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('links between the pages lead to files and headings that exist', () => {
  const links = PAGES.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)]+)\)/g)].map(([, to = '']) => ({
      page,
      to,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ page, to }) => {
    const [path = '', anchor] = to.split('#');
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
  });
  expect(broken).toEqual([]);
});

test('README is short enough to be read to its end', () => {
  const text = readFileSync('README.md', 'utf8');
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(651);
  expect(text.match(/\]\(/g)?.length).toBeLessThanOrEqual(25);
});

test('tests that the pages name are there', () => {
  const named = PAGES.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`((?:localforge\/)?test\/[\w/.-]+\.test\.ts)`/g)].map(
      ([, file = '']) => ({ page, file }),
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ file }) => !existsSync(file))).toEqual([]);
});

test("the bot's texts link to the repository that package.json names, and to nothing if it names none", () => {
  const own = 'https://forge.example/acme/portico';
  for (const page of ['commands', 'lifecycle', 'questions'] as const)
    expect(existsSync(pageAddress(page, own)?.replace(`${own}/blob/main/`, '') ?? '')).toBe(true);
  expect(existsSync(schemaAddress(own)?.replace(`${own}/raw/main/`, '') ?? '')).toBe(true);

  const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as { repository?: string };
  const body = onboardingBody({
    packages: [],
    porch: [],
    branch: 'main',
    repository: 'acme/own',
    appId: 1,
    isPublic: true,
  });
  const named = [...body.matchAll(/\]\((https:[^)]+)\)/g)].map(([, address = '']) => address);
  expect(named).toEqual(
    repository === undefined
      ? []
      : [pageAddress('lifecycle'), pageAddress('commands'), pageAddress('questions')],
  );
});
