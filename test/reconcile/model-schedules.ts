/**
 * What is played: a beginning, then single events and short stories that lead somewhere, mixed with events in between,
 * so that each kind of thing is really come to.
 */
import * as fc from 'fast-check';

import {
  autoMerge,
  closeOrOpen,
  dismiss,
  forcePush,
  mergeByButton,
  push,
  pushMain,
  pushToMade,
  review,
  say,
  turn,
  type Method,
  type Target,
  type Workspace,
} from './model-acts.ts';
import { FIELDS } from './model-content.ts';
import {
  approveRetirement,
  askToDelete,
  askToRetire,
  rejectRetirement,
  rollback,
} from './model-issue-acts.ts';
import { command, type Act, type Command } from './model.ts';
import type { Login } from './stage.ts';

const workspace: fc.Arbitrary<Workspace> = fc.constantFrom('one', 'two');
const target: fc.Arbitrary<Target> = fc.constantFrom('one', 'one', 'two', 'made');
const field = fc.constantFrom(...FIELDS);
const value = fc.constantFrom('red', 'green', 'blue');
/** Those who may write; rita may not. */
const writer: fc.Arbitrary<Login> = fc.constantFrom('alice', 'bob', 'carol');
const anybody: fc.Arbitrary<Login> = fc.constantFrom(
  'alice',
  'bob',
  'carol',
  'alice',
  'bob',
  'carol',
  'rita',
);
const reviewer: fc.Arbitrary<Login> = fc.constantFrom('bob', 'carol');
const reader: fc.Arbitrary<Login> = fc.constantFrom('bob', 'carol', 'bob', 'carol', 'rita');
const method: fc.Arbitrary<Method> = fc.constantFrom('merge', 'squash', 'rebase');
const nth = fc.nat(3);

const of = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

/** A draft is pushed; one in four is opened as one. */
const pushing = (w: Workspace): fc.Arbitrary<Act> =>
  fc
    .tuple(field, value, fc.constantFrom(true, false, false, false))
    .map(([k, v, draft]) => push(w, k, v, draft));

const approving = (w: Target, by: fc.Arbitrary<Login>): fc.Arbitrary<Act> =>
  fc.oneof(
    of(
      2,
      by.map((login) => review(w, login, 'APPROVE')),
    ),
    of(
      1,
      by.map((login) => say('approve', w, login)),
    ),
  );

const readying = (w: Target): fc.Arbitrary<Act> =>
  fc.oneof(
    fc.constant(turn(w, 'ready')),
    writer.map((by) => say('propose', w, by)),
  );

const publishing = (w: Target): fc.Arbitrary<Act> => writer.map((by) => say('publish', w, by));

const merging = (w: Target): fc.Arbitrary<Act> =>
  fc.tuple(method, fc.constantFrom('alice', 'bob')).map(([how, by]) => mergeByButton(w, how, by));

/** However a proposal comes to its end. */
const ending = (w: Target): fc.Arbitrary<Act> => fc.oneof(of(3, publishing(w)), of(2, merging(w)));

/** One event of any kind. */
const anything: fc.Arbitrary<Act> = fc.oneof(
  of(5, workspace.chain(pushing)),
  of(
    2,
    fc.tuple(workspace, field, value).map((given) => forcePush(...given)),
  ),
  of(
    2,
    fc.tuple(field, value).map((given) => pushMain(...given)),
  ),
  of(
    1,
    fc.tuple(field, value).map((given) => pushToMade(...given)),
  ),
  of(
    4,
    target.chain((w) => approving(w, reader)),
  ),
  of(
    1,
    fc.tuple(target, reader).map(([w, by]) => review(w, by, 'REQUEST_CHANGES')),
  ),
  of(1, target.map(dismiss)),
  of(2, target.chain(merging)),
  of(
    1,
    fc.tuple(target, method, writer).map((given) => autoMerge(...given)),
  ),
  of(1, target.map(closeOrOpen)),
  of(
    1,
    target.map((w) => turn(w, 'draft')),
  ),
  of(2, target.chain(readying)),
  of(
    5,
    fc.tuple(target, anybody).map(([w, by]) => say('publish', w, by)),
  ),
  ...['reject not now', 'resolve all local', 'resolve all upstream', 'explain'].map((text) =>
    of(
      1,
      fc.tuple(target, anybody).map(([w, by]) => say(text, w, by)),
    ),
  ),
  of(
    1,
    fc.tuple(nth, anybody).map((given) => rollback(...given)),
  ),
  of(
    1,
    fc.tuple(nth, anybody).map((given) => askToRetire(...given)),
  ),
  of(1, anybody.map(askToDelete)),
  of(
    1,
    fc.tuple(anybody, fc.boolean()).map((given) => approveRetirement(...given)),
  ),
);

