/**
 * Requests to one registry: who we are where it asks, where it sends us, and again where it could not answer. Whoever is
 * asked at another address hears nothing of our credentials.
 */
import { setTimeout as wait } from 'node:timers/promises';

import { PorticoError } from '../error.ts';
import type { OutsideFetch, OutsideRequest } from '../network/outside-fetch.ts';
import {
  answerChallenge,
  secretsIn,
  type Authorization,
  type IsTokenHost,
  type RegistryCredential,
} from './authorization.ts';
import { registryError } from './registry-error.ts';
import type { RegistryLimits } from './registry-limits.ts';

export interface RegistryRequest {
  readonly method?: OutsideRequest['method'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** What may be done with the token: `repository:acme/web:pull`. */
  readonly scope: string;
  /** Answers that are no error, besides those from 200 to 299. */
  readonly accept?: readonly number[];
  /** Names what is asked for in messages. */
  readonly what: string;
  /** False where the caller finds out himself how far a failed request came. */
  readonly again?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface RegistryHttp {
  /** Sends a request, reads its answer and gives what was read. Throws `REGISTRY_…`, `HOST_…` and `ADDRESS_REFUSED`. */
  send<T>(url: URL, request: RegistryRequest, read: (answer: Response) => T | Promise<T>): Promise<T>;
  /** Waits before something is tried once more; `times` is how often it failed. */
  pause(times: number, signal: AbortSignal | undefined): Promise<void>;
}

export interface RegistryHttpOptions {
  readonly fetch: OutsideFetch;
  /** Of the registry. */
  readonly base: URL;
  readonly credential: () => RegistryCredential | undefined;
  readonly isTokenHost: IsTokenHost;
  readonly limits: RegistryLimits;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Whether a failure may be gone in a while. */
export function isTransient(error: unknown): error is PorticoError {
  return (
    error instanceof PorticoError &&
    ['HOST_UNREACHABLE', 'HOST_SLOW', 'REGISTRY_UNAVAILABLE', 'REGISTRY_LIMITED'].includes(error.code)
  );
}

/** Makes the client of one registry; tokens are kept as long as it is. */
export function createRegistryHttp(options: RegistryHttpOptions): RegistryHttp {
  const { fetch, base, credential, isTokenHost, limits } = options;
  const known = new Map<string, Authorization>();

  const authorized = async (url: URL, request: RegistryRequest, signal: AbortSignal): Promise<Response> => {
    const { scope } = request;
    const now = Date.now();
    const held = known.get(scope);
    const used = held !== undefined && held.until > now ? held.header : undefined;
    const { answer, own } = await follow(url, request, used, signal);
    // Other hosts may ask who we are, and are not told.
    if (answer.status !== 401 || !own) return answer;
    known.delete(scope);
    const next = await answerChallenge(answer.headers.get('www-authenticate'), {
      fetch,
      registry: base,
      scope,
      credential: credential(),
      isTokenHost,
      now: () => now,
      signal,
    });
    if (next === undefined) return answer;
    await answer.body?.cancel();
    const asked = await follow(url, request, next.header, signal);
    if (asked.answer.status !== 401) known.set(scope, next);
    return asked.answer;
  };

  const follow = async (
    from: URL,
    { method = 'GET', headers, body }: RegistryRequest,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly answer: Response; readonly own: boolean }> => {
    let url = from;
    let ledBy = base;
    // What a registry names on another host is not the registry, nor is anything that follows from there.
    let own = url.origin === base.origin;
    for (let times = 0; ; times += 1) {
      const answer = await fetch(url, {
        method,
        headers: { ...headers, ...(own && authorization !== undefined && { authorization }) },
        ...(body !== undefined && { body }),
        signal,
        ledBy,
      });
      const location = answer.headers.get('location');
      const isRead = method === 'GET' || method === 'HEAD';
      const moves = REDIRECTS.includes(answer.status) && (isRead || answer.status >= 307);
      if (!moves || location === null) return { answer, own };
      await answer.body?.cancel();
      if (times === limits.redirects || !URL.canParse(location, url.href)) {
        throw new PorticoError(
          'REGISTRY_REFUSED',
          `${base.host} sends us around (${limits.redirects} times)`,
          { blame: 'user', hint: 'Ask the operator of the registry.' },
        );
      }
      const next = new URL(location, url);
      own &&= next.origin === base.origin;
      ledBy = url;
      url = next;
    }
  };

  const once = async <T>(
    url: URL,
    request: RegistryRequest,
    read: (answer: Response) => T | Promise<T>,
  ): Promise<T> => {
    const { what, accept = [], signal } = request;
    const deadline = AbortSignal.timeout(limits.requestMs);
    try {
      const both = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      const answer = await authorized(url, request, both);
      if (!answer.ok && !accept.includes(answer.status)) {
        throw await registryError(answer, what, secretsIn(credential()));
      }
      return await read(answer);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PorticoError) throw error;
      if (deadline.aborted) {
        throw new PorticoError(
          'HOST_SLOW',
          `${what}: no whole answer within ${limits.requestMs / 1000} seconds`,
          {
            blame: 'forge',
            hint: 'Try again later.',
          },
        );
      }
      const { message } = error as Error;
      throw new PorticoError('HOST_UNREACHABLE', `${what}: the answer broke off: ${message}`, {
        blame: 'forge',
        cause: error,
        hint: 'Try again later.',
      });
    }
  };

  const pause = async (times: number, signal: AbortSignal | undefined): Promise<void> => {
    const ms = Math.min(limits.pauseMs * 2 ** (times - 1), limits.longestPauseMs);
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  };

  return {
    pause,
    send: async (url, request, read) => {
      const { again = true, signal } = request;
      for (let times = 1; ; times += 1) {
        try {
          return await once(url, request, read);
        } catch (error) {
          signal?.throwIfAborted();
          if (!again || !isTransient(error) || error.code === 'HOST_SLOW' || times >= limits.attempts)
            throw error;
          const asked = (error.retryAfter ?? 0) * 1000;
          // Whoever asks for more than that is asked again by the next run, not by this one.
          if (asked > limits.longestPauseMs) throw error;
          if (asked > 0) await wait(asked, undefined, signal === undefined ? {} : { signal });
          else await pause(times, signal);
        }
      }
    },
  };
}
