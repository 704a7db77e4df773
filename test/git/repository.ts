import { execFileSync } from 'node:child_process';

/** Runs git in a bare repository and returns what it prints. */
export function git(dir: string, args: readonly string[], input?: string | Buffer): string {
  const options = input === undefined ? {} : { input };
  return execFileSync('git', ['-C', dir, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  }).trim();
}

export interface SeedFile {
  readonly mode?: string;
  readonly text: string;
}

/** Commits files (null removes one) on a branch of a bare repository and returns the commit. */
export function seed(
  dir: string,
  files: Readonly<Record<string, string | SeedFile | null>>,
  { branch = 'main', message = 'Seed' }: { branch?: string; message?: string } = {},
): string {
  const ref = `refs/heads/${branch}`;
  const parts = [`commit ${ref}\ncommitter Test <test@example.com> 1700000000 +0200\n`, data(message)];
  const parent = git(dir, ['for-each-ref', '--format=%(objectname)', ref]);
  if (parent !== '') parts.push(`from ${parent}\n`);
  for (const [path, file] of Object.entries(files)) {
    if (file === null) parts.push(`D ${JSON.stringify(path)}\n`);
    else {
      const { mode = '100644', text } = typeof file === 'string' ? { text: file } : file;
      if (mode === '160000') parts.push(`M ${mode} ${text} ${JSON.stringify(path)}\n`);
      else parts.push(`M ${mode} inline ${JSON.stringify(path)}\n${data(text)}`);
    }
  }
  git(dir, ['fast-import', '--quiet'], `${parts.join('')}\n`);
  return git(dir, ['rev-parse', ref]);
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