/** Events that follow one another for a purpose. */
const stories: fc.Arbitrary<readonly Act[]> = fc.oneof(
  // A change is published.
  of(
    4,
    workspace.chain((w) => fc.tuple(pushing(w), readying(w), approving(w, reviewer), ending(w))),
  ),
  // It is wanted merged when it may be, before it is approved.
  of(
    3,
    fc
      .tuple(workspace, method, reviewer, fc.constantFrom('alice' as const, 'bob' as const))
      .chain(([w, how, by, who]) =>
        fc.tuple(
          pushing(w),
          fc.constant(turn(w, 'ready')),
          fc.constant(autoMerge(w, how, who)),
          fc.constant(review(w, by, 'APPROVE')),
        ),
      ),
  ),
  // What was approved is not what is to be published, or the approval is taken back.
  of(
    4,
    fc.tuple(workspace, reviewer).chain(([w, by]) =>
      fc.tuple(
        pushing(w),
        fc.constantFrom(review(w, by, 'APPROVE'), say('approve', w, by)),
        fc.oneof(
          fc.constant(dismiss(w)),
          fc.constant(dismiss(w)),
          fc.constant(review(w, by, 'REQUEST_CHANGES')),
          fc.constant(say('reject not now', w, by)),
          pushing(w),
          fc.tuple(field, value).map(([k, v]) => forcePush(w, k, v)),
        ),
        readying(w),
        publishing(w),
      ),
    ),
  ),
  // Both drafts are approved; one is published, the other follows.
  of(
    3,
    fc.tuple(workspace, reviewer).chain(([w, by]) => {
      const other = w === 'one' ? 'two' : 'one';
      return fc.tuple(
        pushing(other),
        approving(w, reviewer),
        ending(w),
        readying(other),
        fc.constantFrom(
          say('resolve all local', other, 'alice'),
          say('resolve all upstream', other, 'alice'),
        ),
        fc.constant(review(other, by, 'APPROVE')),
        ending(other),
      );
    }),
  ),
  // A revision comes back.
  of(
    9,
    fc
      .tuple(nth, writer)
      .chain(([n, by]) =>
        fc.tuple(
          fc.constant(rollback(n, by)),
          fc.constant(turn('made', 'ready')),
          approving('made', by === 'bob' ? fc.constant('carol' as const) : fc.constant('bob' as const)),
          ending('made'),
        ),
      ),
  ),
  // It comes back, and somebody changes it before it is published.
  of(
    1,
    fc
      .tuple(nth, field, value)
      .chain(([n, k, v]) =>
        fc.tuple(
          fc.constant(rollback(n, 'alice')),
          fc.constant(pushToMade(k, v)),
          readying('made'),
          approving('made', reviewer),
          ending('made'),
        ),
      ),
  ),
  // A revision is retired, or stays.
  of(
    8,
    fc
      .tuple(nth, writer, writer)
      .chain(([n, by, other]) =>
        fc.tuple(
          fc.constant(askToRetire(n, by)),
          fc.oneof(
            of(
              3,
              fc.constant(approveRetirement(other === by ? (by === 'bob' ? 'carol' : 'bob') : other, true)),
            ),
            of(1, fc.constant(rejectRetirement(other))),
            of(1, fc.constant(approveRetirement(by, false))),
          ),
        ),
      ),
  ),
  // The package goes; the next push brings it back.
  of(
    3,
    writer.chain((by) =>
      fc.tuple(
        fc.constant(askToDelete(by)),
        approving('made', by === 'bob' ? fc.constant('carol' as const) : fc.constant('bob' as const)),
        ending('made'),
      ),
    ),
  ),
  // Closed by mistake.
  of(
    1,
    target.map((w) => [closeOrOpen(w), closeOrOpen(w)]),
  ),
);

/** One event, now and then with another at the same moment; one in three is not told by webhook. */
function played(act: Act): fc.Arbitrary<Command> {
  const lost = fc.constantFrom(true, false, false);
  return fc.oneof(
    of(
      9,
      lost.map((isLost) => command([act], isLost)),
    ),
    of(
      1,
      anything.map((other) => command([act, other], false)),
    ),
  );
}

const single = anything.chain(played);

const story: fc.Arbitrary<readonly Command[]> = stories.chain((acts) =>
  fc
    .tuple(...acts.map((act) => fc.tuple(fc.oneof(of(7, fc.constant(null)), of(1, single)), played(act))))
    .map((pairs) => pairs.flatMap(([before, one]) => (before === null ? [one] : [before, one]))),
);

const begun = (...acts: readonly Act[]): readonly Command[] => acts.map((act) => command([act], false));

/** Without a proposal, and often without a revision, there is little to do: the first commands see to it. */
const BEGINNINGS: readonly (readonly Command[])[] = [
  begun(push('one', 'color', 'red', false), push('two', 'size', 'red', true)),
  begun(
    push('one', 'color', 'red', false),
    review('one', 'bob', 'APPROVE'),
    say('publish', 'one', 'alice'),
    push('two', 'size', 'red', false),
  ),
  begun(
    push('one', 'color', 'red', false),
    mergeByButton('one', 'squash', 'alice'),
    push('one', 'color', 'green', false),
    mergeByButton('one', 'merge', 'alice'),
    push('two', 'size', 'red', false),
  ),
];

/** Schedules of so many commands at most. */
export function schedules(length: number): fc.Arbitrary<readonly Command[]> {
  const parts = fc.oneof(
    of(
      1,
      single.map((one) => [one]),
    ),
    of(2, story),
  );
  return fc
    .tuple(
      fc.constantFrom(...BEGINNINGS, ...BEGINNINGS.slice(1)),
      fc.array(parts, { minLength: length, maxLength: length }),
    )
    .map(([first, rest]) => [...first, ...rest.flat()].slice(0, length));
}
