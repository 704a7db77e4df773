/** A plain+v0 bundle: a flat directory of manifests that are applied as they are. */
import { quoted } from '../fbc/go-text.ts';
import type { PackageFiles } from '../package/package.ts';
import { isBuiltInGroup } from './built-in-groups.ts';
import type { Conversion } from './conversion.ts';
import { groupOf, kindOf, mapAt, nameOf, textAt, type Manifest, type Problem } from './manifest.ts';
import { withoutTwins } from './object-order.ts';
import { filesBelow, readManifests } from './read-manifests.ts';
import { isCrd, nested, type Reading } from './registry-bundle.ts';

/** The manifests of a plain bundle. */
export function readPlainBundle(files: PackageFiles): Reading<readonly Manifest[]> {
  const inside = filesBelow(files, 'manifests');
  if (inside.size === 0) return { problems: [{ message: 'readdir manifests: file does not exist' }] };
  const { manifests, problems } = readManifests(inside);
  const wrong = [...nested(inside), ...problems];
  if (wrong.length > 0) return { problems: wrong };
  if (manifests.length > 0) return { value: manifests.map(({ manifest }) => manifest) };
  const message = 'found zero objects: plain+v0 bundles are required to contain at least one object';
  return { problems: [{ message }] };
}

/**
 * What keeps the objects from being applied together. A cluster refuses a resource whose API is not there yet, even
 * where its CRD is in the same bundle; `known` has the APIs that are, as `group/Kind`.
 */
export function plainProblems(objects: readonly Manifest[], known: ReadonlySet<string>): readonly Problem[] {
  const unknown = objects.filter((object) => !isBuiltInGroup(groupOf(object)) && !known.has(apiOf(object)));
  return unknown.map((object) => ({
    message: `resource mapping not found for name: ${quoted(nameOf(object))}: no matches for kind ${quoted(kindOf(object))} in version ${quoted(textAt(object, 'apiVersion'))}: ensure CRDs are installed first`,
  }));
}

function apiOf(object: Manifest): string {
  return `${groupOf(object)}/${kindOf(object)}`;
}

/** The objects in the order in which they are to be applied. */
export function convertPlain(objects: readonly Manifest[], known: ReadonlySet<string>): Conversion {
  const problems = plainProblems(objects, known);
  if (problems.length > 0) return { refused: problems.map(({ message }) => message) };
  const { objects: ordered, twins } = withoutTwins(objects);
  if (twins.length > 0) return { refused: twins.map((twin) => `two different objects would be ${twin}`) };
  const defined = new Set(objects.filter(isCrd).map(definedApi));
  const early = ordered.filter((object) => defined.has(apiOf(object)));
  const notes = early.map(
    (object) => `${kindOf(object)} ${nameOf(object)} comes after its CRD, and has to wait for it`,
  );
  return { objects: ordered, notes };
}

function definedApi(crd: Manifest): string {
  const spec = mapAt(crd, 'spec');
  return `${textAt(spec, 'group')}/${textAt(mapAt(spec, 'names'), 'kind')}`;
}
