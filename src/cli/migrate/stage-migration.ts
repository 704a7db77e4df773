/** What a migration changes in one repository, made in a clone that goes when it is done. */
import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { PorticoError } from '../../error.ts';
import { scrubSecrets } from '../../text/secrets.ts';
import { CONFIGURATION, type PlannedRepository } from './plan.ts';

export const MIGRATION_BRANCH = 'portico/migration';

/** Bytes of one difference. */
const MAX_OUTPUT = 64 * 1024 * 1024;

export interface StagedMigration {
  /** The default branch. */
  readonly branch: string;
  /** As git prints it; '' where the repository has all of it. */
  readonly difference: string;
  readonly notes: readonly string[];
  /** Why it could not be staged. */
  readonly problem?: string;
  /** Pushes the branch; one that is there with the same content stays. @throws PorticoError */
  readonly push: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** Clones the default branch with the git, the credentials and the settings of the user, and writes the files there. */
export async function stageMigration(
  { address, files }: PlannedRepository,
  signal: AbortSignal,
): Promise<StagedMigration> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-migrate-'));
  const git = gitIn(folder, signal);
  const dispose = async (): Promise<void> => rm(folder, { recursive: true, force: true });
  const push = async (): Promise<void> => pushBranch(git);
  try {
    await git('clone', '--quiet', '--depth=1', '--', `${address}.git`, '.');
    const branch = await git('symbolic-ref', '--short', 'HEAD');
    const notes: string[] = [];
    for (const [path, text] of files) {
      if (path === CONFIGURATION && (await git('ls-files', '--', path)) !== '') {
        notes.push(`${CONFIGURATION} is there already and stays as it is.`);
        continue;
      }
      await write(folder, path, text);
    }
    await git('add', '--all', '--', '.github');
    const difference = await git('diff', '--cached', '--no-color', '--no-ext-diff');
    return { branch, difference, notes, push, dispose };
  } catch (error) {
    if (!(error instanceof PorticoError)) {
      await dispose();
      throw error;
    }
    return { branch: '', difference: '', notes: [], problem: error.message, push, dispose };
  }
}

/** A link in the repository must not lead a write out of it. */
async function write(folder: string, path: string, text: string): Promise<void> {
  let here = folder;
  for (const part of path.split('/')) {
    here = join(here, part);
    const found = await lstat(here).catch(() => null);
    if (found?.isSymbolicLink() === true)
      throw new PorticoError('MIGRATION_REFUSED', `${path} is a symbolic link, or lies behind one`, {
        blame: 'user',
        hint: 'Replace the link by a file or a directory.',
      });
  }
  await mkdir(dirname(here), { recursive: true });
  await writeFile(here, text);
}

type Git = (...args: string[]) => Promise<string>;

async function pushBranch(git: Git): Promise<void> {
  const ref = `refs/heads/${MIGRATION_BRANCH}`;
  await git('commit', '--quiet', '--message', "Register with Portico, with what Porch's objects said");
  const [standing = ''] = (await git('ls-remote', 'origin', ref)).split('\t');
  if (standing !== '') {
    await git('fetch', '--quiet', '--depth=1', 'origin', ref);
    if ((await git('rev-parse', 'FETCH_HEAD^{tree}')) === (await git('rev-parse', 'HEAD^{tree}'))) return;
    throw new PorticoError(
      'MIGRATION_REFUSED',
      `the branch ${MIGRATION_BRANCH} is there with other content`,
      {
        blame: 'user',
        hint: 'Merge its pull request, or delete the branch, and run the migration again.',
      },
    );
  }
  await git('push', '--quiet', 'origin', `HEAD:${ref}`);
}

function gitIn(folder: string, signal: AbortSignal): Git {
  const run = promisify(execFile);
  return async (...args) => {
    try {
      const { stdout } = await run('git', args, {
        cwd: folder,
        signal,
        maxBuffer: MAX_OUTPUT,
        env: {
          ...process.env,
          GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
          GIT_TERMINAL_PROMPT: '0',
          LC_ALL: 'C',
        },
      });
      return stdout.trimEnd();
    } catch (cause) {
      signal.throwIfAborted();
      const { stderr } = cause as { stderr?: unknown };
      const said = scrubSecrets(typeof stderr === 'string' ? stderr : '').trim();
      throw new PorticoError('GIT_FAILED', `git ${args[0] ?? ''} failed: ${said.split('\n').at(-1) ?? ''}`, {
        blame: 'user',
        cause,
        hint: 'Check the address and your access.',
      });
    }
  };
}
