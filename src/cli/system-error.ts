/** What the operating system refuses, in a sentence: nobody but the person at the terminal can do anything about it. */
import { isAbsolute, relative } from 'node:path';

import { SYSTEM_ERROR_CODES, type SystemErrorCode } from '../error-code.ts';
import { PorticoError } from '../error.ts';

type About = Readonly<Partial<Record<SystemErrorCode, readonly [message: string, hint: string]>>>;

/** What is wrong with a path, and what to do. */
const ABOUT_PATH: About = {
  ENOENT: ['PATH does not exist', 'Check the path.'],
  EACCES: ['you may not access PATH', 'Check the permissions, also of the directories above it.'],
  EPERM: ['you may not do that to PATH', 'Check its owner and its permissions.'],
  EEXIST: ['PATH already exists', 'Name another path, or remove it.'],
  EISDIR: ['PATH is a directory, but a file is needed', 'Name a file.'],
  ENOTDIR: [
    'PATH is not a directory, or is below a file',
    'Name a directory; every part of the path before the last must be a directory.',
  ],
  ENOTEMPTY: ['the directory PATH is not empty', 'Name a new or empty one.'],
  ELOOP: [
    'PATH is a symbolic link that may not be followed, or part of a link loop',
    'Name the target of the link.',
  ],
  ENAMETOOLONG: ['the name PATH is too long for this file system', 'Name a shorter path.'],
  ENOSPC: ['no space is left to write PATH', 'Free some space on that disk and try again.'],
  EDQUOT: ['your disk quota is used up, so PATH cannot be written', 'Free some space and try again.'],
  EROFS: ['PATH is on a read-only file system', 'Name a writable path.'],
  EBUSY: ['PATH is in use', 'Stop the program that uses it and try again.'],
  EFBIG: ['PATH is too large for this file system', 'Split it, or write it to another file system.'],
  EMFILE: ['too many files are open to open PATH', 'Raise the limit of open files (ulimit -n).'],
  ENFILE: ['too many files are open on this machine to open PATH', 'Try again later.'],
  EIO: ['reading or writing PATH failed on the disk', 'Check the system log.'],
};

/** The same for a network address. */
const ABOUT_ADDRESS: About = {
  EADDRINUSE: ['another program already listens on ADDRESS', 'Choose another port, or stop that program.'],
  EADDRNOTAVAIL: ['this machine does not have the address ADDRESS', 'Choose another one.'],
  EACCES: ['you may not listen on ADDRESS', 'Choose a port of 1024 or higher.'],
  ECONNREFUSED: ['nothing listens on ADDRESS', 'Start the program, or name another address.'],
};

/**
 * An error of a call of the operating system as one of ours; undefined for every other. Paths are told from `from`, where the
 * person stands.
 */
export function systemError(error: unknown, from: string): PorticoError | undefined {
  if (!(error instanceof Error)) return undefined;
  const {
    code: name,
    syscall,
    path,
    dest,
    address,
    port,
  } = error as NodeJS.ErrnoException & {
    readonly dest?: string;
    readonly address?: string;
    readonly port?: number;
  };
  const code = SYSTEM_ERROR_CODES.find((known) => known === name);
  if (syscall === undefined || code === undefined) return undefined;
  const made = ([message, hint]: readonly [string, string]): PorticoError =>
    new PorticoError(code, message, { blame: 'user', hint, cause: error });
  if (syscall.startsWith('spawn') && code === 'ENOENT') {
    return made([`the program ${path ?? ''} is not installed`, 'Install it, or add it to PATH.']);
  }
  if (syscall === 'uv_cwd') return made(['the current directory no longer exists', 'Change to another one.']);
  const place = [address, port].filter((part) => part !== undefined).join(':');
  const about = place === '' ? ABOUT_PATH[code] : ABOUT_ADDRESS[code];
  if (about === undefined) return undefined;
  const where = place === '' ? (code === 'EEXIST' ? (dest ?? path) : path) : place;
  const shown = place === '' ? fromHere(where ?? 'the file', from) : place;
  const [message, hint] = about;
  return made([message.replace(/PATH|ADDRESS/, () => shown), hint]);
}

/** Why something failed, in words. */
export function reasonOf(error: unknown): string {
  return systemError(error, '/')?.message ?? (error instanceof Error ? error.message : String(error));
}

/** A path as somebody who stands at `from` would write it: relative below it, absolute elsewhere. */
export function fromHere(path: string, from: string): string {
  if (!isAbsolute(path) || from === '/') return path;
  const below = relative(from, path);
  if (below === '') return '.';
  return below === '..' || below.startsWith('../') || isAbsolute(below) ? path : below;
}
