import { setTimeout as pause } from 'node:timers/promises';

export interface ForgeToken {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** What the forge did not take. */
export interface RefusedToken {
  readonly token: string;
  /** How often in a row this call was refused, from 1. */
  readonly times: number;
  /** 401, 403, or what stands for either of them. */
  readonly status: number;
}

/** Tokens by what they are for. */
export interface TokenCache {
  get(key: string, mint: () => Promise<ForgeToken>): Promise<string>;
  /**
   * What to try after a refusal: the same token a moment later while it is young, a new one in the place of an old one;
   * null where neither would help.
   */
  after(
    refused: RefusedToken,
    key: string,
    mint: () => Promise<ForgeToken>,
    signal?: AbortSignal,
  ): Promise<string | null>;
}

/** A token is not handed out in its last minutes: what it is for may take that long. */
const MARGIN_MS = 10 * 60_000;
/**
 * A new token takes some seconds to reach all of GitHub's machines; until then it is refused with 401 or 403
 * (octokit/auth-app.js#65, octokit/auth-app.js#168, octokit/handbook#8).
 */
const YOUNG_MS = 5_000;
/** Waits of one, two and three seconds. */
const WAITS = 3;
/** Tokens that are held; each is for one repository and lives an hour. */
const MAX_TOKENS = 10_000;

interface Entry {
  readonly at: number;
  readonly token: Promise<ForgeToken>;
}

/**
 * Keeps tokens until shortly before they end; callers at the same time share one request.
 * @param secondMs how long a second of waiting is
 */
export function createTokenCache(secondMs = 1_000): TokenCache {
  const known = new Map<string, Entry>();

  async function renew(key: string, mint: () => Promise<ForgeToken>): Promise<string> {
    const fresh = { at: Date.now(), token: mint() };
    known.delete(key);
    known.set(key, fresh);
    const [oldest] = known.keys();
    if (known.size > MAX_TOKENS && oldest !== undefined) known.delete(oldest);
    try {
      return (await fresh.token).token;
    } catch (error) {
      if (known.get(key) === fresh) known.delete(key);
      throw error;
    }
  }

  return {
    get: async (key, mint) => {
      const entry = known.get(key);
      if (entry !== undefined) {
        const kept = await entry.token;
        if (Date.parse(kept.expiresAt) - Date.now() > MARGIN_MS) return kept.token;
      }
      const current = known.get(key);
      if (current && current !== entry) return (await current.token).token;
      return await renew(key, mint);
    },
    after: async ({ token, times, status }, key, mint, signal) => {
      const entry = known.get(key);
      const present = entry && (await entry.token).token;
      // Somebody else, who was refused at the same time, has a new one already.
      if (present !== undefined && present !== token) return present;
      if (times > WAITS) return null;
      if (entry !== undefined && Date.now() - entry.at < YOUNG_MS) {
        await pause(times * secondMs, undefined, { signal });
        return token;
      }
      return status === 403 ? null : await renew(key, mint);
    },
  };
}
