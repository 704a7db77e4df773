/** Flux and Argo CD as they report on commits: only on the one that they have just reconciled, the branch's newest at that moment. */
import { runLater } from '../background.ts';
import { putStatus } from '../checks/put-status.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import type { RefsUpdated } from '../refs.ts';
import { ARGO_APP } from './apps.ts';
import { beginRun, concludeRun } from './check-app.ts';
import type { FluxSettings, ArgoSettings, GitOpsSettings } from './settings.ts';

/**
 * Flux: kind, name and the first part of the Provider's UID, in lower case, unless `commitStatusExpr` says otherwise
 * (fluxcd/notification-controller internal/server/provider_commit_status.go). Argo CD: the label of the template in
 * argoproj/notifications-engine docs/services/github.md.
 */
function contextOf(settings: FluxSettings | ArgoSettings): string {
  if (settings.tool === 'argocd') return `continuous-delivery/${settings.application}`;
  const { kind, name, providerUid } = settings;
  return `${kind}/${name}/${providerUid.split('-')[0]}`.toLowerCase();
}

/** Reports the newest commit of the default branch, and no other (XenitAB/gitops-promotion#175, #180). */
export async function reconcile(
  context: ForgeContext,
  repository: RepositoryRecord,
  settings: Omit<FluxSettings, 'after'> | Omit<ArgoSettings, 'after'>,
  state: GitOpsSettings['state'],
): Promise<void> {
  const branch = repository.defaultBranch;
  const sha = (await context.git(repository).ref(`refs/heads/${branch}`))?.sha;
  if (sha === undefined) return;
  const name = contextOf(settings);
  const commit = { repository, sha, branch };
  if (settings.tool === 'argocd' && settings.form === 'check-run') {
    concludeRun(context, commit, beginRun(context, commit, ARGO_APP, name), state);
    return;
  }
  const by = context.records.account(repository.ownerId);
  await putStatus(context, { ...commit, by, context: name, state });
}

/** Reconciles each default branch that was pushed, where the knob says so. */
export function runGitOps(context: ForgeContext, { repository, updates }: RefsUpdated): void {
  const moved = updates.some(
    ({ ref, after }) => ref === `refs/heads/${repository.defaultBranch}` && after !== null,
  );
  if (!moved) return;
  for (const settings of context.knobs.gitops) {
    runLater(context, settings.after, settings.tool, () =>
      reconcile(context, repository, settings, settings.state),
    );
  }
}
