import { notSeen } from '../row.ts';
import type { Seen } from '../row.ts';
import type { Extra, TrialStage } from '../stage.ts';

export const WORKFLOW = '.github/workflows/trial.yml';

/** A workflow that never runs by itself. */
const workflow = (text: string): Readonly<Record<string, string>> => ({
  [WORKFLOW]: `# ${text}\non: workflow_dispatch\njobs:\n  nothing:\n    runs-on: ubuntu-latest\n    steps: [{ run: 'true' }]\n`,
});

/** The App may not write workflow files, so that there is no moved one to try with. */
export const NO_WORKFLOWS: Seen = notSeen(
  'needs workflow files that moved, and this App may not write any (workflows: write of the throw-away App alone lets this row be played)',
);

export interface MovedWorkflow {
  /** On main, with the former workflow file. */
  readonly before: string;
  /** The tip of main, with the newer one. */
  readonly tip: string;
}

/** Puts a workflow file on main and changes it. */
export async function moveWorkflow({ blueprints }: TrialStage, extra: Extra): Promise<MovedWorkflow> {
  const main = await blueprints.main();
  const own = extra.blueprints;
  await own.mirror.fetch();
  const before = await own.commit([main], workflow(`before ${main}`));
  await own.move({ 'refs/heads/main': before });
  const tip = await own.commit([before], workflow(`after ${main}`));
  await own.move({ 'refs/heads/main': tip });
  await blueprints.mirror.fetch();
  return { before, tip };
}

/** A branch from main that changes the workflow file. */
export async function branchWithWorkflow(stage: TrialStage, extra: Extra, branch: string): Promise<void> {
  const main = await stage.blueprints.main();
  const own = extra.blueprints;
  await own.mirror.fetch();
  const commit = await own.commit([main], workflow(branch));
  await own.move({ [`refs/heads/${branch}`]: commit });
}
