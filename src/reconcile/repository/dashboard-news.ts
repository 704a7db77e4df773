import type { Job } from '../job.ts';
import { dashboardJob } from '../jobs.ts';
import type { RepositoryRef, Ports } from '../ports.ts';

export const DASHBOARD_TITLE = 'Portico dashboard';

/** So long the dashboard waits for more news, in seconds. */
const NEWS_WAITS = 30;

/** One that nobody has seen yet appears as soon as what begins together is there. */
const FIRST_WAITS = 3;

/** Bring the dashboard of a repository up to date, soon. What is asked for earlier and waits is the same job. */
export function dashboardNews(
  { catalog, dashboardSeconds }: Pick<Ports, 'catalog' | 'dashboardSeconds'>,
  repository: RepositoryRef,
): Job {
  const isKnown = catalog.kept(repository.id, DASHBOARD_TITLE) !== undefined;
  return dashboardJob(repository, dashboardSeconds ?? (isKnown ? NEWS_WAITS : FIRST_WAITS));
}
