/** What else people do meanwhile. */
import * as fc from 'fast-check';

import type { Act } from './act.ts';
import { evilMerge, open, push, updateBranch } from './acts-push.ts';
import { grant } from './acts-rights.ts';
import { command, inIssue, mergeByButton, review, sweep } from './acts-words.ts';
import { anybody, draft } from './draws.ts';
import type { Place } from './world.ts';

/** One thing out of the blue, among the others. */
export const NOISE: Readonly<Record<'one' | 'across', fc.Arbitrary<Act>>> = {
  one: fc
    .tuple(anybody, draft, fc.nat(99), fc.nat(11))
    .map(([by, branch, n, what]) =>
      [
        () => review(by, branch),
        () => command(by, 'approve', branch),
        () => command(by, 'publish', branch),
        () => push({ by, branch, value: `noise${n}` }),
        () => push({ by, branch, value: `noise${n}`, from: 'main', force: true }),
        () => push({ by, branch, value: `noise${n}`, package: 'api' }),
        () => open(by, branch),
        () => mergeByButton(by, branch, 'rebase'),
        () => updateBranch(by, branch),
        () => evilMerge(by, branch, `noise${n}`),
        () => grant('alice', by === 'alice' ? 'bob' : by, n % 4 === 0 ? null : n % 4 === 1 ? 'pull' : 'push'),
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
