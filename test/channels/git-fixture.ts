/** Real repositories for tests, whose commits and tags are the same wherever they are made. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs git with fixed identities and times. `second` goes into the date. */
export function git(directory: string, args: readonly string[], second = 0): string {
  const date = `${1_750_000_000 + second} +0000`;
  const who = { NAME: 'A', EMAIL: 'a@example.com', DATE: date };
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
    ),
  );
  const plain = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  return execFileSync('git', args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...plain, ...env },
  }).trim();
}

/** A new repository with one branch. */
export function initRepository(directory: string): string {
  mkdirSync(directory, { recursive: true });
  git(directory, ['init', '--quiet', '-b', 'main']);
  return directory;
}

/** Writes the files, commits all, and gives the commit. */
export function commitFiles(directory: string, files: Record<string, string>, second = 0): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  git(directory, ['add', '--all']);
  git(directory, ['commit', '--quiet', '--allow-empty', '-m', 'change'], second);
  return git(directory, ['rev-parse', 'HEAD']);
}

/** An annotated tag. */
export function tag(directory: string, name: string, commit: string, second = 0): void {
  git(directory, ['tag', '-a', '-m', name, name, commit], second);
}

/** A Kptfile, with the lock of a package that is made from another. */
export function kptfile(
  name: string,
  lock?: { readonly repo: string; readonly directory: string; readonly ref: string; readonly commit: string },
): string {
  const head = `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n`;
  if (lock === undefined) return head;
  const { repo, directory, ref, commit } = lock;
  const place = `    repo: ${repo}\n    directory: ${directory}\n    ref: ${ref}\n`;
  return `${head}upstream:\n  type: git\n  git:\n${place}  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n${place}    commit: ${commit}\n`;
}
