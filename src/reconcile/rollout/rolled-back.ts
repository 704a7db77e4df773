/** Pure: which revisions are rolled back, which downstreams still have one, and which pull requests lead away from it. */
import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { PlannedUpdate } from '../../channels/plan.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { counted, isOrAre } from '../../text/counted.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { code } from '../text/markdown-blocks.ts';
import type { RolloutMember } from './facts.ts';
import type { RolloutLook } from './rollouts.ts';
import { rolloutsOf, standingName, type Governed } from './scope.ts';

/** Revisions of a package that are rolled back, as the last look at its rollout found it, by any process. */
export function rolledBackRevisions(
  catalog: Pick<Catalog, 'rollouts'>,
  governed: Governed,
): readonly string[] {
  return catalog.rollouts(governed.control.ref.id).get(standingName(governed))?.rolledBack ?? [];
}

/** Counts the revisions after `at` that are not rolled back; undefined where the upstream has no such revision. */
export function revisionsAhead(
  catalog: Catalog,
  upstream: CatalogRepository,
  directory: RepositoryDirectory,
  at: string | undefined,
): number | undefined {
  const names = upstream.revisions.get(directory) ?? [];
  const place = at === undefined ? -1 : names.indexOf(at);
  if (place === -1) return undefined;
  const rolledBack = rolledBackOf(catalog, upstream.ref.id, directory);
  return names.slice(place + 1).filter((name) => !rolledBack.includes(name)).length;
}

/** The same of an upstream package, whether a rollout governs it or not. */
export function rolledBackOf(
  catalog: Catalog,
  upstream: number,
  directory: RepositoryDirectory,
): readonly string[] {
  const governed = rolloutsOf(catalog).of(upstream, directory);
  return governed === undefined ? [] : rolledBackRevisions(catalog, governed);
}

/**
 * What a package that is made from another gets next, as the plan says it, unless a rollout rolled that revision back or its
 * configuration stays at what was withdrawn.
 */
export function nextOf(
  { to, message, code: kind, downgrade }: PlannedUpdate,
  {
    at,
    rolledBack,
    onWithdrawn,
  }: {
    readonly at: string;
    readonly rolledBack: readonly string[];
    readonly onWithdrawn?: 'ignore' | undefined;
  },
): { readonly to?: string; readonly message: string } {
  if (to !== undefined && rolledBack.includes(to))
    return { message: `nothing: the rollout of the package rolled back ${to}` };
  if (kind === 'withdrawn' && downgrade === true && onWithdrawn === 'ignore')
    return { message: `nothing: ${at} is withdrawn, and updates.onWithdrawn there is ignore` };
  return {
    ...(to !== undefined && { to }),
    message: rolledBack.includes(at) ? `${message}; the rollout of the package rolled back ${at}` : message,
  };
}

/** How far the way back from a revision is. */
export interface WayBackFigures {
  /** Downstreams that still have the revision. */
  readonly left: readonly RolloutMember[];
  /** Those of them that have an open rollback pull request. */
  readonly proposed: readonly RolloutMember[];
}

/** Of downstreams that may be named where the document is; undefined where the revision is not rolled back. */
export function wayBackOf({ plan, revision }: RolloutLook): WayBackFigures | undefined {
  if (plan.state !== 'rolled-back') return undefined;
  const members = plan.waves.flatMap((wave) => wave.members).filter(({ hidden }) => !hidden);
  const left = members.filter(({ at }) => at === revision);
  return { left, proposed: left.filter((one) => isLeaving(one.position)) };
}

/** True where its open update leads away from a withdrawn revision. */
export function isLeaving(position: RolloutMember['position']): boolean {
  return position?.reason === 'proposed' && position.withdrawn !== undefined && position.pull !== undefined;
}

/** Pull requests that one text names. */
const MAX_NAMED = 30;

/** `''` where the revision is not rolled back. */
export function wayBackText(look: RolloutLook): string {
  const figures = wayBackOf(look);
  if (figures === undefined) return '';
  const { left, proposed } = figures;
  const revision = upstreamText(look.revision, code);
  if (left.length === 0) return `Rollback: no downstream has ${revision}.`;
  const has = left.length === 1 ? 'still has' : 'still have';
  const count = `Rollback: ${counted(left.length, 'downstream')} ${has} ${revision}`;
  const rest = left.find((one) => !proposed.includes(one));
  const byCommand =
    rest === undefined
      ? ''
      : ` To roll back one without a rollback pull request, comment \`/portico update ${rest.name}@<revision>\` in this repository.`;
  if (proposed.length === 0) return `${count}; no rollback pull request is open.${byCommand}`;
  const names = proposed
    .slice(0, MAX_NAMED)
    // In code: a link would leave a note in every one of these pull requests.
    .map(
      ({ name, position }) =>
        `${code(name)} to ${upstreamText(position?.to ?? '', code)} in ${code(`#${position?.pull}`)}`,
    );
  const more = proposed.length - names.length;
  const list = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const publish = `\`/portico bulk publish --rollout=${look.governed.rollout.name}\` in this repository plans all of them.`;
  return `${count}; ${counted(proposed.length, 'rollback pull request')} ${isOrAre(proposed.length)} open: ${list}. ${publish}${byCommand}`;
}
