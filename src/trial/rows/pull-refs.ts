import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const LONGEST_MS = 60_000;

/** Opens a pull request, fetches its head by its id at once, and looks when `refs/pull/<n>/head` has it. */
export const pullRefs: Row = {
  number: 20,
  belief:
    'The head of a pull request can be fetched by its id as soon as it was pushed; refs/pull/<n>/head has it within a minute',
  async play({ blueprints, signal, name, wait }) {
    const branch = name('pull-ref');
    await blueprints.branch(branch, { [`${branch}.txt`]: 'x\n' });
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
      if (took > LONGEST_MS) return otherwise(`${ref} did not have the head after a minute`);
      await wait(500);
    }
  },
};
