/**
 * What the index holds, as rows of the API. Each row says which other repositories it names: whoever may not read one of these does not
 * get the row. What it says beside names is on the dashboard of its repository, whose readers are the same.
 */
import type { z } from 'zod';

import { repositoryName } from '../catalog/catalog.ts';
import type { Catalog, CatalogRepository } from '../catalog/catalog.ts';
import { newestOf } from '../catalog/query.ts';
import { conditionOf } from '../reconcile/dashboard/body.ts';
import { followOf } from '../reconcile/downstream/follow-of.ts';
import type { PlannedVariant, StalledVariant } from '../reconcile/downstream/variant-plan.ts';
import { variantPlan } from '../reconcile/downstream/variant-plan.ts';
import { isWithdrawn } from '../reconcile/repository/indexed-channels.ts';
import {
  isLeaving,
  revisionsAhead,
  rolledBackRevisions,
  wayBackOf,
} from '../reconcile/rollout/rolled-back.ts';
import type { RolloutLook } from '../reconcile/rollout/rollouts.ts';
import { rolloutsOf } from '../reconcile/rollout/scope.ts';
import {
  isBelow,
  packagePathOf,
  pathInRepository,
  repositoryDirectory,
  type RepositoryDirectory,
} from '../revision/package-path.ts';
import { parseRevisionName } from '../revision/revision-name.ts';
import { isSourceState } from '../text/revision-text.ts';
import type * as schemas from './schemas.ts';

/** A row, its place among those of its repository, and the other repositories that it names. */
export interface Candidate {
  readonly key: string;
  readonly row: object;
  readonly names: readonly CatalogRepository[];
}

/** Whatever a row is made of. */
export interface RowSource {
  readonly catalog: Catalog;
  /** The newest look at each rollout whose document stands in a repository. */
  readonly looks: (control: number, signal: AbortSignal) => Promise<readonly RolloutLook[]>;
}

/** The rows that are kept in one repository, in no order. */
export type RowsIn = (
  source: RowSource,
  home: CatalogRepository,
  signal: AbortSignal,
) => readonly Candidate[] | Promise<readonly Candidate[]>;

type Row<Schema extends z.ZodType> = z.infer<Schema>;

export const repositoryRows: RowsIn = ({ catalog }, home) => {
  const updates: Record<string, number> = {};
  for (const [, { reason }] of told(catalog, home)) updates[reason] = (updates[reason] ?? 0) + 1;
  const row: Row<typeof schemas.repository> = {
    repository: repositoryName(home),
    visibility: home.visibility,
    directory: home.directory,
    ...(home.branch !== undefined && { branch: home.branch }),
    commit: home.commit,
    deployment: home.deployment === true,
    packages: home.packages.length,
    revisions: [...home.revisions.values()].reduce((sum, names) => sum + names.length, 0),
    updates,
    mistakes: home.mistakes ?? 0,
  };
  return [{ key: '', row, names: [] }];
};

export const packageRows: RowsIn = (_source, home) =>
  home.packages.map((found) => {
    const { directory, lock } = found;
    const newest = newestOf(home, directory);
    const row: Row<typeof schemas.packageRow> = {
      repository: repositoryName(home),
      package: pathOf(home, directory),
      ...(newest !== undefined && { newest }),
      subpackage: home.packages.some((other) => other !== found && isBelow(other.directory, directory)),
      ...(lock !== null && {
        upstream: { repo: lock.repo, directory: lock.directory, ref: lock.ref, commit: lock.commit },
      }),
    };
    return { key: row.package, row, names: [] };
  });

export const revisionRows: RowsIn = (_source, home) =>
  [...home.revisions].flatMap(([directory, names]) =>
    names.map((revision, at): Candidate => {
      const row: Row<typeof schemas.revisionRow> = {
        repository: repositoryName(home),
        package: pathOf(home, directory),
        revision,
        newest: revision === newestOf(home, directory),
      };
      return { key: `${row.package}\0${String(at).padStart(6, '0')}`, row, names: [] };
    }),
  );

export const updateRows: RowsIn = ({ catalog }, home) =>
  told(catalog, home).map(([path, { reason, message, from, to, pull }]) => {
    const row: Row<typeof schemas.updateRow> = {
      repository: repositoryName(home),
      package: path,
      reason,
      message,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to, ...(!isSourceState(to) && { upstreamRevision: to }) }),
      ...ownRevision(home, path),
      ...(pull !== undefined && { pull }),
    };
    return { key: path, row, names: [] };
  });

