import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { mergePatiently } from './merging.ts';

/** Opens two pull requests and merges them one straight after the other, before the forge can know whether they merge. */
export const mergesAtOnce: Row = {
  number: 5,
  belief:
    'A merge right after opening, or right after another merge, succeeds, or is answered 405 in words that say so and succeeds when asked again, five times at most',
  async play(stage) {
    const { blueprints, name } = stage;
    const pulls = [];
    for (const which of ['one', 'other']) {
      const branch = name(`merge-${which}`);
      await blueprints.branch(branch, { [`${branch}.txt`]: which });
      pulls.push(await blueprints.open(branch));
    }
    const early: string[] = [];
    for (const pull of pulls) {
      const { answer, refusals } = await mergePatiently(stage, pull);
      early.push(...refusals);
      if (answer.status !== 200) return otherwise([...early, answerText(answer)].join('; '));
    }
    return asBelieved(early.length === 0 ? 'both were merged at once' : `merged after ${early.join('; ')}`);
  },
};
