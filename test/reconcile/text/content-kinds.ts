/** Kinds of pull requests that Portico writes to, and what people do on them: steps of random sequences. */
import { WEB_CHANNELS } from '../../channels/web-channels.ts';
import { below, locked, webPackage } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { Files, StageRepository } from '../stage-repository.ts';
import type { Stage, StageRepositoryOptions } from '../stage.ts';

export type Random = (below: number) => number;

/** One sequence, in repositories of its own. */
export interface Sequence {
  readonly stage: Stage;
  readonly repo: StageRepository;
  readonly up: StageRepository | undefined;
  readonly random: Random;
  number: number;
  readonly steps: string[];
}

type Act = (sequence: Sequence, at: number) => Promise<unknown>;

export interface Kind {
  /** Repositories of one sequence: the one with the pull request is `r`, its upstream `up`. */
  readonly repositories: Readonly<Record<string, StageRepositoryOptions>>;
  readonly begin: (sequence: Sequence) => Promise<unknown>;
  /** After everything that `begin` caused. */
  readonly open: Act;
  readonly acts: Readonly<Record<string, Act>>;
}

const DATA = { color: 'first', size: 'small', shape: 'round' };
const PACKAGE = smallPackage('web', { data: DATA });
const VALUES = ['first', 'second', 'third', 'ours', 'large', '"2"'];
export const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)]!;

async function push(sequence: Sequence, files: Files, branch?: string): Promise<void> {
  const ref = branch ?? (await sequence.repo.pull(sequence.number)).head.ref;
  // A branch that is gone after the merge is left alone.
  if ((await sequence.repo.head(ref).catch(() => null)) === null) return;
  await sequence.repo.push(ref, files, { as: 'bob' });
}

/** The package of a sequence that a step changes. */
async function somePackage({ repo, random }: Sequence, ref: string): Promise<string> {
  const files = (await repo.git('ls-tree', '-r', '--name-only', ref)).split('\n');
  const found = files
    .filter((file) => file.endsWith('/Kptfile'))
    .map((file) => file.slice(0, -'/Kptfile'.length));
  return found.length === 0 ? 'web' : pick(random, found);
}

const say =
  (...texts: readonly string[]): Act =>
  ({ repo, random, number }) =>
    repo.say(number, pick(random, texts), 'bob');

const change: Act = async (sequence) => {
  const { repo, random, number } = sequence;
  const { head } = await repo.pull(number);
  const directory = await somePackage(sequence, head.sha);
  const data = Object.fromEntries(Object.keys(DATA).map((key) => [key, pick(random, VALUES)]));
  const file = random(3) === 0 ? 'more' : 'config';
  await push(sequence, { [`${directory}/${file}.yaml`]: configMap(file === 'more' ? 'more' : 'web', data) });
};

const add: Act = async (sequence, at) => {
  const { head } = await sequence.repo.pull(sequence.number);
  const directory = await somePackage(sequence, head.sha);
  await push(sequence, { [`${directory}/new${at}.yaml`]: configMap(`new${at}`, { at: `n${at}` }) });
};

const onMain: Act = async (sequence, at) => {
  const directory = await somePackage(sequence, 'main');
  await push(
    sequence,
    { [`${directory}/other${at}.yaml`]: configMap(`other${at}`, { at: `n${at}` }) },
    'main',
  );
};

/** Merges another pull request, so that the base and the revisions move. */
const elsewhere: Act = async (sequence, at) => {
  const { repo } = sequence;
  const directory = await somePackage(sequence, 'main');
  const branch = `elsewhere${at}`;
  await repo.push(branch, { [`${directory}/there${at}.yaml`]: configMap(`there${at}`, { at: 'n' }) });
  const { number } = await repo.open(branch);
  await repo.merge(number);
};

const approve: Act = ({ stage, repo, number }) =>
  stage.as('carol').rest.pulls.createReview({ ...repo.where, pull_number: number, event: 'APPROVE' });

const approveAndPublish: Act = async (sequence, at) => {
  await approve(sequence, at);
  await sequence.stage.idle();
  await say('/portico publish')(sequence, at);
};

const toggle: Act = async ({ stage, repo, number }) => {
  const { state, merged } = await repo.pull(number);
  if (merged) return;
  const other = state === 'open' ? 'closed' : 'open';
  await stage.as('alice').rest.pulls.update({ ...repo.where, pull_number: number, state: other });
};

export const COMMON: Kind['acts'] = {
  change,
  'change again': change,
  add,
  'push to main': onMain,
  approve,
  publish: say('/portico publish'),
  'approve and publish': approveAndPublish,
  'publish elsewhere': elsewhere,
  propose: say('/portico propose'),
  'close or reopen': toggle,
};

async function release({ up }: Sequence, revision: string, data: Record<string, string>): Promise<string> {
  const commit = await up!.push('main', { 'web/config.yaml': configMap('web', { ...DATA, ...data }) });
  await up!.tag(`web/${revision}`, commit);
  return commit;
}

const newRevision: Act = async (sequence, at) => {
  await release(sequence, `v${at + 3}`, {
    color: pick(sequence.random, VALUES),
    shape: pick(sequence.random, VALUES),
  });
};

const OF_UPDATES: Kind['acts'] = {
  ...COMMON,
  resolve: say('/portico resolve 1 local', '/portico resolve all upstream', '/portico resolve all local'),
  'resolve again': say('/portico resolve 1 upstream', '/portico resolve 1 local'),
  'new revision': newRevision,
  pause: say('/portico pause', '/portico resume'),
};

