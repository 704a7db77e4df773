import { expect, test } from 'vitest';

import type { Review } from '../../src/cel/review.ts';
import { createCelPool } from '../../src/function/cel-pool.ts';

const LONG = process.env['PORTICO_LONG'] === '1';
const pool = createCelPool({ processes: 1 });
const strict = createCelPool({ milliseconds: LONG ? 5_000 : 500, processes: 1, megabytes: 96 });

const review = (resources = 1): Review => ({
  changes: Array.from({ length: resources }, (_, at) => ({
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `a${at}` },
      spec: { replicas: at, big: 2n ** 60n },
    },
    oldObject: null,
  })),
  package: { name: 'a', path: 'a', repository: '', labels: {}, annotations: {} },
  namespaces: {},
});
const policy = (expression: string) => ({ validations: [{ expression }] });
const doubled = (start: string, times: number): string =>
  `cel.bind(v0, ${start}, ` +
  Array.from({ length: times }, (_, at) => `cel.bind(v${at + 1}, v${at} + v${at}, `).join('') +
  `size(v${times}) > 0` +
  ')'.repeat(times + 1);

test('a thousand resources are one question, and whole numbers stay exact', async () => {
  const answer = await pool.judge(
    policy('object.spec.replicas < 998 && object.spec.big == 1152921504606846976'),
    review(1000),
  );
  expect(answer).toMatchObject({ remarks: [{ at: 998 }, { at: 999 }] });
});

const HOSTILE: readonly [string, string][] = [
  [
    'loops in loops',
    'lists.range(10000).all(a, lists.range(10000).all(b, lists.range(10000).all(c, a + b + c >= 0)))',
  ],
  ['long lists of long lists', 'lists.range(900000).map(a, lists.range(900000)).size() > 0'],
  [
    'many long texts',
    `lists.range(100000).map(a, "${'x'.repeat(5000)}" + string(a)).map(b, b + b).size() > 0`,
  ],
];

test.each(LONG ? HOSTILE : HOSTILE.slice(0, 2))(
  '%s are stopped, and the next question is answered',
  async (_name, expression) => {
    const answer = await strict.judge(policy(expression), review());
    // On a fast machine the limit of steps is met before that of time.
    expect('refused' in answer ? answer.refused.code : answer.remarks[0]?.message).toMatch(
      /^CEL_(?:TIMEOUT|STOPPED)$|it takes more than 10000000 steps/,
    );
    expect(await strict.judge(policy('true'), review())).toEqual({ remarks: [] });
  },
);

test.each([
  ['a list that doubles', doubled('[1, 2, 3, 4]', 40), /lists have 1000000 elements at most/],
  ['a text that doubles', doubled('"aaaa"', 40), /texts have 16777216 characters at most/],
  ['bytes that double', doubled('b"aaaa"', 40), /texts have 16777216 characters at most/],
])('%s is an error of the expression', async (_name, expression, message) => {
  const answer = await pool.judge(policy(expression), review());
  expect(answer).toMatchObject({
    remarks: [{ kind: 'error', message: expect.stringMatching(message) as string }],
  });
});

test('expressions that others backtrack over are no work', async () => {
  const text = `"${'a'.repeat(5000)}b"`;
  const answer = await pool.judge(
    policy(`!${text}.matches("^(a+)+$") && ${text}.find("(a|aa)+c") == ""`),
    review(),
  );
  expect(answer).toEqual({ remarks: [] });
});

test('a policy that cannot be read is refused', async () => {
  const answer = await pool.judge(policy('nothing.at.all'), review());
  expect(answer).toMatchObject({
    refused: { code: 'CEL_FAILED', message: expect.stringContaining('nothing') as string },
  });
});

test('whoever waits may stop waiting', async () => {
  const stop = new AbortController();
  const slow = pool.judge(
    policy('lists.range(10000).all(a, lists.range(100000).all(b, b >= 0))'),
    review(),
    stop.signal,
  );
  const behind = pool.judge(policy('true'), review());
  stop.abort(new Error('enough'));
  await expect(slow).rejects.toThrow('enough');
  expect(await behind).toEqual({ remarks: [] });
});
