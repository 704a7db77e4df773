/** What a program of a pipeline is shown of the machine. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { View } from './bubblewrap.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that a program gets; more are named in PORTICO_EXEC_ENV. */
const PASSED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];

/** The environment of programs: a few variables and those that PORTICO_EXEC_ENV names, with commas between them. */
export function execEnvironment(host: Variables): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...PASSED, ...(host['PORTICO_EXEC_ENV'] ?? '').split(',')]) {
    const value = host[name.trim()];
    if (value !== undefined) env[name.trim()] = value;
  }
  return env;
}

/** The file that a command's first word names, found as a shell finds it; undefined where there is none. */
export function findProgram(word: string, cwd: string, path: string): string | undefined {
  const places = word.includes('/') ? [resolve(cwd, word)] : pathPlaces(path).map((dir) => join(dir, word));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

/**
 * The view of one command: the program itself, the directories of PATH with the libraries beside them, files of the
 * working directory that an argument names, and what PORTICO_EXEC_READ lists. Nothing else of the user's files.
 */
export function execView(program: string, args: readonly string[], cwd: string, host: Variables): View {
  const env = execEnvironment(host);
  const chosen = (host['PORTICO_EXEC_READ'] ?? '').split(delimiter).filter(isAbsolute);
  const wanted = [
    ...pathPlaces(env['PATH'] ?? '')
      .filter(isNarrow)
      .flatMap(withLibraries),
    program,
    ...args.flatMap((word) => fileInside(cwd, word) ?? []),
    ...chosen,
  ];
  const found = wanted.filter((path) => existsSync(path) && !isSystem(path));
  const real = found.map((path) => realpathSync(path)).filter((path) => !isSystem(path));
  return { readable: [...new Set([...found, ...real])], cwd, env };
}

function pathPlaces(path: string): string[] {
  return path.split(delimiter).filter(isAbsolute);
}

/** A PATH that names the root or somebody's whole home must not show it. */
function isNarrow(place: string): boolean {
  const home = homedir();
  return place !== '/' && place !== home && !home.startsWith(place.endsWith(sep) ? place : `${place}${sep}`);
}

/** An interpreter in X/bin needs X/lib; a version manager's X/shims needs X. */
function withLibraries(place: string): string[] {
  const above = dirname(place);
  if (basename(place) === 'shims' && isNarrow(above)) return [above];
  if (basename(place) !== 'bin') return [place];
  return [place, join(above, 'lib'), join(above, 'lib64'), join(above, 'pyvenv.cfg')];
}

function fileInside(cwd: string, word: string): string | undefined {
  const path = resolve(cwd, word);
  const inner = relative(cwd, path);
  if (inner === '' || inner.startsWith('..') || inner.split(sep).some((part) => part.startsWith('.')))
    return undefined;
  try {
    const inside = realpathSync(path).startsWith(`${realpathSync(cwd)}${sep}`);
    return inside && statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}

function isSystem(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store)(?:\/|$)/.test(path);
}
