import { expect, test } from 'vitest';

import type { UpdatePolicy } from '../../../src/config/repository-config.ts';
import { withheld } from '../../../src/reconcile/downstream/update-target.ts';
import type { GitRef } from '../../../src/reconcile/git-port.ts';
import {
  decideRevision,
  type DecidedOn,
  type RevisionQuestions,
} from '../../../src/reconcile/update/decision.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { config } from '../../command/command-state.ts';

const commit = (at: number): string => at.toString(16).padStart(40, '0');
const ref = (at: number): GitRef => ({ oid: commit(at), commit: commit(at) });
const tags = new Map([
  ...[1, 2, 3].map((at) => [`refs/tags/base/v${at}`, ref(at)] as const),
  ['refs/tags/base/stable', ref(2)],
]);

const following = (follow: UpdatePolicy['follow']): DecidedOn['config'] => ({
  updates: { ...config().updates, follow },
});
const LATEST = following({ kind: 'latest' });
const NONE = following({ kind: 'none' });
const PINNED = following({ kind: 'pin', revision: 'v2' });

const at = (current: string, change: Partial<DecidedOn> = {}): DecidedOn => ({
  path: 'web',
  exists: true,
  channels: null,
  config: LATEST,
  upstream: {
    refs: { tags, ledger: new Map() },
    directory: repositoryDirectory('base'),
    current,
    newest: 'v3',
  },
  ...change,
});

const VARIANT = { planned: { revision: 'v2' } as never };
const back = (to: string | undefined, own: boolean, obeyed = true) => ({
  rolledBackTo: async () => ({ to, own, obeyed }),
});
const waits = { heldByWave: async () => withheld('wave-waiting', 'Wait.') };

type Case = [
  what: string,
  down: DecidedOn,
  asked: { readonly to?: string; readonly recorded?: string },
  answers: Partial<RevisionQuestions>,
  expected: object,
  questions: readonly (keyof RevisionQuestions)[],
];

const decided = (to: string, asked = false): object => ({ kind: 'decided', to, asked });

test.each<Case>([
  ['the newest', at('v1'), {}, {}, decided('v3'), ['pausedBy', 'rolledBackTo', 'heldByWave']],
  [
    'nothing where it is there',
    at('v3'),
    {},
    {},
    { reason: 'up-to-date', newest: 'v3' },
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'nothing while it is paused',
    at('v1'),
    {},
    { pausedBy: async () => 'bob' },
    { reason: 'paused' },
    ['pausedBy'],
  ],
  ['what a person asks for, pause and wave aside', at('v1'), { to: 'v2' }, waits, decided('v2', true), []],
  ['a revision that is not there is told', at('v1'), { to: 'v9' }, {}, { reason: 'no-such-revision' }, []],
  [
    'nothing before its wave is open',
    at('v1'),
    {},
    waits,
    { reason: 'wave-waiting', to: 'v3' },
    ['pausedBy', 'rolledBackTo', 'heldByWave'],
  ],
  [
    'what was asked for before, as long as its pull request is open',
    at('v1', { config: NONE }),
    { recorded: 'v2' },
    waits,
    decided('v2'),
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'nothing where nothing is followed',
    at('v1', { config: NONE }),
    {},
    {},
    { reason: 'not-followed' },
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'back where its own rollout leads back, as if asked for',
    at('v3'),
    {},
    back('v2', true),
    decided('v2', true),
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'back where another repository that is obeyed leads back',
    at('v3'),
    {},
    back('v2', false),
    decided('v2'),
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'not back where that one is not obeyed, and says so',
    at('v3'),
    {},
    back('v2', false, false),
    { reason: 'wave-rolled-back', to: 'v3', message: expect.stringContaining('`/portico update web@v2`') },
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'back by command, and says from what',
    at('v3'),
    { to: 'v2' },
    {},
    { kind: 'decided', to: 'v2', asked: true, way: { withdrawn: 'v3', deprecations: [] } },
    [],
  ],
  [
    'not back from a pin by the order of another repository',
    at('v2', { config: PINNED }),
    {},
    back('v1', false),
    { reason: 'wave-rolled-back', to: 'v2' },
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'a later revision that its wave has, in place of the way back',
    at('v2'),
    {},
    back('v1', true),
    decided('v3'),
    ['pausedBy', 'rolledBackTo', 'heldByWave'],
  ],
  [
    'back while the later revision waits for its wave',
    at('v2'),
    {},
    { ...back('v1', true), ...waits },
    decided('v1', true),
    ['pausedBy', 'rolledBackTo', 'heldByWave'],
  ],
  [
    'nowhere where it was at no other revision before, and says so',
    at('v3'),
    {},
    back(undefined, false),
    { reason: 'wave-rolled-back', to: 'v3', message: expect.stringContaining('at no other revision before') },
    ['pausedBy', 'rolledBackTo'],
  ],
  [
    'its own revision again, where the document of its variant changed',
    at('v2', VARIANT),
    {},
    { isInStep: async () => false },
    decided('v2'),
    ['pausedBy', 'rolledBackTo', 'isInStep', 'heldByWave'],
  ],
  [
    'nothing where a variant is as its document says',
    at('v2', VARIANT),
    {},
    {},
    { reason: 'up-to-date' },
    ['pausedBy', 'rolledBackTo', 'isInStep'],
  ],
  [
    'where its channel points',
    at('v1', { config: following({ kind: 'channel', channel: 'stable' }) }),
    {},
    {},
    decided('v2'),
    ['pausedBy', 'rolledBackTo', 'heldByWave'],
  ],
  [
    'nothing while the channel file of its upstream is wrong',
    at('v1', {
      config: following({ kind: 'channel', channel: 'stable' }),
      channels: { file: 'channels.yaml', problems: [] },
    }),
    {},
    {},
    { reason: 'channel-stopped' },
    ['pausedBy', 'rolledBackTo'],
  ],
])('a package is brought: %s', async (...[, down, asked, answers, expected, questions]) => {
  const heard: string[] = [];
  const all: RevisionQuestions = {
    pausedBy: async () => null,
    rolledBackTo: async () => undefined,
    position: () => Promise.reject(new Error('asked where it stands')),
    isInStep: async () => true,
    heldByWave: async () => null,
    ...answers,
  };
  const ask = new Proxy(all, {
    get: (target, name: keyof RevisionQuestions) => {
      heard.push(name);
      return target[name];
    },
  });
  expect(await decideRevision(down, asked, ask)).toMatchObject(expected);
  expect(heard).toEqual(questions);
});
