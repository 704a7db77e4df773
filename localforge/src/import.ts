import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { ForgeError } from './error.ts';
import { runGit } from './git-process.ts';
import type { GitRepository } from './git-repository.ts';

/**
 * Fills an empty repository from `from`: branches and tags of a git repository (work tree, bare, bundle or address), or
 * else the files of a folder as the first commit of `main`.
 * @returns the default branch
 * @throws ForgeError IMPORT_FAILED
 */
export async function importRepository(
  git: GitRepository,
  from: string,
  options: { readonly configDirectory: string; readonly now: string },
): Promise<string> {
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(from);
  const path = isAddress ? from : resolve(options.configDirectory, from);
  const kind = isAddress ? 'git' : await kindOf(path);
  if (kind === undefined) throw importFailed(from, 'there is nothing at that path');
  return kind === 'git' ? importGit(git, path) : importFolder(git, path, options.now);
}

async function kindOf(path: string): Promise<'git' | 'folder' | undefined> {
  const exists = (name: string): Promise<boolean> =>
    stat(join(path, name)).then(
      () => true,
      () => false,
    );
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isFile() || (await exists('.git'))) return 'git';
  return (await exists('HEAD')) && (await exists('objects')) && (await exists('refs')) ? 'git' : 'folder';
}

async function importGit(git: GitRepository, path: string): Promise<string> {
  const output = await git.run([
    '-c',
    'protocol.file.allow=always',
    'fetch',
    '--no-write-fetch-head',
    '--end-of-options',
    path,
    '+refs/heads/*:refs/heads/*',
    '+refs/tags/*:refs/tags/*',
  ]);
  if (output.code !== 0) throw importFailed(path, output.stderr.trim());
  const listed = await git.run([
    '-c',
    'protocol.file.allow=always',
    'ls-remote',
    '--symref',
    '--end-of-options',
    path,
    'HEAD',
  ]);
  const head = /^ref: refs\/heads\/(\S+)\tHEAD/.exec(listed.stdout.toString())?.[1];
  const branches = await git.refs('refs/heads/');
  const known = (name: string | undefined): boolean =>
    branches.some((branch) => branch.ref === `refs/heads/${name}`);
  const branch = [head, 'main', 'master'].find(known) ?? branches[0]?.ref.slice('refs/heads/'.length);
  return branch ?? 'main';
}

async function importFolder(git: GitRepository, path: string, now: string): Promise<string> {
  const index = join(git.directory, 'import-index');
  const env = { GIT_WORK_TREE: path, GIT_INDEX_FILE: index };
  const run = async (args: readonly string[]): Promise<string> => {
    const output = await runGit(args, { directory: git.directory, env });
    if (output.code !== 0) throw importFailed(path, output.stderr.trim());
    return output.stdout.toString().trim();
  };
  await run(['-c', 'core.bare=false', '-c', 'core.autocrlf=false', 'add', '--all', '--force', '.']);
  const tree = await run(['write-tree']);
  await rm(index, { force: true });
  const person = { name: 'Local forge', email: 'forge@localhost', date: now };
  const commit = await git.writeCommit({
    tree,
    parents: [],
    message: 'Import\n',
    author: person,
    committer: person,
  });
  const moved = await git.updateRefs([{ ref: 'refs/heads/main', before: null, after: commit }]);
  if (!moved.ok) throw importFailed(path, moved.reason);
  return 'main';
}

const importFailed = (from: string, why: string): ForgeError =>
  new ForgeError('IMPORT_FAILED', `Cannot import ${from}: ${why}.`, {
    hint: 'Name a folder of files, or a git repository, in "from".',
  });
