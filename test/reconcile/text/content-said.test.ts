// @module-tag story
import { afterAll, describe, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { startStage, type Stage, type StageRepositoryOptions } from '../stage.ts';
import { chartRepository, deployment, type ChartRepository } from '../update/chart-repository.ts';
import { COMMON, KINDS, pick, randomFrom, type Kind, type Sequence } from './content-kinds.ts';
import { untrue, type Compared } from './content-said.ts';

/**
 * Sequences of what people do on each kind of pull request: after each step, all that Portico says about content is compared with git.
 * SAID_SEED and SAID_SEQUENCES say which, and how many; a failure prints the seed and the steps.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const SEQUENCES = Number(process.env['SAID_SEQUENCES'] ?? (LONG ? 20 : 3));
const SEED = Number(process.env['SAID_SEED'] ?? (LONG ? Date.now() % 1_000_000 : 1));
const STEPS = 6;

/** Of each kind: statements that were compared, by their subject, and those that git contradicts. */
const RESULTS = new Map<string, { readonly compared: Compared; untrue: number }>();

afterAll(() => {
  const rows = [...RESULTS].map(([kind, { compared, untrue: wrong }]) => {
    const all = [...compared.values()].reduce((sum, one) => sum + one, 0);
    const each = [...compared].map(([subject, count]) => `${subject} ${count}`).join(', ');
    return `| ${kind} | ${SEQUENCES} | ${all} | ${wrong} | ${each} |\n`;
  });
  const head = '| kind | sequences | statements | untrue | by subject |\n|---|---|---|---|---|\n';
  process.stderr.write(`SAID_SEED=${SEED}\n${head}${rows.join('')}`);
});

async function play(
  [name, kind]: readonly [string, Kind],
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
  const result = { compared: new Map<string, number>(), untrue: 0 };
  RESULTS.set(name, result);
  const failures: string[] = [];
  const judge = async (): Promise<void> => {
    for (const one of sequences) {
      const wrong = await untrue(one.repo, one.number, result.compared, one.up);
      result.untrue += wrong.length;
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
        const [step, act] = pick(one.random, Object.entries(kind.acts));
        one.steps.push(step);
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
  test.each(Object.entries(KINDS))('%s', { timeout: 1_800_000 }, async (name, kind) => {
    await using stage = await startStage(repositories(kind), { shares: true, logLevel: 'warn' });
    await play([name, kind], stage, async (sequences) => {
      await Promise.all(sequences.map((one) => kind.open(one, 0)));
      await stage.idle();
    });
  });

  test('source update', { tags: ['helm', 'bubblewrap'], timeout: 1_800_000 }, async () => {
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
    await play(['source update', kind], stage, async () => {
      charts.publish('1.1.0', { web: deployment('shop:1.1') });
      await stage.sweep();
      await stage.idle();
    });
  });
});
