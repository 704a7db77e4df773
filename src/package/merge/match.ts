import type { YamlNode } from '../yaml/node.ts';
import { leavesOf } from './leaves.ts';
import { contentOf, identifierOf } from './resources.ts';
import type { Resource } from './resources.ts';

/** The states of one resource in the three trees. */
export interface Matched {
  readonly base?: Resource;
  readonly upstream?: Resource;
  readonly local?: Resource;
  /** The one with another name that was taken for base's because it is nearly the same: worth telling. */
  readonly alike?: Resource;
}

/**
 * Finds for each resource its counterparts. Identity within the file first, as kpt; then identity in any file, where it
 * is unique (a moved resource); then the upstream identifier annotation; then a likeness within the file (a renamed
 * resource or one whose group changed). Linear in the number of resources.
 */
export function matchResources(
  base: readonly Resource[],
  upstream: readonly Resource[],
  local: readonly Resource[],
): Matched[] {
  const theirs = new Set(upstream.map((one) => inFile(one, false)));
  const alike = new Set<Resource>();
  // What upstream has by the same name is no renamed resource of base.
  const toLocal = pair(
    base,
    local,
    alike,
    (one, twin) => !theirs.has(inFile(twin, false)) && isSurelyAlike(one.root, twin.root),
  );
  const foundLocal = new Set(toLocal.values());
  const taken = new Set<Resource>();
  const spare = spareBy(
    local.filter((one) => !foundLocal.has(one)),
    taken,
  );
  // A likeness is followed only where local still has the resource, or has it by upstream's new name already: what
  // upstream puts in place of a resource that local deleted is new to local.
  const toUpstream = pair(
    base,
    upstream,
    alike,
    (one, twin) => toLocal.has(one) || spare(twin) !== undefined,
  );
  for (const [one, twin] of toUpstream) {
    const own = spare(twin);
    if (own === undefined || toLocal.has(one)) continue;
    toLocal.set(one, own);
    taken.add(own);
  }
  const matched: Matched[] = base.map((one) => {
    const u = toUpstream.get(one);
    const l = toLocal.get(one);
    const twin = [u, l].find((other) => other !== undefined && alike.has(other));
    return {
      base: one,
      ...(u === undefined ? {} : { upstream: u }),
      ...(l === undefined ? {} : { local: l }),
      ...(twin === undefined ? {} : { alike: twin }),
    };
  });
  const usedUpstream = new Set(toUpstream.values());
  const usedLocal = new Set(toLocal.values());
  const newUpstream = upstream.filter((one) => !usedUpstream.has(one));
  const newLocal = local.filter((one) => !usedLocal.has(one));
  const both = pairBy(newUpstream, newLocal, [onceInFile, exact, inFile, anywhere]);
  const paired = new Set(both.values());
  for (const one of newUpstream) {
    const l = both.get(one);
    matched.push(l === undefined ? { upstream: one } : { upstream: one, local: l });
  }
  for (const one of newLocal) if (!paired.has(one)) matched.push({ local: one });
  return matched;
}

/**
 * Finds a resource by its name: in the file, else the only one of that name in any file, where local has moved it to, or
 * in another namespace, where local has put it.
 */
function spareBy(
  resources: readonly Resource[],
  taken: ReadonlySet<Resource>,
): (twin: Resource) => Resource | undefined {
  const here = new Map(resources.map((one) => [inFile(one, false), one]));
  const onlyBy = (key: Key): ((twin: Resource) => Resource | undefined) => {
    const groups = Map.groupBy(resources, (one) => key(one, false));
    return (twin) => {
      const name = key(twin, false);
      const [only, another] = name === undefined ? [] : (groups.get(name) ?? []);
      return another === undefined ? only : undefined;
    };
  };
  const [elsewhere, inNamespace] = [onlyBy(anywhere), onlyBy(renamedNamespace)];
  return (twin) => {
    const found = here.get(inFile(twin, false)) ?? elsewhere(twin) ?? inNamespace(twin);
    return found === undefined || taken.has(found) ? undefined : found;
  };
}

type Key = (resource: Resource, isOld: boolean) => string | undefined;

function pair(
  old: readonly Resource[],
  now: readonly Resource[],
  alike: Set<Resource>,
  mayBeAlike: (one: Resource, twin: Resource) => boolean,
): Map<Resource, Resource> {
  const pairs = pairBy(old, now, [
    onceInFile,
    exact,
    inFile,
    originInFile,
    anywhere,
    origin,
    renamedNamespace,
    otherGroup,
  ]);
  const rest = old.filter((one) => !pairs.has(one));
  const taken = new Set(pairs.values());
  for (const [one, twin] of alikePairs(
    rest,
    now.filter((other) => !taken.has(other)),
  )) {
    if (!mayBeAlike(one, twin)) continue;
    pairs.set(one, twin);
    alike.add(twin);
  }
  return pairs;
}

