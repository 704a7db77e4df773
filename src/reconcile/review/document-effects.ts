/** Pure: what documents and consent that a proposal changes will do in other repositories: packages of variants, and waves. */
import { repositoryName, type Catalog, type CatalogRepository } from '../../catalog/catalog.ts';
import { assignWaves } from '../../package/rollout/assign.ts';
import { canonicalJson } from '../../revision/digest.ts';
import { counted } from '../../text/counted.ts';
import { variantDigest } from '../downstream/variant-content.ts';
import { variantPlan, type PlannedVariant, type VariantPlan } from '../downstream/variant-plan.ts';
import { mayFlow } from '../repository/visibility.ts';
import { followersOf } from '../rollout/facts.ts';
import { rolloutsOf, type Governed, type Rollouts } from '../rollout/scope.ts';
import { selects } from '../rollout/selectors.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import type { IndexSides } from './effect-changes.ts';

/** Packages, problems and downstreams that one sentence names; the others are counted. */
const MAX_NAMED = 20;
/** Packages of rollouts. */
const MAX_PACKAGES = 10;

/** One sentence for each effect. */
export function documentEffects({ before, after, here }: IndexSides): readonly string[] {
  return [
    ...variantEffects(here, variantPlan(before), variantPlan(after)),
    ...rolloutEffects(after, here, rolloutsOf(before), rolloutsOf(after)),
  ];
}

/** A variant, and where it makes its package. */
function placeOf({ uid, downstream }: PlannedVariant): string {
  return `${uid} ${downstream.repository.ref.id}:${downstream.path}`;
}

/** All that its document and its inventory say, the upstream and revision that they mean, and the objects that they inject. */
function contentOf(one: PlannedVariant): string {
  return canonicalJson([
    one.upstream.repository.ref.id,
    one.upstream.directory,
    one.revision ?? '',
    variantDigest(one),
  ]);
}

function isThere({ downstream }: PlannedVariant): boolean {
  return downstream.repository.packages.some(({ directory }) => directory === downstream.directory);
}

function identityOf({ rollout, upstream, directory }: Governed): string {
  return canonicalJson([rollout, upstream.ref.id, directory]);
}

function variantEffects(here: CatalogRepository, before: VariantPlan, after: VariantPlan): string[] {
  const concerns = ({ control, downstream }: PlannedVariant): boolean =>
    control.ref.id === here.ref.id ||
    // Of documents that people here cannot read nothing is told.
    (downstream.repository.ref.id === here.ref.id && mayFlow(control, here));
  const only = (plan: VariantPlan, other: VariantPlan): readonly PlannedVariant[] => {
    const there = new Set(other.planned.map(placeOf));
    return plan.planned.filter((one) => concerns(one) && !there.has(placeOf(one)));
  };
  const added = only(after, before);
  const known = new Map(before.planned.map((one) => [placeOf(one), contentOf(one)]));
  const changed = after.planned.filter((one) => {
    const was = known.get(placeOf(one));
    return concerns(one) && was !== undefined && was !== contentOf(one);
  });
  const told = new Set(before.stalled.map(({ control, message }) => `${control.ref.id} ${message}`));
  const stalled = after.stalled.filter(
    ({ control, message }) => control.ref.id === here.ref.id && !told.has(`${control.ref.id} ${message}`),
  );
  const because = stalled
    .slice(0, MAX_NAMED)
    .map(({ set, name, message }) => `- ${code(set ?? name)}: ${foreignSentence(message)}`);
  return [
    packagesText(
      added.filter((one) => !isThere(one)),
      'would be created',
    ),
    packagesText(added.filter(isThere), 'would belong to a variant'),
    packagesText(changed, 'would be made from other content'),
    packagesText(only(before, after), 'would no longer belong to a variant'),
    because.length === 0
      ? ''
      : `Documents that would have no effect${more(stalled.length - because.length)}:\n\n${because.join('\n')}`,
  ].filter((text) => text !== '');
}

function packagesText(planned: readonly PlannedVariant[], what: string): string {
  if (planned.length === 0) return '';
  const names = planned
    .slice(0, MAX_NAMED)
    .map(
      ({ downstream, upstream }) =>
        `${code(`${repositoryName(downstream.repository)}:${downstream.path}`)} (from ${code(`${repositoryName(upstream.repository)}:${upstream.path}`)})`,
    );
  return `**${counted(planned.length, 'package')} ${what}**: ${names.join(', ')}${more(planned.length - names.length)}.`;
}

function more(number: number): string {
  return number > 0 ? `, and ${number} more` : '';
}

function rolloutEffects(
  catalog: Catalog,
  here: CatalogRepository,
  before: Rollouts,
  after: Rollouts,
): string[] {
  const own = ({ governed }: Rollouts): readonly Governed[] =>
    governed.filter(({ control }) => control.ref.id === here.ref.id);
  const same = new Set(own(before).map(identityOf));
  const changed = own(after).filter((one) => !same.has(identityOf(one)));
  const governed = new Set(own(after).map(({ upstream, directory }) => `${upstream.ref.id}:${directory}`));
  const free = own(before).filter(
    ({ upstream, directory }) => !governed.has(`${upstream.ref.id}:${directory}`),
  );
  const told = new Set(before.stalled.map(({ name, message }) => `${name} ${message}`));
  const stalled = after.stalled.filter(
    ({ control, name, message }) => control.ref.id === here.ref.id && !told.has(`${name} ${message}`),
  );
  return [
    ...changed.slice(0, MAX_PACKAGES).map((one) => wavesText(catalog, one)),
    ...(changed.length > MAX_PACKAGES
      ? [`Waves of ${changed.length - MAX_PACKAGES} more packages are not shown.`]
      : []),
    ...(free.length === 0
      ? []
      : [
          `**Updates of ${free.slice(0, MAX_NAMED).map(nameOf).join(', ')}${more(free.length - MAX_NAMED)} would go to all downstreams at once**: no rollout is left for them.`,
        ]),
    ...stalled
      .slice(0, MAX_NAMED)
      .map(({ name, message }) => `Rollout ${code(name)}: ${foreignSentence(message)}`),
  ];
}

function nameOf({ upstream, path }: Governed): string {
  return code(`${repositoryName(upstream)}:${path}`);
}

/** Downstreams that may not be named here are not counted either. */
function wavesText(catalog: Catalog, governed: Governed): string {
  const { rollout } = governed;
  const waves = assignWaves(rollout, followersOf(catalog, governed), selects).map(({ name, members }) => {
    const visible = members.filter(({ hidden }) => !hidden).map((one) => code(one.name));
    const names = visible.slice(0, MAX_NAMED).join(', ') + more(visible.length - MAX_NAMED);
    return `${code(name)}: ${visible.length === 0 ? 'none' : names}`;
  });
  return `Rollout ${code(rollout.name)} of ${nameOf(governed)}: ${waves.length === 0 ? 'no update goes out' : waves.join('; ')}.`;
}
