/** Pure: how far a revision has come in the packages that are made from it, as far as readers of its repository may know. */
import { type Catalog, type CatalogRepository } from '../../catalog/catalog.ts';
import type { Standing } from '../../catalog/last-looks.ts';
import type { Follow } from '../../channels/plan.ts';
import {
  fileIn,
  packagePathOf,
  repositoryDirectory,
  type RepositoryDirectory,
} from '../../revision/package-path.ts';
import { compareRevisions, parseRevisionName, type RevisionName } from '../../revision/revision-name.ts';
import { table } from '../../text/markdown.ts';
import type { RepositoryRef } from '../ports.ts';
import { isNamed, isSameOwner, mayFlow } from '../repository/visibility.ts';
import { code } from '../text/markdown-blocks.ts';
import { followOf } from './follow-of.ts';
import { variantPlan } from './variant-plan.ts';

/** A package downstream, and where the revision is there. */
export interface DownstreamStep {
  readonly repository: CatalogRepository;
  readonly path: string;
  readonly state: 'merged' | 'open' | 'waiting';
  /** Of the update pull request. */
  readonly pull?: number;
  /** Why it waits, as the dashboard of that repository says it. */
  readonly reason?: string;
}

/** For these reasons a package does not follow the newest revision at all. */
const ELSEWHERE: readonly string[] = ['not-followed', 'archived', 'blocked-visibility', 'not-owned'];

/**
 * Where a revision is in the packages downstream that follow it, by name. Packages in repositories that readers of this one
 * may not know count for nothing, and neither do those of other owners, unless this one shares with them by name: anybody
 * can write a lock.
 */
