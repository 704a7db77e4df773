import type { ForgeContext } from './context.ts';
import { keyOf } from './rate-limit.ts';
import { refusal } from './refusal.ts';
import type { Viewer } from './viewer.ts';

interface Account {
  atOnce: number;
  /** Each with its time in milliseconds. */
  readonly spent: { readonly kind: 'rest' | 'graphql'; readonly points: number; readonly at: number }[];
}

const accounts = new WeakMap<ForgeContext, Map<string, Account>>();

function accountOf(context: ForgeContext, viewer: Viewer): Account {
  const all = accounts.get(context) ?? new Map<string, Account>();
  accounts.set(context, all);
  const key = keyOf(viewer);
  const present = all.get(key);
  if (present !== undefined) return present;
  const fresh: Account = { atOnce: 0, spent: [] };
  all.set(key, fresh);
  return fresh;
}

/**
 * Counts a call among those that are under way; the answer ends it.
 * @throws a 403 refusal where there are too many
 */
export function beginCall(context: ForgeContext, viewer: Viewer): () => void {
  const { points: limits } = context.knobs;
  const account = accountOf(context, viewer);
  if (limits !== null && account.atOnce >= limits.atOnce) throw tooMuch(limits.seconds);
  account.atOnce += 1;
  return () => {
    account.atOnce -= 1;
  };
}

/**
 * Spends the points of a call, whatever it will answer.
 * @throws a 403 refusal where the last minute, wherever it begins, has held too many
 */
export function spendPoints(
  context: ForgeContext,
  viewer: Viewer,
  kind: 'rest' | 'graphql',
  points: number,
): void {
  const { points: limits } = context.knobs;
  if (limits === null) return;
  const { spent } = accountOf(context, viewer);
  const now = performance.now();
  while (spent[0] !== undefined && spent[0].at <= now - limits.seconds * 1_000) spent.shift();
  const sum = spent.filter((one) => one.kind === kind).reduce((total, one) => total + one.points, 0);
  if (sum + points > limits[kind]) throw tooMuch(limits.seconds);
  spent.push({ kind, points, at: now });
}

function tooMuch(seconds: number): Error {
  return refusal(
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    { headers: { 'retry-after': String(Math.ceil(seconds)) } },
  );
}
