import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { CONTENT_LIMITS, limitMet, type Cutting } from '../../src/isolation/limits.ts';

const PAGE = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
const rowOf = (start: string): string =>
  PAGE.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? `no row ${start}`;

test('the page of limits has the values that hold', () => {
  const { stepCpuMs, workCpuMs, jobCpuMs, wallMs, heapMebibytes, residentMebibytes } = CONTENT_LIMITS;
  expect(rowOf('one function')).toContain(`| ${stepCpuMs / 1000} s of`);
  expect(rowOf('one piece of work, such')).toContain(`| ${workCpuMs / 1000} s of`);
  expect(rowOf('all packages')).toContain(`| ${jobCpuMs / 1000} s of`);
  expect(rowOf('one piece of work, by the clock')).toContain(`| ${wallMs / 1000} s |`);
  expect(rowOf('memory')).toContain(`${heapMebibytes} MiB of heap, ${residentMebibytes} MiB in all`);
  const { forkHeapMebibytes, forkResidentMebibytes } = CONTENT_LIMITS;
  expect(rowOf('the same, for a proposal from a fork')).toContain(
    `${forkHeapMebibytes} MiB of heap, ${forkResidentMebibytes} MiB in all`,
  );
  expect(rowOf('output files')).toContain(`| ${CONTENT_LIMITS.fileBytes / 2 ** 20} MiB`);
  expect(rowOf('results, findings and differences')).toContain(`| ${CONTENT_LIMITS.restBytes / 2 ** 20} MiB`);
  expect(rowOf('functions and guardrails')).toContain(`| ${CONTENT_LIMITS.functions} |`);
});

test.each<Cutting['by']>(['cpu', 'job', 'wall', 'memory', 'crash', 'output', 'count', 'depth'])(
  'the limit of %s has a code that the page has, and says how to go on',
  (by) => {
    const step = { package: 'web', function: 'starlark' };
    const met = limitMet({ by, seconds: 10, message: 'too many', step, at: 1 }, CONTENT_LIMITS);
    expect(PAGE).toContain(`\`${met.code}\``);
    expect(met.message).toMatch(/^It was stopped at starlark of web/);
    expect(met.hint).toMatch(/\.$/);
  },
);
