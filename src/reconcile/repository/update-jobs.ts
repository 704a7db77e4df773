/** Pure: the jobs for packages whose updates may have to change, as many at once as share a fetch and a push. */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import { groupOf, priorityOf } from '../../config/update-order.ts';
import type { JobOf, PackageBatch } from '../job.ts';
import { updatesJob } from '../jobs.ts';

/** A downstream package by its path below the registered directory. */
export interface PackagePlace {
  readonly repository: Pick<CatalogRepository, 'ref' | 'updates'>;
  readonly path: string;
}

/** Packages of one repository that one job looks at: what fails is done again for all of them. */
const BATCH_SIZE = 10;
/** Above everything that nobody asked for by hand, and below commands. */
const FIRST = 4;

/**
 * One job for up to ten packages of a repository. Those that the configuration puts first have jobs of their own, which
 * come before the jobs of other repositories; of a group one package stands for all.
 */
export function updateJobs(places: readonly PackagePlace[]): JobOf<'variant'>[] {
  const jobs: JobOf<'variant'>[] = [];
  const byRepository = Map.groupBy(places, ({ repository }) => repository.ref.id);
  for (const list of byRepository.values()) {
    const [{ repository } = { repository: undefined }] = list;
    if (repository === undefined) continue;
    const { ref, updates = {} } = repository;
    const rank = (path: string): number => priorityOf(updates, path);
    const groups = new Set<string>();
    const ranked = [...new Set(list.map(({ path }) => path))]
      .toSorted()
      .toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
      .filter((path) => {
        const group = groupOf(updates, path)?.name;
        const known = group !== undefined && groups.has(group);
        if (group !== undefined) groups.add(group);
        return !known;
      });
    const first = ranked.filter((path) => rank(path) < Infinity);
    const rest = ranked.filter((path) => rank(path) === Infinity);
    for (const some of chunks(first)) jobs.push(ahead(updatesJob(ref, some), FIRST));
    for (const some of chunks(rest)) jobs.push(updatesJob(ref, some));
  }
  return jobs;
}

/** A wait for the forge's limits that is worth taking turns for, in seconds. */
const SCARCE = 5;

/**
 * What of a job is done now, and the job for the rest: while calls are scarce one package at a time, so that the first
 * package of each repository comes before the second of any. `waits`: seconds until the forge's limits let the next one come.
 */
export function inTurn(
  { repository, packages, ahead: first = 0, turn = 0 }: PackageBatch,
  waits: number,
): { readonly now: readonly string[]; readonly later?: JobOf<'variant'> } {
  if (waits <= SCARCE || packages.length < 2) return { now: packages };
  const job = updatesJob(repository, packages.slice(1));
  const priority = first - Math.min(turn + 1, MAX_TURNS);
  const data = job.data.about === 'packages' ? { ...job.data, ahead: first, turn: turn + 1 } : job.data;
  return { now: packages.slice(0, 1), later: { ...job, priority, data } };
}

/** From there on the later ones are alike. */
const MAX_TURNS = 100;

function ahead(job: JobOf<'variant'>, priority: number): JobOf<'variant'> {
  if (job.data.about !== 'packages') return { ...job, priority };
  return { ...job, priority, data: { ...job.data, ahead: priority } };
}

function chunks(paths: readonly string[]): string[][] {
  const all: string[][] = [];
  for (let at = 0; at < paths.length; at += BATCH_SIZE) all.push(paths.slice(at, at + BATCH_SIZE));
  return all;
}
