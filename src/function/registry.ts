/** The table of built-in functions. A version that is not listed is another program and is never answered by a close one. */
import { applyReplacements } from './builtin/apply-replacements.ts';
import { applySetters } from './builtin/apply-setters.ts';
import { createSetters } from './builtin/create-setters.ts';
import { deleteAnnotations } from './builtin/delete-annotations.ts';
import { ensureNameSubstring, ensureNameSubstringOld } from './builtin/ensure-name-substring.ts';
import { genPkgContext } from './builtin/gen-pkg-context.ts';
import type { Builtin } from './builtin/krm.ts';
import { listSetters } from './builtin/list-setters.ts';
import { noOp } from './builtin/no-op.ts';
import { removeLocalConfigResources } from './builtin/remove-local-config-resources.ts';
import { searchReplace } from './builtin/search-replace.ts';
import { setAnnotations } from './builtin/set-annotations.ts';
import { setEnforcementAction } from './builtin/set-enforcement-action.ts';
import { setImageOld } from './builtin/set-image-v0.1.1.ts';
import { setImage } from './builtin/set-image.ts';
import { setLabelsOld } from './builtin/set-labels-v0.1.ts';
import { setLabels } from './builtin/set-labels.ts';
import { setNamespaceOld } from './builtin/set-namespace-v0.1.ts';
import { setNamespaceOfOne } from './builtin/set-namespace-v0.3.ts';
import { setNamespace } from './builtin/set-namespace.ts';
import { upsertResource } from './builtin/upsert-resource.ts';
import { isCatalog, parseImage, pickVersion } from './image.ts';
import type { KnownVersion } from './image.ts';

interface BuiltinVersion extends KnownVersion {
  readonly run: Builtin;
}

// Large ones are loaded when a package asks for them: most of a short run is loading code.
const kubeconform: Builtin = async (input) => (await import('./builtin/kubeconform.ts')).kubeconform(input);
const starlark: Builtin = async (input) => (await import('./builtin/starlark.ts')).starlark(input);

const BUILTINS: Readonly<Record<string, readonly BuiltinVersion[]>> = {
  'apply-replacements': [{ major: 0, minor: 1, patch: 9, run: applyReplacements }],
  'apply-setters': [
    { major: 0, minor: 1, patch: 9, run: applySetters },
    { major: 0, minor: 2, patch: 9, run: applySetters },
  ],
  'create-setters': [{ major: 0, minor: 1, patch: 9, run: createSetters }],
  'delete-annotations': [{ major: 0, minor: 1, patch: 9, run: deleteAnnotations }],
  'ensure-name-substring': [
    { major: 0, minor: 1, patch: 9, run: ensureNameSubstringOld },
    { major: 0, minor: 2, patch: 9, run: ensureNameSubstring },
  ],
  'builtins/gen-pkg-context': [{ major: 0, minor: 1, patch: 0, run: genPkgContext }],
  kubeconform: [{ major: 0, minor: 1, patch: 9, run: kubeconform }],
  'list-setters': [{ major: 0, minor: 1, patch: 9, run: listSetters }],
  'no-op': [{ major: 0, minor: 1, patch: 9, run: noOp }],
  'remove-local-config-resources': [{ major: 0, minor: 1, patch: 9, run: removeLocalConfigResources }],
  'search-replace': [{ major: 0, minor: 2, patch: 9, run: searchReplace }],
  'set-annotations': [{ major: 0, minor: 1, patch: 9, run: setAnnotations }],
  'set-enforcement-action': [{ major: 0, minor: 1, patch: 9, run: setEnforcementAction }],
  // Up to v0.1.1 it was another program: other results, init containers forgotten.
  'set-image': [
    { major: 0, minor: 1, patch: 1, run: setImageOld },
    { major: 0, minor: 1, since: 2, patch: 9, run: setImage },
  ],
  'set-labels': [
    { major: 0, minor: 1, patch: 9, run: setLabelsOld },
    { major: 0, minor: 2, patch: 5, run: setLabels },
  ],
  'set-namespace': [
    { major: 0, minor: 1, patch: 9, run: setNamespaceOld },
    { major: 0, minor: 2, patch: 9, run: setNamespaceOld },
    { major: 0, minor: 3, patch: 9, run: setNamespaceOfOne },
    { major: 0, minor: 4, patch: 5, run: setNamespace },
  ],
  starlark: [
    { major: 0, minor: 3, patch: 9, run: starlark },
    { major: 0, minor: 4, patch: 9, run: starlark },
    { major: 0, minor: 5, patch: 9, run: starlark },
  ],
  'upsert-resource': [{ major: 0, minor: 2, patch: 9, run: upsertResource }],
};

/** What the table says about an image. */
export type Lookup =
  | { readonly found: 'builtin'; readonly name: string; readonly version: string; readonly run: Builtin }
  /** The function is built in, this version of it is not. */
  | { readonly found: 'version'; readonly name: string; readonly known: readonly string[] }
  | { readonly found: 'nothing' };

/** Looks an image up; `tag` is the Kptfile's field of that name, which wins over the image's own. */
export function lookUp(image: string, tag?: string): Lookup {
  const parsed = parseImage(image);
  const special = parsed.prefix === 'builtins' ? `builtins/${parsed.name}` : parsed.name;
  const versions = Object.hasOwn(BUILTINS, special) ? BUILTINS[special] : undefined;
  if (versions === undefined || (!isCatalog(parsed) && parsed.prefix !== 'builtins'))
    return { found: 'nothing' };
  const wanted = tag ?? parsed.tag;
  // A digest without a tag says nothing about the version.
  const picked =
    parsed.digest !== undefined && wanted === undefined ? undefined : pickVersion(wanted, versions);
  const version = versions.find((one) => one === picked);
  if (version === undefined) return { found: 'version', name: special, known: namesOf(versions) };
  return { found: 'builtin', name: special, version: textOf(version), run: version.run };
}

function textOf(version: KnownVersion): string {
  return `v${version.major}.${version.minor}`;
}

/** The built-in functions by name, each with its minor versions, oldest first. */
export function builtinFunctions(): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(BUILTINS).map(([name, versions]) => [name, namesOf(versions)]));
}

function namesOf(versions: readonly KnownVersion[]): string[] {
  return [...new Set(versions.map(textOf))];
}
