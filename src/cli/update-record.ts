/**
 * The last update of a package that ended with conflicts, so that they can be settled after it was written. The record
 * stands in the git directory, or without git in the user's state directory; what it was made of is in it, so that the same
 * merge can be made again with other decisions.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import { PorticoError } from '../error.ts';
import { readKptfile } from '../package/kptfile.ts';
import { contentAt } from '../package/merge/conflict-place.ts';
import type { Choice, Conflict, Side } from '../package/merge/conflict.ts';
import type { UpdateStrategy } from '../package/merge/merge-types.ts';
import { settleConflicts } from '../package/merge/settle.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import type { Update } from './merged-update.ts';
import type { SavedState } from './saved-state.ts';
import { reasonOf } from './system-error.ts';
import type { ResolvedRef, UpstreamPackage, UpstreamReader } from './user-git.ts';

type Decisions = ReadonlyMap<string, Choice>;

/** What an update was asked for, without decisions. */
export interface UpdateRequest {
  readonly directory: string;
  readonly ref: string | undefined;
  readonly strategy: UpdateStrategy | undefined;
  readonly onConflict: Side;
}

/** An update that can be made again. */
export interface MadeUpdate {
  readonly request: UpdateRequest;
  readonly local: PackageFiles;
  /** The two other directories; undefined where git answered. */
  readonly sides?: { readonly base: PackageFiles; readonly upstream: PackageFiles };
  readonly git: GitAnswers;
  readonly decisions: Decisions;
  /** Ids of all of its conflicts, settled ones included. */
  readonly ids: readonly string[];
}

/** What git answered, by the question. */
export interface GitAnswers {
  readonly resolved: Map<string, ResolvedRef>;
  readonly packages: Map<string, UpstreamPackage>;
}

export function noAnswers(): GitAnswers {
  return { resolved: new Map(), packages: new Map() };
}

const keyOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

/** Remembers what git answers. */
export function recorded(git: UpstreamReader, answers: GitAnswers): typeof git {
  return {
    fetch: git.fetch,
    resolve: async (repo, directory, ref) => {
      const answer = await git.resolve(repo, directory, ref);
      answers.resolved.set(keyOf(repo, directory, ref), answer);
      return answer;
    },
    read: async (repo, directory, id) => {
      const answer = await git.read(repo, directory, id);
      answers.packages.set(keyOf(repo, directory, id), answer);
      return answer;
    },
  };
}

/** Answers as git did then. */
export function replayed({ resolved, packages }: GitAnswers): UpstreamReader {
  return {
    fetch: async () => {},
    resolve: async (...asked) => known(resolved.get(keyOf(...asked))),
    read: async (...asked) => known(packages.get(keyOf(...asked))),
  };
}

function known<Answer>(answer: Answer | undefined): Answer {
  if (answer !== undefined) return answer;
  throw new PorticoError('UPDATE_RECORD', 'the record of the last update does not hold what it was made of', {
    blame: 'user',
    hint: 'Edit the fields by hand, or take the package back and update it again.',
  });
}

/** Keeps the record of an update, or removes the one before where there is nothing to settle. */
export function keepRecord(state: SavedState, made: MadeUpdate | undefined): void {
  const path = state.place('update');
  if (made === undefined) return rmSync(path, { force: true });
  const { request, local, sides, git, decisions, ids } = made;
  const text = JSON.stringify({
    version: 1,
    request,
    local: listed(local),
    ...(sides && { sides: { base: listed(sides.base), upstream: listed(sides.upstream) } }),
    resolved: [...git.resolved],
    packages: [...git.packages].map(([key, one]) => [key, { ...one, files: listed(one.files) }]),
    decisions: [...decisions],
    ids,
  });
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gzipSync(text), { mode: 0o600 });
  } catch (cause) {
    throw new PorticoError(
      'PACKAGE_NOT_WRITTEN',
      `the record of the conflicts could not be written: ${reasonOf(cause)}`,
      {
        blame: 'user',
        cause,
        hint: 'Nothing was written. Set XDG_STATE_HOME to a directory that you may write to.',
      },
    );
  }
}

