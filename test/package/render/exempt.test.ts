/** Findings that are exempt: they inform, and hold nothing up; whatever else is wrong does. */
import { expect, test } from 'vitest';

import { exempted } from '../../../src/package/render/exempt.ts';
import type { FunctionOutput, ResultItem } from '../../../src/package/render/function-runtime.ts';

const found = (name: string, severity: ResultItem['severity'] = 'error'): ResultItem => ({
  message: 'no',
  severity: severity ?? 'error',
  resourceRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
});
const output = (exitCode: number, ...results: ResultItem[]): FunctionOutput => ({ exitCode, results });
const exemption = {
  name: 'sale',
  until: '2026-12-31',
  why: 'the sale',
  resources: [{ kind: 'Deployment', name: 'web' }],
};

test('what is meant only informs, and the validator has passed', () => {
  expect(exempted(output(1, found('web')), [exemption])).toEqual({
    exitCode: 0,
    results: [
      {
        ...found('web', 'info'),
        message: 'no (exempt until 2026-12-31 by sale: the sale)',
        tags: { exemption: 'sale' },
      },
    ],
  });
});

test('another finding beside it fails as before', () => {
  const { exitCode, results } = exempted(output(1, found('web'), found('db')), [exemption]);
  expect([exitCode, results.map(({ severity }) => severity)]).toEqual([1, ['info', 'error']]);
});

test.each<[string, FunctionOutput]>([
  ['a crash beside a finding', output(139, found('web'))],
  ['a failure without a finding', output(1)],
  ['a finding that names no resource', output(1, { message: 'no', severity: 'error' })],
  [
    'a refused function',
    { ...output(1, found('web')), refused: { code: 'CEL_FAILED', message: 'm', hint: 'h' } },
  ],
])('%s is not exempt', (_what, one) => {
  expect(exempted(one, [exemption]).exitCode).toBe(one.exitCode);
});
