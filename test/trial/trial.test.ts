import { afterAll, beforeAll, expect, test } from 'vitest';

import type { PlayedRow } from '../../src/trial/row.ts';
import { ROWS } from '../../src/trial/rows/table.ts';
import { startTrialForge } from './trial-stage.ts';
import type { TrialForge } from './trial-stage.ts';

const HERE = ['full', 'one', 'other'];

let trial: TrialForge;

beforeAll(async () => {
  trial = await startTrialForge({ administration: 'write', workflows: 'write' });
});
afterAll(() => trial[Symbol.asyncDispose]());

/** What the local forge does not do yet as GitHub does. */
const NOT_YET: readonly number[] = [11, 12, 13, 14, 15];

const notBelieved = (rows: readonly PlayedRow[]): object[] =>
  rows
    .filter(({ number, verdict }) => verdict !== 'as believed' && !NOT_YET.includes(number))
    .map(({ number, verdict, seen }) => ({ number, verdict, seen }));

test('the local forge is as Portico believes in every row that can be seen, and nothing is left there', async () => {
  const { rows, left } = await trial.play();
  expect(rows.map(({ number }) => number)).toEqual(ROWS.map(({ number }) => number));
  expect(notBelieved(rows)).toEqual([
    { number: 7, verdict: 'not seen', seen: expect.stringContaining('Flux') as string },
  ]);
  expect(left).toEqual([]);
  expect(trial.names()).toEqual(HERE);
});
