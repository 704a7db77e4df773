import type { ForgeContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { choose, drawDelay } from './chances.ts';

interface Refused {
  readonly until: number;
  readonly status: 401 | 403;
}

const young = new WeakMap<ForgeContext, Map<number, Refused>>();

/** Decides at its making for how long a token is refused. */
export function tokenMade(context: ForgeContext, tokenId: number): void {
  const ms = drawDelay(context, 'freshTokens');
  if (ms === 0) return;
  const tokens = young.get(context) ?? new Map<number, Refused>();
  young.set(context, tokens);
  const status = choose<401 | 403>(context, 'freshTokens', [401, 403]);
  tokens.set(tokenId, { until: performance.now() + ms, status });
}

/**
 * Refuses an installation token that is too young for the machine that is asked: tokens take some seconds to reach all of
 * them. 401 as in octokit/auth-app.js#65, 403 as in octokit/handbook#8.
 */
export function refuseYoung(context: ForgeContext, tokenId: number): void {
  const tokens = young.get(context);
  const found = tokens?.get(tokenId);
  if (found === undefined) return;
  if (performance.now() < found.until) {
    throw found.status === 401
      ? refusal(401, 'Bad credentials')
      : refusal(403, 'Resource not accessible by integration');
  }
  tokens?.delete(tokenId);
}
