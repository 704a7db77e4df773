import type { z } from 'zod';

import type { RepositoryRecord, Role } from './records.ts';
import { refusal } from './refusal.ts';
import type { Actor, Viewer } from './viewer.ts';

/** A REST request, authenticated and allowed. */
export interface ForgeRequest {
  readonly method: string;
  /** As registered: `/repos/:owner/:repo/pulls/:number`. */
  readonly route: string;
  readonly url: URL;
  /** The `Accept` header, or ''. */
  readonly accept: string;
  readonly viewer: Viewer;
  /** The JSON body; undefined when there is none. */
  readonly body: unknown;
  /** A path parameter, decoded. */
  param(name: string): string;
  query(name: string): string | undefined;
  /** The viewer's account; refuses with 401 or 403 when there is none. */
  actor(): Actor;
}

/** A request below `/repos/:owner/:repo`, whose repository exists and is visible. */
export interface RepositoryRequest extends ForgeRequest {
  readonly repository: RepositoryRecord;
  /** The viewer's role there; an installation's is what its permissions amount to. */
  readonly role: Role;
}

/** What a handler gives back. JSON unless `body` is a string or bytes. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 201,
  body,
  headers,
});
export const accepted = (body: unknown = {}): Reply => ({ status: 202, body });
export const noContent = (): Reply => ({ status: 204 });

export interface Page {
  readonly page: number;
  readonly perPage: number;
  /** Number of items before this page. */
  readonly offset: number;
}

/** `page` and `per_page`, in GitHub's bounds: at most 100, default 30. */
export function pageOf(request: ForgeRequest): Page {
  const page = Math.max(1, numberOr(request.query('page'), 1));
  const perPage = Math.min(100, Math.max(1, numberOr(request.query('per_page'), 30)));
  return { page, perPage, offset: (page - 1) * perPage };
}

/**
 * One page of a list that is at hand as a whole, with `link` headers.
 * `shape` sees only the items of the page. `wrap` puts the items in an object, as the search-like lists do:
 * `(items, total) => ({ total_count: total, check_runs: items })`.
 */
export function paginated<T, U>(
  request: ForgeRequest,
  items: readonly T[],
  shape: (item: T) => U,
  wrap: (items: U[], total: number) => unknown = (page) => page,
): Reply {
  const page = pageOf(request);
  const shown = items.slice(page.offset, page.offset + page.perPage).map(shape);
  return {
    status: 200,
    body: wrap(shown, items.length),
    headers: linkHeader(request, page, items.length),
  };
}

/** The `link` header for a list of `total` items; nothing when all fits one page. */
export function linkHeader(request: ForgeRequest, page: Page, total: number): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / page.perPage));
  const to = (number: number, rel: string): string => {
    const url = new URL(request.url);
    url.searchParams.set('page', String(number));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page.page > 1 ? [to(page.page - 1, 'prev')] : []),
    ...(page.page < last ? [to(page.page + 1, 'next'), to(last, 'last')] : []),
    ...(page.page > 1 ? [to(1, 'first')] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}

/**
 * The body, checked. An absent body counts as `{}`.
 * @throws a 422 refusal that names the first field that is wrong, in GitHub's words
 */
export function bodyOf<S extends z.ZodType>(request: ForgeRequest, schema: S): z.output<S> {
  const result = schema.safeParse(request.body ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  const missing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined');
  const sentence = missing
    ? `"${field}" wasn't supplied.`
    : `For 'properties/${field.replaceAll('.', '/')}', ${issue?.message ?? 'the value is not valid'}.`;
  throw refusal(422, `Invalid request.\n\n${sentence}`);
}

const numberOr = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
