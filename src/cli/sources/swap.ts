/**
 * A package goes from one state to the next as a whole. Everything new is written beside its place; a journal says that it
 * is all there, and from then on the next run finishes what was cut off. Before that, nothing has changed.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import { checkPackage, pathProblem } from '../../package/limits.ts';
import { sameFile, type PackageFiles } from '../../package/package.ts';
import { SOURCES_LOCK_FILE } from '../../package/sources/source-files.ts';
import { refuseLinks, statOf } from '../folder-write.ts';
import { reasonOf } from '../system-error.ts';

/** Beside the Kptfile; what is in it is no part of the package. */
const STAGED = '.portico-sync';
const JOURNAL = 'journal.json';
const OWNER = 'owner';

const safePath = z.string().refine((path) => pathProblem(path) === undefined);
const journalSchema = z.strictObject({ put: z.array(safePath), gone: z.array(safePath) });
type Journal = z.output<typeof journalSchema>;

/** Whether a path lies in what is staged. */
export function isStaged(path: string): boolean {
  return path === STAGED || path.startsWith(`${STAGED}/`);
}

/** True where a run was cut off and its files are in part of the new state. */
export function isCutOff(directory: string): boolean {
  return existsSync(join(directory, STAGED, JOURNAL));
}

/**
 * Finishes what was cut off once it was decided, and clears away what was not. True where something was finished. Throws
 * `SOURCES_BUSY` where another process is at it.
 */
export function finishCutOff(directory: string): boolean {
  const staged = join(directory, STAGED);
  if (lstatSync(staged, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  if (ownerLives(staged)) {
    throw new PorticoError('SOURCES_BUSY', `another portico sources sync is running in ${directory}`, {
      blame: 'user',
      hint: `Wait for it. If none is running, remove ${STAGED}.`,
    });
  }
  const journal = readJournal(staged);
  if (journal !== undefined) attempt(directory, () => apply(directory, journal));
  rmSync(staged, { recursive: true, force: true });
  return journal !== undefined;
}

/**
 * Brings a directory from one state to the next; nothing that is in both is touched. Throws `PACKAGE_PATH`, `PACKAGE_LIMIT`,
 * `PACKAGE_NOT_WRITTEN` and `SOURCES_BUSY`.
 */
export function swap(directory: string, before: PackageFiles, after: PackageFiles): void {
  const put = [...after].filter(([path, file]) => !sameFile(before.get(path), file)).map(([path]) => path);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  if (put.length === 0 && gone.length === 0) return;
  checkPackage(after, directory);
  const walked = new Set<string>();
  for (const path of [...put, ...gone]) refuseLinks(directory, path, walked);
  finishCutOff(directory);
  // The lock comes last: until then a check says that something is amiss.
  const journal = {
    put: put.toSorted((a, b) => Number(a === SOURCES_LOCK_FILE) - Number(b === SOURCES_LOCK_FILE)),
    gone,
  };
  attempt(directory, () => {
    stage(directory, journal, after);
    apply(directory, journal);
  });
  rmSync(join(directory, STAGED), { recursive: true, force: true });
}

function stage(directory: string, journal: Journal, after: PackageFiles): void {
  const staged = join(directory, STAGED);
  mkdirSync(staged);
  try {
    writeFileSync(join(staged, OWNER), String(process.pid));
    for (const [at, path] of journal.put.entries()) {
      const { bytes = new Uint8Array(), mode } = after.get(path) ?? {};
      writeFileSync(join(staged, String(at)), bytes, { mode: mode === '100755' ? 0o777 : 0o666, flag: 'wx' });
    }
    writeFileSync(join(staged, `${JOURNAL}.new`), JSON.stringify(journal));
    renameSync(join(staged, `${JOURNAL}.new`), join(staged, JOURNAL));
  } catch (error) {
    rmSync(staged, { recursive: true, force: true });
    throw error;
  }
}

/** Does what is left of it: a file that is no longer staged is in its place already. */
function apply(directory: string, { put, gone }: Journal): void {
  const walked = new Set<string>();
  for (const path of [...put, ...gone]) refuseLinks(directory, path, walked);
  for (const path of gone) {
    if (statOf(join(directory, path))?.isFile() === true) unlinkSync(join(directory, path));
    removeEmptied(directory, dirname(path));
  }
  for (const [at, path] of put.entries()) {
    const from = join(directory, STAGED, String(at));
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    renameSync(from, join(directory, path));
  }
}

function removeEmptied(directory: string, below: string): void {
  if (below === '.') return;
  const emptied = join(directory, below);
  const found = statOf(emptied);
  if (found?.isDirectory() === true) {
    if (readdirSync(emptied).length > 0) return;
    rmdirSync(emptied);
  }
  // What is above it may have been left by a run that was cut off.
  removeEmptied(directory, dirname(below));
}

function readJournal(staged: string): Journal | undefined {
  const file = join(staged, JOURNAL);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  let written: unknown;
  try {
    written = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    written = undefined;
  }
  const read = journalSchema.safeParse(written);
  if (read.success) return read.data;
  throw new PorticoError('PACKAGE_NOT_WRITTEN', `${file} is not the journal of a sync`, {
    blame: 'user',
    hint: `Remove ${staged} and restore the package from git.`,
  });
}

function ownerLives(staged: string): boolean {
  const file = join(staged, OWNER);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const pid = Number(readFileSync(file, 'utf8'));
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function attempt(directory: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (cause instanceof PorticoError) throw cause;
    throw new PorticoError('PACKAGE_NOT_WRITTEN', `${directory} could not be written: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Check permissions and free space, then try again; the next run completes the interrupted one.',
    });
  }
}
