/** Gathers why nothing happens to a webhook, a repository, a pull request or a package: what its jobs, its last checks and its needs say. */
import { repositoryName, type CatalogRepository } from '../../catalog/catalog.ts';
import { needsOf } from '../../command/explain.ts';
import { whyLines, type Why, type WhyJob, type WhyNeed, type WhyPackage } from '../../command/why.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import type { StepContext } from '../draft/step-context.ts';
import { jobSubject, type JobSubject } from '../job.ts';
import type { Ports, RepositoryRef } from '../ports.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import type { JobTrace } from '../trace-port.ts';
import { loadCommandPlace } from './place.ts';

/** Packages, and jobs, of one answer. */
const MAX_SHOWN = 50;
/** Reasons of packages for which nothing is to be expected. */
const SETTLED: readonly string[] = ['up-to-date', 'merged'];

/** A webhook and its jobs, and the repositories that it is about; null where nothing is known of it. */
export async function whyDelivery(
  { traces }: Pick<Ports, 'traces'>,
  id: string,
): Promise<{ readonly why: Why; readonly repositories: readonly RepositoryRef[] } | null> {
  const [known, queued] = [await traces.delivery(id), await traces.jobs({ delivery: id })];
  if (known === null && queued.length === 0) return null;
  const unqueued = (known?.jobs ?? []).map((job): WhyJob => ({
    ...placeOf(jobSubject(job.data)),
    kind: job.kind,
    key: job.key,
    state: 'unqueued',
    attempt: 1,
  }));
  const jobs = [...queued.map(jobOf), ...unqueued];
  // Who may know of a job that is about no repository cannot be asked.
  const placed = jobs.filter(({ repository }) => repository !== undefined);
  const shown = shortened([], placed);
  const about = [...queued, ...(known?.jobs ?? [])].flatMap(({ data }) => jobSubject(data).repository ?? []);
  const delivery = known && {
    event: known.event,
    state: known.state,
    receivedAt: known.receivedAt.toISOString(),
    attempt: known.attempt,
    ...(known.code !== undefined && { code: known.code }),
  };
  const leftOut = shown.leftOut + jobs.length - placed.length;
  const why = { about: id, ...(delivery && { delivery }), ...shown, leftOut };
  return { why, repositories: [...new Map(about.map((ref) => [ref.id, ref])).values()] };
}

/** A repository, or one pull request or package of it, as far as the index and the queue know. */
export async function whyRepository(
  { catalog, traces }: Pick<Ports, 'catalog' | 'traces'>,
  home: CatalogRepository,
  part: { readonly number?: number; readonly package?: string },
): Promise<Why> {
  const repository = repositoryName(home);
  const present = new Set(
    home.packages.map(({ directory }) => packagePathOf(home.directory, directory) ?? directory),
  );
  const packages = [...catalog.standings(home.ref.id)]
    .filter(([path, { reason, pull }]) => {
      // Of a package that is not there, only a document that fewer people can read asks for an update.
      if (reason === 'blocked-visibility' && !present.has(path)) return false;
      if (part.package !== undefined) return path === part.package;
      return part.number === undefined ? !SETTLED.includes(reason) : pull === part.number;
    })
    .map(([path, { reason, message, from, to, pull }]): WhyPackage => ({
      repository,
      package: path,
      reason,
      message,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(pull !== undefined && { pull }),
    }));
  const paths = packages.map((one) => one.package);
  const jobs = (await traces.jobs({ repository: home.ref.id })).filter((job) => isAbout(job, part, paths));
  const { number, package: path } = part;
  const suffix = `${number === undefined ? '' : `#${number}`}${path === undefined ? '' : `:${path}`}`;
  return { about: `${repository}${suffix}`, ...shortened(packages, jobs.map(jobOf)) };
}

/** What a pull request waits for, read from the forge as Portico. */
export async function whyPull(
  ports: Ports,
  ref: RepositoryRef,
  number: number,
  signal?: AbortSignal,
): Promise<NonNullable<Why['pull']>> {
  const access = await ports.open(ref, signal);
  const source = {
    kind: 'comment',
    id: 0,
    body: '',
    createdAt: ports.now().toISOString(),
    edited: false,
    author: ports.app.botLogin,
    authorIsBot: true,
  } as const;
  const target = { repository: ref, number, source: { kind: 'comment', id: 0 } } as const;
  const place = await loadCommandPlace({ ports, access, signal }, target, source, false);
  if (place === null || place.state.place.kind !== 'pull') return { number, state: 'unknown', needs: [] };
  const { merged, state, draft } = place.state.place;
  if (merged || state === 'closed') return { number, state: merged ? 'merged' : 'closed', needs: [] };
  const needs = needsOf(place.state, place.state.place)
    .filter(({ satisfied }) => !satisfied)
    .map((one): WhyNeed => ({ code: one.code, message: one.message, hint: one.hint, who: one.who }));
  return { number, state: draft ? 'draft' : 'open', needs };
}

/** For `/portico explain`: the work on a pull request, or on the whole repository where it is said in an issue. */
export async function showWork({
  ports,
  access: { ref },
  snapshot,
}: StepContext<'show-work'>): Promise<StepOutcome> {
  const home = ports.catalog.get(ref.id);
  if (home === undefined) return { kind: 'done' };
  const why = await whyRepository(ports, home, snapshot === null ? {} : { number: snapshot.pull.number });
  const lines = whyLines(why, code).map((line) => `- ${line}`);
  return { kind: 'done', reply: ['**Work and updates**', ...lines].join('\n') };
}

function isAbout(
  { data, state }: JobTrace,
  part: { readonly number?: number; readonly package?: string },
  paths: readonly string[],
): boolean {
  const about = jobSubject(data);
  const packages = [about.package ?? [], about.packages ?? []].flat();
  if (part.package !== undefined) return packages.includes(part.package);
  if (part.number !== undefined)
    return about.number === part.number || packages.some((one) => paths.includes(one));
  // Of a whole repository, work that ended well answers no question.
  return state !== 'done';
}

function shortened(
  packages: readonly WhyPackage[],
  jobs: readonly WhyJob[],
): Pick<Why, 'packages' | 'jobs' | 'leftOut'> {
  const shown = { packages: packages.slice(0, MAX_SHOWN), jobs: jobs.slice(-MAX_SHOWN) };
  const leftOut = packages.length + jobs.length - shown.packages.length - shown.jobs.length;
  return { ...shown, leftOut };
}

function jobOf({ kind, key, data, state, at, attempt, code: why, reason }: JobTrace): WhyJob {
  return {
    kind,
    key,
    ...placeOf(jobSubject(data)),
    state,
    at: at.toISOString(),
    attempt,
    ...(why !== undefined && { code: why }),
    ...(reason !== undefined && { reason }),
  };
}

function placeOf({
  repository,
  number,
  package: path,
}: JobSubject): Pick<WhyJob, 'repository' | 'number' | 'package'> {
  return {
    ...(repository && { repository: `${repository.owner}/${repository.name}` }),
    ...(number !== undefined && { number }),
    ...(path !== undefined && { package: path }),
  };
}
