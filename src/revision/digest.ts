/**
 * The chain of custody as digests. What was checked is what was approved is what is merged is what is tagged:
 * whoever compares these values cannot be fooled by a push in between.
 */
import { createHash } from 'node:crypto';

import { PorticoError } from '../error.ts';

/** `sha256:` and 64 hexadecimal digits. */
export type Digest = string;

/** Everything that an approval is about. A pure rebase leaves all of it as it was. */
export interface ContentIdentity {
  /** The branch it would be merged into: an approval for one branch is none for another. */
  readonly branch: string;
  /** Packages that the proposal touches, by path in the repository; null where it removes the package. */
  readonly packages: readonly {
    readonly path: string;
    readonly renderedTree: string | null;
    /**
     * What the proposal makes that of, where it is one: the tree at the merge base. When another proposal is merged that
     * has a commit in common, the same content changes more than its reviewers were shown.
     */
    readonly baseTree?: string | null;
  }[];
  /** Changed files that belong to no package. */
  readonly otherFiles: readonly OtherFile[];
  /** Digest of the guardrail configuration, see `guardrailDigest`. */
  readonly guardrails: Digest;
  /** Function name → version or image digest that ran. */
  readonly functions: Readonly<Record<string, string>>;
  /** What of the configuration becomes weaker, as field, before and after; absent where nothing does. */
  readonly weakening?: readonly (readonly string[])[];
}

/** A changed file that belongs to no package. */
export interface OtherFile {
  readonly path: string;
  /** Git's id of it at the head; null where it is removed. */
  readonly blob: string | null;
  /** Git's mode of it there, where it is no ordinary file: a link and a program do other things with the same text. */
  readonly mode?: string;
  /** Git's id of it at the merge base; absent where it is new. The same content takes back more where the base moved on. */
  readonly baseBlob?: string;
}

/** Git's mode of an ordinary file. */
const ORDINARY = '100644';

/** One as git tells that it changed. */
export function otherFile({
  path,
  before,
  after,
}: {
  readonly path: string;
  readonly before: { readonly id: string } | null;
  readonly after: { readonly mode: string; readonly id: string } | null;
}): OtherFile {
  return {
    path,
    blob: after?.id ?? null,
    ...(after !== null && after.mode !== ORDINARY && { mode: after.mode }),
    ...(before !== null && { baseBlob: before.id }),
  };
}

/** What an approval is bound to. Independent of the order of packages and files. */
export function contentDigest(identity: ContentIdentity): Digest {
  return digestOf('portico content 1', {
    branch: identity.branch,
    packages: byPath(identity.packages.map(({ path, renderedTree }) => [path, renderedTree])),
    bases: byPath(
      identity.packages.flatMap(({ path, baseTree }) =>
        baseTree === undefined ? [] : [[path, baseTree] as const],
      ),
    ),
    otherFiles: byPath(
      identity.otherFiles.map(({ path, blob, mode, baseBlob }) => [
        path,
        blob,
        ...(mode === undefined ? [] : [{ mode }]),
        ...(baseBlob === undefined ? [] : [{ baseBlob }]),
      ]),
    ),
    guardrails: identity.guardrails,
    functions: identity.functions,
    ...(identity.weakening && { weakening: identity.weakening }),
  });
}

/** Digest of any JSON value; `purpose` keeps digests of different things apart. @throws PorticoError NOT_JSON */
export function digestOf(purpose: string, value: unknown): Digest {
  return `sha256:${createHash('sha256')
    .update(`${purpose}\n${canonicalJson(value)}`)
    .digest('hex')}`;
}

/** Twelve digits, for people. Never compare these. */
export function shortDigest(digest: Digest): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}

/**
 * JSON with sorted keys and no spaces: equal values give equal text. Absent (`undefined`) fields are left out.
 *
 * @throws PorticoError NOT_JSON for functions, symbols, bigints, and numbers that are not finite.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
    return `{${fields.join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw notJson(String(value));
  const text: string | undefined = typeof value === 'bigint' ? undefined : JSON.stringify(value);
  if (text === undefined) throw notJson(typeof value);
  return text;
}

function byPath<Entry extends readonly [string, ...unknown[]]>(entries: readonly Entry[]): readonly Entry[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function notJson(what: string): PorticoError {
  return new PorticoError('NOT_JSON', `${what} has no JSON form`, { blame: 'bug' });
}

/** The SHA-256 of a file, as people write it: 64 lower-case hexadecimal digits. */
export function fileDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
