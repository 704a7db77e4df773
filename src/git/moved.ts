/** Where a repository went that the other end calls by another name now. */
import { PorticoError } from '../error.ts';

const SERVICE = '/info/refs?service=git-upload-pack';
const HOPS = 3;
const TIMEOUT_MS = 15_000;

/** One request whose redirect is not followed. */
export type Question = (url: URL, signal: AbortSignal) => Promise<Response>;

/**
 * GitHub answers git 301 for a repository that was renamed or transferred (losakovvitalik/plantar#144), and git is told to
 * follow nobody, so that no credentials go elsewhere. The new address where the old one says so for good and stays on its
 * own origin, in the form `/owner/name`; null for anything else.
 */
export async function movedTo(
  url: string,
  ask: Question,
  signal?: AbortSignal,
  hops = HOPS,
): Promise<string | null> {
  let at = url;
  for (let hop = 0; hop < hops; hop += 1) {
    const next = await redirectOf(at, ask, signal);
    if (next === null) return at === url ? null : at;
    at = next;
  }
  return hops === 1 ? at : null;
}

/**
 * A repository that is at another address of its own origin now, where the mirror does not follow by itself: `to`, as the other end
 * says it, without `.git`.
 */
export function movedError(url: string, to: string): PorticoError {
  return new PorticoError('GIT_MOVED', `${url} has moved to another address`, {
    blame: 'user',
    cause: { movedTo: to.replace(/\.git$/, '') },
    hint: 'Name the new address.',
  });
}

/** True for git's word of a redirect that it did not follow. */
export function isRedirect(error: unknown): boolean {
  return (
    error instanceof PorticoError &&
    error.code === 'GIT_NOT_FOUND' &&
    /returned error: 30[18]\b/.test(error.message)
  );
}

async function redirectOf(
  url: string,
  ask: Question,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const asked = new URL(`${url}${SERVICE}`);
  const limit = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const answer = await ask(asked, limit).catch(() => null);
  signal?.throwIfAborted();
  await answer?.body?.cancel();
  const location = answer?.headers.get('location') ?? null;
  if (location === null || (answer?.status !== 301 && answer?.status !== 308)) return null;
  const to = URL.canParse(location, asked.href) ? new URL(location, asked) : null;
  const repository = to === null ? null : /^(\/[^/]+\/[^/]+)\/info\/refs$/.exec(to.pathname)?.[1];
  if (to === null || !repository || to.origin !== new URL(url).origin) return null;
  return `${to.origin}${repository}`;
}
