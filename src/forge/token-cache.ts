export interface ForgeToken {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** Tokens by what they are for. */
export interface TokenCache {
  get(key: string, mint: () => Promise<ForgeToken>, refresh?: boolean): Promise<string>;
}

/** A token is not handed out in its last minutes: what it is for may take that long. */
const MARGIN_MS = 10 * 60_000;
/** Two refusals of one token at once ask for one new token, not two. */
const FRESH_MS = 5_000;
const MAX_TOKENS = 10_000;

/** Keeps tokens until shortly before they end; callers at the same time share one request. */
export function createTokenCache(): TokenCache {
  const known = new Map<string, { readonly at: number; readonly token: Promise<ForgeToken> }>();
  return {
    get: async (key, mint, refresh = false) => {
      const entry = known.get(key);
      const young = entry !== undefined && Date.now() - entry.at < FRESH_MS;
      if (entry && (!refresh || young)) {
        const kept = await entry.token;
        if (Date.parse(kept.expiresAt) - Date.now() > MARGIN_MS) return kept.token;
      }
      const current = known.get(key);
      if (current && current !== entry) return (await current.token).token;
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
    },
  };
}
