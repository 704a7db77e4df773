/** A PackageVariantSet and the world it selects from → its variants. */
import { selects } from '../../cel/match.ts';
import { templateBudget } from '../../cel/template.ts';
import type { CelBudget } from '../../cel/work.ts';
import type { YamlValue } from '../yaml/edit.ts';
import { upstreamOfSet, type PackageRevision } from './package-revision.ts';
import { renderTemplate, shownObject } from './template.ts';
import { checkVariant } from './validate-variant.ts';
import { variantName } from './variant-name.ts';
import {
  namespaceOf,
  VARIANT_GROUP,
  type InventoryObject,
  type ObjectMeta,
  type RepositoryDocument,
  type SetTarget,
  type ValidVariant,
  type ValidVariantSet,
  type ValueOrField,
} from './variant-types.ts';

export interface ExpansionWorld {
  readonly repositories: readonly RepositoryDocument[];
  /** A repository that may be named though no document speaks of it; it is in the namespace of whoever names it. */
  readonly undocumented?: (name: string) => ObjectMeta | undefined;
  readonly packageRevisions: readonly PackageRevision[];
  readonly objects: readonly InventoryObject[];
}

/** Why one downstream of a set is not generated; the others are. */
export interface ExpansionProblem {
  readonly reason: 'UpstreamNotFound' | 'UnexpectedError' | 'ValidationError';
  readonly message: string;
  readonly path: readonly (string | number)[];
  /** Name of the variant that is not generated; absent where it is not known which one that is. */
  readonly variant?: string;
  /** It asks for a package of this repository, which nobody knows: it was archived, deleted or taken out. */
  readonly unknownRepository?: string;
}

export interface Expansion {
  /** Sorted by name. */
  readonly variants: readonly ValidVariant[];
  readonly problems: readonly ExpansionProblem[];
}

/** How many variants one set may generate. */
const MAX_VARIANTS = 10_000;

/** Each target is held against all repositories and objects. */
const MAX_TARGETS = 1_000;

/** More mistakes than this are one: what makes them is a list or a template. */
const MAX_PROBLEMS = 1_000;

type NamedRepository = ObjectMeta & { readonly namespace: string };

/** One downstream that a target asks for, before its template. */
interface Wanted {
  readonly repo: string;
  readonly package: string;
  readonly target: YamlValue;
}

/**
 * All variants of a set. What is wrong with one downstream stops that one alone: Porch generates nothing then. Two
 * targets that ask for the same downstream are a mistake: the first counts, and the second is named.
 */
export function expandSet(set: ValidVariantSet, world: ExpansionWorld): Expansion {
  const namespace = namespaceOf(set.metadata);
  const { upstream, targets } = set.spec;
  const found = upstreamOfSet(world.packageRevisions, upstream, namespace);
  if (found === undefined) {
    const named = `${upstream.package}/${upstream.revision ?? 0}`;
    const message = `could not find upstream package revision '${named}' in repo '${upstream.repo}'`;
    return { variants: [], problems: [{ reason: 'UpstreamNotFound', message, path: ['spec', 'upstream'] }] };
  }
  const documented = new Map(
    world.repositories
      .filter(({ metadata }) => namespaceOf(metadata, namespace) === namespace)
      .map(({ metadata }) => [metadata.name, { ...metadata, namespace }]),
  );
  const named = (name: string): NamedRepository | undefined => {
    const other = documented.has(name) ? undefined : world.undocumented?.(name);
    return documented.get(name) ?? (other && { ...other, namespace });
  };
  const variants = new Map<string, Generated>();
  const problems: ExpansionProblem[] = [];
  const stopped = (message: string, path: ExpansionProblem['path']): Expansion => ({
    variants: sorted(variants),
    problems: [...problems, problem('ValidationError', message, path)],
  });
  if (targets.length > MAX_TARGETS)
    return stopped(`the set has more than ${MAX_TARGETS} targets: split it`, ['spec', 'targets']);
  // All expressions of the set count together.
  const budget = templateBudget();
  for (const [at, target] of targets.entries()) {
    const path = ['spec', 'targets', at];
    for (const wanted of unrolled(target, upstream.package, namespace, world)) {
      if (variants.size >= MAX_VARIANTS) {
        return stopped(`the set generates more than ${MAX_VARIANTS} variants: split it`, path);
      }
      if (problems.length >= MAX_PROBLEMS) {
        return stopped(`processing of the set stopped after ${MAX_PROBLEMS} errors; fix those first`, path);
      }
      const made = variantOf({ set, found, target, wanted, repositoryNamed: named, budget });
      if ('reason' in made) {
        problems.push({ ...made, path: [...path, ...made.path] });
        continue;
      }
      const twin = variants.get(made.metadata.name);
      if (twin !== undefined) {
        const message = twinMessage(twin, { variant: made, target: at });
        problems.push({ ...problem('ValidationError', message, path), variant: made.metadata.name });
        continue;
      }
      variants.set(made.metadata.name, { variant: made, target: at });
    }
  }
  return { variants: sorted(variants), problems };
}

interface Generated {
  readonly variant: ValidVariant;
  /** Which of the set's targets asks for it. */
  readonly target: number;
}

/** Two that have one downstream, or whose downstreams are written alike once they are joined to a name. */
function twinMessage(first: Generated, second: Generated): string {
  const [one, other] = [first, second].map(({ variant: { spec }, target }) => ({
    target: `targets[${target}]`,
    place: `${spec.downstream.repo}:${spec.downstream.package}`,
  }));
  const name = first.variant.metadata.name;
  if (one?.place === other?.place) {
    return `${one?.target} and ${other?.target} both generate ${name} for ${one?.place}: the first counts`;
  }
  return `${one?.target} generates ${name} for ${one?.place}, and ${other?.target} generates the same name for ${other?.place}: the first counts; put the second into a set of another name`;
}

