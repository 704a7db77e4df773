import { z } from 'zod';

import { read } from '../rest.ts';
import type { Answer } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const minted = z.object({ token: z.string() });

/** Reads the repository with two tokens, and again with the first one's ETag. */
export const etags: Row = {
  number: 15,
  belief: 'What did not change is answered 304 to the token that read it; another token is given it anew',
  async play({ blueprints: { path }, freshToken, restWith, wait }) {
    const [one, other] = [
      restWith(read(minted, await freshToken()).token),
      restWith(read(minted, await freshToken()).token),
    ];
    const first = await taken(() => one.ask('GET', `${path}/branches`), wait);
    await taken(() => other.ask('GET', path), wait);
    const etag = first.headers.get('etag');
    if (etag === null) return otherwise('answers have no ETag');
    const headers = { 'if-none-match': etag };
    const again = await one.ask('GET', `${path}/branches`, { headers });
    const stranger = await other.ask('GET', `${path}/branches`, { headers });
    const seen = `the same token ${again.status}, another token ${stranger.status}`;
    return again.status === 304 && stranger.status === 200 ? asBelieved(seen) : otherwise(seen);
  },
};

/** New tokens may be refused for a moment. */
async function taken(ask: () => Promise<Answer>, wait: (ms: number) => Promise<void>): Promise<Answer> {
  let answer = await ask();
  for (let tries = 1; tries < 5 && [401, 403].includes(answer.status); tries += 1) {
    await wait(1_000);
    answer = await ask();
  }
  return answer;
}
