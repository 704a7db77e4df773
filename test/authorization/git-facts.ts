/** What the oracle asks of git: trees, differences and ancestry, straight from the forge's repositories. */
import { parse } from 'yaml';
import { z } from 'zod';

import type { StageRepository } from '../reconcile/stage-repository.ts';

type Git = Pick<StageRepository, 'git'>;

/** Id of the directory's tree, null where there is none. */
export async function treeAt({ git }: Git, commit: string, directory: string): Promise<string | null> {
  const line = await git('ls-tree', commit, directory);
  return /^040000 tree ([0-9a-f]+)/.exec(line)?.[1] ?? null;
}

export async function mergeBase({ git }: Git, a: string, b: string): Promise<string | null> {
  return git('merge-base', a, b).catch(() => null);
}

/** Commits behind `to` that are not behind any of `without`. */
export async function commitsIn({ git }: Git, to: string, without: readonly string[]): Promise<string[]> {
  const text = await git('rev-list', to, ...without.map((one) => `^${one}`));
  return text.split('\n').filter((line) => line !== '');
}

/** True for a merge that holds what git makes of its two sides, and nothing else. */
export async function isPlainMerge({ git }: Git, commit: string): Promise<boolean> {
  const [, ours, theirs, more] = (await git('rev-list', '--parents', '-n1', commit)).trim().split(' ');
  if (ours === undefined || theirs === undefined || more !== undefined) return false;
  const made = await git('merge-tree', '--write-tree', ours, theirs).catch(() => '');
  return made.trim() === (await git('rev-parse', `${commit}^{tree}`)).trim();
}

/** Changed path → blob that it holds afterwards, null where it is gone. */
export async function changesBetween(
  { git }: Git,
  from: string,
  to: string,
  directory?: string,
): Promise<Map<string, string | null>> {
  const scope = directory === undefined ? [] : ['--', directory];
  const text = await git('diff-tree', '-r', '--no-renames', '--full-index', from, to, ...scope);
  return new Map(
    text.split('\n').flatMap((line): [string, string | null][] => {
      const [, mode, blob, path] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) \w\t(.*)$/.exec(line) ?? [];
      return path === undefined ? [] : [[path, mode === '000000' ? null : `${mode} ${blob}`]];
    }),
  );
}

/** As much of a repository's configuration as decides who may do what. */
export interface Rules {
  readonly approvals: number;
  /** Command → least role; where it is not there, the command's own. */
  readonly access: Readonly<Record<string, readonly string[]>>;
  readonly directPushes: 'publish' | 'flag';
  readonly follows: boolean;
  readonly automerges: boolean;
  readonly sharesTo: readonly string[];
  readonly sharesFrom: readonly string[];
  readonly controlledBy: readonly string[];
}

const names = z.array(z.string()).default([]);
const written = z.object({
  spec: z.object({
    publish: z
      .object({
        requireApprovals: z.int().default(1),
        directPushes: z.enum(['publish', 'flag']).default('flag'),
      })
      .default({ requireApprovals: 1, directPushes: 'flag' }),
    access: z.record(z.string(), z.array(z.string())).default({}),
    updates: z
      .object({ follow: z.string().default('latest'), automerge: z.string().default('none') })
      .optional(),
    sharing: z.object({ to: names, from: names }).default({ to: [], from: [] }),
    controlledBy: names,
  }),
});

/** The configuration that a commit holds; null where there is none that can be read. */
export async function rulesAt(repository: StageRepository, commit: string): Promise<Rules | null> {
  const key = `${repository.owner}/${repository.repo} ${commit}`;
  if (!/ [0-9a-f]{40}$/.test(key)) return readRules(repository, commit);
  const found = known.get(key) ?? readRules(repository, commit);
  known.set(key, found);
  return found;
}

/** By repository and commit: a step asks for the same ones again and again. */
const known = new Map<string, Promise<Rules | null>>();

async function readRules(repository: StageRepository, commit: string): Promise<Rules | null> {
  const text = await repository.read('.github/portico.yaml', commit);
  const { data } = written.safeParse(text === null ? null : parse(text));
  if (text === null || data === undefined) return null;
  const { publish, access, updates, sharing } = data.spec;
  return {
    approvals: publish.requireApprovals,
    directPushes: publish.directPushes,
    access,
    follows: updates?.follow !== 'none',
    automerges: (updates?.automerge ?? 'none') !== 'none',
    sharesTo: sharing.to,
    sharesFrom: sharing.from,
    controlledBy: data.spec.controlledBy,
  };
}

/** The revision number that a package is locked to, and of what, as its Kptfile says at a commit. */
export async function lockAt(
  repository: StageRepository,
  commit: string,
  directory: string,
): Promise<{ readonly repo: string; readonly directory: string; readonly revision: number } | null> {
  const text = await repository.read(`${directory}/Kptfile`, commit);
  const lock = (parse(text ?? '') as { upstreamLock?: { git?: Record<string, string> } } | null)?.upstreamLock
    ?.git;
  if (lock?.['repo'] === undefined) return null;
  const repo = lock['repo']
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
    .join('/');
  const revision = Number(/\/v(\d+)$/.exec(lock['ref'] ?? '')?.[1] ?? NaN);
  return { repo, directory: (lock['directory'] ?? '').replace(/^\//, ''), revision };
}
