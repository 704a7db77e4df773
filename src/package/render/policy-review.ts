/** Between rendering and policies: resources → what a policy is asked, and its remarks → results. */
import type { Remark } from '../../cel/judge.ts';
import type { Mutated } from '../../cel/mutate.ts';
import { readsResources, type Policy } from '../../cel/policy.ts';
import { labelsOf, type PackageFacts, type ResourceIdentity, type Review } from '../../cel/review.ts';
import { isOnlyList, listItems } from '../list-items.ts';
import { isForTools, isLocalConfigMap, isMarkedLocal } from '../local-config.ts';
import { convertedIn, madeObjects, type MadeObject } from '../operator-objects.ts';
import type { PackageFiles } from '../package.ts';
import { groupOf, isMap, listAt, textAt, valueAt } from '../plain-values.ts';
import { podTemplatesIn } from '../pod-places.ts';
import { withKustomizeDefaults } from '../tool-files/kustomization.ts';
import { formatPath } from '../yaml/path.ts';
import { annotationOf, clearPlace, PACKAGE_PATH, pathOf, withBookkeeping, fileOf } from './bookkeeping.ts';
import { appliedValue, copyValue, textOf } from './field-notes.ts';
import type { FunctionSpec, ResultItem } from './function-runtime.ts';
import { hiddenFiles } from './hidden-resources.ts';
import { keepNotes, keepWords } from './keep-notes.ts';
import type { KrmObject } from './krm-object.ts';
import { loadPackage } from './load-package.ts';
import { cleanPath } from './package-sources.ts';
import type { RenderContext } from './render-context.ts';
import { isSelected } from './select.ts';

export interface PolicyReview extends Review {
  /** The item of each change, and where in it the resource stands. */
  readonly places: readonly Standing[];
  /** Where what is said of the package as a whole stands. */
  readonly kptfile: KrmObject | undefined;
}

interface Standing {
  /** Undefined for a resource that is gone. */
  readonly item: KrmObject | undefined;
  readonly value: KrmObject;
  /** Ahead of its fields: '' or `items[0].`. */
  readonly prefix: string;
  /** For what is made of an operator, or a pod in another resource: from its fields to those of that. */
  readonly sourceOf?: MadeObject['sourceOf'];
  /** For a pod in a resource: that resource. */
  readonly owner?: KrmObject;
}

/**
 * Pairs the rendered resources that a policy is about with those of the base by group, kind, namespace and name.
 * Kptfiles and configuration of functions are left out unless selectors ask for them.
 */
export function reviewOf(
  items: readonly KrmObject[],
  { policy, spec }: { readonly policy: Policy | undefined; readonly spec: FunctionSpec },
  context: RenderContext,
): PolicyReview {
  const isTool = toolTest(items, context);
  const wanted = (one: Standing): boolean =>
    isSelected(one.owner ?? one.value, spec) && ((spec.selectors ?? []).length > 0 || !isTool(one));
  // No file holds what is made of an operator: mutations leave it to the cluster.
  const makes = (policy?.mutations ?? []).length === 0;
  const pods = makes && policy?.variables?.some(({ name }) => name === POD_VARIABLE) === true;
  const now = items.map((item) => {
    const path = filePathOf(item);
    return [path, withKustomizeDefaults(path, cleaned(item)), item] as const;
  });
  const old = placedIn(context.base).map(
    ([path, value]) => [path, withKustomizeDefaults(path, value), undefined] as const,
  );
  const standing = standingOf(now, { makes, pods });
  const before = new Map(standingOf(old, { makes, pods }).map((one) => [keyOf(one), one]));
  const present = new Set(standing.map(keyOf));
  const gone =
    policy?.deletions === true ? [...before.values()].filter((one) => !present.has(keyOf(one))) : [];
  const places = [...standing, ...gone].filter(wanted);
  const namespaces = new Map(
    standing
      .filter(({ value }) => value['kind'] === 'Namespace' && value['apiVersion'] === 'v1')
      .map(({ value }) => [metadataText(value, 'name'), value]),
  );
  // Who selects resources asks about packages that hold some of them.
  const isAsked = (spec.selectors ?? []).length === 0 || places.length > 0;
  const reads = policy !== undefined && readsResources(policy) && isAsked;
  return {
    places,
    kptfile: kptfileOf(items),
    ...(reads && {
      resources: standing.filter((one) => one.owner === undefined && !isTool(one)).map(({ value }) => value),
    }),
    changes: places.map((one) => ({
      object: one.item === undefined ? null : one.value,
      oldObject: before.get(keyOf(one))?.value ?? null,
      namespace: namespaces.get(metadataText(one.value, 'namespace')) ?? null,
    })),
    package: factsOf(items, context),
    namespaces: Object.fromEntries([...namespaces].map(([name, value]) => [name, labelsOf(value)])),
  };
}

