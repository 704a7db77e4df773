import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

import type { Repo } from './repo.ts';

const compress = promisify(deflate);

/**
 * Writes one object into the mirror as a loose file (gitformat-loose-object(5)) and returns its id. For repositories with
 * SHA-1 alone. Nothing is flushed to the disk: a mirror that was damaged is cloned anew.
 */
export async function writeLooseObject(
  repo: Repo,
  type: 'blob' | 'tree' | 'commit',
  content: Uint8Array,
): Promise<string> {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash('sha1').update(whole).digest('hex');
  const folder = join(repo.setup.gitDir, 'objects', id.slice(0, 2));
  const file = join(folder, id.slice(2));
  const known = await access(file).then(
    () => true,
    () => false,
  );
  if (known) return id;
  const bytes = await compress(whole, { level: 1 });
  // A name that git takes for what a process left behind, until the whole object is there.
  const temporary = join(repo.setup.gitDir, 'objects', `tmp_obj_${randomUUID()}`);
  await writeFile(temporary, bytes, { mode: 0o444 });
  try {
    await rename(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true });
    await rename(temporary, file);
  }
  return id;
}
