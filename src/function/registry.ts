/** The table of built-in functions. A version that is not listed is another program and is never answered by a close one. */
import { applyReplacements } from './builtin/apply-replacements.ts';
import { applySetters, applySettersEach } from './builtin/apply-setters.ts';
import { createSetters } from './builtin/create-setters.ts';
import { deleteAnnotations } from './builtin/delete-annotations.ts';
import type { ReadEach } from './builtin/each.ts';
import {
  ensureNameSubstring,
  ensureNameSubstringOld,
  ensureNameSubstringUnstable,
} from './builtin/ensure-name-substring.ts';
import { genPkgContext } from './builtin/gen-pkg-context.ts';
import type { Builtin } from './builtin/krm.ts';
import { listSetters } from './builtin/list-setters.ts';
import { noOp, noOpEach } from './builtin/no-op.ts';
import { removeLocalConfigResources } from './builtin/remove-local-config-resources.ts';
import { searchReplace, searchReplaceEach } from './builtin/search-replace.ts';
import { setAnnotations, setAnnotationsEach } from './builtin/set-annotations.ts';
import { setEnforcementAction } from './builtin/set-enforcement-action.ts';
import { setImageOld } from './builtin/set-image-v0.1.1.ts';
import { setImage, setImageEach } from './builtin/set-image.ts';
import { setLabelsOld } from './builtin/set-labels-v0.1.ts';
import { setLabels, setLabelsEach } from './builtin/set-labels.ts';
import { setNamespaceOld } from './builtin/set-namespace-v0.1.ts';
import { setNamespaceOfOne } from './builtin/set-namespace-v0.3.ts';
import { setNamespace, setNamespaceEach } from './builtin/set-namespace.ts';
import { upsertResource } from './builtin/upsert-resource.ts';
import { isCatalog, parseImage, pickVersion } from './image.ts';
import type { KnownVersion } from './image.ts';

interface BuiltinVersion extends KnownVersion {
  readonly run: Builtin;
  /** The same for one resource at a time, where that can be. */
  readonly each?: ReadEach;
}

// Large ones are loaded when a package asks for them: most of a short run is loading code.
const kubeconform: Builtin = async (input) => (await import('./builtin/kubeconform.ts')).kubeconform(input);
const starlark: Builtin = async (input) => (await import('./builtin/starlark.ts')).starlark(input);

const BUILTINS: Readonly<Record<string, readonly BuiltinVersion[]>> = {
  'apply-replacements': [{ major: 0, minor: 1, patch: 9, run: applyReplacements }],
  'apply-setters': [
    { major: 0, minor: 1, patch: 9, run: applySetters },
    { major: 0, minor: 2, patch: 9, run: applySetters, each: applySettersEach },
  ],
  'create-setters': [{ major: 0, minor: 1, patch: 9, run: createSetters }],
  'delete-annotations': [{ major: 0, minor: 1, patch: 9, run: deleteAnnotations }],
  'ensure-name-substring': [
    { major: 0, minor: 1, patch: 9, run: ensureNameSubstringOld },
    { major: 0, minor: 2, patch: 9, run: ensureNameSubstring },
    { major: 0, minor: 2, patch: 9, unstable: true, run: ensureNameSubstringUnstable },
  ],
  'builtins/gen-pkg-context': [{ major: 0, minor: 1, patch: 0, run: genPkgContext }],
  kubeconform: [{ major: 0, minor: 1, patch: 9, run: kubeconform }],
  'list-setters': [{ major: 0, minor: 1, patch: 9, run: listSetters }],
  'no-op': [{ major: 0, minor: 1, patch: 9, run: noOp, each: noOpEach }],
  'remove-local-config-resources': [{ major: 0, minor: 1, patch: 9, run: removeLocalConfigResources }],
  'search-replace': [{ major: 0, minor: 2, patch: 9, run: searchReplace, each: searchReplaceEach }],
  'set-annotations': [{ major: 0, minor: 1, patch: 9, run: setAnnotations, each: setAnnotationsEach }],
  'set-enforcement-action': [{ major: 0, minor: 1, patch: 9, run: setEnforcementAction }],
  // Up to v0.1.1 it was another program: other results, init containers forgotten.
  'set-image': [
    { major: 0, minor: 1, patch: 1, run: setImageOld },
    { major: 0, minor: 1, since: 2, patch: 9, run: setImage, each: setImageEach },
  ],
  'set-labels': [
    { major: 0, minor: 1, patch: 9, run: setLabelsOld },
    { major: 0, minor: 2, patch: 5, run: setLabels, each: setLabelsEach },
  ],
  'set-namespace': [
    { major: 0, minor: 1, patch: 9, run: setNamespaceOld },
    { major: 0, minor: 2, patch: 9, run: setNamespaceOld },
    { major: 0, minor: 3, patch: 9, run: setNamespaceOfOne },
    { major: 0, minor: 4, patch: 5, run: setNamespace, each: setNamespaceEach },
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
  | {
      readonly found: 'builtin';
      readonly name: string;
      readonly version: string;
      readonly run: Builtin;
      readonly each?: ReadEach;
    }
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
  const { run, each } = version;
  return { found: 'builtin', name: special, version: textOf(version), run, ...(each && { each }) };
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
