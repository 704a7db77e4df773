/**
 * Comments of people who cannot write. Anyone who can read a repository may write many, and each costs calls of an installation that all its
 * repositories share. So they wait in a lane of their own and get half of those calls at most: commands of others never wait for them.
 */
import { atLeast, parseRole } from '../config/role.ts';
import { countPoints } from '../forge/spent-points.ts';
import type { CommentTarget } from '../reconcile/job.ts';
import type { Ports } from '../reconcile/ports.ts';
import { answered } from '../reconcile/repository/caller.ts';
import { keepNewest } from '../reconcile/text/keep-newest.ts';

export interface Readers {
  /** Whether the author cannot write there. Only decides who waits for whom, so an answer may be a minute old. */
  isReader(target: CommentTarget, signal?: AbortSignal): Promise<boolean>;
  /** Seconds until another of their comments may be carried out; 0 for now. */
  secondsToWait(installationId: number): number;
  /** Does the work and counts its calls. */
  spend<Result>(installationId: number, work: () => Promise<Result>): Promise<Result>;
}

export interface ReadersOptions {
  readonly ports: Pick<Ports, 'open'>;
  /** Points of calls that an installation has in a minute. */
  readonly pointsPerMinute: number;
  /** In milliseconds. */
  readonly now: () => number;
}

/** The part of the points that is theirs. */
const SHARE = 1 / 2;
/** Seconds of their share that may be spent in advance; a comment of ten commands costs about 90 points. */
const ADVANCE_SECONDS = 12;
/** The queue counts as busy for jobs within a minute, so that a run without a server waits for them. */
const LONGEST_WAIT_SECONDS = 55;
const REMEMBERED_MS = 60_000;
/** People, and installations, that are remembered at a time. */
const MAX_REMEMBERED = 10_000;

/** Counts in this process alone. */
export function createReaders({ ports, pointsPerMinute, now }: ReadersOptions): Readers {
  const roles = new Map<string, { readonly isReader: boolean; readonly at: number }>();
  const spent = new Map<string, { readonly points: number; readonly at: number }>();
  const perSecond = (pointsPerMinute * SHARE) / 60;
  /** Points that are spent and not yet earned. */
  const owed = (installationId: number): number => {
    const { points, at } = spent.get(String(installationId)) ?? { points: 0, at: now() };
    return Math.max(0, points - ((now() - at) / 1_000) * perSecond);
  };
  return {
    async isReader({ repository, author, form }, signal) {
      const login = author ?? form?.author;
      if (login === undefined) return false;
      const key = `${repository.id} ${login}`;
      const known = roles.get(key);
      if (known !== undefined && now() - known.at < REMEMBERED_MS) return known.isReader;
      const { forge } = await ports.open(repository, signal);
      const role = parseRole((await answered(forge.permission(login, signal))) ?? '') ?? 'none';
      const isReader = !atLeast(role, 'write');
      keepNewest(roles, key, { isReader, at: now() }, MAX_REMEMBERED);
      return isReader;
    },
    secondsToWait(installationId) {
      const seconds = owed(installationId) / perSecond - ADVANCE_SECONDS;
      return Math.min(LONGEST_WAIT_SECONDS, Math.max(0, Math.ceil(seconds)));
    },
    spend: (installationId, work) =>
      countPoints(work, (points) => {
        const debt = { points: owed(installationId) + points, at: now() };
        keepNewest(spent, String(installationId), debt, MAX_REMEMBERED);
      }),
  };
}
