import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { parseRepositoryConfig, defaultRepositoryConfig } from '../config/parse-repository-config.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import { PorticoError } from '../error.ts';
import { openObjectReader } from '../git/batch.ts';
import { readFile } from '../git/read-file.ts';
import { PACKAGE_LIMITS } from '../git/read-package.ts';
import { createRepo, type Repo } from '../git/repo.ts';

/** A git repository of the user on this machine. */
export interface LocalRepository {
  readonly repo: Repo;
  /** Full ref names and the commits behind them. */
  readonly refs: ReadonlyMap<string, string>;
  readonly git: (...args: string[]) => Promise<string>;
}

/** A checkout of the user, and what stands in it. */
export interface Checkout extends LocalRepository {
  readonly name: string;
  readonly config: RepositoryConfig;
  /** Head of the registered branch. */
  readonly base: string;
}

/** Opens the repository of a directory, whatever is checked out there. Throws `GIT_FAILED`. */
export async function openRepository(
  directory: string,
  signal: AbortSignal,
): Promise<LocalRepository & AsyncDisposable> {
  const run = promisify(execFile);
  const git = async (...args: string[]): Promise<string> => {
    try {
      const { stdout } = await run('git', args, { cwd: directory, signal, maxBuffer: 256 * 1024 * 1024 });
      return stdout.trimEnd();
    } catch (cause) {
      signal.throwIfAborted();
      const stderr = String((cause as { stderr?: unknown }).stderr ?? cause).trim();
      throw new PorticoError(
        'GIT_FAILED',
        `git ${args[0] ?? ''} failed: ${stderr.split('\n').at(-1) ?? ''}`,
        {
          blame: 'user',
          cause,
          hint: `Check that ${directory} is a clone and that the branch is not checked out elsewhere.`,
        },
      );
    }
  };
  const gitDir = resolve(directory, await git('rev-parse', '--git-common-dir'));
  const objects = openObjectReader({ gitDir });
  const repo = createRepo({ gitDir }, objects, { count: 0 });
  const listed = await git('for-each-ref', '--format=%(refname) %(objectname) %(*objectname)');
  const refs = new Map(
    listed.split('\n').flatMap((line) => {
      const [ref = '', own = '', peeled = ''] = line.split(' ');
      return ref === '' ? [] : [[ref, peeled === '' ? own : peeled] as const];
    }),
  );
  return { repo, refs, git, [Symbol.asyncDispose]: async () => objects[Symbol.dispose]() };
}

/** Opens a checkout, and reads its configuration. Throws `GIT_FAILED` and `BRANCH_MISSING`. */
export async function openCheckout(
  directory: string,
  signal: AbortSignal,
): Promise<Checkout & AsyncDisposable> {
  const opened = await openRepository(directory, signal);
  const { repo, refs, git } = opened;
  try {
    const head = await git('rev-parse', '--abbrev-ref', 'HEAD');
    const found = await configurationOf(repo, refs, head, signal);
    const name = (await git('rev-parse', '--show-toplevel')).split('/').at(-1) ?? 'repository';
    return { ...opened, name, ...found };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** The configuration in the checked out branch says which branch is the registered one. */
async function configurationOf(
  repo: Repo,
  refs: ReadonlyMap<string, string>,
  head: string,
  signal: AbortSignal,
): Promise<Pick<Checkout, 'config' | 'base'>> {
  const commitOf = (branch: string): string | undefined =>
    refs.get(`refs/heads/${branch}`) ?? refs.get(`refs/remotes/origin/${branch}`);
  const start = commitOf(head);
  const file = '.github/portico.yaml';
  const bytes =
    start === undefined
      ? null
      : await readFile({ repo, commit: start, path: file, maxBytes: PACKAGE_LIMITS.maxFileBytes, signal });
  const parsed = bytes === null ? null : parseRepositoryConfig({ file, bytes }, { defaultBranch: head });
  const config = parsed?.ok === true ? parsed.config : defaultRepositoryConfig(head);
  const base = commitOf(config.branch);
  if (base !== undefined) return { config, base };
  throw new PorticoError('BRANCH_MISSING', `this clone has no branch ${config.branch}`, {
    blame: 'user',
    hint: `Make a first commit, or fetch it: git fetch origin ${config.branch}`,
  });
}
