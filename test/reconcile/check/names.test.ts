import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import * as names from '../../../src/reconcile/check-names.ts';

test('docs/checks.md has a row for each check', () => {
  const page = readFileSync('docs/checks.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(portico[a-z/]*)` \|/gm)].map(([, name]) => name);
  const checks = Object.entries(names).flatMap(([key, name]) => (key.endsWith('_CHECK') ? [name] : []));
  expect(checks.length).toBeGreaterThan(5);
  expect(new Set(rows)).toEqual(new Set(checks));
});
