import { z } from 'zod';

import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const run = z.object({ id: z.number() });

/** The most that the text of a check may have. */
const MAX_BYTES = 65_535;

/** Two bytes each. */
const letters = (count: number): string => 'é'.repeat(count);

/** Makes a check whose summary has the greatest number of bytes, and one with a byte more though half as many characters. */
export const bytesOfChecks: Row = {
  number: 9,
  belief: 'The summary of a check may have 65,535 bytes, however many characters these are',
  async play({ blueprints, rest, name }) {
    const head_sha = await blueprints.branch(name('bytes'), { 'bytes.txt': 'x\n' });
    const make = (summary: string) =>
      rest.ask('POST', `${blueprints.path}/check-runs`, {
        body: {
          name: 'trial bytes',
          head_sha,
          status: 'completed',
          conclusion: 'neutral',
          output: { title: 'Bytes', summary },
        },
      });
    const most = await make(`${letters((MAX_BYTES - 1) / 2)}a`);
    if (!run.safeParse(most.body).success) return otherwise(`${MAX_BYTES} bytes: ${answerText(most)}`);
    const more = await make(letters((MAX_BYTES + 1) / 2));
    if (more.status === 201) return otherwise(`${MAX_BYTES + 1} bytes in 32,768 characters were taken`);
    return more.status === 422 ? asBelieved(answerText(more)) : otherwise(answerText(more));
  },
};
