import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { withGeneratedPart } from '../../../scripts/generated-part.ts';
import { withheldReasonTable } from '../../../src/reconcile/downstream/withheld-reason.ts';

test('the table of reasons in docs/variants.md is what the code says', () => {
  const page = readFileSync('docs/variants.md', 'utf8');
  expect(page).toContain('| `too-young` |');
  expect(withGeneratedPart(page, withheldReasonTable()), 'run: npm run docs').toBe(page);
  expect(() => withGeneratedPart('# Variants', '')).toThrow('the page needs');
});
