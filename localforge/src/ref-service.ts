import { AsyncLocalStorage } from 'node:async_hooks';

import type { ForgeContext } from './context.ts';
import { objections, refusalsOf } from './gate.ts';
import type { Objection } from './gate.ts';
import { isRefName } from './git-refs.ts';
import type { RefChange } from './git-repository.ts';
import { emitPushEvents } from './push-events.ts';
import type { ActivityType, RepositoryRecord } from './records.ts';
import type { RefService, RefUpdate, RefsResult, RefsUpdated } from './refs.ts';
import type { Actor } from './viewer.ts';

/** What the git transport needs besides `RefService`. */
export interface RefServiceCore extends RefService {
  /**
   * Runs a push that git itself carries out: `work` gets what stands against it and must have moved the refs (or not) when
   * it resolves. Then the events go out for those that moved, which are the answer.
   */
  push(
    repository: RepositoryRecord,
    actor: Actor,
    changes: readonly RefChange[],
    work: (found: readonly Objection[]) => Promise<void>,
  ): Promise<RefUpdate[]>;
  /** Finishes what a killed process left between moving refs and telling of it. */
  recover(): Promise<void>;
}

/** Written before refs move, removed when everybody was told. */
interface JournalEntry {
  readonly id: number;
  readonly repositoryId: number;
  readonly userId: number;
  readonly updates: readonly RefUpdate[];
  /** The webhooks are stored; only the subscribers may not have heard. */
  readonly isReported: boolean;
  /** As in `RefsOptions`. */
  readonly activity?: ActivityType;
}

