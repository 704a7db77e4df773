/** What others say about a commit: Flux, Argo CD and CI report by commit statuses, check runs and deployments. */
import type { ChecksPort, CommitHealth } from '../reconcile/forge/checks.ts';
import { isOurs } from './checks.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** The state that a commit status would have; every other conclusion is a failure. */
const STATES: Readonly<Record<string, string>> = {
  success: 'success',
  neutral: 'success',
  stale: 'pending',
};

/** Deployments of one commit that are looked at where all are asked for: a page of the forge, newest first. */
const MAX_DEPLOYMENTS = 100;
/** Environments of one commit that are asked for their state: a call for each. */
const MAX_ENVIRONMENTS = 20;

export function createHealthApi(context: RepositoryContext): Pick<ChecksPort, 'healthOf'> {
  const { checks, repos } = context.octokit.rest;
  /**
   * Argo CD may report by a check run. Portico's own say nothing of what runs, and neither does a job that was skipped: on a
   * later commit it would stand for one that failed before.
   */
  const runsOf = async (ref: string, signal?: AbortSignal): Promise<CommitHealth['statuses']> => {
    const own = await context.app(signal);
    const found = await allPages(async (page) => {
      const filter = { ref, filter: 'latest' as const, ...page };
      const { data, headers } = await checks.listForRef({ ...where(context, signal), ...filter });
      return { data: data.check_runs, headers };
    });
    return found
      .filter((run) => !isOurs(run, own) && run.conclusion !== 'skipped')
      .map(({ name, app, status, conclusion, completed_at, started_at }) => ({
        context: name,
        app: app?.id ?? 0,
        state: status === 'completed' ? (STATES[conclusion ?? ''] ?? 'failure') : 'pending',
        at: completed_at ?? started_at ?? '',
      }));
  };
  /** The newest deployment of a commit to each environment. */
  const newestOf = async (
    sha: string,
    environments: readonly string[] | 'all',
    signal?: AbortSignal,
  ): Promise<readonly { readonly environment: string; readonly id: number }[]> => {
    const at = { ...where(context, signal), sha };
    if (environments === 'all') {
      const { data } = await repos.listDeployments({ ...at, per_page: MAX_DEPLOYMENTS });
      const newest = new Map(data.toReversed().map(({ environment, id }) => [environment, id]));
      return [...newest].slice(0, MAX_ENVIRONMENTS).map(([environment, id]) => ({ environment, id }));
    }
    const found = [];
    for (const environment of environments) {
      const { data } = await repos.listDeployments({ ...at, environment, per_page: 1 });
      found.push(...data.map(({ id }) => ({ environment, id })));
    }
    return found;
  };
  return {
    async healthOf(sha, { statuses: wanted, environments }, signal) {
      const at = where(context, signal);
      const statuses = !wanted
        ? []
        : await allPages(async (page) => {
            const { data, headers } = await repos.getCombinedStatusForRef({ ...at, ref: sha, ...page });
            return { data: data.statuses, headers };
          });
      const runs = wanted ? await runsOf(sha, signal) : [];
      const deployments = [];
      for (const { environment, id: deployment_id } of await newestOf(sha, environments, signal)) {
        const latest = await repos.listDeploymentStatuses({ ...at, deployment_id, per_page: 1 });
        const newest = latest.data[0];
        if (newest === undefined) continue;
        deployments.push({ environment, state: newest.state, at: newest.created_at });
      }
      return {
        statuses: [
          ...statuses.map(({ context: name, state, updated_at }) => ({
            context: name,
            state,
            at: updated_at,
          })),
          ...runs,
        ],
        deployments,
      };
    },
  };
}
