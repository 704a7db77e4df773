import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { run } from './run-portico.ts';
import type { Scratch } from './run-portico.ts';

/** A git repository to get packages from. */
export interface UpstreamRepo {
  /** Ends in `.git`. */
  readonly url: string;
  /** Commits files (null removes one) and sets tags; gives the commit. */
  readonly commit: (files: Readonly<Record<string, string | null>>, ...tags: string[]) => Promise<string>;
  readonly git: (...args: string[]) => Promise<string>;
}

export async function upstreamRepo(dir: Scratch, name = 'blueprints'): Promise<UpstreamRepo> {
  const work = dir.path(`${name}-work`);
  mkdirSync(work);
  const git = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run('git', args, { cwd: work });
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  await git('init', '-q', '-b', 'main', '.');
  await git('clone', '-q', '--bare', '.', dir.path(`${name}.git`));
  await git('remote', 'add', 'origin', dir.path(`${name}.git`));
  return {
    url: dir.path(`${name}.git`),
    git,
    commit: async (files, ...tags) => {
      for (const [path, text] of Object.entries(files)) {
        if (text === null) await git('rm', '-q', path);
        else {
          mkdirSync(dirname(join(work, path)), { recursive: true });
          writeFileSync(join(work, path), text);
        }
      }
      await git('add', '-A');
      await git('commit', '-q', '--allow-empty', '-m', 'a change');
      for (const tag of tags) await git('tag', '-a', '-m', tag, tag);
      await git('push', '-q', 'origin', 'main', '--tags');
      return git('rev-parse', 'HEAD');
    },
  };
}
