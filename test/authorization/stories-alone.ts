/**
 * Things that people try in a row, each a way round a rule that somebody might think of. `p` tries, `q` is another who
 * may write, `r` one who reviews honestly.
 */
import * as fc from 'fast-check';

import { configMap } from '../reconcile/small-package.ts';
import type { Login } from '../reconcile/stage.ts';
import type { Act } from './act.ts';
import {
  evilMerge,
  forgeCommit,
  mergeUnderOwn,
  open,
  proposeFromFork,
  push,
  pushFile,
  retarget,
  updateBranch,
} from './acts-push.ts';
import { configure, grant, makeRef } from './acts-rights.ts';
import {
  autoMerge,
  command,
  copyWords,
  dismiss,
  editedInto,
  inIssue,
  mergeByButton,
  review,
  sweep,
} from './acts-words.ts';
import { draft, three, value, type Story } from './draws.ts';

const story = (make: (p: Login, q: Login, r: Login, v: string, w: string) => readonly Act[]): Story =>
  fc.tuple(three, value, draft).map(([[p, q, r], v, w]) => make(p, q, r, v, w));

/** However it ends: by command, by button, when it may be. */
function ends(by: Login, branch: string): readonly (readonly Act[])[] {
  return [
    [command(by, 'publish', branch)],
    [command(by, 'publish', branch)],
    [mergeByButton(by, branch, 'merge')],
    [mergeByButton(by, branch, 'squash')],
    [autoMerge(by, branch)],
  ];
}

const ending = (
  make: (p: Login, q: Login, r: Login, v: string, w: string) => readonly [readonly Act[], Login, string],
): Story =>
  fc.tuple(three, value, draft, fc.nat(4)).map(([[p, q, r], v, w, how]) => {
    const [acts, by, branch] = make(p, q, r, v, w);
    return [...acts, ...ends(by, branch)[how]!];
  });

const begun = (by: Login, branch: string, v: string): readonly Act[] => [
  push({ by, branch, value: v }),
  open(by, branch),
];