export function makeRefService(context: () => ForgeContext): RefServiceCore {
  const listeners: ((event: RefsUpdated) => void | Promise<void>)[] = [];
  const locks = new Map<number, Promise<unknown>>();
  const held = new AsyncLocalStorage<{ readonly repositoryId: number; over: boolean }>();
  let missingChecks = allMissing;
  const journal = () => context().store.collection<JournalEntry>('ref_journal');

  const exclusive: RefService['exclusive'] = (repository, work) => {
    const mine = held.getStore();
    // What was started inside and outlives the turn has to queue like anybody else.
    if (mine?.repositoryId === repository.id && !mine.over) return work();
    const before = locks.get(repository.id) ?? Promise.resolve();
    const hold = { repositoryId: repository.id, over: false };
    const turn = before
      .then(() => held.run(hold, work))
      .finally(() => {
        hold.over = true;
      });
    const over = turn.catch(() => {});
    locks.set(repository.id, over);
    void over.finally(() => {
      if (locks.get(repository.id) === over) locks.delete(repository.id);
    });
    return turn;
  };
  const objectionsTo = (
    repository: RepositoryRecord,
    actor: Actor,
    updates: readonly Pick<RefUpdate, 'ref' | 'before' | 'after'>[],
  ): Objection[] =>
    objections({
      context: context(),
      repository,
      actor,
      updates,
      missingChecks: (sha, required) => missingChecks(repository, sha, required),
    });

  /** Tells of refs that have moved: webhooks in one transaction with the journal, then the subscribers. */
  const settle = async (entry: JournalEntry, actor: Actor, updates: readonly RefUpdate[]): Promise<void> => {
    const repository = context().records.repositories.get(entry.repositoryId);
    if (repository === undefined || updates.length === 0) {
      journal().remove(entry.id);
      return;
    }
    if (!entry.isReported) {
      const emit = await emitPushEvents({
        context: context(),
        repository,
        actor,
        updates,
        activity: entry.activity,
      });
      context().store.transaction(() => {
        emit();
        journal().update(entry.id, { isReported: true, updates });
      });
    }
    const present = context().records.repositories.get(repository.id) ?? repository;
    for (const listener of listeners) {
      try {
        await listener({ repository: present, actor, updates });
      } catch (error) {
        context().log('a subscriber to ref updates failed', { error: String(error) });
      }
    }
    journal().remove(entry.id);
  };
  const begin = (
    repository: RepositoryRecord,
    actor: Actor,
    updates: readonly RefUpdate[],
    activity?: ActivityType,
  ): JournalEntry =>
    journal().insert({
      repositoryId: repository.id,
      userId: actor.user.id,
      updates,
      isReported: false,
      ...(activity !== undefined && { activity }),
    });

  const update: RefService['update'] = (repository, changes, options) =>
    exclusive(repository, async (): Promise<RefsResult> => {
      const git = context().git(repository);
      const updates: RefUpdate[] = [];
      for (const change of changes) {
        if (!isRefName(change.ref)) return refused(change.ref, 'funny refname');
        const before = (await git.ref(change.ref))?.sha ?? null;
        if (change.before !== undefined && change.before !== before) return refused(change.ref, 'stale info');
        if (before === null && change.after === null) return refused(change.ref, 'reference does not exist');
        if (before !== change.after) {
          updates.push({
            ref: change.ref,
            before,
            after: change.after,
            forced: await isForced(git, before, change),
          });
        }
      }
      if (options.enforce !== false) {
        const refusals = await service.judge(repository, options.actor, updates);
        if (refusals.length > 0) return { ok: false, refusals };
      }
      if (updates.length === 0) return { ok: true };
      const entry = begin(repository, options.actor, updates, options.activity);
      const moved = await git.updateRefs(updates);
      if (!moved.ok) {
        journal().remove(entry.id);
        return refused(updates[0]?.ref ?? '', moved.reason);
      }
      await settle(entry, options.actor, updates);
      return { ok: true };
    });

  const service: RefServiceCore = {
    update,
    exclusive,
    onUpdated: (listener) => {
      listeners.push(listener);
    },
    setMissingChecks: (judge) => {
      missingChecks = judge;
    },
    judge: (repository, actor, updates) =>
      refusalsOf(context(), context().git(repository), updates, objectionsTo(repository, actor, updates)),
    push: (repository, actor, changes, work) =>
      exclusive(repository, async () => {
        const git = context().git(repository);
        const wanted = changes.map((change) => ({
          ref: change.ref,
          before: change.before ?? null,
          after: change.after,
          forced: false,
        }));
        const entry = begin(repository, actor, wanted);
        await work(objectionsTo(repository, actor, wanted));
        const updates: RefUpdate[] = [];
        for (const one of wanted) {
          const now = (await git.ref(one.ref))?.sha ?? null;
          if (now !== one.after || one.before === one.after) continue;
          updates.push({ ...one, forced: await isForced(git, one.before, one) });
        }
        await settle(entry, actor, updates);
        return updates;
      }),
    recover: async () => {
      for (const entry of journal().all()) {
        const repository = context().records.repositories.get(entry.repositoryId);
        const user = context().records.accounts.get(entry.userId);
        if (repository === undefined || user === undefined) {
          journal().remove(entry.id);
          continue;
        }
        const git = context().git(repository);
        const moved: RefUpdate[] = [];
        for (const one of entry.updates) {
          const now = (await git.ref(one.ref))?.sha ?? null;
          if (now === one.after) moved.push({ ...one, forced: await isForced(git, one.before, one) });
        }
        const actor: Actor = { kind: 'user', user, tokenId: 0 };
        await exclusive(repository, () => settle(entry, actor, moved));
      }
    },
  };
  return service;
}

type MissingChecks = Parameters<RefService['setMissingChecks']>[0];
const allMissing: MissingChecks = (_repository, _sha, required) => required.map((check) => check.context);

const refused = (ref: string, reason: string): RefsResult => ({
  ok: false,
  refusals: [{ ref, reason, explanation: [] }],
});

async function isForced(
  git: ReturnType<ForgeContext['git']>,
  before: string | null,
  change: { readonly ref: string; readonly after: string | null },
): Promise<boolean> {
  if (before === null || change.after === null || before === change.after) return false;
  if (!change.ref.startsWith('refs/heads/')) return true;
  const commit = await git.commit(change.after);
  if (commit?.parents.includes(before) === true) return false;
  return !(await git.isAncestor(before, change.after));
}
