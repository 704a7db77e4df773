import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type GitClient = (...argv: string[]) => Promise<string>;

/** The stock git client in one folder, as one person: the token stands in the folder's own configuration. */
function gitClient(folder: string): GitClient {
  return async (...argv) => (await run('git', argv, { cwd: folder })).stdout.trim();
}

/** Clones as a person would, and keeps the credentials for what follows. */
export async function cloneAs(address: string, token: string, folder: string): Promise<GitClient> {
  const header = `http.extraheader=Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  await run('git', ['-c', header, 'clone', '-q', '--config', header, address, folder]);
  return gitClient(folder);
}
