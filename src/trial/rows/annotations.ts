import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

/** Makes a check with fifty annotations, and one with more. */
export const annotations: Row = {
  number: 28,
  belief: 'One call takes fifty annotations of a check, and not fifty-one',
  async play({ blueprints, rest, name }) {
    const head_sha = await blueprints.branch(name('annotations'), { 'annotated.txt': 'x\n' });
    const make = (count: number) =>
      rest.ask('POST', `${blueprints.path}/check-runs`, {
        body: {
          name: 'trial annotations',
          head_sha,
          status: 'completed',
          conclusion: 'neutral',
          output: {
            title: 'Annotations',
            summary: 'x',
            annotations: Array.from({ length: count }, (_, index) => ({
              path: 'annotated.txt',
              start_line: 1,
              end_line: 1,
              annotation_level: 'notice',
              message: String(index),
            })),
          },
        },
      });
    const fifty = await make(50);
    if (fifty.status !== 201) return otherwise(`fifty: ${answerText(fifty)}`);
    const more = await make(51);
    return more.status === 422 ? asBelieved(answerText(more)) : otherwise(`fifty-one: ${answerText(more)}`);
  },
};
