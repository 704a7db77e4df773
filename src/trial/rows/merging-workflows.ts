import { answerText, wordsOf } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { mergePatiently } from './merging.ts';
import { branchWithWorkflow, NO_WORKFLOWS } from './workflow-files.ts';

/** Merges a pull request that changes a workflow file. */
export const mergingWorkflows: Row = {
  number: 4,
  belief:
    'Merging a pull request that changes a workflow file is answered 403 without the Workflows permission',
  async play(stage) {
    const extra = await stage.with('workflows');
    if (extra === null) return NO_WORKFLOWS;
    const branch = stage.name('workflow');
    await branchWithWorkflow(stage, extra, branch);
    const pull = await stage.blueprints.open(branch);
    const { answer } = await mergePatiently(stage, pull);
    if (answer.status === 200) return otherwise('it was merged');
    const known =
      answer.status === 403 && /workflow|not accessible by integration/i.test(wordsOf(answer.body));
    return known ? asBelieved(answerText(answer)) : otherwise(answerText(answer));
  },
};
