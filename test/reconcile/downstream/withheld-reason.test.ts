import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { withReasonTable } from '../../../src/reconcile/downstream/withheld-reason.ts';

test('the table of reasons in docs/variants.md is what the code says', () => {
  const page = readFileSync('docs/variants.md', 'utf8');
  expect(page).toContain('| `too-young` |');
  expect(withReasonTable(page), 'run: npm run docs').toBe(page);
  expect(() => withReasonTable('# Variants')).toThrow('the page needs');
});
