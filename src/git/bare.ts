import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes of an empty directory what `git init --bare` makes, without a process. */
export async function makeBare(gitDir: string): Promise<void> {
  await Promise.all(['objects', 'refs'].map((name) => mkdir(join(gitDir, name))));
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(gitDir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
}
