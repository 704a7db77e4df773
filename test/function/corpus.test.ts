import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { hasCorpus, readCases, runCase } from './corpus-case.ts';
import type { Verdict } from './corpus-case.ts';

/** Cases that differ from upstream on purpose or not yet hold: the document gives the reason for each. */
const DOCUMENT = new URL('../../docs/functions-differences.md', import.meta.url);
const listed = new Set(
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^- `([a-z0-9.-]+\/[^`]+)`/gm)].map((match) => match[1]!),
);

if (!hasCorpus)
  console.warn('SKIPPED: ../shared/corpus is not there, so the golden cases of functions did not run');

describe.skipIf(!hasCorpus)('golden cases of catalog functions', () => {
  test('hold, or are listed with their reason', async () => {
    const verdicts = new Map<string, Verdict & { readonly function: string; readonly current: boolean }>();
    for (const one of hasCorpus ? readCases() : []) {
      const verdict = await runCase(one).catch((error: unknown): Verdict => ({
        outcome: 'failed',
        why: `crash: ${error instanceof Error ? error.stack : String(error)}`,
      }));
      verdicts.set(one.id, { ...verdict, function: one.function, current: one.current });
    }
    const table = Map.groupBy(verdicts.values(), (verdict) => verdict.function);
    console.log(
      [...table]
        .map(([name, all]) => {
          const count = (outcome: Verdict['outcome'], current: boolean): number =>
            all.filter((verdict) => verdict.outcome === outcome && verdict.current === current).length;
          const counts = (current: boolean): string =>
            (['exact', 'lossless', 'refused', 'failed'] as const)
              .map((outcome) => `${outcome} ${count(outcome, current)}`)
              .join(', ');
          return `${name}: current: ${counts(true)}; older: ${counts(false)}`;
        })
        .join('\n'),
    );
    const bad = [...verdicts].filter(([id, verdict]) => {
      if (verdict.outcome === 'exact' || verdict.outcome === 'lossless') return false;
      if (verdict.outcome === 'refused' && verdict.foreign === true) return false;
      return !listed.has(id);
    });
    const stale = [...verdicts].filter(
      ([id, { outcome }]) => listed.has(id) && (outcome === 'exact' || outcome === 'lossless'),
    );
    expect(stale.map(([id]) => `${id} holds: take it off the list`)).toEqual([]);
    expect(bad.map(([id, verdict]) => `${id}: ${verdict.outcome}: ${verdict.why}`)).toEqual([]);
  });
});
