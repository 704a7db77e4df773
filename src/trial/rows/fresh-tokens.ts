import { z } from 'zod';

import { read, answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const minted = z.object({ token: z.string() });
const TOKENS = 5;
/** Milliseconds that a new token is tried; reports speak of seconds. */
const MAX_MS = 3_000;

/** Makes five tokens and uses each at once, until it is taken. */
export const freshTokens: Row = {
  number: 19,
  belief: 'A new token is taken at once, or is refused by 401 or 403 for three seconds at most',
  async play({ blueprints: { path }, freshToken, restWith, wait }) {
    let longest = 0;
    const refusals: string[] = [];
    for (let count = 0; count < TOKENS; count += 1) {
      const rest = restWith(read(minted, await freshToken()).token);
      const since = performance.now();
      for (;;) {
        const answer = await rest.ask('GET', path);
        const took = performance.now() - since;
        if (answer.status === 200) {
          if (refusals.length > 0) longest = Math.max(longest, took);
          break;
        }
        refusals.push(String(answer.status));
        if (![401, 403].includes(answer.status) || took > MAX_MS + 2_000) {
          return otherwise(`refused for ${Math.round(took)} ms: ${answerText(answer)}`);
        }
        await wait(200);
      }
    }
    if (refusals.length === 0) return asBelieved(`${TOKENS} tokens, all taken at once`);
    const seen = `refused ${refusals.length} times (${[...new Set(refusals)].join(', ')}), for ${Math.round(longest)} ms at most`;
    return longest <= MAX_MS ? asBelieved(seen) : otherwise(seen);
  },
};
