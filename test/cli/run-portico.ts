import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command line in a process of its own, as a user does. */
export async function portico(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return run(process.execPath, [join(ROOT, 'src/portico.js'), ...args], options);
}

/**
 * Runs a program to its end. The environment of an npm script is not handed on, nor what colours follow: Node writes
 * none where `CI` is set.
 */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_|^(?:INIT_CWD|CI|TERM)$|COLOR/.test(name),
  );
  const child = spawn(program, [...args], {
    cwd: options.cwd ?? tmpdir(),
    env: { ...Object.fromEntries(inherited), ...HERMETIC_GIT, XDG_STATE_HOME: STATE, ...options.env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, stdout, stderr };
}

const STATE = mkdtempSync(join(tmpdir(), 'portico-state-'));
process.once('exit', () => rmSync(STATE, { recursive: true, force: true }));

const HERMETIC_GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** A directory that is gone after the test. */
export interface Scratch extends Disposable {
  readonly path: (name: string) => string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** All files below a directory by path; those in `.git` are left out. */
  readonly read: (name: string) => Record<string, string>;
}

export function scratch(): Scratch {
  const root = mkdtempSync(join(tmpdir(), 'portico-cli-'));
  return {
    path: (name) => join(root, name),
    write: (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    },
    read: (name) => readAll(join(root, name)),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function readAll(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((path) => !/(?:^|\/)\.git(?:\/|$)/.test(path) && statSync(join(directory, path)).isFile())
      .map((path) => [path, readFileSync(join(directory, path), 'utf8')]),
  );
}
