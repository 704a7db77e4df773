/**
 * Pure: what changed documents, labels, inventories or consent do that no field says: a downstream comes into another wave of a
 * rollout, or a package is brought that merges automatically. Each counts as a weaker configuration.
 */
import { repositoryName, type Catalog, type CatalogRepository } from '../../catalog/catalog.ts';
import { assignWaves } from '../../package/rollout/assign.ts';
import type { ConfigurationChange } from '../check/configuration-changes.ts';
import { variantPlan, type PlannedVariant } from '../downstream/variant-plan.ts';
import { isSameOwner, mayFlow, mayMergeFor } from '../repository/visibility.ts';
import { followersOf, type RolloutMember } from '../rollout/facts.ts';
import { rolloutsOf, type Governed } from '../rollout/scope.ts';
import { selects } from '../rollout/selectors.ts';

/** The index before and after the merge of a proposal. */
export interface IndexSides {
  readonly before: Catalog;
  readonly after: Catalog;
  /** Where the proposal is. */
  readonly here: CatalogRepository;
  /** False if some sets took too long to be worked out. */
  readonly isWhole: boolean;
  /** The consent of other repositories, or what waves select them by, may change: they inherit it from here. */
  readonly isInherited: boolean;
}

/** Weaker all; `told` are the changes that are known already. Of documents that people here cannot read no name is told. */
export function effectChanges(
  sides: IndexSides,
  told: readonly ConfigurationChange[],
): readonly ConfigurationChange[] {
  const all = [
    ...(sides.isWhole ? [] : [weaker('sets of variants', 'as in effect', 'too large to compare in time')]),
    ...(sides.isInherited && hasRollouts(sides) ? [OTHER_WAVES] : []),
    ...waveChanges(sides, told),
    ...variantChanges(sides),
  ];
  return [...new Map(all.map((one) => [one.field, one])).values()];
}

function hasRollouts({ before, here }: IndexSides): boolean {
  return rolloutsOf(before).governed.some(({ control }) => isSameOwner(control, here));
}

const OTHER_WAVES = weaker('waves of a rollout', 'as in effect', 'others');

function weaker(field: string, before: string, after: string): ConfigurationChange {
  return { field, before, after, weaker: true };
}

/** Whoever is in another wave waits for other gates, and proves something else to the waves after it. */
function waveChanges(
  { before, after, here }: IndexSides,
  told: readonly ConfigurationChange[],
): ConfigurationChange[] {
  return rolloutsOf(before).governed.flatMap((was) => {
    const { control, rollout, upstream, directory } = was;
    const isOwn = control.ref.id === here.ref.id;
    const field = `rollouts[${rollout.name}]`;
    if (isOwn && told.some((one) => one.weaker && one.field.startsWith(field))) return [];
    const now = rolloutsOf(after).of(upstream.ref.id, directory);
    // A mistake holds all of its packages.
    if (now?.rollout.mistake !== undefined) return [];
    const left = new Set(followersOf(after, now ?? was).map(({ id }) => id));
    const waves = now === undefined ? new Map<string, Placed>() : placedBy(after, now);
    return [...placedBy(before, was).values()].flatMap(({ one, key, wave }) => {
      const then = waves.get(one.id);
      if (!left.has(one.id) || then?.key === key) return [];
      const isNamed = isOwn ? !one.hidden : isHere(one.repository, here) && mayFlow(control, here);
      if (!isNamed) return [OTHER_WAVES];
      return [weaker(`${field}: ${one.name}`, wave, then?.wave ?? 'no wave')];
    });
  });
}

interface Placed {
  readonly one: RolloutMember;
  readonly key: string;
  readonly wave: string;
}

/** The wave of each downstream, by its id. */
function placedBy(catalog: Catalog, governed: Governed): Map<string, Placed> {
  const { rollout, control } = governed;
  return new Map(
    assignWaves(rollout, followersOf(catalog, governed), selects).flatMap(({ name, members }) =>
      members.map((one): [string, Placed] => {
        const key = JSON.stringify([control.ref.id, rollout.name, name]);
        return [one.id, { one, key, wave: `wave ${name}` }];
      }),
    ),
  );
}

/** Nobody looks at a package that merges automatically: the proposal shows its document alone. */
function variantChanges({ before, after, here }: IndexSides): ConfigurationChange[] {
  const known = new Map(variantPlan(before).planned.map((one) => [placeOf(one), one]));
  return variantPlan(after).planned.flatMap((one) => {
    const { control, downstream, upstream } = one;
    const was = known.get(placeOf(one));
    if (!mergesUnattended(one) || (was !== undefined && originOf(was) === originOf(one))) return [];
    const isNamed = isHere(control, here) || (isHere(downstream.repository, here) && mayFlow(control, here));
    if (!isNamed) return [weaker('packages that merge automatically', 'as in effect', 'others')];
    const from = (variant: PlannedVariant): string => `from ${nameOf(variant.upstream)}`;
    return [
      weaker(
        `package ${nameOf(downstream)}`,
        was === undefined ? 'not set' : from(was),
        `from ${nameOf(upstream)}, merged automatically`,
      ),
    ];
  });
}

/** Whether the configuration of the downstream lets the variant's updates merge. */
function mergesUnattended({ control, downstream: { repository } }: PlannedVariant): boolean {
  return repository.automerge && mayMergeFor(repository, repository.automergeFrom, control);
}

function placeOf({ downstream: { repository, path } }: PlannedVariant): string {
  return `${repository.ref.id}:${path}`;
}

function originOf({ upstream: { repository, directory } }: PlannedVariant): string {
  return `${repository.ref.id}:${directory}`;
}

function nameOf({ repository, path }: PlannedVariant['upstream']): string {
  return `${repositoryName(repository)}:${path}`;
}

function isHere({ ref }: CatalogRepository, here: CatalogRepository): boolean {
  return ref.id === here.ref.id;
}
