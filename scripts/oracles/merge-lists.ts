/** Asks kpt's built-in schema which lists of a kind merge, and by which keys. */
import { execFileSync } from 'node:child_process';

import { z } from 'zod';

import type { Family } from './family.ts';

const kind = z.object({ apiVersion: z.string(), kind: z.string() });

export const mergeLists: Family = {
  name: 'merge-lists',
  tools: ['kpt'],
  ask: (one, program) => {
    const { apiVersion, kind: name } = kind.parse(one);
    const printed = execFileSync(program, ['lists', apiVersion, name], { encoding: 'utf8' });
    return Promise.resolve({ expected: JSON.parse(printed) as unknown });
  },
};
