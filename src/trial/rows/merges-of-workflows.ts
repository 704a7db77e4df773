import { COMMITTER } from '../repository.ts';
import type { TrialRepository } from '../repository.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { moveWorkflow, NO_WORKFLOWS } from './workflow-files.ts';

/** Pushes merges of main to a branch that has a former workflow file: of its tip, and of a commit that has moved on. */
export const mergesOfWorkflows: Row = {
  number: 3,
  belief:
    'Without the Workflows permission a merge commit that brings the workflow files at the tip of main to a branch is taken; one that brings files which no branch has any more is refused',
  async play(stage) {
    const extra = await stage.with('workflows');
    if (extra === null) return NO_WORKFLOWS;
    const { blueprints, name } = stage;
    const { before, tip } = await moveWorkflow(stage, extra);
    const [near, far] = [`refs/heads/${name('behind')}`, `refs/heads/${name('far-behind')}`];
    const own = extra.blueprints;
    const work = await own.commit([before], { 'work.txt': 'work\n' });
    await own.move({ [near]: work, [far]: work });
    const ofTip = await blueprints.tryToMove({ [near]: await mergeOf(blueprints, tip, work) });
    if (ofTip !== '') return otherwise(`a merge of the tip of main was refused: ${ofTip}`);
    // The branch that took the merge has those files at its tip.
    await own.move({ [near]: null });
    await moveWorkflow(stage, extra);
    const words = await blueprints.tryToMove({ [far]: await mergeOf(blueprints, tip, work) });
    if (words === '') return otherwise('a merge of files that no branch has any more was taken');
    return /workflow/i.test(words)
      ? asBelieved(`the tip was taken; what has moved on was refused: ${words}`)
      : otherwise(`refused in other words: ${words}`);
  },
};

/** What `git merge` makes on the branch at `work`: the tree of main with the branch's own file. */
async function mergeOf({ commit, mirror }: TrialRepository, main: string, work: string): Promise<string> {
  await mirror.fetch();
  const both = await commit([main], { 'work.txt': 'work\n' });
  const { tree } = await mirror.commit(both);
  return mirror.commitTree({ tree, parents: [work, main], message: 'Merge main\n', committer: COMMITTER });
}
