// @module-tag story
import { afterAll, describe, expect, test } from 'vitest';

import { WEB_CHANNELS } from '../../channels/web-channels.ts';
import { below, locked, webPackage } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository, Files } from '../stage-repository.ts';
import { startStage, type Stage, type StageRepositoryOptions } from '../stage.ts';
import { chartRepository, deployment, HELM, type ChartRepository } from '../update/chart-repository.ts';
import { untrue, type Compared } from './content-said.ts';

/**
 * Sequences of what people do on each kind of pull request: after each step, all that Portico says about content is compared with git.
 * SAID_SEED and SAID_SEQUENCES say which, and how many; a failure prints the seed and the steps.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const SEQUENCES = Number(process.env['SAID_SEQUENCES'] ?? (LONG ? 20 : 3));
const SEED = Number(process.env['SAID_SEED'] ?? (LONG ? Date.now() % 1_000_000 : 1));
const STEPS = 6;

type Random = (below: number) => number;

/** One sequence, in repositories of its own. */
interface Sequence {
  readonly stage: Stage;
  readonly repo: StageRepository;
  readonly up: StageRepository | undefined;
  readonly random: Random;
  number: number;
  readonly steps: string[];
}

type Act = (sequence: Sequence, at: number) => Promise<unknown>;

interface Kind {
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
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)]!;

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

const approve: Act = ({ stage, repo, number }) =>
  stage.as('carol').rest.pulls.createReview({ ...repo.where, pull_number: number, event: 'APPROVE' });

const toggle: Act = async ({ stage, repo, number }) => {
  const { state, merged } = await repo.pull(number);
  if (merged) return;
  const other = state === 'open' ? 'closed' : 'open';
  await stage.as('alice').rest.pulls.update({ ...repo.where, pull_number: number, state: other });
};

const COMMON: Kind['acts'] = {
  change,
  'change again': change,
  add,
  'push to main': onMain,
  approve,
  publish: say('/portico publish'),
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

const CHANNELS = `${WEB_CHANNELS}  members:\n  - v1\n`;

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

const KINDS: Readonly<Record<string, Kind>> = {
  update: updateKind('branch: main\nupdates: { follow: latest }', ['shop']),
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
  promotion: commandKind(
    '/portico promote web@v2 to stable',
    {
      approve,
      'close or reopen': toggle,
      promote: say('/portico promote web@v3 to stable'),
      withdraw: say('/portico withdraw web@v2 from stable because it leaks'),
      edit: (sequence) =>
        push(sequence, {
          '.github/portico/channels/web.yaml': `${CHANNELS}${pick(sequence.random, ['', '  - v2\n', '  - v2\n  - v3\n'])}`,
        }),
      'push to main': onMain,
      add,
    },
    { '.github/portico/channels/web.yaml': CHANNELS },
  ),
  rollback: commandKind('/portico rollback web@v1', COMMON),
  deletion: commandKind('/portico delete web', COMMON),
};

/** Small numbers from a seed: the same sequence each time. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const COMPARED: Compared = new Map();

afterAll(() => {
  process.stderr.write(`seed ${SEED}, compared with git: ${JSON.stringify(Object.fromEntries(COMPARED))}\n`);
});

async function play(
  kind: Kind,
  stage: Stage,
  bring: (sequences: readonly Sequence[]) => Promise<void>,
): Promise<void> {
  const sequences = Array.from({ length: SEQUENCES }, (_, at): Sequence => ({
    stage,
    repo: stage.repository(`r${at}`),
    up: 'up' in kind.repositories ? stage.repository(`up${at}`) : undefined,
    random: randomFrom(SEED + at * 7919),
    number: 0,
    steps: [],
  }));
  await Promise.all(sequences.map((one) => kind.begin(one)));
  await stage.idle();
  await bring(sequences);
  for (const one of sequences) {
    const [pull, ...others] = await one.repo.pulls();
    expect([pull?.title, others.length], one.repo.repo).toEqual([expect.any(String), 0]);
    one.number = pull!.number;
  }
  const failures: string[] = [];
  const judge = async (): Promise<void> => {
    for (const one of sequences) {
      const wrong = await untrue(one.repo, one.number, COMPARED, one.up);
      if (wrong.length > 0)
        failures.push(
          `${one.repo.repo} after ${one.steps.join(', ') || 'nothing'}:\n  ${wrong.join('\n  ')}`,
        );
    }
  };
  await judge();
  for (let at = 0; at < STEPS && failures.length === 0; at += 1) {
    await Promise.all(
      sequences.map(async (one) => {
        const [name, act] = pick(one.random, Object.entries(kind.acts));
        one.steps.push(name);
        // What the forge refuses, such as to reopen without a branch, changes nothing.
        await act(one, at).catch((error: unknown) => {
          if ((error as { status?: number }).status === undefined) throw error;
        });
      }),
    );
    await stage.idle();
    await judge();
  }
  expect(failures, `SAID_SEED=${SEED}`).toEqual([]);
}

const repositories = (kind: Pick<Kind, 'repositories'>): Record<string, StageRepositoryOptions> =>
  Object.fromEntries(
    Array.from({ length: SEQUENCES }, (_, at) =>
      Object.entries(kind.repositories).map(([name, options]) => [`${name}${at}`, options]),
    ).flat(),
  );

describe('body, comment and checks say what the branch holds', () => {
  test.each(Object.entries(KINDS))('%s', { timeout: 1_800_000 }, async (_name, kind) => {
    await using stage = await startStage(repositories(kind), { shares: true, logLevel: 'warn' });
    await play(kind, stage, async (sequences) => {
      await Promise.all(sequences.map((one) => kind.open(one, 0)));
      await stage.idle();
    });
  });

  test('source update', { tags: ['helm', 'bubblewrap'], timeout: 1_800_000 }, async () => {
    Object.assign(process.env, HELM);
    await using charts: ChartRepository = await chartRepository();
    charts.publish('1.0.0', { web: deployment('shop:1.0') });
    const files = below('web', await charts.package('web'));
    const kind: Kind = {
      repositories: { r: { spec: 'branch: main\nupdates: { follow: latest }' } },
      begin: ({ repo }) => repo.push('main', files),
      open: async () => undefined,
      acts: COMMON,
    };
    const environment = { insideHosts: `http://${charts.server.host}`, sourceMinutes: 0.000_01 };
    await using stage = await startStage(repositories(kind), { environment, logLevel: 'warn' });
    await play(kind, stage, async () => {
      charts.publish('1.1.0', { web: deployment('shop:1.1') });
      await stage.sweep();
      await stage.idle();
    });
  });
});