export function downstreamSteps(
  catalog: Catalog,
  upstream: CatalogRepository,
  directory: RepositoryDirectory,
  revision: string,
): readonly DownstreamStep[] {
  const wanted = parseRevisionName(revision);
  if (wanted === undefined) return [];
  const steps = followersOf(catalog, upstream, directory)
    .filter(({ repository }) => mayBeTold(repository, upstream))
    .flatMap(({ repository, path, at }): DownstreamStep[] => {
      const standing = catalog.standings(repository.ref.id).get(path);
      const current = at === undefined ? undefined : parseRevisionName(at);
      if (current !== undefined && compareRevisions(current, wanted) >= 0) {
        const pull = current.name === wanted.name ? standing?.merged : undefined;
        return [{ repository, path, state: 'merged', ...(pull !== undefined && { pull }) }];
      }
      if (standing !== undefined && isElsewhere(standing, wanted)) return [];
      return [{ repository, path, ...waits(standing, revision) }];
    });
  return steps.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** A pin stays where it is, though its upstream has this revision. */
function isElsewhere({ reason, newest }: Standing, wanted: RevisionName): boolean {
  if (reason !== 'up-to-date') return ELSEWHERE.includes(reason);
  const known = newest === undefined ? undefined : parseRevisionName(newest);
  return known !== undefined && compareRevisions(known, wanted) >= 0;
}

function waits(
  standing: Standing | undefined,
  revision: string,
): Pick<DownstreamStep, 'state' | 'pull' | 'reason'> {
  if (standing?.reason === 'proposed' && standing.to === revision && standing.pull !== undefined) {
    return { state: 'open', pull: standing.pull };
  }
  return { state: 'waiting', ...(standing !== undefined && { reason: standing.reason }) };
}

/** Downstreams that the comment of a publication lists. */
const MAX_ROWS = 25;

/** As Markdown, such as "3 of 7 merged" with a line for each; '' where there is nobody to tell of. */
export function progressText(revision: string, steps: readonly DownstreamStep[]): string {
  if (steps.length === 0) return '';
  const of = (state: DownstreamStep['state']): number => steps.filter((one) => one.state === state).length;
  const open = of('open');
  const waiting = of('waiting');
  const parts = [
    `${of('merged')} of ${steps.length} merged`,
    ...(open > 0 ? [`${open} open`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  const rank = { open: 0, waiting: 1, merged: 2 };
  const rows = steps
    .toSorted((a, b) => rank[a.state] - rank[b.state])
    .slice(0, MAX_ROWS)
    .map((one) => [code(nameOf(one)), linkOf(one), one.state === 'waiting' ? waitsFor(one) : one.state]);
  const more = steps.length - rows.length;
  return [
    `**Downstream of ${code(revision)}:** ${parts.join(', ')}.`,
    table(['package', 'update', 'state'], rows),
    ...(more > 0 ? [`… and ${more} more.`] : []),
    ...(open > 1
      ? [
          `\`/portico bulk approve --revision=${revision}\` in an issue of this repository plans approvals of all that are open.`,
        ]
      : []),
  ].join('\n\n');
}

/** The packages downstream of a package: those locked to it, and those that variants have yet to make. */
function followersOf(
  catalog: Catalog,
  { ref: { id } }: CatalogRepository,
  directory: RepositoryDirectory,
): Omit<KnownFollower, 'name'>[] {
  const place = repositoryDirectory(directory);
  const tag = fileIn(place, '');
  const plan = variantPlan(catalog);
  const locked = catalog.followers(id, place).map(({ repository, package: found }) => {
    const { directory: where, lock, channel } = found;
    const name = (lock?.ref ?? '').replace(/^refs\/tags\//, '');
    const path = packagePathOf(repository.directory, where) ?? where;
    const planned = plan.at(repository.ref.id, path);
    return {
      repository,
      path,
      follow: followOf(repository.updates?.follow, channel, planned),
      at: name.startsWith(tag) ? name.slice(tag.length) : undefined,
    };
  });
  const known = new Set(locked.map(nameOf));
  const planned = plan.planned
    .filter(({ upstream }) => upstream.repository.ref.id === id && upstream.directory === place)
    .map((one) => {
      const follow = followOf(undefined, undefined, one);
      return { ...one.downstream, follow, at: undefined };
    })
    .filter((one) => !known.has(nameOf(one)));
  return [...locked, ...planned];
}

/** A package that is made from another, or is to be. */
export interface KnownFollower {
  /** `owner/name:path` */
  readonly name: string;
  readonly repository: CatalogRepository;
  readonly path: string;
  readonly follow: Follow | undefined;
  /** The revision or ref that it is locked to. */
  readonly at: string | undefined;
}

/** Who may be told of, by name, and how many more there are, of those that are made from a package. */
export function visibleFollowers(
  catalog: Catalog,
  upstream: CatalogRepository,
  directory: RepositoryDirectory,
): {
  readonly visible: readonly KnownFollower[];
  readonly hidden: number;
} {
  const all = followersOf(catalog, upstream, directory);
  const visible = all
    .filter(({ repository }) => mayBeTold(repository, upstream))
    .map((one) => ({ ...one, name: nameOf(one) }));
  return {
    visible: visible.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    hidden: all.length - visible.length,
  };
}

/** The packages that these are made from, or are to be made from, each once. */
export function upstreamsOf(
  catalog: Catalog,
  { id }: RepositoryRef,
  paths: readonly string[],
): { readonly repository: RepositoryRef; readonly directory: RepositoryDirectory }[] {
  const plan = variantPlan(catalog);
  const known = catalog.get(id);
  const found = paths.flatMap((path) => {
    const planned = plan.at(id, path)?.upstream;
    if (planned !== undefined) return [{ repository: planned.repository.ref, directory: planned.directory }];
    const lock = known?.packages.find(
      ({ directory }) => packagePathOf(known.directory, directory) === path,
    )?.lock;
    const upstream = lock && catalog.byUrl(lock.repo);
    return upstream ? [{ repository: upstream.ref, directory: repositoryDirectory(lock.directory) }] : [];
  });
  return [...new Map(found.map((one) => [`${one.repository.id} ${one.directory}`, one])).values()];
}

function mayBeTold(one: CatalogRepository, upstream: CatalogRepository): boolean {
  const { to = [], from = [] } = upstream.sharing ?? {};
  const isOurs = isSameOwner(one, upstream) || isNamed([...to, ...from], one.ref);
  return isOurs && mayFlow(one, upstream);
}

function nameOf({ repository: { ref }, path }: Pick<DownstreamStep, 'repository' | 'path'>): string {
  return `${ref.owner}/${ref.name}:${path}`;
}

function linkOf({ repository, pull }: DownstreamStep): string {
  const [clone = '', page = clone.replace(/\.git$/, '')] = repository.urls;
  return pull === undefined ? '' : `[#${pull}](${page}/pull/${pull})`;
}

function waitsFor({ reason }: DownstreamStep): string {
  return reason === undefined || reason === 'proposed' ? 'waiting' : `waiting (${code(reason)})`;
}