export const driftRows: RowsIn = ({ catalog }, home) =>
  home.packages.flatMap(({ directory, lock, channel }): Candidate[] => {
    const upstream = lock === null ? undefined : catalog.byUrl(lock.repo);
    if (lock === null || upstream === undefined) return [];
    const from = repositoryDirectory(lock.directory);
    const path = pathOf(home, directory);
    const standing = catalog.standings(home.ref.id).get(path);
    const newest = newestOf(upstream, from);
    const at = parseRevisionName(lock.ref.slice(lock.ref.lastIndexOf('/') + 1))?.name;
    const governed = rolloutsOf(catalog).of(upstream.ref.id, from);
    const rolledBack = governed === undefined ? [] : rolledBackRevisions(catalog, governed);
    const behind = revisionsAhead(catalog, upstream, from, at);
    const follow = followOf(home.updates?.follow, channel, variantPlan(catalog).at(home.ref.id, path));
    const channels = upstream.channelFiles?.get(from);
    const isBad =
      at !== undefined &&
      (rolledBack.includes(at) || (channels !== undefined && isWithdrawn(channels, follow, at)));
    const isDrifted = standing?.reason === 'drifted';
    const row: Row<typeof schemas.driftRow> = {
      repository: repositoryName(home),
      package: path,
      upstream: `${repositoryName(upstream)}:${pathOf(upstream, from)}`,
      ...(at !== undefined && { at, upstreamRevision: at }),
      ...ownRevision(home, path),
      ...(newest !== undefined && { newest }),
      ...(behind !== undefined && { behind }),
      ...(behind !== undefined &&
        behind > 0 &&
        standing?.behindSince !== undefined && { behindSince: iso(standing.behindSince) }),
      state: isBad ? 'withdrawn' : isDrifted ? 'drifted' : distanceOf(behind),
    };
    return [{ key: path, row, names: [upstream] }];
  });

function distanceOf(behind: number | undefined): 'unknown' | 'behind' | 'current' {
  if (behind === undefined) return 'unknown';
  return behind > 0 ? 'behind' : 'current';
}

export const variantRows: RowsIn = ({ catalog }, home) => {
  const { planned, stalled } = byControl(catalog).get(home.ref.id) ?? { planned: [], stalled: [] };
  return [...planned.map((one) => plannedRow(catalog, one)), ...stalled.map(stalledRow)];
};

function plannedRow(catalog: Catalog, one: PlannedVariant): Candidate {
  const { upstream, downstream } = one;
  const standing = catalog.standings(downstream.repository.ref.id).get(downstream.path);
  const { condition } = conditionOf(standing);
  const isReady = condition.startsWith('Ready');
  const row: Row<typeof schemas.variantRow> = {
    ...sourceOf(one),
    condition: isReady ? 'Ready' : standing === undefined ? 'Unknown' : 'NotReady',
    reason: isReady ? 'Ready' : (standing?.reason ?? 'unknown'),
    message: isReady ? '' : (standing?.message ?? ''),
    upstream: `${repositoryName(upstream.repository)}:${upstream.path}`,
    downstream: `${repositoryName(downstream.repository)}:${downstream.path}`,
    ...(standing?.pull !== undefined && { pull: standing.pull }),
  };
  return { key: keyOf(row), row, names: [upstream.repository, downstream.repository] };
}

function stalledRow(one: StalledVariant): Candidate {
  const row: Row<typeof schemas.variantRow> = {
    ...sourceOf(one),
    condition: 'Stalled',
    reason: one.reason,
    message: one.message,
  };
  return { key: keyOf(row), row, names: [] };
}

function sourceOf({ control, file, line, namespace, name, set }: PlannedVariant | StalledVariant) {
  return { control: repositoryName(control), file, line, namespace, name, ...(set !== undefined && { set }) };
}

function keyOf(row: Row<typeof schemas.variantRow>): string {
  return [row.namespace, row.name, row.file, String(row.line).padStart(9, '0'), row.downstream ?? ''].join(
    '\0',
  );
}

