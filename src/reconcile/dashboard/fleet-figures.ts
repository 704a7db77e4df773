/** Pure: how the fleet stands, as numbers for whoever watches the server. Nothing in them names a repository. */

import type { Catalog } from '../../catalog/catalog.ts';
import { repositoryDirectory } from '../../revision/package-path.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Ports } from '../ports.ts';
import { revisionsAhead } from '../rollout/rolled-back.ts';
import { standingOf } from '../rollout/rollouts.ts';
import { newestOf, rolloutsOf } from '../rollout/scope.ts';

/** Each map holds every word that it may hold, so that a series that becomes zero is told. */
export interface FleetFigures {
  /** State → upstream packages whose newest revision is rolled out so. */
  readonly rollouts: ReadonlyMap<string, number>;
  /** State → waves of rollouts that are not done. */
  readonly waves: ReadonlyMap<string, number>;
  /** What came of the last look at a downstream package → packages. */
  readonly updates: ReadonlyMap<string, number>;
  readonly variants: { readonly ready: number; readonly notReady: number; readonly stalled: number };
  /** How many revisions of its upstream that are not rolled back a package lacks → downstream packages: `0`, `1`, `2`, `3-9`, `10+`. */
  readonly behind: ReadonlyMap<string, number>;
  /** Quantile → for how many seconds downstream packages with an update due have lacked a revision: 0 where none does. */
  readonly lagSeconds: ReadonlyMap<string, number>;
}

const ROLLOUTS = ['running', 'done', 'stopped', 'rolled-back', 'unknown'] as const;
const WAVES = ['waiting', 'open', 'paused', 'pausing', 'passed', 'failed'] as const;
const BEHIND = ['0', '1', '2', '3-9', '10+'] as const;
const READY: readonly string[] = ['up-to-date', 'merged', 'proposed'];

/** Of what the index holds now; nothing is asked of git or the forge. All processes on one database find the same. */
export function fleetFigures({ catalog, now }: Pick<Ports, 'catalog' | 'now'>): FleetFigures {
  const published = rolloutsOf(catalog).governed.filter((one) => newestOf(one) !== undefined);
  const rollouts = published.map((one) => standingOf(catalog, one));
  return {
    rollouts: counted(
      ROLLOUTS,
      rollouts.map((one) => one?.state ?? 'unknown'),
    ),
    waves: counted(
      WAVES,
      rollouts.flatMap((one) => (one === undefined || one.state === 'done' ? [] : one.waves)),
    ),
    updates: counted(
      [],
      catalog.all().flatMap(({ ref }) => [...catalog.standings(ref.id).values()].map(({ reason }) => reason)),
    ),
    variants: variantFigures(catalog),
    behind: counted(BEHIND, distances(catalog)),
    lagSeconds: lags(catalog, now().getTime()),
  };
}

function counted(words: readonly string[], found: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map(words.map((word) => [word, 0]));
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function variantFigures(catalog: Catalog): FleetFigures['variants'] {
  const { planned, stalled } = variantPlan(catalog);
  const ready = planned.filter(({ downstream: { repository, path } }) => {
    const reason = catalog.standings(repository.ref.id).get(path)?.reason;
    return reason !== undefined && READY.includes(reason);
  }).length;
  return { ready, notReady: planned.length - ready, stalled: stalled.length };
}

/** Of each package that is locked to a revision which its upstream has. Revisions that are rolled back count for none. */
function distances(catalog: Catalog): string[] {
  return catalog.all().flatMap(({ packages }) =>
    packages.flatMap(({ lock }) => {
      const upstream = lock === null ? undefined : catalog.byUrl(lock.repo);
      if (lock === null || upstream === undefined) return [];
      const at = lock.ref.lastIndexOf('/');
      const directory = repositoryDirectory(lock.ref.slice(0, Math.max(0, at)).replace(/^refs\/tags\//, ''));
      const ahead = revisionsAhead(catalog, upstream, directory, lock.ref.slice(at + 1));
      return ahead === undefined ? [] : [wordOf(ahead)];
    }),
  );
}

const QUANTILES = ['0.5', '0.9', '1'] as const;

/** Of packages whose update was looked at and is not in step, as `portico_downstreams_behind` counts revisions of all. */
function lags(catalog: Catalog, now: number): ReadonlyMap<string, number> {
  const found = catalog
    .all()
    .flatMap(({ ref }) => [...catalog.standings(ref.id).values()])
    .flatMap(({ behindSince }) => (behindSince === undefined ? [] : [Math.max(0, now - behindSince) / 1_000]))
    .toSorted((a, b) => a - b);
  return new Map(
    QUANTILES.map((quantile) => [quantile, found[Math.ceil(Number(quantile) * found.length) - 1] ?? 0]),
  );
}

function wordOf(revisions: number): (typeof BEHIND)[number] {
  if (revisions >= 10) return '10+';
  return revisions >= 3 ? '3-9' : (BEHIND[revisions] ?? '0');
}