/**
 * The items of a package with what a policy has made of some of its resources; what functions leave on items stays, and
 * no item is changed. Kptfiles are nobody's to change by policy.
 */
export function withObjects(
  items: readonly KrmObject[],
  objects: Mutated['objects'],
  { places }: PolicyReview,
): readonly KrmObject[] {
  const made = new Map<KrmObject, KrmObject>();
  for (const { at, object } of objects) {
    const { item, prefix } = places[at] ?? {};
    if (item === undefined || prefix === undefined || isKptfile(item)) continue;
    const steps = [...prefix.matchAll(/items\[(\d+)\]/g)].map(([, index]) => Number(index));
    made.set(
      item,
      withBookkeeping(replacedIn(made.get(item) ?? copyValue(item), steps, copyValue(object)), item),
    );
  }
  // What came from a policy is plain data: the comments and quotes of the text go with what stays.
  for (const [item, now] of made) {
    keepWords(item, now);
    keepNotes(item, now);
  }
  return items.map((item) => made.get(item) ?? item);
}

/** A resource in which another one stands in the place that was its, however deep in lists of lists. */
function replacedIn(item: KrmObject, [first, ...rest]: readonly number[], object: KrmObject): KrmObject {
  const list = item['items'];
  if (first === undefined) return object;
  if (!Array.isArray(list)) return item;
  const items = list.map((one: unknown, at) =>
    at === first && isMap(one) ? replacedIn(one, rest, object) : one,
  );
  return { ...item, items };
}

/** The variable by which a policy asks for pods, so that it is shown those in other resources, too. */
const POD_VARIABLE = 'podPath';

interface Shown {
  /** What is made of operators. */
  readonly makes: boolean;
  /** Pods in resources of other kinds. */
  readonly pods: boolean;
}

/** All resources of documents, with what is made of operators, unless a processor converts these. */
function standingOf(
  documents: readonly (readonly [path: string, value: KrmObject, item: KrmObject | undefined])[],
  { makes, pods }: Shown,
): Standing[] {
  const isConverted = convertedIn(documents.map(([path, value]) => [path, value]));
  return documents.flatMap(([path, value, item]) =>
    unrolled({ value, item, prefix: '' }, { makes: makes && !isConverted(path), pods }),
  );
}

/** A list's items are resources of their own: nothing is hidden by wrapping it, however often. */
function unrolled(one: Standing, shown: Shown): Standing[] {
  const { value, item, prefix } = one;
  const items = listItems(value) ?? [];
  const own = isOnlyList(value) && Array.isArray(value['items']) ? [] : [one];
  const made = shown.makes ? madeObjects(value) : [];
  const pods = shown.pods && own.length > 0 ? podTemplatesIn(value) : [];
  return [
    ...own,
    ...made.map((object) => ({ item, prefix, ...object })),
    ...pods.map((object) => ({ item, prefix, ...object, owner: value })),
    ...items.flatMap((inner, at) =>
      unrolled({ value: inner, item, prefix: `${prefix}items[${at}].` }, shown),
    ),
  ];
}

/** The file of a resource in the package as a whole. */
function filePathOf(item: KrmObject): string {
  const directory = annotationOf(item, PACKAGE_PATH) ?? '.';
  return directory === '.' ? (pathOf(item) ?? '') : `${directory}/${pathOf(item) ?? ''}`;
}

