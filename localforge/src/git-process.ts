import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';

import { ForgeError } from './error.ts';
import { runGitProgram } from './git-starter.ts';

export interface GitOutput {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitProcessOptions {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
}

const SETTINGS: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  ['gc.auto', '0'],
  ['diff.renames', 'true'],
  ['merge.conflictStyle', 'merge'],
];

/** The environment of every git process of the forge: nothing of the user's or the machine's configuration comes in. */
function gitEnvironment(
  directory: string,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const settings = Object.fromEntries(
    SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(SETTINGS.length),
    ...settings,
    GIT_DIR: directory,
    ...extra,
  };
}

/** `cat-file --batch-command` is from 2.36, `merge-tree --write-tree` from 2.38. */
const OLDEST = [2, 38] as const;

/** @throws ForgeError GIT_MISSING or GIT_TOO_OLD when the forge cannot work with the git of this machine */
export async function demandGit(): Promise<void> {
  const output = await runGit(['--version'], { directory: '/nonexistent' }).catch((cause: unknown) => {
    throw new ForgeError('GIT_MISSING', 'The local forge needs git, and there is none.', {
      hint: `Install git ${OLDEST.join('.')} or newer.`,
      cause,
    });
  });
  const found = /(\d+)\.(\d+)[\d.]*/.exec(output.stdout.toString());
  const [major, minor] = [Number(found?.[1]), Number(found?.[2])];
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new ForgeError(
    'GIT_TOO_OLD',
    `The local forge needs git ${OLDEST.join('.')}, and this is ${found?.[0] ?? 'unknown'}.`,
    {
      hint: 'Install a newer git.',
    },
  );
}

/** Starts `git` with these arguments in a bare repository, its streams open. */
export function startGit(
  args: readonly string[],
  options: GitProcessOptions,
): ChildProcessWithoutNullStreams {
  return spawn('git', args, { env: gitEnvironment(options.directory, options.env), stdio: 'pipe' });
}

/** Runs `git` to its end. Does not throw for an exit code, only when git cannot be started. */
export async function runGit(
  args: readonly string[],
  options: GitProcessOptions & { readonly input?: string | Buffer },
): Promise<GitOutput> {
  const { directory, env, input } = options;
  const program = { args, env: gitEnvironment(directory, env), input };
  const { code, stdout, stderr } = await runGitProgram(program);
  return { code: code ?? -1, stdout, stderr: stderr.toString() };
}