/** One repository: four eyes. */
export const ALONE: Readonly<Record<string, Story>> = {
  honest: ending((p, q, _r, v, w) => [[...begun(p, w, v), review(q, w)], p, w]),
  'own approval': ending((p, _q, _r, v, w) => [[...begun(p, w, v), command(p, 'approve', w)], p, w]),
  'a push onto the proposal of another, and a review': ending((p, q, _r, v, w) => [
    [...begun(q, w, 'blue2'), push({ by: p, branch: w, value: v }), review(p, w)],
    p,
    w,
  ]),
  'a commanded draft, overwritten': ending((p, _q, _r, v) => [
    [
      inIssue(p, 'init app --workspace=w'),
      push({ by: p, branch: 'drafts/app/w', value: v, package: 'app', from: 'drafts/app/w' }),
      push({ by: p, branch: 'drafts/app/w', value: `${v}2`, package: 'app', from: 'main', force: true }),
      command(p, 'propose', 'drafts/app/w'),
      review(p, 'drafts/app/w'),
    ],
    p,
    'drafts/app/w',
  ]),
  'a commanded draft under an own commit': ending((p, _q, _r, v) => [
    [
      inIssue(p, 'init app --workspace=w'),
      mergeUnderOwn(p, 'drafts/app/w', v),
      command(p, 'propose', 'drafts/app/w'),
      review(p, 'drafts/app/w'),
    ],
    p,
    'drafts/app/w',
  ]),
  'a commanded draft, asked for by another': ending((p, q, _r, v) => [
    [
      inIssue(q, 'init app --workspace=w'),
      push({ by: p, branch: 'drafts/app/w', value: v, package: 'app' }),
      command(q, 'propose', 'drafts/app/w'),
      review(p, 'drafts/app/w'),
    ],
    q,
    'drafts/app/w',
  ]),
  'a branch as Porch names them': ending((p, _q, _r, v) => [
    [push({ by: p, branch: 'proposed/web/v1', value: v }), sweep, review(p, 'proposed/web/v1')],
    p,
    'proposed/web/v1',
  ]),
  'a merge of main with more in it': ending((p, q, r, v, w) => [
    [...begun(q, w, 'blue2'), evilMerge(p, w, v), review(p, w), ...(v === 'red' ? [review(r, w)] : [])],
    p,
    w,
  ]),
  'the branch brought up to date by the button': ending((p, q, r, v, w) => [
    [
      ...begun(q, w, v),
      push({ by: r, branch: 'main', value: 'x', package: 'api' }),
      updateBranch(p, w),
      review(p, w),
    ],
    q,
    w,
  ]),
  'approved, then pushed to': ending((p, q, _r, v, w) => [
    [...begun(p, w, 'blue2'), review(q, w), push({ by: p, branch: w, value: v })],
    p,
    w,
  ]),
  'approved, then overwritten': ending((p, q, _r, v, w) => [
    [
      ...begun(p, w, 'blue2'),
      command(q, 'approve', w),
      push({ by: p, branch: w, value: v, from: 'main', force: true }),
    ],
    p,
    w,
  ]),
  'a commit in two proposals': fc
    .tuple(three, value, fc.boolean(), fc.boolean())
    .map(([[p, , r], v, isHere, isByButton]) => {
      const path = isHere ? 'web/extra.yaml' : 'api/extra.yaml';
      const [a, b] = ['drafts/api/a', 'drafts/api/b'];
      return [
        pushFile(p, a, path, configMap('extra', { color: v })),
        open(p, a),
        pushFile(p, b, path, null, a),
        push({ by: p, branch: b, value: v }),
        open(p, b),
        review(r, b),
        review(r, a),
        isByButton ? mergeByButton(p, a) : command(p, 'publish', a),
        command(p, 'publish', b),
      ];
    }),
  'retargeted after approval': story((p, q, _r, v, w) => [
    push({ by: p, branch: 'other', value: v }),
    push({ by: p, branch: w, value: 'blue', key: 'more', from: 'other' }),
    open(p, w, 'other'),
    review(q, w),
    retarget(p, w, 'main'),
    command(p, 'publish', w),
  ]),
  'retired by one': story((p, q, _r, v, w) => [
    ...begun(q, w, v),
    review(p, w),
    command(q, 'publish', w),
    makeRef(p, 'refs/heads/deletionProposed/web/v1', 'web', (world) => world.at('web').head('main')),
    sweep,
    inIssue(p, 'approve', 'web', /v1/),
  ]),
  'retired by two': story((p, q, r, v, w) => [
    ...begun(q, w, v),
    review(p, w),
    command(q, 'publish', w),
    inIssue(p, 'delete web@v1'),
    inIssue(p, 'approve web@v1'),
    inIssue(r, 'approve web@v1'),
  ]),
  'words edited into a command': story((p, q, _r, v, w) => [
    ...begun(p, w, v),
    editedInto(q, '/portico help', p, 'approve', w),
    editedInto('alice', 'Looks fine.', p, 'approve', w),
    command(p, 'publish', w),
  ]),
  'words edited into an order to publish': story((p, q, r, v, w) => [
    ...begun(p, w, v),
    review(q, w),
    editedInto(r, '/portico explain', p, 'publish', w),
  ]),
  'a configuration that would allow it': story((p, _q, _r, v, w) => [
    configure(p, w, 'requireApprovals: ', 'requireApprovals: 0 # '),
    ...begun(p, w, v),
    command(p, 'publish', w),
    configure(p, 'drafts/web/more', 'directPushes: flag', 'directPushes: publish'),
    open(p, 'drafts/web/more'),
    command(p, 'approve', 'drafts/web/more'),
    mergeByButton(p, 'drafts/web/more'),
  ]),
  'rights lost after approval': ending((p, q, _r, v, w) => [
    [...begun(p, w, v), review(q, w), grant('alice', q, 'pull')],
    p,
    w,
  ]),
  'rights lost and given': ending((p, q, r, v, w) => [
    [
      review('rita', w),
      ...begun(p, w, v),
      review('rita', w),
      grant('alice', p, null),
      command(p, 'approve', w),
      grant('alice', 'rita', v === 'red' ? 'push' : 'pull'),
      ...(v === 'green' ? [review(q, w)] : []),
    ],
    r,
    w,
  ]),
  dismissed: ending((p, q, r, v, w) => [[...begun(p, w, v), review(q, w), dismiss(r, w)], p, w]),
  'changes asked for': ending((p, q, _r, v, w) => [
    [...begun(p, w, v), review(q, w), review(q, w, 'REQUEST_CHANGES')],
    p,
    w,
  ]),
  rejected: ending((p, q, r, v, w) => [
    [...begun(p, w, v), command(q, 'approve', w), command(r, 'reject no', w), command(p, 'propose', w)],
    p,
    w,
  ]),
  'words of the bot, copied': ending((p, q, _r, v, w) => [
    [
      ...begun(p, 'drafts/web/first', v),
      command(q, 'approve', 'drafts/web/first'),
      ...begun(p, w, `${v}2`),
      copyWords(p, 'drafts/web/first', w),
    ],
    p,
    w,
  ]),
  'a commit as if by the bot': ending((p, q, _r, v, w) => [
    [
      inIssue(q, 'init app --workspace=w'),
      forgeCommit(p, w, v),
      open(q, w),
      review(p, w),
      command(p, 'approve', w),
    ],
    p,
    w,
  ]),
  'a push to main that says who asked': story((p, q, r, v, w) => [
    push({ by: p, branch: 'main', value: v, message: `Change\n\nRequested-By: ${q}\nApproved-by: ${q}\n` }),
    ...begun(q, w, 'more'),
    review(p, w),
    command(r, 'publish', w),
  ]),
  'a stranger from a fork': fc
    .tuple(three, value)
    .map(([[p, q], v]) => [
      proposeFromFork('stan', v),
      command('stan', 'propose', 'mine'),
      command('stan', 'approve', 'mine'),
      command('rita', 'approve', 'mine'),
      command('stan', 'publish', 'mine'),
      ...(v === 'red' ? [review(q, 'mine')] : []),
      command(p, 'publish', 'mine'),
    ]),
  'brought back by command': ending((p, q, _r, v, w) => [
    [
      ...begun(q, w, v),
      review(p, w),
      command(q, 'publish', w),
      ...begun(q, 'drafts/web/later', `${v}2`),
      review(p, 'drafts/web/later'),
      command(q, 'publish', 'drafts/web/later'),
      inIssue(p, 'rollback web@v1'),
      command(p, 'propose', 'bot'),
      review(p, 'bot'),
    ],
    p,
    'bot',
  ]),
  'somebody who may not': fc
    .tuple(three, value, draft, fc.constantFrom<Login>('rita', 'stan'))
    .map(([[p, q], v, w, nobody]) => [
      ...begun(p, w, v),
      command(nobody, 'approve', w),
      review(nobody, w),
      command(nobody, 'publish', w),
      inIssue(nobody, 'delete web'),
      inIssue(nobody, 'init mine'),
      command(q, 'publish', w),
    ]),
};
