/**
 * Whoever proposes a package writes its lock. What a lock pins has to be what the source's own repository has under that
 * name: otherwise it would pass off content of somebody else as content of the source.
 */
import { PorticoError } from '../error.ts';
import { isOid } from '../git/safe-name.ts';
import { insideHostFor, type InsideHost } from '../network/inside-host.ts';
import type { SourcePlace } from '../sources/source.ts';
import { splitDigest, type Pin } from './pin.ts';

/** What a repository says of one version of a chart. */
export interface KnownChart {
  readonly version: string;
  readonly url: URL;
  readonly digest?: string;
}

/** The address of a pinned chart, as the repository has it: it has that version with that digest, or at that address. Throws `SOURCE_CHANGED`. */
export function checkedChart(chart: string, { resolved, version }: Pin, known: KnownChart): URL {
  const { address, digest } = splitDigest(resolved);
  const isThat = known.digest === undefined ? known.url.href === address : known.digest === digest;
  if (isThat && (version === undefined || known.version === version)) return known.url;
  const held = known.digest === undefined ? known.url.href : `${known.url.href}@${known.digest}`;
  throw changed(
    `the lock pins ${chart} ${version ?? ''} to ${resolved}, and its repository has ${known.version} at ${held}`,
  );
}

/**
 * Throws `SOURCE_CHANGED` for a commit that stands for a tag and is not the tag's: hosts give out commits of anybody's fork
 * under the address of the repository. A commit of a branch is believed, because nothing but its history could tell.
 */
export async function checkCommit(
  place: Extract<SourcePlace, { kind: 'git' | 'package' }>,
  { commit, version }: { readonly commit: string; readonly version?: string | undefined },
  commitOfTag: (tag: string) => Promise<string | undefined>,
): Promise<void> {
  const ref = place.kind === 'git' ? place.ref : undefined;
  const pinned = `the lock pins ${place.repo}@${commit}`;
  if (ref !== undefined && isOid(ref)) {
    if (ref !== commit) throw changed(`${pinned}, and the source is ${ref}`);
    return;
  }
  const needsTag = place.kind === 'package' || place.semver !== undefined;
  const name = needsTag ? (version ?? '') : ref;
  if (name === undefined) return;
  const tag = `refs/tags/${place.kind === 'package' ? `${place.path}/` : ''}${name}`;
  const known = await commitOfTag(tag);
  if (known === commit || (known === undefined && !needsTag)) return;
  throw changed(`${pinned}, and ${known === undefined ? `there is no ${tag}` : `${tag} is ${known}`}`);
}

/** Throws `ADDRESS_REFUSED` where an index outside leads inside, even to a host that may be reached: its publisher may name none. */
export function refuseInside(inside: readonly InsideHost[], index: URL, url: URL): void {
  if (insideHostFor(inside, index) !== undefined || insideHostFor(inside, url) === undefined) return;
  throw new PorticoError(
    'ADDRESS_REFUSED',
    `the index at ${index.host} leads to ${url.host}, in an internal network`,
    {
      blame: 'user',
      hint: 'Name the chart under an address inside as a source of its own, if it is meant to come from there.',
    },
  );
}

function changed(message: string): PorticoError {
  return new PorticoError('SOURCE_CHANGED', message, {
    blame: 'user',
    hint: 'Nothing was used. Ask the publisher why it changed, then resolve it again with --update.',
  });
}
