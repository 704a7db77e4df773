/** Whole bodies of addresses that packages name: redirects followed, judged each, within limits of bytes and time. */
import { createHash } from 'node:crypto';

import { PorticoError } from '../error.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import { readBody } from '../network/read-body.ts';
import { scrubSecrets } from '../text/secrets.ts';

/** As whom an address is asked. */
export interface Authorization {
  /** Of the header `Authorization`; for the first address's own origin alone. */
  readonly value: string;
  /** Whether it may be sent to another address of that origin. */
  readonly isFor: (url: URL) => boolean;
}

export interface DownloadRequest {
  readonly fetch: OutsideFetch;
  readonly authorization?: Authorization | undefined;
  /** What is known already; the answer may be that it is so still. */
  readonly etag?: string | undefined;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

export interface Download {
  readonly bytes: Uint8Array;
  /** `sha256:…` over the bytes. */
  readonly digest: string;
  readonly etag?: string;
}

/** Redirects that one download follows. */
const MAX_REDIRECTS = 5;
/** However slowly it comes, it has come by then. */
const WHOLE_MS = 300_000;

/**
 * The body, or `unchanged`. Throws `SOURCE_NOT_FOUND`, `SOURCE_REFUSED`, `SOURCE_UNREACHABLE` and what an `OutsideFetch` and
 * `readBody` throw.
 */
export async function download(address: URL, request: DownloadRequest): Promise<Download | 'unchanged'> {
  const deadline = AbortSignal.timeout(WHOLE_MS);
  const signal = AbortSignal.any([request.signal, deadline]);
  const what = shown(address);
  try {
    const response = await follow(address, { ...request, signal });
    if (response.status === 304 && request.etag !== undefined) return 'unchanged';
    if (response.status !== 200) {
      await response.body?.cancel();
      throw notGiven(what, response);
    }
    const hash = createHash('sha256');
    const bytes = await readBody(response, request.mostBytes, hash);
    const etag = response.headers.get('etag');
    return { bytes, digest: `sha256:${hash.digest('hex')}`, ...(etag !== null && { etag }) };
  } catch (cause) {
    request.signal.throwIfAborted();
    if (cause instanceof PorticoError && cause.code === 'ANSWER_TOO_LARGE') {
      throw new PorticoError('SOURCE_LIMIT', `${what}: ${cause.message}`, {
        blame: 'user',
        hint: 'Nothing was used. Check that the address is correct.',
      });
    }
    if (cause instanceof PorticoError) throw cause;
    const late = deadline.aborted ? `it took longer than ${WHOLE_MS / 1_000} s` : messageOf(cause);
    throw new PorticoError('SOURCE_UNREACHABLE', `${what} was not read to its end: ${late}`, {
      blame: 'forge',
      cause,
      hint: 'Try again later.',
    });
  }
}

async function follow(
  first: URL,
  { fetch, authorization, etag, signal }: DownloadRequest,
): Promise<Response> {
  let url = first;
  let ledBy: URL | undefined;
  let own = true;
  for (let hop = 0; ; hop += 1) {
    const response = await fetch(url, {
      headers: {
        ...(own && authorization !== undefined && { authorization: authorization.value }),
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
      signal,
      ...(ledBy !== undefined && { ledBy }),
    });
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel();
    if (hop === MAX_REDIRECTS || !URL.canParse(location, url.href)) {
      const why = hop === MAX_REDIRECTS ? `more than ${MAX_REDIRECTS} times` : 'to an invalid address';
      throw new PorticoError('SOURCE_REFUSED', `${shown(first)} redirects ${why}`, {
        blame: 'user',
        hint: 'Name the address at which the content really is.',
      });
    }
    const next = new URL(location, url);
    own &&= next.origin === first.origin && authorization?.isFor(next) !== false;
    ledBy = url;
    url = next;
  }
}

function notGiven(what: string, { status, headers }: Response): PorticoError {
  if (status === 404 || status === 410) {
    return new PorticoError('SOURCE_NOT_FOUND', `there is nothing at ${what}`, {
      blame: 'user',
      hint: 'Check the address; the content may have moved or been removed.',
    });
  }
  if (status === 401 || status === 403) {
    return new PorticoError('SOURCE_REFUSED', `${what} answers ${status}`, {
      blame: 'user',
      hint: 'Name a credential of the host that may read it, under credentials of the source.',
    });
  }
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  return new PorticoError('SOURCE_UNREACHABLE', `${what} answers ${status}`, {
    blame: 'forge',
    hint: 'Try again later.',
    ...(Number.isSafeInteger(after) && after > 0 && { retryAfter: after }),
  });
}

/** Without what may be a secret in a query. */
function shown({ origin, pathname }: URL): string {
  return scrubSecrets(`${origin}${pathname}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : 'unknown';
}
