import { atLeast, parseRole } from '../../config/role.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { answered } from '../repository/caller.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** So many replies somebody gets in an hour who may not write. */
export const REPLIES_AN_HOUR = 10;

const HOUR_MS = 3_600_000;
/** People whose replies are counted at a time. */
const MAX_REMEMBERED = 10_000;

/** Who may only comment could spend what the owner's repositories may write: every reply is one of 500 in an hour. */
export interface ReplyShare {
  /** Whether a comment of `login` is answered in words. It counts as answered then. */
  take(
    access: Pick<RepositoryAccess, 'forge' | 'ref'>,
    login: string,
    signal?: AbortSignal,
  ): Promise<boolean>;
}

/** Counts in this process alone; whoever may write is never counted out. */
export function createReplyShare({ now }: Pick<Ports, 'now'>): ReplyShare {
  const times = new Map<string, readonly number[]>();
  return {
    async take({ forge, ref }, login, signal) {
      const key = `${ref.owner}/${login}`.toLowerCase();
      const at = now().getTime();
      const recent = (times.get(key) ?? []).filter((time) => time > at - HOUR_MS);
      if (recent.length >= REPLIES_AN_HOUR) return mayWrite(forge, login, signal);
      keepNewest(times, key, [...recent, at], MAX_REMEMBERED);
      return true;
    },
  };
}

async function mayWrite(
  forge: RepositoryAccess['forge'],
  login: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const role = await answered(forge.permission(login, signal));
  return role !== undefined && atLeast(parseRole(role) ?? 'none', 'write');
}
