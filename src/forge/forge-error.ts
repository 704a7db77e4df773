import type { ErrorCode } from '../error-code.ts';
import { certificateHint, PorticoError } from '../error.ts';
import { shorten } from '../text/cut-text.ts';
import { scrubSecrets } from '../text/secrets.ts';

/** GitHub: "wait for at least one minute" where it does not say how long. */
const A_MINUTE = 60;

/** An answer that is no success, as far as it matters; status 0 when none came. */
export interface Refusal {
  readonly method: string;
  /** Template of the route; it names no repository. */
  readonly route: string;
  readonly status: number;
  /** The forge's own words. */
  readonly message: string;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly cause?: unknown;
}

/** What is to be done where the forge asks to wait. */
export const LIMIT_HINT =
  'Nothing is lost; the work resumes automatically then. If this happens often, lower POINTS_PER_MINUTE and CONTENT_PER_MINUTE, and check whether another process uses the same App.';

const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  FORGE_AUTH: 'Check APP_ID and PRIVATE_KEY, that the App is still installed, and that the clock is right.',
  FORGE_FORBIDDEN:
    "Check the App's permissions, and that a new permission was accepted for the installation.",
  FORGE_UNAVAILABLE:
    'The forge has trouble; a write may or may not have happened, so look before doing it again.',
};

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'FORGE_AUTH',
  403: 'FORGE_FORBIDDEN',
  404: 'FORGE_NOT_FOUND',
  405: 'FORGE_NOT_ALLOWED',
  409: 'FORGE_CONFLICT',
  410: 'FORGE_NOT_FOUND',
  422: 'FORGE_INVALID',
};

/** The error for an answer; RATE_LIMITED carries the seconds to wait. `now` in milliseconds. */
export function forgeError(refusal: Refusal, now: number): PorticoError {
  const wait = secondsToWait(refusal, now);
  const detail = shorten(scrubSecrets(refusal.message), 500);
  const call = `${refusal.method} ${refusal.route}`;
  if (wait !== null) {
    return new PorticoError('RATE_LIMITED', `${call}: the forge asks to wait ${wait} s (${detail})`, {
      blame: 'forge',
      retryAfter: wait,
      hint: LIMIT_HINT,
    });
  }
  const { status } = refusal;
  if (isGone(refusal)) {
    return new PorticoError('INSTALLATION_GONE', `${call}: ${status} (${detail})`, {
      blame: 'user',
      hint: 'The App was suspended or uninstalled there, or the repository was removed from the installation. Once it is back, everything is checked again.',
    });
  }
  const code = CODES[status] ?? (status === 0 || status >= 500 ? 'FORGE_UNAVAILABLE' : 'FORGE_REFUSED');
  const hint = HINTS[code];
  return new PorticoError(code, `${call}: ${status === 0 ? 'no answer' : status} (${detail})`, {
    blame: 'forge',
    cause: refusal.cause,
    ...(hint === undefined ? {} : { hint }),
    ...(status === 0 && certificateHint(detail)),
  });
}

/**
 * The installation was suspended, or is no more, or the repository left it: trying again is of no use, its webhook will tell
 * when it is back. Of a repository that left, minting a token says 422 "There is at least one repository that does not
 * exist or is not accessible to the parent installation." (tibdex/github-app-token#105).
 */
function isGone({ status, route, message }: Refusal): boolean {
  if (status === 403) return /installation has been suspended/i.test(message);
  if (!route.includes('/access_tokens')) return false;
  return status === 404 || (status === 422 && /not accessible to the parent installation/i.test(message));
}

/** The hourly budget is spent: GitHub counts that of REST and of GraphQL apart. All other limits are of both. */
export function isPrimaryLimit({ headers, message }: Pick<Refusal, 'headers' | 'message'>): boolean {
  return (
    String(headers['x-ratelimit-remaining']) === '0' &&
    headers['retry-after'] === undefined &&
    !/secondary rate limit|abuse detection/i.test(message)
  );
}

/** What the forge said in an error of `forgeError`, without the call and the address of its manual. */
export function wordsOfForge({ message }: PorticoError): string {
  const detail = /: (?:\d{3}|no answer) \((.*)\)$/s.exec(message)?.[1] ?? message;
  return detail.replace(/\s+- https:\/\/docs\.github\.com\S*$/, '').trim();
}

/** True for an error with one of these codes. */
export function isForgeError(error: unknown, ...codes: readonly ErrorCode[]): error is PorticoError {
  return error instanceof PorticoError && codes.includes(error.code);
}

/** The outcome, or null where the forge says that there is no such thing. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isForgeError(error, 'FORGE_NOT_FOUND')) return null;
    throw error;
  }
}

/**
 * Seconds to wait when a primary or secondary limit was hit, else null: `retry-after`, then `x-ratelimit-reset`, then
 * a minute (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */
function secondsToWait({ status, message, headers }: Refusal, now: number): number | null {
  const after = headers['retry-after'];
  const exhausted = String(headers['x-ratelimit-remaining']) === '0';
  const words = /secondary rate limit|abuse detection|rate limit exceeded/i.test(message);
  const limited =
    status === 429 || ((status === 403 || status === 200) && (after !== undefined || exhausted || words));
  if (!limited) return null;
  if (after !== undefined) return retryAfter(String(after), now);
  const reset = Number(headers['x-ratelimit-reset']);
  return exhausted && reset > 0 ? Math.max(1, Math.ceil(reset - now / 1_000)) : A_MINUTE;
}

function retryAfter(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Math.max(1, Number(value));
  const date = Date.parse(value);
  return Number.isNaN(date) ? A_MINUTE : Math.max(1, Math.ceil((date - now) / 1_000));
}
