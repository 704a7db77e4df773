/** Asks kubectl's, Argo CD's and kustomize's own code what it reads of a text. */
import { execFileSync } from 'node:child_process';

import { z } from 'zod';

import { decodeText, encodeAnswer } from '../../test/corpus/readings/reading-case.ts';
import type { Family } from './family.ts';

export const readings: Family = {
  name: 'readings',
  tools: ['apimachinery'],
  ask: (one, program) => {
    const text = decodeText(z.object({ text: z.string() }).parse(one).text);
    const line = execFileSync(program, { input: `${JSON.stringify(text)}\n`, encoding: 'utf8' });
    return Promise.resolve({ expected: encodeAnswer(line) });
  },
};
