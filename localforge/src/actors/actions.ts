/**
 * GitHub Actions as other programs see it: its suite is there right after a push, its runs appear late and end later. What merges as
 * soon as everything there is green merges before CI has begun (gitmoot/gitmoot#596, cli/cli#3514).
 */
import { runLater } from '../background.ts';
import { putStatus } from '../checks/put-status.ts';
import type { ForgeContext } from '../context.ts';
import type { RefsUpdated } from '../refs.ts';
import { ACTIONS_APP } from './apps.ts';
import { beginRun, concludeRun, openSuite, type CheckedCommit } from './check-app.ts';
import type { ActionsSettings } from './settings.ts';

/** Runs the workflows of each branch that was pushed, where the knob says so. */
export function runActions(context: ForgeContext, { repository, updates }: RefsUpdated): void {
  const settings = context.knobs.actions;
  if (settings === null) return;
  for (const { ref, after: sha } of updates) {
    if (!ref.startsWith('refs/heads/') || sha === null) continue;
    const commit = { repository, sha, branch: ref.slice('refs/heads/'.length) };
    openSuite(context, commit, ACTIONS_APP);
    runLater(context, settings.beginsAfter, 'GitHub Actions', () => begin(context, commit, settings));
  }
}

async function begin(context: ForgeContext, commit: CheckedCommit, settings: ActionsSettings): Promise<void> {
  const { jobs, status, endsAfter, conclusion } = settings;
  const runs = jobs.map((job) => beginRun(context, commit, ACTIONS_APP, job));
  const by = context.records.account(commit.repository.ownerId);
  if (status !== undefined) await putStatus(context, { ...commit, by, context: status, state: 'pending' });
  runLater(context, endsAfter, 'GitHub Actions', async () => {
    for (const run of runs) concludeRun(context, commit, run, conclusion);
    if (status !== undefined) await putStatus(context, { ...commit, by, context: status, state: conclusion });
  });
}
