import { shorten } from '../../text/cut-text.ts';
import { refusalOf } from '../repository.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { WORKFLOW } from './workflow-files.ts';

/** Pushes a tag together with a branch that adds a workflow file, which the forge refuses; then the tag with another branch. */
export const allOrNothing: Row = {
  number: 25,
  belief:
    'A push of several refs is refused as a whole where the forge refuses one of them, such as a branch with a new workflow file; else all of them move',
  async play({ blueprints, name, signal }) {
    const main = await blueprints.main();
    const [branch, tag] = [`refs/heads/${name('atomic')}`, `refs/tags/${name('atomic-tag')}`];
    const push = (to: string): Promise<string> =>
      refusalOf(() =>
        blueprints.mirror.push(
          [
            { ref: tag, to: main, expect: null },
            { ref: branch, to, expect: null },
          ],
          signal,
        ),
      );
    const refused = await push(await blueprints.commit([main], { [WORKFLOW]: 'on: workflow_dispatch\n' }));
    if (refused === '') return otherwise('a workflow file was taken without the Workflows permission');
    const there = await blueprints.mirror.remoteRefs([branch, tag], signal);
    if (there.size > 0) return otherwise('one of two refs moved all the same');
    const taken = await push(await blueprints.commit([main], { 'atomic.txt': 'x\n' }));
    return taken === ''
      ? asBelieved(`none moved (${shorten(refused, 120)}), then both`)
      : otherwise(`two refs that may move were refused: ${taken}`);
  },
};
