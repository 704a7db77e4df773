/**
 * What becomes of the objects of a cluster when one state of packages follows another: kept and updated in place, added,
 * removed, made anew because a field cannot be changed, or handed from one package to another.
 */
import type { PackageFiles } from '../package/package.ts';
import { sameFile } from '../package/package.ts';
import { calledResource, executedResources, identityOf, type ExecutedResource } from './executed.ts';
import { immutableChanges } from './immutable-fields.ts';

/** One package of a repository, in both states; null where it is not there. */
export interface PackageStates {
  readonly path: string;
  readonly before: PackageFiles | null;
  readonly after: PackageFiles | null;
}

/** An object as people name it, and the package and file that say so. */
export interface PivotObject {
  readonly object: string;
  readonly package: string;
  readonly file: string;
  readonly isDefinition: boolean;
}

export interface Pivot {
  /** Objects of changed files that stay, changed or not. */
  readonly kept: number;
  readonly added: readonly PivotObject[];
  readonly removed: readonly PivotObject[];
  readonly recreated: readonly (PivotObject & { readonly fields: readonly string[] })[];
  /** `package` is the new one. */
  readonly moved: readonly (PivotObject & { readonly from: string })[];
  /** Objects that several packages hold afterwards: each would undo what the other does. */
  readonly contested: readonly { readonly object: string; readonly packages: readonly string[] }[];
  readonly unread: readonly string[];
}

interface Placed {
  readonly package: string;
  readonly resource: ExecutedResource;
}

/**
 * Compares the states of packages, object by object. Packages that did not change matter for ownership: give those that may
 * hold the same objects. Never throws.
 */
export function pivotOf(packages: readonly PackageStates[]): Pivot {
  const unread = new Set<string>();
  const before = placedBy(packages, 'before', unread);
  const after = placedBy(packages, 'after', unread);
  const added: PivotObject[] = [];
  const recreated: Pivot['recreated'][number][] = [];
  const moved: Pivot['moved'][number][] = [];
  let kept = 0;
  for (const [id, now] of after) {
    const [first] = now;
    const was = before.get(id);
    const [old] = was ?? [];
    if (first === undefined) continue;
    if (old === undefined || was === undefined) {
      added.push(shown(first));
      continue;
    }
    const fields = immutableChanges(old.resource, first.resource);
    if (fields.length > 0) recreated.push({ ...shown(first), fields });
    else kept += 1;
    const stayed = now.some((place) => was.some((one) => one.package === place.package));
    if (!stayed) moved.push({ ...shown(first), from: old.package });
  }
  const removed = [...before].flatMap(([id, [old]]) =>
    old === undefined || after.has(id) ? [] : [shown(old)],
  );
  const contested = [...after].flatMap(([, now]) => {
    const names = [...new Set(now.map((place) => place.package))].sort();
    const [first] = now;
    return names.length < 2 || first === undefined
      ? []
      : [{ object: calledResource(first.resource), packages: names }];
  });
  return { kept, added, removed, recreated, moved, contested, unread: [...unread].sort() };
}

/** Why a proposal must not go on: objects of a CRD go with it. */
export function pivotFailures({ removed, recreated }: Pivot): readonly string[] {
  const gone = 'and every object of its kind goes with it';
  return [
    ...removed.filter(isDefinition).map(({ object }) => `${object} is removed, ${gone}`),
    ...recreated
      .filter(isDefinition)
      .map(({ object, fields }) => `${object} must be recreated (${fields.join(', ')}), ${gone}`),
  ];
}

function isDefinition(object: PivotObject): boolean {
  return object.isDefinition;
}

/** Objects of the files that differ, and those of one identity in all other packages. */
function placedBy(
  packages: readonly PackageStates[],
  side: 'before' | 'after',
  unread: Set<string>,
): ReadonlyMap<string, readonly Placed[]> {
  const placed = packages.flatMap(({ path, before, after }): readonly Placed[] => {
    const files = side === 'before' ? before : after;
    if (files === null) return [];
    const other = side === 'before' ? after : before;
    const whole = packages.length > 1;
    const read = new Map(
      [...files].filter(([name, file]) => whole || other === null || !sameFile(file, other.get(name))),
    );
    const found = executedResources(read);
    for (const name of found.unread) unread.add(path === '.' ? name : `${path}/${name}`);
    return found.resources.map((resource) => ({ package: path, resource }));
  });
  return Map.groupBy(placed, ({ resource }) => identityOf(resource));
}

function shown({ package: path, resource }: Placed): PivotObject {
  const isDefinition =
    resource.kind === 'CustomResourceDefinition' && resource.group === 'apiextensions.k8s.io';
  return { object: calledResource(resource), package: path, file: resource.file, isDefinition };
}
