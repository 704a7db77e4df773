/** What else people do meanwhile. */
import * as fc from 'fast-check';

import type { Act } from './act.ts';
import { evilMerge, open, push, updateBranch } from './acts-push.ts';
import { grant } from './acts-rights.ts';
import { command, inIssue, mergeByButton, review, sweep } from './acts-words.ts';
import { anybody, draft, value } from './draws.ts';
import type { Place } from './world.ts';

/** One thing out of the blue, among the others. */
export const NOISE: Readonly<Record<'one' | 'across', fc.Arbitrary<Act>>> = {
  one: fc
    .tuple(anybody, draft, value, fc.nat(11))
    .map(([by, branch, v, what]) =>
      [
        () => review(by, branch),
        () => command(by, 'approve', branch),
        () => command(by, 'publish', branch),
        () => push({ by, branch, value: v }),
        () => push({ by, branch, value: v, from: 'main', force: true }),
        () => push({ by, branch, value: v, package: 'api' }),
        () => open(by, branch),
        () => mergeByButton(by, branch, 'rebase'),
        () => updateBranch(by, branch),
        () => evilMerge(by, branch, v),
        () =>
          grant('alice', by === 'alice' ? 'bob' : by, v === 'red' ? null : v === 'green' ? 'pull' : 'push'),
        () => sweep,
      ][what]!(),
    ),
  across: fc
    .tuple(anybody, fc.constantFrom<Place>('shop', 'edge', 'pub', 'lib'), fc.nat(6))
    .map(([by, place, what]) =>
      [
        () => review(by, 'bot', 'APPROVE', place),
        () => command(by, 'publish', 'bot', place),
        () => command(by, 'approve', 'bot', place),
        () => command(by, 'update', 'bot', place),
        () => inIssue(by, 'update base v1', place),
        () => inIssue(by, 'pause base', place),
        () => sweep,
      ][what]!(),
    ),
};