/** Results as functions give them, in order of the remarks. */
export function resultsOf(remarks: readonly Remark[], review: PolicyReview): ResultItem[] {
  const named = new Map(
    review.places.filter(({ owner }) => owner === undefined).map((one) => [identityOf(one.value), one]),
  );
  return remarks.flatMap(({ at, kind, message, field, resource }) => {
    const standing =
      (resource && named.get(identityText(resource))) ?? review.places[at] ?? packageItself(review);
    const { item, prefix, sourceOf, owner } = standing;
    // Its metadata is that of its resource, which is judged itself.
    if (owner !== undefined && field?.startsWith('metadata') === true) return [];
    const value = owner ?? standing.value;
    // In a list, or made of an operator: the place is known by the document.
    const isInside = prefix !== '' || (sourceOf !== undefined && owner === undefined);
    const about = isInside ? (item ?? value) : value;
    const namespace = metadataText(about, 'namespace');
    const within = isInside ? ` (${textOf(value, 'kind') ?? ''} ${metadataText(value, 'name')})` : '';
    const path = field === undefined || field === '' ? undefined : sourceField(standing, field);
    return {
      message: `${message}${within}${item === undefined && at >= 0 ? ' (the proposal removes the resource)' : ''}`,
      severity: SEVERITY[kind],
      resourceRef: {
        apiVersion: textOf(about, 'apiVersion') ?? '',
        kind: textOf(about, 'kind') ?? '',
        name: metadataText(about, 'name'),
        ...(namespace !== '' && { namespace }),
      },
      ...(isInside && { subject: namesOf(value) }),
      ...(item !== undefined && fileOf(item)),
      ...(path !== undefined && { field: fieldOf(item, path) }),
    };
  });
}

/** What an exemption has to name. */
export function namesOf(value: KrmObject): NonNullable<ResultItem['subject']> {
  return {
    apiVersion: textOf(value, 'apiVersion') ?? '',
    kind: textOf(value, 'kind') ?? '',
    name: metadataText(value, 'name'),
    namespace: metadataText(value, 'namespace'),
  };
}

/** The resources in these items, those in lists too, with the names that an exemption is matched by. */
export function subjectsOf(items: readonly KrmObject[]): readonly NonNullable<ResultItem['subject']>[] {
  const placed = items.map((item) => [filePathOf(item), item, item] as const);
  return standingOf(placed, { makes: true, pods: false }).map(({ value }) => namesOf(value));
}

/** The field in the document that holds the resource. */
function sourceField({ prefix, sourceOf }: Standing, field: string): string {
  return prefix + (sourceOf === undefined ? field : formatPath(sourceOf(stepsOf(field))));
}

/** The steps of a path as policies write it. */
function stepsOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g)].map(([, index, quoted, key]) =>
    index === undefined ? (quoted ?? key ?? '') : Number(index),
  );
}

function packageItself({ kptfile }: PolicyReview): Standing {
  return { item: kptfile, value: kptfile ?? {}, prefix: '' };
}

const SEVERITY = {
  violation: 'error',
  error: 'error',
  warning: 'warning',
  skipped: 'warning',
  note: 'info',
} as const;

/** With the value that stands there, where it is a plain one. */
function fieldOf(item: KrmObject | undefined, path: string): NonNullable<ResultItem['field']> {
  const here = valueAt(item, ...path.replaceAll(/\[(\d+)\]/g, '.$1').split('.'));
  return here === undefined || typeof here === 'object' ? { path } : { path, currentValue: here };
}

/** The resources of a package as its files say them; none where they cannot be read. */
export function resourcesOf(files: PackageFiles | undefined): KrmObject[] {
  return placedIn(files).map(([, value]) => value);
}

function placedIn(files: PackageFiles | undefined): [path: string, value: KrmObject][] {
  if (files === undefined) return [];
  const loaded = loadPackage(files);
  // A base that cannot be read says nothing about how resources were.
  if (!('root' in loaded)) return [];
  const documents = [...loaded.sources.values()].flatMap((source) => source.documents);
  return [...documents, ...hiddenFiles(files).flatMap(({ resources }) => resources)].map(
    ({ file, value }) => [file, appliedValue(value)],
  );
}

/** One identity for all versions of a resource or of a pod in it. */
function keyOf({ value, owner, sourceOf }: Standing): string {
  if (owner === undefined || sourceOf === undefined) return identityOf(value);
  return `${identityOf(owner)} ${formatPath(sourceOf(['template']))}`;
}

function identityOf(item: KrmObject): string {
  const apiVersion = textOf(item, 'apiVersion') ?? '';
  return identityText({
    group: groupOf(apiVersion),
    kind: textOf(item, 'kind') ?? '',
    namespace: metadataText(item, 'namespace'),
    name: metadataText(item, 'name'),
  });
}