const exact: Key = (resource) => `${inFile(resource, true)}|${contentOf(resource.root)}`;
const inFile: Key = (resource) => `${resource.file}|${identifierOf(resource.identity)}`;
/** Where the identity is there once, nobody has to look at the content. */
const onceInFile: Key = (resource, isOld) => inFile(resource, isOld);
const anywhere: Key = (resource) =>
  resource.identity.name === '' ? undefined : identifierOf(resource.identity);
const origin: Key = (resource, isOld) => (isOld ? anywhere(resource, true) : resource.origin);
const originInFile: Key = (resource, isOld) => {
  const key = origin(resource, isOld);
  return key === undefined ? undefined : `${resource.file}|${key}`;
};
const renamedNamespace: Key = ({ file, identity: { group, kind, name } }) =>
  name === '' ? undefined : `${file}|${group}|${kind}|${name}`;
const otherGroup: Key = ({ file, identity: { kind, namespace, name } }) =>
  name === '' ? undefined : `${file}|${kind}|${namespace}|${name}`;

/** Pass by pass, pairs resources with equal keys: within one file in their order, else only where the key is unique. */
function pairBy(
  old: readonly Resource[],
  now: readonly Resource[],
  keys: readonly Key[],
): Map<Resource, Resource> {
  const pairs = new Map<Resource, Resource>();
  let restOld = old;
  let restNow = now;
  for (const key of keys) {
    if (restOld.length === 0 || restNow.length === 0) break;
    const inOrder = key === exact || key === inFile;
    const groups = new Map<string, Resource[]>();
    for (const one of restNow) push(groups, key(one, false), one);
    const olds = new Map<string, Resource[]>();
    for (const one of restOld) push(olds, key(one, true), one);
    const taken = new Set<Resource>();
    for (const [text, members] of olds) {
      const others = groups.get(text) ?? [];
      if (!inOrder && (members.length !== 1 || others.length !== 1)) continue;
      for (const [at, one] of members.entries()) {
        const twin = others[at];
        if (twin === undefined) break;
        pairs.set(one, twin);
        taken.add(twin);
      }
    }
    restOld = restOld.filter((one) => !pairs.has(one));
    restNow = restNow.filter((one) => !taken.has(one));
  }
  return pairs;
}

function push(groups: Map<string, Resource[]>, key: string | undefined, resource: Resource): void {
  if (key === undefined) return;
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [resource]);
  else group.push(resource);
}

const ALIKE = 0.7;
/**
 * Of fewer leaves all have to be equal before upstream's changes go into a resource that local gave another name: three
 * of four are equal by chance in every second ConfigMap.
 */
const FEW_LEAVES = 6;

const onlyOfKind: Key = ({ file, identity: { group, kind, name } }) =>
  kind === '' || name === '' ? undefined : `${file}|${group}|${kind}`;

/** Pairs what is left of one kind in one file when it is the only one there and mostly the same. */
export function alikePairs(old: readonly Resource[], now: readonly Resource[]): [Resource, Resource][] {
  return [...pairBy(old, now, [onlyOfKind])].filter(
    ([one, twin]) => likeness(one.root, twin.root).share >= ALIKE,
  );
}

function isSurelyAlike(a: YamlNode, b: YamlNode): boolean {
  const { share, most } = likeness(a, b);
  return share === 1 || most >= FEW_LEAVES;
}

/** The share of leaves outside `metadata` that both have, from 0 to 1, and how many the larger has. */
function likeness(a: YamlNode, b: YamlNode): { readonly share: number; readonly most: number } {
  const [left, right] = [a, b].map((root) => {
    const leaves = new Set<string>();
    if (root.kind === 'map') {
      for (const entry of root.entries) {
        if (!['apiVersion', 'kind', 'metadata'].includes(entry.name))
          for (const leaf of leavesOf(entry.value, entry.name)) leaves.add(leaf);
      }
    }
    return leaves;
  });
  if (left === undefined || right === undefined || left.size === 0 || right.size === 0)
    return { share: 0, most: 0 };
  const most = Math.max(left.size, right.size);
  return { share: [...left].filter((leaf) => right.has(leaf)).length / most, most };
}