type ListedFiles = readonly (readonly [path: string, mode: PackageFile['mode'], content: string])[];

function listed(files: PackageFiles): ListedFiles {
  return [...files].map(([path, { mode, bytes }]) => [path, mode, Buffer.from(bytes).toString('base64')]);
}

function filesOf(list: ListedFiles): PackageFiles {
  return new Map(
    list.map(([path, mode, content]) => [path, { mode, bytes: Buffer.from(content, 'base64') }]),
  );
}

/** The record of a package; undefined where there is none, or an older or newer Portico wrote it. */
export function readRecord(state: SavedState): MadeUpdate | undefined {
  let text: string;
  try {
    text = gunzipSync(readFileSync(state.place('update'))).toString();
  } catch {
    return undefined;
  }
  // Portico wrote it, in a directory of the user alone.
  const read = JSON.parse(text) as {
    version: number;
    request: UpdateRequest;
    local: ListedFiles;
    sides?: { base: ListedFiles; upstream: ListedFiles };
    resolved: [string, ResolvedRef][];
    packages: [string, Omit<UpstreamPackage, 'files'> & { files: ListedFiles }][];
    decisions: [string, Choice][];
    ids: string[];
  };
  if (read.version !== 1) return undefined;
  const { request, local, sides, resolved, packages, decisions, ids } = read;
  const answers = packages.map(([key, one]) => [key, { ...one, files: filesOf(one.files) }] as const);
  return {
    request,
    local: filesOf(local),
    ...(sides && { sides: { base: filesOf(sides.base), upstream: filesOf(sides.upstream) } }),
    git: { resolved: new Map(resolved), packages: new Map(answers) },
    decisions: new Map(decisions),
    ids,
  };
}

/** Makes an update, as often as it is asked for. */
export type Remake = (made: MadeUpdate, decisions: Decisions) => Promise<Update>;

/**
 * The package with these conflicts of the last update settled, and what is open still; undefined where the package was
 * updated since. An edit of a conflict's place settles it. Throws `UPDATE_RECORD` where an edit meets a decision, and for `both` where
 * a conflict does not offer it.
 */
export async function settledSince(
  made: MadeUpdate,
  current: PackageFiles,
  decisions: Decisions,
  remake: Remake,
): Promise<{ readonly update: Update; readonly made: MadeUpdate } | undefined> {
  const before = await remake(made, made.decisions);
  if (lockOf(before.files) !== lockOf(current)) return undefined;
  const all: Decisions = new Map([...made.decisions, ...decisions]);
  const after = await remake(made, all);
  requireBoth(after);
  const settled = settleConflicts({ before: before.files, after: after.files, current });
  const [met] = settled.conflicts;
  if (met !== undefined) {
    const place = `${met.file}${met.path === '' ? '' : ` ${met.path}`}`;
    throw new PorticoError('UPDATE_RECORD', `${place} was edited since the update`, {
      blame: 'user',
      hint: 'Nothing was written. An edit settles its conflict; change the field by hand.',
    });
  }
  const open = after.conflicts.filter((one) => isOpen(one, after.files, settled.files));
  const update = { ...after, files: settled.files, conflicts: open, notes: [] };
  return { update, made: { ...made, decisions: all } };
}

/** Throws `UPDATE_RECORD` where a conflict that does not offer it was settled for both. */
export function requireBoth({ conflicts, strayDecisions }: Update): void {
  const one = conflicts.find(({ id }) => strayDecisions.includes(id));
  if (one === undefined) return;
  throw new PorticoError(
    'UPDATE_RECORD',
    `--resolve ${one.id}=both: ${one.path || one.file} cannot keep both`,
    {
      blame: 'user',
      hint: 'Nothing was written. Both is for places of a list or text to which both sides only added; choose upstream or local.',
    },
  );
}

function isOpen(conflict: Conflict, merged: PackageFiles, now: PackageFiles): boolean {
  return contentAt(merged, conflict) === contentAt(now, conflict);
}

function lockOf(files: PackageFiles): string {
  const file = files.get('Kptfile');
  return file === undefined ? '' : JSON.stringify(readKptfile(file.bytes).kptfile.upstreamLock ?? null);
}