function identityText({ group, kind, namespace, name }: ResourceIdentity): string {
  return JSON.stringify([group, kind, namespace, name]);
}

function metadataText(item: Readonly<Record<string, unknown>>, field: string): string {
  const { metadata } = item;
  return isMap(metadata) && metadata[field] !== null ? (textOf(metadata, field) ?? '') : '';
}

function isKptfile(item: KrmObject): boolean {
  return item['kind'] === 'Kptfile' && String(item['apiVersion']).startsWith('kpt.dev/');
}

/**
 * A test for resources that policies leave out. Of marked ConfigMaps these are the context of a package, and those that a
 * pipeline names as the configuration of a function; where nothing but Config Sync applies packages, all that is marked.
 */
function toolTest(items: readonly KrmObject[], { deploy }: RenderContext): (one: Standing) => boolean {
  const heedsMarks = deploy?.every((tool) => tool === 'config-sync') === true;
  const configs = new Set(items.filter(isKptfile).flatMap(configPathsOf));
  return ({ item, value: own, owner, prefix }) => {
    const value = owner ?? own;
    // Config Sync heeds the mark of a document, and not that of an item in a list.
    if (heedsMarks && prefix === '' && isMarkedLocal(value)) return true;
    if (!isForTools(value)) return false;
    if (item === undefined || !isLocalConfigMap(value)) return true;
    const path = filePathOf(item);
    return configs.has(path) || /(?:^|\/)package-context\.yaml$/.test(path);
  };
}

/** The files that the pipeline of a Kptfile names, as paths in the package as a whole. */
function configPathsOf(kptfile: KrmObject): string[] {
  const directory = annotationOf(kptfile, PACKAGE_PATH) ?? '.';
  return ['mutators', 'validators']
    .flatMap((list) => listAt(kptfile, 'pipeline', list))
    .map((one) => textAt(one, 'configPath'))
    .filter((path) => path !== '')
    .map((path) => cleanPath(directory === '.' ? path : `${directory}/${path}`));
}

/** Many policies look at the same resources, which nothing changes between them. */
const CLEANED = new WeakMap<KrmObject, KrmObject>();

/** The resource as a cluster gets it from its file. */
function cleaned(item: KrmObject): KrmObject {
  const known = CLEANED.get(item);
  if (known !== undefined) return known;
  const copy = copyValue(item);
  clearPlace(copy);
  const value = appliedValue(copy);
  CLEANED.set(item, value);
  return value;
}

function factsOf(items: readonly KrmObject[], { path, repository }: RenderContext): PackageFacts {
  const kptfile = kptfileOf(items);
  return {
    name: kptfile === undefined ? '' : metadataText(kptfile, 'name'),
    path,
    repository,
    labels: kptfile === undefined ? {} : labelsOf(kptfile),
    annotations: kptfile === undefined ? {} : annotationsOf(cleaned(kptfile)),
  };
}

/** The Kptfile of the package itself. */
function kptfileOf(items: readonly KrmObject[]): KrmObject | undefined {
  return items.find(
    (item) =>
      item['kind'] === 'Kptfile' &&
      (annotationOf(item, PACKAGE_PATH) ?? '.') === '.' &&
      pathOf(item) === 'Kptfile',
  );
}

function annotationsOf(item: KrmObject): Record<string, string> {
  const { metadata } = item;
  const annotations = isMap(metadata) && isMap(metadata['annotations']) ? metadata['annotations'] : {};
  return Object.fromEntries(
    Object.entries(annotations).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** True where a guardrail for packages with these labels is about this one, as it is or as it was in the base. */
export function hasLabels(
  wanted: Readonly<Record<string, string>>,
  items: readonly KrmObject[],
  { base }: RenderContext,
): boolean {
  const old = resourcesOf(base && new Map([...base].filter(([path]) => path === 'Kptfile')));
  return [kptfileOf(items), ...old.filter((one) => one['kind'] === 'Kptfile')].some((kptfile) => {
    const labels = kptfile === undefined ? {} : labelsOf(kptfile);
    return Object.entries(wanted).every(([key, value]) => labels[key] === value);
  });
}
