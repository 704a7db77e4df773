import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { mergePatiently } from './merging.ts';

/** Merges with the head that a pull request had before it moved. */
export const movedHeads: Row = {
  number: 27,
  belief: 'A merge that names another head than the pull request has is answered 409 and merges nothing',
  async play(stage) {
    const { blueprints, name } = stage;
    const branch = name('moved');
    const first = await blueprints.branch(branch, { [`${branch}.txt`]: '1\n' });
    const pull = await blueprints.open(branch);
    const next = await blueprints.commit([first], { [`${branch}.txt`]: '2\n' });
    await blueprints.move({ [`refs/heads/${branch}`]: next });
    const { answer } = await mergePatiently(stage, pull);
    return answer.status === 409 ? asBelieved(answerText(answer)) : otherwise(answerText(answer));
  },
};