/** Packages that follow the upstream, with local changes, some of which meet its next revision. */
function updateKind(spec: string, directories: readonly string[]): Kind {
  return {
    repositories: { up: { files: below('web', PACKAGE) }, r: { spec } },
    begin: async (sequence) => {
      const { up, repo, random } = sequence;
      const commit = await release(sequence, 'v1', {});
      const local = (): Record<string, string> => ({
        ...PACKAGE,
        'config.yaml': configMap('web', {
          ...DATA,
          ...(random(3) > 0 && { size: 'large' }),
          ...(random(2) > 0 && { color: 'mine' }),
        }),
        Kptfile: locked(PACKAGE['Kptfile']!, up!.url, 'web', 'web/v1', commit),
      });
      await repo.push('main', Object.assign({}, ...directories.map((one) => below(one, local()))));
    },
    open: (sequence) => release(sequence, 'v2', { color: 'second', shape: 'square' }),
    acts: OF_UPDATES,
  };
}

const CHANNEL_FILE = '.github/portico/channels/web.yaml';
const channels = (members: string): string => `${WEB_CHANNELS}  members: [${members}]\n`;
const WITHDRAWN = '{revision: v2, withdrawn: {reason: it leaks}}';

const published: Kind['begin'] = async ({ repo, up }) => {
  for (const revision of ['v1', 'v2', 'v3']) {
    const commit = await (up ?? repo).push('main', {
      'web/config.yaml': configMap('web', { ...DATA, color: revision }),
    });
    await (up ?? repo).tag(`web/${revision}`, commit);
  }
};

/** A command in an issue opens the pull request. */
function commandKind(command: string, acts: Kind['acts'], more: Record<string, string> = {}): Kind {
  return {
    repositories: { r: { files: { ...below('web', PACKAGE), ...more } } },
    begin: published,
    open: async ({ stage, repo }) => {
      const { data } = await stage.as('bob').rest.issues.create({ ...repo.where, title: 'Please', body: '' });
      await repo.say(data.number, command, 'bob');
    },
    acts,
  };
}

const updates = updateKind('branch: main\nupdates: { follow: latest }', ['shop']);

const promoted = commandKind(
  '/portico promote web@v2 to stable',
  {
    approve,
    'approve and publish': approveAndPublish,
    'close or reopen': toggle,
    promote: say('/portico promote web@v3 to stable', '/portico promote web@v1 to stable'),
    withdraw: say('/portico withdraw web@v2 "it leaks"', '/portico withdraw web@v1 --channel=stable'),
    edit: (sequence) =>
      push(sequence, {
        [CHANNEL_FILE]: channels(pick(sequence.random, ['v1', 'v1, v2', 'v1, v2, v3', `v1, ${WITHDRAWN}`])),
      }),
    'push to main': onMain,
    'publish elsewhere': elsewhere,
    add,
  },
  { [CHANNEL_FILE]: channels('v1') },
);

export const KINDS: Readonly<Record<string, Kind>> = {
  update: updates,
  'grouped update': updateKind(
    'branch: main\nupdates: { follow: latest, group: [{ name: front, packages: ["apps/**"] }] }',
    ['apps/a', 'apps/b'],
  ),
  proposal: {
    repositories: { r: { files: below('web', webPackage()) } },
    begin: async () => undefined,
    open: async ({ repo }) => {
      await repo.push('edit', { 'web/setters.yaml': webPackage('1.1.0')['setters.yaml']! });
      await repo.create('edit');
    },
    acts: {
      ...COMMON,
      tag: (sequence) =>
        push(sequence, {
          'web/setters.yaml': webPackage(`1.${sequence.random(9)}.0`)['setters.yaml']!,
        }),
      same: (sequence) =>
        push(sequence, { 'web/setters.yaml': webPackage('3.0.0')['setters.yaml']! }, 'main'),
      resolve: OF_UPDATES['resolve']!,
    },
  },
  promotion: promoted,
  withdrawal: {
    ...promoted,
    ...commandKind('/portico withdraw web@v2 "it leaks"', promoted.acts, {
      [CHANNEL_FILE]: channels('v1, v2'),
    }),
  },
  'update after a withdrawal': {
    repositories: {
      ...updates.repositories,
      r: { spec: 'branch: main\nupdates: { follow: channel/stable }' },
    },
    begin: async (sequence) => {
      const { up } = sequence;
      await updates.begin(sequence);
      await release(sequence, 'v2', { color: 'second', shape: 'square' });
      await up!.push('main', { [CHANNEL_FILE]: channels('v1, v2') });
      await sequence.stage.idle();
      const [first] = await sequence.repo.pulls();
      await sequence.repo.merge(first!.number);
    },
    open: ({ up }) => up!.push('main', { [CHANNEL_FILE]: channels(`v1, ${WITHDRAWN}`) }),
    acts: {
      ...OF_UPDATES,
      'new revision': async (sequence) => {
        if ((await sequence.up!.tags()).has('web/v3')) return;
        await release(sequence, 'v3', { color: pick(sequence.random, VALUES) });
      },
      channel: async ({ up, random }) => {
        const third = (await up!.tags()).has('web/v3') ? ', v3' : '';
        await up!.push('main', {
          [CHANNEL_FILE]: channels(`v1, ${pick(random, ['v2', WITHDRAWN])}${third}`),
        });
      },
    },
  },
  draft: commandKind('/portico edit web', COMMON),
  rollback: commandKind('/portico rollback web@v1', COMMON),
  deletion: commandKind('/portico delete web', COMMON),
};

/** Small numbers from a seed: the same sequence each time. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
