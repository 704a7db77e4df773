/** Optional resources: those that say which API they need, and the targets that have it. */
import { isBuiltInGroup } from '../bundle/built-in-groups.ts';
import { kindOf, mapAt, mapsAt, textAt, type Manifest } from '../bundle/manifest.ts';
import { calledObject, type RenderedObject } from './rendered-objects.ts';
import type { TargetProfile } from './target-profile.ts';

/** APIs that a resource needs, with commas between: `monitoring.coreos.com/v1/ServiceMonitor`. */
const REQUIRES_ANNOTATION = 'portico.dev/requires';

export interface TargetObjects {
  readonly target: string;
  readonly objects: readonly RenderedObject[];
}

export interface Selection {
  /** In the order of the targets. */
  readonly targets: readonly TargetObjects[];
  /** Each resource that some target cannot serve, in the order of the resources. */
  readonly leftOut: readonly {
    readonly object: string;
    readonly requires: readonly string[];
    readonly targets: readonly string[];
  }[];
}

/** The resources for each target. APIs that every cluster has, and those that the resources themselves define, are served. */
export function selectForTargets(
  objects: readonly RenderedObject[],
  targets: readonly TargetProfile[],
): Selection {
  const defined = new Set(objects.flatMap(({ value }) => definedApis(value)));
  const leftOut = new Map<RenderedObject, string[]>();
  const selected = targets.map((target): TargetObjects => {
    const served = new Set([...target.apis, ...defined]);
    const kept = objects.filter((object) => {
      if (requirementsOf(object).every((api) => isServed(api, served))) return true;
      leftOut.set(object, [...(leftOut.get(object) ?? []), target.name]);
      return false;
    });
    return { target: target.name, objects: kept };
  });
  return {
    targets: selected,
    leftOut: objects.flatMap((object) => {
      const without = leftOut.get(object);
      if (without === undefined) return [];
      return [{ object: calledObject(object.value), requires: requirementsOf(object), targets: without }];
    }),
  };
}

/** `ServiceMonitor web is left out in 2 of 7 targets: edge-1, edge-2 (it requires …)`. */
export function leftOutNotes({ leftOut, targets }: Selection): readonly string[] {
  return leftOut.map(
    ({ object, requires, targets: without }) =>
      `${object} is left out in ${without.length} of ${targets.length} targets: ${without.join(', ')} (it requires ${requires.join(' and ')})`,
  );
}

/** Annotations that are no API, by resource: they would be served nowhere, and leave the resource out without a word. */
export function requirementProblems(objects: readonly RenderedObject[]): readonly string[] {
  return objects.flatMap((object) =>
    requirementsOf(object)
      .filter((api) => !/^[a-z0-9.-]+\/v[0-9a-z]+(?:\/[A-Z][A-Za-z0-9]*)?$/.test(api))
      .map(
        (api) =>
          `${calledObject(object.value)}: ${REQUIRES_ANNOTATION} cannot be ${JSON.stringify(api)}; write group/version or group/version/Kind`,
      ),
  );
}

function requirementsOf({ value }: RenderedObject): readonly string[] {
  const annotation = textAt(mapAt(mapAt(value, 'metadata'), 'annotations'), REQUIRES_ANNOTATION);
  return annotation
    .split(',')
    .map((api) => api.trim())
    .filter((api) => api !== '');
}

/** A target that names a group and version serves all its kinds; who requires only those is served by any kind of it. */
function isServed(api: string, served: ReadonlySet<string>): boolean {
  const [group = '', version = '', kind] = api.split('/');
  if (isBuiltInGroup(group)) return true;
  if (served.has(api) || served.has(`${group}/${version}`)) return true;
  return kind === undefined && [...served].some((one) => one.startsWith(`${group}/${version}/`));
}

function definedApis(object: Manifest): readonly string[] {
  if (kindOf(object) !== 'CustomResourceDefinition') return [];
  const spec = mapAt(object, 'spec');
  const kind = textAt(mapAt(spec, 'names'), 'kind');
  return mapsAt(spec, 'versions')
    .filter((version) => version['served'] !== false)
    .map((version) => `${textAt(spec, 'group')}/${textAt(version, 'name')}/${kind}`);
}
