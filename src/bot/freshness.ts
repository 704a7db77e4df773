/**
 * How old a mirror may be for a job. A fetch that began after an event sees all that the event speaks of, so a burst
 * of jobs about one event needs one fetch, and not one each. What changed later has an event of its own, and nothing
 * is written without naming the commit that it was decided on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

import type { RepositoryFacts, RepositoryPort } from '../reconcile/forge/repository.ts';
import type { Git } from '../reconcile/git-port.ts';
import { traitsOf } from '../reconcile/job.ts';
import { keepNewest } from '../reconcile/text/keep-newest.ts';
import type { ReceivedJob } from './received-job.ts';

/** What a job is about, in milliseconds of the wall clock. */
export interface Moment {
  /** When its event came. */
  readonly since: number;
  /** True where the jobs that it asks for are about the same event, because it writes nothing itself. */
  readonly passOn: boolean;
}

export interface Freshness {
  /** Does the work of a job; `null`: whatever it reads is read anew. */
  during<Result>(moment: Moment | null, work: () => Promise<Result>): Promise<Result>;
  /** What was found before that moment may be older than what the job is about; undefined outside of jobs. */
  askedAt(): number | undefined;
  /** The moment to write on a job that is asked for now. */
  stamp(): number;
  /** The same git, whose whole fetch is left out where the last one is fresh enough. */
  wrap(repositoryId: number, git: Git): Git;
  /** The same calls, where what a repository is, asked for a moment ago, is not asked for again. */
  wrapForge<Some extends Pick<RepositoryPort, 'get'>>(repositoryId: number, forge: Some): Some;
}

/** About what a job takes; who may read a repository decides where its content goes, so what was told longer ago is asked for anew. */
const MAX_FACTS_MS = 5_000;
/** Repositories of which an answer is kept. */
const MAX_FACTS = 1_000;

/**
 * Clocks of processes are kept by NTP and rarely so far apart. Within that time after a job was asked for, each job of a burst works out anew what it could
 * share with the others.
 */
const MAX_ASKED_MARGIN_MS = 1_000;

/** `marginMs`: how far the clocks of the processes that share a queue may be apart; 0 for one process. */
export function createFreshness(now: () => number, marginMs: number): Freshness {
  const began = new Map<number, number>();
  const facts = new Map<number, { readonly at: number; readonly facts: RepositoryFacts }>();
  const moments = new AsyncLocalStorage<Moment | null>();

  function isFresh(at: number | undefined): boolean {
    const since = moments.getStore()?.since;
    // A time that has not come means that the clock was set back: it proves nothing.
    return since !== undefined && at !== undefined && at > since + marginMs && at <= now();
  }

  return {
    during: (moment, work) => moments.run(moment, work),
    askedAt() {
      const moment = moments.getStore();
      if (moment === undefined) return undefined;
      return moment === null ? now() : moment.since + Math.min(marginMs, MAX_ASKED_MARGIN_MS);
    },
    stamp() {
      const moment = moments.getStore();
      return moment?.passOn === true ? moment.since : now();
    },
    wrap: (repositoryId, git) => ({
      ...git,
      async fetch(options = {}, signal) {
        const whole = options.refspecs === undefined;
        if (whole && isFresh(began.get(repositoryId))) return null;
        const at = now();
        const result = await git.fetch(options, signal);
        if (whole) began.set(repositoryId, at);
        return result;
      },
    }),
    wrapForge: (repositoryId, forge) => ({
      ...forge,
      async get(signal) {
        const known = facts.get(repositoryId);
        if (known !== undefined && isFresh(known.at) && now() - known.at <= MAX_FACTS_MS) return known.facts;
        const at = now();
        const found = await forge.get(signal);
        keepNewest(facts, repositoryId, { at, facts: found }, MAX_FACTS);
        return found;
      },
    }),
  };
}

/** A command is decided on what is there now, and what failed once is read anew. */
export function momentOf({ kind, origin: { at }, attempt }: ReceivedJob): Moment | null {
  const isCommand = kind === 'comment' || kind === 'reader-comment' || kind === 'fix';
  if (isCommand || attempt > 1 || at === undefined) return null;
  return { since: at, passOn: traitsOf(kind).onlyReads === true };
}
