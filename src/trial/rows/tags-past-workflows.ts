import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { moveWorkflow, NO_WORKFLOWS } from './workflow-files.ts';

/** Moves a workflow file on main, and then tags the commit before and the newest one without the Workflows permission. */
export const tagsPastWorkflows: Row = {
  number: 2,
  belief:
    'Without the Workflows permission a tag is refused on a commit whose workflow files differ from the tips of all branches, and taken on the newest commit of main',
  async play(stage) {
    const extra = await stage.with('workflows');
    if (extra === null) return NO_WORKFLOWS;
    const { before, tip } = await moveWorkflow(stage, extra);
    const tag = (): string => `refs/tags/${stage.name('tag')}`;
    const newest = await stage.blueprints.tryToMove({ [tag()]: tip });
    if (newest !== '') return otherwise(`a tag on the newest commit was refused: ${newest}`);
    const older = await stage.blueprints.tryToMove({ [tag()]: before });
    if (older === '') return otherwise('the tag on the older commit was taken');
    return /workflow/i.test(older)
      ? asBelieved(`refused: ${older}`)
      : otherwise(`refused in other words: ${older}`);
  },
};
