import { expect, test } from 'vitest';

import { renewalOf, stepsText } from '../../../src/reconcile/downstream/source-renewal.ts';
import type { SourcePin, SourceStanding } from '../../../src/reconcile/source-port.ts';

const DIGESTS = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
const pin = (digest: number, version?: string): SourcePin => ({
  resolved: `https://example.com/x@sha256:${DIGESTS[digest]}`,
  ...(version !== undefined && { version }),
});
const standing = (id: string, pinned: SourcePin | undefined, isRange = true): SourceStanding => ({
  id,
  kind: isRange ? 'helm' : 'http',
  destination: id,
  isRange,
  isImmutable: false,
  isHeld: true,
  originDigest: id,
  ...(pinned !== undefined && { pinned }),
});

test.each([
  ['1.0.0', '1.0.1', 'patch'],
  ['1.0.0', '1.1.0', 'minor'],
  ['1.0.0', '2.0.0', 'all'],
  ['v1.0.0', 'v1.0.3', 'patch'],
] as const)('a step from %s to %s is of the size %s', (from, to, size) => {
  const renewal = renewalOf([standing('chart', pin(0, from))], new Map([['chart', pin(1, to)]]));
  expect(renewal).toMatchObject({ size, current: `chart@${from}`, to: `chart@${to}`, older: [], moved: [] });
  expect(stepsText(renewal.steps)).toBe(`chart ${from} → ${to}`);
});

test('a range goes to no older version, and to no other content of the same one (84)', () => {
  const older = renewalOf([standing('chart', pin(0, '1.2.0'))], new Map([['chart', pin(1, '1.1.9')]]));
  expect(older).toMatchObject({ steps: [], older: [{ id: 'chart' }], moved: [] });
  expect(older.to).toBe(older.current);
  const moved = renewalOf([standing('chart', pin(0, '1.2.0'))], new Map([['chart', pin(1, '1.2.0')]]));
  expect(moved).toMatchObject({ steps: [], older: [], moved: [{ id: 'chart' }] });
});

test('what has no version is called by its digest, and is of any size', () => {
  const sources = [standing('crds', pin(0), false), standing('tag', pin(0, 'main'), false)];
  const renewal = renewalOf(
    sources,
    new Map([
      ['crds', pin(1)],
      ['tag', pin(2, 'main')],
    ]),
  );
  expect(renewal.current).toBe('crds@aaaaaaaaaaaa tag@main-aaaaaaaaaaaa');
  expect(renewal.to).toBe('crds@bbbbbbbbbbbb tag@main-cccccccccccc');
  expect(renewal.size).toBe('all');
  expect(stepsText(renewal.steps)).toBe(
    'crds aaaaaaaaaaaa → bbbbbbbbbbbb, tag main-aaaaaaaaaaaa → main-cccccccccccc',
  );
});
