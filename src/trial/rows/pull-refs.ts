import { z } from 'zod';

import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const made = z.object({ commit: z.object({ sha: z.string() }) });
/** Milliseconds to wait for a ref that GitHub creates in the background. */
const MAX_MS = 60_000;

/** Makes a commit through the API, opens a pull request, fetches its head by its id at once, and looks when the ref has it. */
export const pullRefs: Row = {
  number: 20,
  belief:
    'The head of a pull request can be fetched by its id as soon as it is there; refs/pull/<n>/head has it within a minute',
  async play({ blueprints, rest, signal, name, wait }) {
    const branch = name('pull-ref');
    await blueprints.branch(branch, { [`${branch}.txt`]: 'x\n' });
    // What was pushed from here would be here already.
    const body = { message: 'Not from here', content: Buffer.from('y\n').toString('base64'), branch };
    await rest.read(made, 'PUT', `${blueprints.path}/contents/${branch}-2.txt`, body);
    const { number, head } = await blueprints.open(branch);
    const since = performance.now();
    try {
      await blueprints.mirror.fetch({ refspecs: [head] }, signal);
    } catch (error) {
      signal.throwIfAborted();
      return otherwise(`not fetched by its id: ${error instanceof Error ? error.message : String(error)}`);
    }
    const ref = `refs/pull/${number}/head`;
    for (;;) {
      const there = (await blueprints.mirror.remoteRefs([ref], signal)).get(ref)?.oid;
      const took = Math.round(performance.now() - since);
      if (there === head) return asBelieved(`fetched by its id; the ref was there after ${took} ms at most`);
      if (took > MAX_MS) return otherwise(`${ref} did not have the head after a minute`);
      await wait(500);
    }
  },
};
