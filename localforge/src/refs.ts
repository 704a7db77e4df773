import type { RefChange } from './git-repository.ts';
import type { ActivityType, RepositoryRecord } from './records.ts';
import type { Actor } from './viewer.ts';

/** A ref that has moved, both sides known. */
export interface RefUpdate {
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The old commit is not an ancestor of the new one. */
  readonly forced: boolean;
}

/** What subscribers hear after refs moved and before the request that moved them is answered. */
export interface RefsUpdated {
  readonly repository: RepositoryRecord;
  readonly actor: Actor;
  readonly updates: readonly RefUpdate[];
}

export interface RefRefusal {
  readonly ref: string;
  /** What git prints in brackets: `protected branch hook declined`. */
  readonly reason: string;
  /** What is printed above it, lines of `GH006: …`. */
  readonly explanation: readonly string[];
}

/** A status or check run that must be green; `appId` null: from anybody. */
export interface RequiredCheck {
  readonly context: string;
  readonly appId: number | null;
}

interface RefsOptions {
  readonly actor: Actor;
  /** Ask branch protection and rulesets first. Default true. A merge that has checked its own requirements passes false. */
  readonly enforce?: boolean;
  /** What the repository's activity calls it; default: a push, or that a branch came or went. */
  readonly activity?: ActivityType;
}

export type RefsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusals: readonly RefRefusal[] };

/**
 * The only way by which refs move outside of git's own push: policy, journal, compare-and-swap, then `push`, `create`
 * and `delete` webhooks and the subscribers, all before it resolves. `refs/pull/*` and other refs that are neither branch nor tag make no event.
 */
export interface RefService {
  update(
    repository: RepositoryRecord,
    changes: readonly RefChange[],
    options: RefsOptions,
  ): Promise<RefsResult>;
  /** Called in order of subscription, one after the other; an error in one is logged and does not stop the others. */
  onUpdated(listener: (event: RefsUpdated) => void | Promise<void>): void;
  /** Runs `work` while nothing else moves refs of the repository. `update` may be called inside. */
  exclusive<T>(repository: RepositoryRecord, work: () => Promise<T>): Promise<T>;
  /** Tells how to find which of these checks a commit lacks; until then all of them. Answers their names. */
  setMissingChecks(
    judge: (
      repository: RepositoryRecord,
      sha: string,
      required: readonly RequiredCheck[],
    ) => readonly string[],
  ): void;
  /** What stands against these updates: branch protection, rulesets, the App's permissions. */
  judge(
    repository: RepositoryRecord,
    actor: Actor,
    updates: readonly RefUpdate[],
  ): Promise<readonly RefRefusal[]>;
}
