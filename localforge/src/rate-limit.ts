import type { ForgeContext } from './context.ts';
import { refusal } from './refusal.ts';
import type { Viewer } from './viewer.ts';

const WINDOW_SECONDS = 3600;

/** The state of one token's hourly budget. */
export interface Budget {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Seconds since 1970. */
  readonly reset: number;
}

export interface RateLimiter {
  /** Counts a request. @throws a 403 refusal when the budget is spent, or when the secondary limit is switched on */
  admit(viewer: Viewer, method: string): void;
  /** Takes one back: an answer of 304 is free. */
  refund(viewer: Viewer): void;
  headers(viewer: Viewer): Record<string, string>;
}

const budgets = new WeakMap<ForgeContext, Map<string, { used: number; reset: number }>>();

function bucket(context: ForgeContext, viewer: Viewer): { used: number; reset: number } {
  const all = budgets.get(context) ?? new Map<string, { used: number; reset: number }>();
  budgets.set(context, all);
  const key = keyOf(viewer);
  const now = Math.floor(context.clock().getTime() / 1000);
  const present = all.get(key);
  if (present !== undefined && present.reset > now) return present;
  const fresh = { used: 0, reset: now + WINDOW_SECONDS };
  all.set(key, fresh);
  return fresh;
}

/** Budgets are per user and per installation, not per token. */
export function keyOf(viewer: Viewer): string {
  if (viewer.kind === 'user') return `user:${viewer.user.id}`;
  return viewer.kind === 'installation' ? `installation:${viewer.installation.id}` : viewer.kind;
}

export function budgetOf(context: ForgeContext, viewer: Viewer): Budget {
  const { used, reset } = bucket(context, viewer);
  const limit = context.knobs.rateLimit;
  return { limit, used, remaining: Math.max(0, limit - used), reset };
}

/** Admits calls, or refuses them with a primary or secondary limit as GitHub does. */
export function makeRateLimiter(context: ForgeContext): RateLimiter {
  return {
    admit: (viewer, method) => {
      const secondary = context.knobs.secondaryLimit;
      if (secondary !== null && secondary.times > 0 && method !== 'GET') {
        secondary.times -= 1;
        throw refusal(
          secondary.status,
          'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
          { headers: { 'retry-after': String(secondary.retryAfter) } },
        );
      }
      const one = bucket(context, viewer);
      if (one.used >= budgetOf(context, viewer).limit) {
        throw refusal(403, `API rate limit exceeded for ${keyOf(viewer).replace(':', ' ID ')}.`);
      }
      one.used += 1;
    },
    refund: (viewer) => {
      bucket(context, viewer).used -= 1;
    },
    headers: (viewer) => {
      const { limit, used, remaining, reset } = budgetOf(context, viewer);
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(reset),
        'x-ratelimit-used': String(used),
        'x-ratelimit-resource': 'core',
      };
    },
  };
}
