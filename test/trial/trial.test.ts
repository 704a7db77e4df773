// @module-tag story
import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { LoopSeen } from '../../src/trial/loop-seen.ts';
import type { PlayedRow } from '../../src/trial/row.ts';
import { pace } from '../../src/trial/rows/pace.ts';
import { ROWS } from '../../src/trial/rows/table.ts';
import type { TrialStage } from '../../src/trial/stage.ts';
import { startTrialForge } from './trial-stage.ts';
import type { TrialForge } from './trial-stage.ts';
import { openTurnedDoor } from './turned-door.ts';
import { TURNS } from './turns.ts';

const HERE = ['asked', 'full', 'one', 'other'];
const LOOP = [29, 30, 31, 32];

const withVerdict = (rows: readonly PlayedRow[], verdict: PlayedRow['verdict']): number[] =>
  rows.filter((row) => row.verdict === verdict).map(({ number }) => number);

async function asBelieved(trial: TrialForge, isPlayed: (number: number) => boolean): Promise<void> {
  const wanted = ROWS.map(({ number }) => number).filter(isPlayed);
  const { rows, left } = await trial.play({ only: new Set(wanted) });
  expect(rows.map(({ number }) => number)).toEqual(wanted);
  expect(rows.filter(({ verdict }) => verdict !== 'as believed')).toEqual([
    {
      number: 7,
      belief: expect.stringContaining('Argo CD') as string,
      verdict: 'not asked',
      seen: expect.stringContaining('cluster') as string,
    },
  ]);
  expect(left).toEqual([]);
  expect(trial.names()).toEqual(HERE);
}

test('docs/github.md has every row', () => {
  const page = readFileSync(new URL('../../docs/github.md', import.meta.url), 'utf8');
  const numbers = [...page.matchAll(/^\| (\d+)(?:–(\d+))? \|/gm)].flatMap(([, from, to = from]) => {
    const [first, last] = [Number(from), Number(to)];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  expect(numbers).toEqual(ROWS.map(({ number }) => number));
});

describe('with an App that may administer', () => {
  let trial: TrialForge;
  beforeAll(async () => {
    trial = await startTrialForge({ administration: 'write', workflows: 'write' });
  });
  afterAll(() => trial[Symbol.asyncDispose]());

  test('the local forge is as Portico believes in every row but those of the loop, and nothing is left there', () =>
    asBelieved(trial, (number) => !LOOP.includes(number)));

  test('and in the loop, in which Portico runs', () => asBelieved(trial, () => true));

  test('each row says so where the forge is otherwise', async () => {
    await using door = await openTurnedDoor(trial.forge.url);
    const wanted = Object.keys(TURNS).map(Number);
    expect([...wanted, 7, 16, ...LOOP].toSorted((a, b) => a - b)).toEqual(ROWS.map(({ number }) => number));
    const { rows } = await trial.play(
      {
        only: new Set(wanted),
        onRow: ({ number }) => {
          door.turn = TURNS[number] ?? {};
        },
      },
      door.host,
    );
    expect(rows.filter(({ verdict }) => verdict !== 'otherwise')).toEqual([]);
    expect(withVerdict(rows, 'otherwise')).toEqual(wanted);
    // The last turn stays; nothing of it keeps the trial from deleting what it made.
    expect(trial.names()).toEqual(HERE);
  });

  test('a trial that is stopped deletes what it made', async () => {
    const stop = new AbortController();
    const played = trial.play({
      signal: stop.signal,
      onRow: ({ number }) => {
        if (number === 3) stop.abort(new Error('stopped here'));
      },
    });
    await expect(played).rejects.toThrow('stopped here');
    expect(trial.names()).toEqual(HERE);
  });
});

describe('with the rights of app.yml alone', () => {
  let trial: TrialForge;
  beforeAll(async () => {
    trial = await startTrialForge({});
    await trial.fill('full');
    await trial.ask('asked');
  });
  afterAll(() => trial[Symbol.asyncDispose]());

  test('a person names two empty repositories, and nothing else is touched', async () => {
    await expect(trial.play()).rejects.toMatchObject({
      code: 'TRIAL_RIGHTS',
      message: expect.stringContaining('administration') as string,
    });
    const before = await trial.refs('full');
    await expect(trial.play({ repositories: ['one', 'full'] })).rejects.toMatchObject({
      code: 'TRIAL_REPOSITORY',
      message: expect.stringContaining('full') as string,
    });
    expect(await trial.refs('full')).toEqual(before);
    // Some repositories hold nothing but issues.
    await expect(trial.play({ repositories: ['one', 'asked'], only: new Set([1]) })).rejects.toMatchObject({
      code: 'TRIAL_REPOSITORY',
      message: expect.stringContaining('asked') as string,
    });
    expect(await trial.open('asked')).toEqual({ issues: 1, releases: 0 });
  });

  test('a forge that does not answer is told with its address and what to check', async () => {
    // Nothing listens there.
    await expect(trial.play({ repositories: ['one', 'other'] }, '127.0.0.1:9')).rejects.toMatchObject({
      code: 'TRIAL_FORGE',
      blame: 'forge',
      message: expect.stringContaining('http://127.0.0.1:9/api/v3 does not answer') as string,
      hint: expect.stringContaining('GHE_PROTOCOL=http') as string,
    });
  });

  test('played twice in the same two, it leaves one commit, and says what it could not see', async () => {
    for (const _time of ['first', 'second']) {
      const { rows, left } = await trial.play({
        repositories: ['one', 'other'],
        only: new Set([1, 2, 10, 22, 26]),
      });
      expect(withVerdict(rows, 'not seen')).toEqual([2, 10]);
      expect(withVerdict(rows, 'otherwise')).toEqual([]);
      expect(left).toEqual([]);
      for (const name of ['one', 'other']) {
        const refs = (await trial.refs(name)).filter((ref) => !ref.startsWith('refs/pull/'));
        expect(refs).toEqual(['refs/heads/main']);
        expect(await trial.open(name)).toEqual({ issues: 0, releases: 0 });
      }
    }
  });
});

test('rows of the loop and of the limits say so where something is otherwise', async () => {
  const seen: LoopSeen = {
    checks: [['portico', 'failure']],
    revision: { tag: true, annotated: true, ledger: true, release: false },
    update: null,
    rewritten: ['blueprints comment 1'],
  };
  const stage = {
    loop: () => Promise.resolve(seen),
    answers: [{}, {}],
    limitsMet: () => 1,
  } as unknown as TrialStage;
  for (const row of [...ROWS.filter(({ number }) => LOOP.includes(number)), pace]) {
    expect(await row.play(stage)).toMatchObject({ verdict: 'otherwise' });
  }
});
