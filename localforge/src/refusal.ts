import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** One entry of `errors` in a 422 answer. */
export interface FieldError {
  readonly resource: string;
  readonly field?: string;
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom';
  readonly message?: string;
  readonly value?: unknown;
}

const DOCUMENTATION = 'https://docs.github.com/rest';

/** Thrown by handlers; the router answers with it. The body is in `cause`. */
export function refusal(
  status: ContentfulStatusCode,
  message: string,
  extra: {
    readonly errors?: readonly (FieldError | string)[];
    readonly headers?: Record<string, string>;
  } = {},
): HTTPException {
  const body = {
    message,
    ...(extra.errors === undefined ? {} : { errors: extra.errors }),
    documentation_url: DOCUMENTATION,
    status: String(status),
  };
  return new HTTPException(status, {
    message,
    res: Response.json(body, { status, ...(extra.headers === undefined ? {} : { headers: extra.headers }) }),
  });
}

/** 404, also for what the viewer may not know of. */
export const notFound = (): HTTPException => refusal(404, 'Not Found');

/** 403. */
export const forbidden = (message: string): HTTPException => refusal(403, message);

/** 422 with the list of what is wrong. */
export const invalid = (...errors: readonly FieldError[]): HTTPException =>
  refusal(422, 'Validation Failed', { errors });

/** 422 with a sentence alone, as git data endpoints do ("Reference already exists"). */
export const unprocessable = (message: string): HTTPException => refusal(422, message);

/** 409. */
export const conflict = (message: string): HTTPException => refusal(409, message);
