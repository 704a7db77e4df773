import { z } from 'zod';

import { PorticoError } from '../error.ts';
import type { PushResult } from '../git/mirror-types.ts';
import type { Mirror } from '../git/mirror-types.ts';
import type { RefUpdate } from '../reconcile/git-port.ts';
import { shorten } from '../text/cut-text.ts';
import { notPlayed } from './not-played.ts';
import type { Rest } from './rest.ts';

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
  /** Moves refs, each from where it is. @throws PorticoError TRIAL_NOT_PLAYED where the forge refused it */
  readonly move: (refs: Moves) => Promise<void>;
  /** Moves refs and answers why the forge refused it; '' where it did not. */
  readonly tryToMove: (refs: Moves) => Promise<string>;
  /** A branch from main with these files. Answers its commit. */
  readonly branch: (name: string, files: Files) => Promise<string>;
  readonly main: () => Promise<string>;
  /** A pull request of a branch. */
  readonly open: (branch: string, base?: string) => Promise<Pull>;
}

/** Refs with their new objects; null deletes. */
export type Moves = Readonly<Record<string, string | null>>;

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
      const refused = await repository.tryToMove(refs);
      if (refused !== '') throw notPlayed(`a push was refused: ${refused}`);
    },
    async tryToMove(refs) {
      const now = await mirror.remoteRefs(Object.keys(refs), signal);
      const updates: RefUpdate[] = Object.entries(refs).map(([ref, to]) => ({
        ref,
        to,
        expect: now.get(ref)?.oid ?? null,
      }));
      const moving = updates.filter(({ to, expect }) => to !== expect);
      return refusalOf(() => mirror.push(moving, signal));
    },
    async branch(branch, files) {
      const commit = await repository.commit([await repository.main()], files);
      await repository.move({ [`refs/heads/${branch}`]: commit });
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

/** Why a push was refused, in the forge's words; '' where it was taken. A forge that cannot be reached throws. */
export async function refusalOf(push: () => Promise<PushResult>): Promise<string> {
  try {
    const result = await push();
    if (result.ok) return '';
    const words = result.rejected.map(({ message }) => message);
    return shorten(words.join('; '), 300);
  } catch (error) {
    const isAnswer = error instanceof PorticoError && !UNANSWERED.has(error.code);
    if (!isAnswer) throw error;
    return shorten(error.message, 300);
  }
}

const UNANSWERED: ReadonlySet<string> = new Set(['GIT_UNREACHABLE', 'GIT_TIMEOUT', 'GIT_ABORTED']);
