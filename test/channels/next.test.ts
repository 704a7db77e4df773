import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { graphOf } from '../../src/channels/channel-graph.ts';
import type { Channel, GraphMember, SequenceMember } from '../../src/channels/channel.ts';
import { nextRevision, pathFrom, type NextRequest } from '../../src/channels/next.ts';

const sequence = (...members: (number | SequenceMember)[]): Channel => ({
  mode: 'sequence',
  members: members.map((member) => (typeof member === 'number' ? { revision: member } : member)),
});
const graph = (...members: GraphMember[]): Channel => ({ mode: 'graph', members });
const next = (channel: Channel, at: number, more: Partial<NextRequest> = {}): unknown =>
  nextRevision(graphOf(channel), { at, ...more });

describe('a sequence', () => {
  const STABLE = sequence(3, { revision: 7, waypoint: true }, 9, { revision: 10, withdrawn: true }, 12);

  test.each([
    [3, { kind: 'step', to: 7, path: [7, 12] }],
    [7, { kind: 'step', to: 12, path: [12] }],
    [12, { kind: 'current' }],
    [10, { kind: 'back', to: 12, downgrade: false }],
    [5, { kind: 'step', to: 7, path: [7, 12] }],
    [1, { kind: 'step', to: 7, path: [7, 12] }],
    [14, { kind: 'ahead', head: 12 }],
  ])('from v%i', (at, outcome) => expect(next(STABLE, at)).toEqual(outcome));

  test('falls back where its head is withdrawn', () => {
    const withdrawn = sequence(3, 9, { revision: 12, withdrawn: true });
    expect(next(withdrawn, 12)).toEqual({ kind: 'back', to: 9, downgrade: true });
  });

  test('takes what is deprecated only where there is nothing else', () => {
    expect(next(sequence(1, 2, 3), 1, { deprecated: new Set([3]) })).toEqual({
      kind: 'step',
      to: 2,
      path: [2, 3],
    });
  });

  test('offers nothing without a live member', () => {
    expect(next(sequence({ revision: 1, withdrawn: true }), 1)).toEqual({ kind: 'no-head' });
  });
});

describe('a graph', () => {
  const LTS = graph(
    { revision: 3 },
    { revision: 4, replaces: 3 },
    { revision: 5, replaces: 4, skips: [2], skipRange: '>=3.0.0 <4.0.0' },
    { revision: 8, replaces: 5 },
  );

  test.each([
    [3, { kind: 'step', to: 5, path: [5, 8] }],
    [2, { kind: 'step', to: 5, path: [5, 8] }],
    [6, { kind: 'unreachable', head: 8, reachable: [3, 4, 5, 8], nearest: 5 }],
    [8, { kind: 'current' }],
    [9, { kind: 'ahead', head: 8 }],
  ])('from v%i', (at, outcome) => expect(next(LTS, at)).toEqual(outcome));

  test('needs no edge where the downstream certifies itself', () => {
    expect(next(LTS, 6, { policy: 'SelfCertified' })).toEqual({ kind: 'step', to: 8, path: [8] });
  });

  test('of two heads has none, and ends in a circle nowhere', () => {
    expect(next(graph({ revision: 1 }, { revision: 2 }), 1)).toEqual({ kind: 'no-head' });
    const round = graph(
      { revision: 1, replaces: 2 },
      { revision: 2, replaces: 1 },
      { revision: 3, skips: [9] },
    );
    expect(next(round, 1)).toMatchObject({ kind: 'step', path: [2] });
    expect(next(round, 7)).toMatchObject({ kind: 'ahead' });
  });
});

const members = fc.uniqueArray(
  fc.record({
    revision: fc.integer({ min: 1, max: 15 }),
    waypoint: fc.boolean(),
    withdrawn: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
    replaces: fc.integer({ min: 1, max: 15 }),
    skips: fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 3 }),
    skipRange: fc.constantFrom('<5.0.0', '>=3.0.0 <9.0.0', '1.x || >7.0.0'),
  }),
  { selector: ({ revision }) => revision, minLength: 1, maxLength: 12 },
);

test('the order of the members says nothing, and a sequence is walked as its rule says', () => {
  fc.assert(
    fc.property(
      members,
      fc.integer({ min: 0, max: 16 }),
      fc.constantFrom('sequence' as const, 'graph' as const),
      (all, at, mode) => {
        const one = graphOf({ mode, members: all });
        const turned = graphOf({ mode, members: all.toReversed() });
        const repeated = graphOf({ mode, members: [...all, ...all] });
        const outcome = nextRevision(one, { at });
        expect(nextRevision(turned, { at })).toEqual(outcome);
        if (mode === 'sequence') expect(nextRevision(repeated, { at })).toEqual(outcome);
        expect(turned.after(at)).toEqual(one.after(at));
        // The one that is taken is the last of these, or the last that is not deprecated.
        for (const deprecated of [
          new Set<number>(),
          new Set([2, 5, 6, 9, 11, 12]),
          new Set(all.map((m) => m.revision)),
        ]) {
          const after = one.after(at);
          const healthy = after.filter((other) => !deprecated.has(other));
          expect(one.best(at, deprecated)).toBe(healthy.at(-1) ?? after.at(-1));
        }
        if (mode === 'graph') return;
        // m may go to e where no waypoint lies between: the rule, asked of every pair.
        const live = all.filter(({ withdrawn }) => !withdrawn);
        const allowed = live
          .filter(({ revision }) => revision > at)
          .filter(({ revision }) => !live.some((w) => w.waypoint && w.revision > at && w.revision < revision))
          .map(({ revision }) => revision)
          .sort((a, b) => a - b);
        expect(one.after(at)).toEqual(allowed);
        const path = pathFrom(at, one);
        expect(path).toEqual([...new Set(path)].sort((a, b) => a - b));
        if (one.head !== undefined && at < one.head) expect(path.at(-1)).toBe(one.head);
      },
    ),
    { numRuns: 300 },
  );
});

test('every permutation of five members gives one outcome', () => {
  const five: GraphMember[] = [
    { revision: 1 },
    { revision: 2, replaces: 1, waypoint: true },
    { revision: 4, replaces: 2, skips: [3] },
    { revision: 5, skipRange: '>=1.0.0 <4.0.0', withdrawn: true },
    { revision: 6, replaces: 4, skipRange: '<3.0.0' },
  ];
  for (const mode of ['sequence', 'graph'] as const) {
    const outcomes = permutations(five).map((order) => {
      const one = graphOf({ mode, members: order });
      return JSON.stringify([1, 2, 3, 4, 5, 6, 7].map((at) => nextRevision(one, { at })));
    });
    expect(outcomes).toHaveLength(120);
    expect(new Set(outcomes).size).toBe(1);
  }
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