interface Documents {
  readonly planned: readonly PlannedVariant[];
  readonly stalled: readonly StalledVariant[];
}

const documents = new WeakMap<object, ReadonlyMap<number, Documents>>();

/** The plan by the repository with the document; it is of one version of the index. */
function byControl(catalog: Catalog): ReadonlyMap<number, Documents> {
  const plan = variantPlan(catalog);
  const known = documents.get(plan);
  if (known !== undefined) return known;
  const planned = Map.groupBy(plan.planned, ({ control }) => control.ref.id);
  const stalled = Map.groupBy(plan.stalled, ({ control }) => control.ref.id);
  const made = new Map(
    [...planned.keys(), ...stalled.keys()].map((id) => [
      id,
      { planned: planned.get(id) ?? [], stalled: stalled.get(id) ?? [] },
    ]),
  );
  documents.set(plan, made);
  return made;
}

export const rolloutRows: RowsIn = async ({ looks }, home, signal) =>
  (await looks(home.ref.id, signal)).map((look) => {
    const back = wayBackOf(look);
    const row: Row<typeof schemas.rolloutRow> = {
      ...rolloutOf(look),
      file: look.governed.file,
      state: look.plan.state,
      why: look.plan.why,
      ...(back && { rollback: { left: back.left.length, proposed: back.proposed.length } }),
      waves: shownWaves(look).map(({ name, state, counted, through, why, opensAt, passesAt }) => ({
        name,
        state,
        counted,
        through,
        why,
        ...(opensAt !== undefined && { opensAt: iso(opensAt) }),
        ...(passesAt !== undefined && { passesAt: iso(passesAt) }),
      })),
    };
    return { key: `${row.rollout}\0${row.package}`, row, names: [look.governed.upstream] };
  });

export const memberRows: RowsIn = async ({ looks }, home, signal) =>
  (await looks(home.ref.id, signal)).flatMap((look) =>
    shownWaves(look).flatMap((wave, place) =>
      wave.members
        .filter(({ hidden }) => !hidden)
        .map(({ repository, path, at, standing, health, position }): Candidate => {
          const { to, pull } = (isLeaving(position) ? position : undefined) ?? {};
          const row: Row<typeof schemas.memberRow> = {
            ...rolloutOf(look),
            wave: wave.name,
            downstream: `${repositoryName(repository)}:${path}`,
            ...(at !== undefined && { at, upstreamRevision: at }),
            standing,
            ...(to !== undefined && pull !== undefined && { rollback: { to, pull } }),
            ...(health && {
              health: {
                state: health.state,
                ...(health.at > 0 && { since: iso(health.at) }),
                what: health.what,
              },
            }),
          };
          const key = [row.rollout, row.package, String(place).padStart(4, '0'), row.downstream].join('\0');
          return { key, row, names: [look.governed.upstream, repository] };
        }),
    ),
  );

function rolloutOf({ governed: { control, rollout, upstream, path }, revision }: RolloutLook) {
  return {
    control: repositoryName(control),
    rollout: rollout.name,
    package: `${repositoryName(upstream)}:${path}`,
    revision,
  };
}

/** A wave of those alone that may not be known beside the document would tell that they are there. */
function shownWaves({ plan }: RolloutLook): RolloutLook['plan']['waves'] {
  return plan.waves.filter(({ members }) => members.length === 0 || members.some(({ hidden }) => !hidden));
}

/**
 * What came of the looks at a repository's packages. One that may not come, of a package that is not there, is not told of: only a document that
 * fewer people can read asks for it.
 */
function told(catalog: Catalog, home: CatalogRepository) {
  const present = new Set(home.packages.map(({ directory }) => pathOf(home, directory)));
  return [...catalog.standings(home.ref.id)].filter(
    ([path, { reason }]) => reason !== 'blocked-visibility' || present.has(path),
  );
}

/** The newest revision of a package in its own repository, whatever its upstream calls its own. */
function ownRevision(home: CatalogRepository, path: string): { readonly revision?: string } {
  const revision = newestOf(home, pathInRepository(home.directory, path));
  return revision === undefined ? {} : { revision };
}

function pathOf(home: CatalogRepository, directory: RepositoryDirectory): string {
  return packagePathOf(home.directory, directory) ?? directory;
}

function iso(moment: number): string {
  return new Date(moment).toISOString();
}