function sorted(variants: ReadonlyMap<string, { readonly variant: ValidVariant }>): ValidVariant[] {
  return [...variants.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { variant }]) => variant);
}

function problem(
  reason: ExpansionProblem['reason'],
  message: string,
  path: ExpansionProblem['path'],
): ExpansionProblem {
  return { reason, message, path };
}

/** One after the other: repositories times names may be more than anybody would hold. */
function* unrolled(
  target: SetTarget,
  upstreamPackage: string,
  namespace: string,
  world: ExpansionWorld,
): Generator<Wanted> {
  const { repositories, repositorySelector, objectSelector } = target;
  if (repositories !== undefined) {
    for (const { name, packageNames } of repositories) {
      for (const named of namesOr(packageNames, upstreamPackage)) {
        yield { repo: name, package: named, target: { repo: name, package: named } };
      }
    }
    return;
  }
  if (repositorySelector !== undefined) {
    for (const { metadata } of world.repositories) {
      if (namespaceOf(metadata, namespace) !== namespace) continue;
      if (!selects(repositorySelector, metadata.labels)) continue;
      for (const named of namesOr(repositorySelector.packageNames, upstreamPackage)) {
        yield wantedOf({ target, metadata, namespace, packageDefault: named, value: undefined });
      }
    }
    return;
  }
  if (objectSelector === undefined) return;
  for (const { apiVersion, kind, metadata, value } of objectsOf(world, namespace)) {
    if (apiVersion !== objectSelector.apiVersion || kind !== objectSelector.kind) continue;
    if (namespaceOf(metadata, namespace) !== namespace) continue;
    if ((objectSelector.name ?? metadata.name) !== metadata.name) continue;
    if (!selects(objectSelector, metadata.labels)) continue;
    yield wantedOf({ target, metadata, namespace, packageDefault: upstreamPackage, value });
  }
}

function namesOr(names: readonly string[] | undefined, otherwise: string): readonly string[] {
  return names === undefined || names.length === 0 ? [otherwise] : names;
}

/** Repositories are objects too. */
function objectsOf(world: ExpansionWorld, namespace: string): InventoryObject[] {
  const repositories = world.repositories.map(({ metadata, repo }): InventoryObject => ({
    apiVersion: `${VARIANT_GROUP}/v1alpha1`,
    kind: 'Repository',
    metadata,
    value: {
      metadata: { name: metadata.name, namespace: namespaceOf(metadata, namespace) },
      spec: { git: { repo } },
    },
  }));
  return [...world.objects, ...repositories];
}

function wantedOf({
  target: { naming = {} },
  metadata,
  namespace,
  packageDefault,
  value,
}: {
  readonly target: SetTarget;
  readonly metadata: ObjectMeta;
  readonly namespace: string;
  readonly packageDefault: string;
  readonly value: InventoryObject['value'] | undefined;
}): Wanted {
  const part = (from: ValueOrField | undefined): string | undefined =>
    from?.fromField === undefined ? from?.value : textAt(value, from.fromField);
  const base = part(naming.packageBase) ?? packageDefault;
  return {
    repo: part(naming.repo) ?? metadata.name,
    package: `${part(naming.packagePrefix) ?? ''}${base}${part(naming.packageSuffix) ?? ''}`,
    target: shownObject({ ...metadata, namespace: namespaceOf(metadata, namespace) }),
  };
}

/** The text at `metadata.name`; undefined where there is none. */
function textAt(value: YamlValue | undefined, field: string): string | undefined {
  let here = value;
  for (const step of field.replace(/^\./, '').split('.')) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<string, YamlValue>>)[step];
  }
  return typeof here === 'string' ? here : undefined;
}

function variantOf({
  set,
  found,
  target: { template },
  wanted,
  repositoryNamed,
  budget,
}: {
  readonly set: ValidVariantSet;
  readonly found: PackageRevision;
  readonly target: SetTarget;
  readonly wanted: Wanted;
  readonly repositoryNamed: (name: string) => NamedRepository | undefined;
  readonly budget: CelBudget;
}): ValidVariant | ExpansionProblem {
  const namespace = namespaceOf(set.metadata);
  const rendered = renderTemplate({
    upstream: set.spec.upstream,
    upstreamMeta: { ...found.metadata, namespace: namespaceOf(found.metadata, namespace) },
    repoDefault: wanted.repo,
    packageDefault: wanted.package,
    target: wanted.target,
    template,
    repositoryNamed,
    budget,
  });
  if (!rendered.ok) {
    const { message, path, downstream, unknownRepository } = rendered;
    const name = downstream && variantName(set.metadata.name, downstream.repo, downstream.package);
    return {
      ...problem('UnexpectedError', message, path),
      ...(name !== undefined && { variant: name }),
      ...(unknownRepository !== undefined && { unknownRepository }),
    };
  }
  const { repo = '', package: packagePath = '' } = rendered.spec.downstream ?? {};
  const name = variantName(set.metadata.name, repo, packagePath);
  const checked = checkVariant({
    kind: 'PackageVariant',
    metadata: { name, namespace, labels: {}, annotations: {} },
    spec: rendered.spec,
  });
  if (checked.ok) return checked.variant;
  const message = checked.problems.map((one) => one.message).join('; ');
  return { ...problem('ValidationError', message, ['template']), variant: name };
}
