import { createHash } from 'node:crypto';

/** An answer that the forge gave, to be had again for free with a 304. */
export interface CachedAnswer {
  readonly etag: string;
  /**
   * Digest of the token that it was given to: an ETag is good for that one alone, and tokens live for an hour (GitHub's support in
   * eclipse-csi/otterdog#201; github/docs#34689).
   */
  readonly token: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

export interface EtagCache {
  get(key: string): CachedAnswer | undefined;
  set(key: string, answer: CachedAnswer): void;
}

/** Headers and key of one answer, in characters. */
const BESIDE = 2_000;

/** Keeps the most recently used answers, so many characters of them; one of more than a thirtieth of that is not kept. */
export function createEtagCache(maxCharacters = 8 * 1024 * 1024): EtagCache {
  const answers = new Map<string, { readonly answer: CachedAnswer; readonly size: number }>();
  let held = 0;
  const forget = (key: string): void => {
    held -= answers.get(key)?.size ?? 0;
    answers.delete(key);
  };
  return {
    get: (key) => {
      const found = answers.get(key);
      if (found === undefined) return undefined;
      answers.delete(key);
      answers.set(key, found);
      return found.answer;
    },
    set: (key, answer) => {
      forget(key);
      const length = Number(answer.headers['content-length']);
      const size = BESIDE + (length > 0 ? length : JSON.stringify(answer.data ?? null).length);
      if (size > maxCharacters / 30) return;
      answers.set(key, { answer, size });
      held += size;
      for (const oldest of answers.keys()) {
        if (held <= maxCharacters) break;
        forget(oldest);
      }
    },
  };
}

export function tokenDigest(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64url').slice(0, 22);
}

/**
 * Where every change of what is read moves the time that the answer tells: a comment, an issue and a release. That of a pull request
 * stands still while its mergeability is computed, and that of a repository where an owner changes its properties.
 */
const DATED = new Set([
  '/repos/{owner}/{repo}/issues/comments/{comment_id}',
  '/repos/{owner}/{repo}/issues/{issue_number}',
  '/repos/{owner}/{repo}/releases/tags/{tag}',
]);

/** A time of whole seconds tells nothing of changes within the same one (RFC 9110, 8.8.2.2). */
const STRONG_MS = 60_000;

/** What asks for a 304: the ETag where it was given to this token, else the time where it can be relied on. */
export function conditionsOf(
  cached: CachedAnswer | undefined,
  token: string,
  route: string,
): { 'if-none-match'?: string; 'if-modified-since'?: string } {
  if (cached === undefined) return {};
  if (cached.token === token) return { 'if-none-match': cached.etag };
  const { 'last-modified': modified, date } = cached.headers;
  if (modified === undefined || !DATED.has(route)) return {};
  const age = Date.parse(String(date)) - Date.parse(String(modified));
  return age >= STRONG_MS ? { 'if-modified-since': String(modified) } : {};
}
