/** Which built-in function an image means. */
import type { BuiltinVersion } from './builtin/builtin-function.ts';
import type { ReadEach } from './builtin/each.ts';
import type { Builtin } from './builtin/krm.ts';
import { BUILTINS } from './builtin/table.ts';
import { isCatalog, parseImage, pickVersion } from './image.ts';
import type { KnownVersion } from './image.ts';

const BY_NAME: ReadonlyMap<string, readonly BuiltinVersion[]> = new Map(
  BUILTINS.map(({ name, versions }) => [name, versions]),
);

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
  /** The function is built in, and the image names other content by its digest. */
  | { readonly found: 'digest'; readonly name: string }
  | { readonly found: 'nothing' };

/** Looks an image up; `tag` is the Kptfile's field of that name, which wins over the image's own. */
export function lookUp(image: string, tag?: string): Lookup {
  const parsed = parseImage(image);
  const special = parsed.prefix === 'builtins' ? `builtins/${parsed.name}` : parsed.name;
  const versions = BY_NAME.get(special);
  if (versions === undefined || (!isCatalog(parsed) && parsed.prefix !== 'builtins'))
    return { found: 'nothing' };
  // A digest names exact content, and a built-in function is not that content, whatever the tag before it says.
  if (parsed.digest !== undefined) return { found: 'digest', name: special };
  const picked = pickVersion(tag ?? parsed.tag, versions);
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
  return new Map(BUILTINS.map(({ name, versions }) => [name, namesOf(versions)]));
}

/** The minor versions of a list, each once. */
export function namesOf(versions: readonly KnownVersion[]): string[] {
  return [...new Set(versions.map(textOf))];
}
