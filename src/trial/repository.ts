import { z } from 'zod';

import type { PushResult, RefUpdate } from '../git/mirror-types.ts';
import type { Mirror } from '../git/mirror-types.ts';
import type { Rest } from './rest.ts';
import { notPlayed } from './row.ts';

/** One of the two repositories, with the few steps that most rows take. */
export interface TrialRepository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** `/repos/<owner>/<name>` */
  readonly path: string;
  readonly url: string;
  readonly mirror: Mirror;
  /** A commit on top of another one, not pushed. */
  readonly commit: (parents: readonly string[], files: Files, message?: string) => Promise<string>;
  /** Moves refs, each from where it is. */
  readonly move: (refs: Readonly<Record<string, string | null>>) => Promise<PushResult>;
  /** A branch from main with these files. Answers its commit. */
  readonly branch: (name: string, files: Files) => Promise<string>;
  readonly main: () => Promise<string>;
  /** A pull request of a branch. */
  readonly open: (branch: string, base?: string) => Promise<Pull>;
}

export type Files = Readonly<Record<string, string>>;

export interface Pull {
  readonly number: number;
  readonly head: string;
}

export const COMMITTER = { name: 'Portico trial', email: 'portico-trial@example.com' };

const pullSchema = z.object({ number: z.number(), head: z.object({ sha: z.string() }) });

interface Setting {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly gitUrl: string;
  readonly mirror: Mirror;
  readonly rest: Rest;
  readonly signal: AbortSignal;
}

export function trialRepository({ id, owner, name, gitUrl, mirror, rest, signal }: Setting): TrialRepository {
  const path = `/repos/${owner}/${name}`;
  const repository: TrialRepository = {
    id,
    owner,
    name,
    path,
    mirror,
    url: `${gitUrl}/${owner}/${name}.git`,
    async commit(parents, files, message = 'Trial') {
      const changes = new Map(
        Object.entries(files).map(([file, text]) => [
          file,
          { mode: '100644' as const, bytes: Buffer.from(text) },
        ]),
      );
      const tree = await mirror.writeTree(parents[0] ?? null, changes, signal);
      return mirror.commitTree({ tree, parents, message: `${message}\n`, committer: COMMITTER }, signal);
    },
    async move(refs) {
      const now = await mirror.remoteRefs(Object.keys(refs), signal);
      const updates: RefUpdate[] = Object.entries(refs).map(([ref, to]) => ({
        ref,
        to,
        expect: now.get(ref)?.oid ?? null,
      }));
      return mirror.push(
        updates.filter(({ to, expect }) => to !== expect),
        signal,
      );
    },
    async branch(branch, files) {
      const commit = await repository.commit([await repository.main()], files);
      demandMoved(await repository.move({ [`refs/heads/${branch}`]: commit }));
      return commit;
    },
    async main() {
      await mirror.fetch({}, signal);
      const commit = await mirror.resolve('refs/heads/main', signal);
      if (commit === null) throw notPlayed('the branch main is gone');
      return commit;
    },
    async open(branch, base = 'main') {
      const body = { title: `Trial: ${branch}`, head: branch, base };
      const { number, head } = await rest.read(pullSchema, 'POST', `${path}/pulls`, body);
      return { number, head: head.sha };
    },
  };
  return repository;
}

/** @throws PorticoError TRIAL_NOT_PLAYED where the forge refused the push */
export function demandMoved(result: PushResult): void {
  if (!result.ok) throw notPlayed(`a push was refused: ${refusedPush(result)}`);
}

/** Why a push was refused, in the forge's words; '' where it was taken. */
export function refusedPush(result: PushResult): string {
  if (result.ok) return '';
  return result.rejected
    .map(({ message }) => message.replaceAll(/\s+/g, ' '))
    .join('; ')
    .slice(0, 300);
}
