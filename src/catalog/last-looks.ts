/** What the last look at a package came to, and what our issues were written as, for each repository. */
import { randomUUID } from 'node:crypto';

/** What the last look at a downstream package came to. */
export interface Standing {
  /** `opened`, `updated`, `unchanged`, or the reason why there is no update. */
  readonly reason: string;
  readonly message: string;
  /** Revision that is brought, or due. */
  readonly to?: string;
  readonly from?: string;
  /** The open update pull request, also of an update that waits. */
  readonly pull?: number;
  /** The upstream's newest revision when that was decided. */
  readonly newest?: string;
  /** The update pull request that brought the revision which the package is at. */
  readonly merged?: number;
  /** The revision that its update leads away from, because it was withdrawn. */
  readonly withdrawn?: string;
  /** When the oldest revision was published that it lacks, in milliseconds since 1970; absent where it lacks none, or none is known. */
  readonly behindSince?: number;
}

/** An issue that we keep, as it was written last. */
export interface KeptIssue {
  readonly number: number;
  /** Of the body. */
  readonly digest: string;
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
}

/** How far the newest look found the rollout of an upstream package. */
export interface RolloutStanding {
  readonly revision: string;
  readonly state: string;
  /** The state of each wave, in their order. */
  readonly waves: readonly string[];
  /** Revisions of the package that are rolled back, this one or others. */
  readonly rolledBack?: readonly string[];
  /** Who stopped it, or the downstream that failed; absent or '' while it goes on. */
  readonly cause?: string;
}

export interface LastLooks {
  /** What came of the last look at a package, by its path below the registered directory. True where that is news. */
  tell(id: number, path: string, standing: Standing): boolean;
  /** Forgets it. */
  untell(id: number, path: string): void;
  standings(id: number): ReadonlyMap<string, Standing>;
  /** How far a rollout is whose document stands in this repository, by any name of it; undefined forgets it. */
  tellRollout(id: number, name: string, standing: RolloutStanding | undefined): void;
  rollouts(id: number): ReadonlyMap<string, RolloutStanding>;
  /**
   * Something new was reported of what a repository has published: whatever was heard of it under another mark is old. Marks are compared, not
   * ordered: clocks of processes differ. A new one is made where none is given; answers it.
   */
  tellReported(id: number, mark?: string): string;
  /** The mark of what was said last; undefined where nothing was. */
  reported(id: number): string | undefined;
  /** Remembers what an issue of a repository was written as; undefined forgets it. */
  keep(id: number, title: string, issue: KeptIssue | undefined): void;
  kept(id: number, title: string): KeptIssue | undefined;
  /** Forgets all of a repository. */
  forget(id: number): void;
}

export function createLastLooks(): LastLooks {
  const standings = new Map<number, Map<string, Standing>>();
  const rollouts = new Map<number, Map<string, RolloutStanding>>();
  const reports = new Map<number, string>();
  const issues = new Map<number, Map<string, KeptIssue>>();
  return {
    tell(id, path, standing) {
      const known = standings.get(id) ?? new Map<string, Standing>();
      standings.set(id, known);
      const before = JSON.stringify(known.get(path));
      known.set(path, standing);
      return before !== JSON.stringify(standing);
    },
    untell(id, path) {
      standings.get(id)?.delete(path);
    },
    standings: (id) => standings.get(id) ?? new Map(),
    tellRollout(id, name, standing) {
      const known = rollouts.get(id) ?? new Map<string, RolloutStanding>();
      if (standing === undefined) known.delete(name);
      else known.set(name, standing);
      rollouts.set(id, known);
    },
    rollouts: (id) => rollouts.get(id) ?? new Map(),
    tellReported(id, mark = randomUUID()) {
      reports.set(id, mark);
      return mark;
    },
    reported: (id) => reports.get(id),
    keep(id, title, issue) {
      const known = issues.get(id) ?? new Map<string, KeptIssue>();
      if (issue === undefined) known.delete(title);
      else known.set(title, issue);
      issues.set(id, known);
    },
    kept: (id, title) => issues.get(id)?.get(title),
    forget(id) {
      standings.delete(id);
      rollouts.delete(id);
      reports.delete(id);
      issues.delete(id);
    },
  };
}
