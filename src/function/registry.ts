/** The table of built-in functions. A version that is not listed is another program and is never answered by a close one. */
import type { Builtin } from './builtin/krm.ts';
import { setAnnotations } from './builtin/set-annotations.ts';
import { setLabels } from './builtin/set-labels.ts';
import { setNamespace } from './builtin/set-namespace.ts';
import { isCatalog, parseImage, pickVersion } from './image.ts';
import type { KnownVersion } from './image.ts';

export interface BuiltinVersion extends KnownVersion {
  readonly run: Builtin;
}

const BUILTINS: Readonly<Record<string, readonly BuiltinVersion[]>> = {
  'set-annotations': [{ major: 0, minor: 1, patch: 9, run: setAnnotations }],
  'set-labels': [{ major: 0, minor: 2, patch: 9, run: setLabels }],
  'set-namespace': [{ major: 0, minor: 4, patch: 9, run: setNamespace }],
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
  const version = versions.find((one) => one.major === picked?.major && one.minor === picked.minor);
  if (version === undefined) return { found: 'version', name: special, known: versions.map(textOf) };
  return { found: 'builtin', name: special, version: textOf(version), run: version.run };
}

function textOf(version: KnownVersion): string {
  return `v${version.major}.${version.minor}`;
}
