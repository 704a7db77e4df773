import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Command } from './measure.ts';

/** A directory for one benchmark; gone when disposed. */
export interface Workspace extends Disposable {
  readonly path: (...names: string[]) => string;
}

export function workspace(): Workspace {
  const root = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  return {
    path: (...names) => join(root, ...names),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The command line as it is packed; `npm run bench` builds it first. */
export const PORTICO = fileURLToPath(new URL('../../dist/portico.js', import.meta.url));

/** The command line as a process of its own. */
export function portico(cwd: string, ...args: string[]): Command {
  return { program: process.execPath, args: [PORTICO, ...args], cwd, env: GIT_ENVIRONMENT };
}

export function kpt(cwd: string, cache: string, ...args: string[]): Command {
  return { program: 'kpt', args, cwd, env: { ...GIT_ENVIRONMENT, KPT_CACHE_DIR: cache } };
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: { ...process.env, ...GIT_ENVIRONMENT },
    encoding: 'utf8',
  }).trim();
}

export function hasKpt(): boolean {
  return isOnPath('kpt', 'version');
}

/** True where a program is there and runs. */
export function isOnPath(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const GIT_ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.com',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.com',
};
