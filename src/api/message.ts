/** A request to the API, and its answer, as they travel between the door and the server. */

/** What is read of a request: never its body. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** The header `If-None-Match`. */
  readonly known: string | undefined;
  /** Whom limits are shared out by, see intake/sender.ts. */
  readonly sender: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; '' with 304. */
  readonly body: string;
}

/** Everything below it is the API's. */
const API_PATH = '/api/v1/';

/** Whether a request is for the API. */
export function isApiPath(path: string): boolean {
  return path.startsWith(API_PATH);
}

/** What went wrong, in words; nothing that came from outside is ever in them. */
export interface ApiFault {
  readonly status: 400 | 401 | 404 | 405 | 414 | 429 | 500 | 503;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** Seconds to wait. */
  readonly retryAfter?: number;
}

/** The answer that tells of it. */
export function faultAnswer({ status, code, message, hint, retryAfter }: ApiFault): ApiAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="portico"' }),
      ...(status === 405 && { allow: 'GET, HEAD' }),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify({ error: { code, message, hint } }),
  };
}
