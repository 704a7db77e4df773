/** What `portico diff` compares: directories, revisions in a clone, or a package with its upstream. */
import { existsSync } from 'node:fs';

import type { Side, Sides } from './diff-side.ts';
import { usageError } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { placeIn, type Call } from './verb.ts';

/**
 * The states to compare; two pairs only for `--diff-type 3way`. Two arguments are directories or `PATH@REVISION`; one with two
 * dots is a range of revisions; one or none is a package that is compared with its upstream. Throws `CLI_USAGE`, and what
 * reading them throws.
 */
export async function sidesOf(call: Call): Promise<readonly Sides[]> {
  const [first = '.', second] = call.positionals;
  if (second !== undefined) {
    refuseType(call, 'two packages');
    return [{ before: await sideOf(call, first), after: await sideOf(call, second) }];
  }
  const range = existsSync(call.path(first)) ? undefined : rangeOf(first);
  if (range !== undefined) {
    refuseType(call, 'a range of revisions');
    const { path, from, to } = range;
    const before = await revisionOf(call, path, from);
    return [{ before, after: to === '' ? folderSide(call, path) : await revisionOf(call, path, to) }];
  }
  const { upstreamSides } = await import('./diff-upstream.ts');
  return upstreamSides(call, first);
}

/** Reads `[PATH@]FROM..[TO]`, where three dots mean two. */
function rangeOf(typed: string): { path: string; from: string; to: string } | undefined {
  const {
    path = '.',
    from,
    to = '',
  } = /^(?:(?<path>[^@]*)@)?(?<from>[^@.](?:[^@.]|\.(?!\.))*)\.{2,3}(?<to>(?!\.)[^@]*)$/.exec(typed)
    ?.groups ?? {};
  return from === undefined ? undefined : { path, from, to };
}

async function sideOf(call: Call, typed: string): Promise<Side> {
  const at = typed.lastIndexOf('@');
  if (at === -1 || existsSync(call.path(typed))) return folderSide(call, typed);
  const ref = typed.slice(at + 1);
  if (ref === '') throw usageError(`${typed} has no revision`, 'Write PATH@REVISION, such as ./web@v4.');
  return revisionOf(call, typed.slice(0, at) || '.', ref);
}

function folderSide(call: Call, typed: string): Side {
  const directory = call.path(typed);
  const files = readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  return { name: typed, files };
}

async function revisionOf(call: Call, path: string, ref: string): Promise<Side> {
  const { readRevision } = await import('./diff-revision.ts');
  call.terminal.progress(`reading ${path}@${ref}`);
  const files = await readRevision(call.path(path), ref, call.signal);
  return { name: path === '.' ? ref : `${path}@${ref}`, files };
}

function refuseType(call: Call, what: string): void {
  if (call.has('diff-type'))
    throw usageError(`--diff-type is not for ${what}`, 'It compares one package with its upstream.');
}
