import { expect, test } from 'vitest';

import { createRounds } from '../../src/queue/rounds.ts';

test('whoever was served is passed over until the round is over', () => {
  const rounds = createRounds(1_000, () => 0);
  expect(rounds.passedOver()).toEqual([]);
  rounds.served(['a', 'a']);
  rounds.served(['b']);
  expect(rounds.passedOver()).toEqual(['a', 'b']);
  rounds.over();
  expect(rounds.passedOver()).toEqual([]);
});

test('a lone tenant is not asked for others at each job, but where somebody came or might have', () => {
  let now = 0;
  const rounds = createRounds(1_000, () => now);
  const alone = (): void => {
    rounds.served(['a']);
    rounds.over();
    rounds.served(['a']);
  };
  alone();
  expect(rounds.passedOver()).toEqual([]);
  rounds.came(['a']);
  expect(rounds.passedOver()).toEqual([]);
  rounds.came(['b']);
  expect(rounds.passedOver()).toEqual(['a']);
  alone();
  rounds.came();
  expect(rounds.passedOver()).toEqual(['a']);
  alone();
  now = 1_000;
  expect(rounds.passedOver()).toEqual(['a']);
});
