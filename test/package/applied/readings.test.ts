import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { buildTool } from '../../../scripts/oracles/tools.ts';
import { readApplied } from '../../../src/package/applied/read-applied.ts';
import { readCases } from '../../corpus/read-cases.ts';
import { answer, differenceOf } from '../../corpus/readings/compare.ts';
import { documentOf, forms } from '../../corpus/readings/documents.ts';
import { decodeAnswer, decodeText, parseExactly, readingCase } from '../../corpus/readings/reading-case.ts';

test('Portico refuses each recorded text, or reads what kubectl, Argo CD and kustomize read', () => {
  const differences = readCases('readings', readingCase).flatMap(({ name, text, expected }) => {
    const difference = differenceOf(readApplied(decodeText(text)), decodeAnswer(expected));
    return difference === undefined ? [] : [`${name}: ${difference}`];
  });
  expect(differences).toEqual([]);
});

/** `READINGS=1,30000` is the first seed and the number of them. */
const [FIRST = 1, COUNT = 30_000] = (process.env['READINGS'] ?? '').split(',').filter(Boolean).map(Number);

test('Portico refuses generated texts, or reads what the tools read', { tags: ['differential'] }, () => {
  const texts = [
    ...new Set([...forms(), ...Array.from({ length: COUNT }, (_, at) => documentOf(FIRST + at))]),
  ];
  const { stdout } = spawnSync(buildTool('apimachinery'), {
    input: texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
    maxBuffer: 2 ** 30,
    encoding: 'utf8',
  });
  const answers = stdout.trimEnd().split('\n');
  expect(answers).toHaveLength(texts.length);
  const differences = texts.flatMap((text, at) => {
    const difference = differenceOf(readApplied(text), answer.parse(parseExactly(answers[at] ?? '')));
    return difference === undefined ? [] : [`${difference}: ${JSON.stringify(text)}`];
  });
  expect(differences).toEqual([]);
  expect(texts.length).toBeGreaterThan(COUNT * 0.7);
});
