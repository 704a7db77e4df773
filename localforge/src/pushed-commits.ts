import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runGit } from './git-process.ts';

interface PushedCommit {
  readonly sha: string;
  readonly content: Buffer;
}

/**
 * The commits below a tip of a push and not below `known` (an id, or `--all` for all refs), read from its pack beside the
 * repository.
 */
export async function pushedCommits(
  directory: string,
  body: Buffer,
  { tip, known }: { readonly tip: string; readonly known: string },
): Promise<readonly PushedCommit[]> {
  const pack = body.indexOf('PACK\0\0\0\x02', 0, 'latin1');
  const objects = await mkdtemp(join(tmpdir(), 'forge-quarantine-'));
  const env = {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(directory, 'objects'),
  };
  try {
    if (pack >= 0) await runGit(['unpack-objects', '-q'], { directory, env, input: body.subarray(pack) });
    const listed = await runGit(['rev-list', tip, '--not', known], { directory, env });
    const commits: PushedCommit[] = [];
    for (const sha of listed.stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '')) {
      const { stdout } = await runGit(['cat-file', 'commit', sha], { directory, env });
      commits.push({ sha, content: stdout });
    }
    return commits;
  } finally {
    await rm(objects, { recursive: true, force: true });
  }
}
