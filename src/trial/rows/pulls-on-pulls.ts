import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { mergePatiently } from './merging.ts';

/** Opens a pull request into the branch of another one, and merges it. Stacks of the forge's own cannot be made by Apps. */
export const pullsOnPulls: Row = {
  number: 23,
  belief:
    "A pull request into another one's branch can be merged by the API (those that GitHub's own stacks hold may not, and are not tried)",
  async play(stage) {
    const { blueprints, name } = stage;
    const [lower, upper] = [name('lower'), name('upper')];
    const below = await blueprints.branch(lower, { [`${lower}.txt`]: 'x\n' });
    await blueprints.open(lower);
    const above = await blueprints.commit([below], { [`${upper}.txt`]: 'x\n' });
    await blueprints.move({ [`refs/heads/${upper}`]: above });
    const pull = await blueprints.open(upper, lower);
    const { answer } = await mergePatiently(stage, pull);
    return answer.status === 200 ? asBelieved('merged') : otherwise(answerText(answer));
  },
};
