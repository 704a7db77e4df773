import { PorticoError } from '../../error.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Git } from '../git-port.ts';

/**
 * The head commit of a pull request, fetched where the mirror lacks it: a fork's, or one whose branch is gone. It is asked for
 * by its id, because `refs/pull/N/head` follows a push only after a while (rocq-prover/bot#1, kubernetes/test-infra#12276);
 * a forge that does not give commits by their ids is asked for that ref. Null where the forge has the commit no more.
 * @throws PorticoError HEAD_NOT_THERE where an open pull request's is not there yet: it is looked at again
 */
export async function fetchedHead(
  git: Pick<Git, 'resolve' | 'fetch'>,
  { number, headSha, state }: Pick<Pull, 'number' | 'headSha' | 'state'>,
  signal?: AbortSignal,
): Promise<string | null> {
  const known = await git.resolve(headSha, signal);
  if (known !== null) return known;
  const ref = `refs/pull/${number}/head`;
  try {
    // The ref keeps it in the mirror.
    await git.fetch({ refspecs: [`+${headSha}:${ref}`] }, signal);
  } catch (error) {
    const unknown = error instanceof PorticoError && error.code === 'GIT_NO_SUCH_REF';
    if (!unknown) throw error;
    await git.fetch({ refspecs: [`+${ref}:${ref}`] }, signal);
  }
  const head = await git.resolve(headSha, signal);
  if (head !== null || state === 'closed') return head;
  throw new PorticoError('HEAD_NOT_THERE', `git does not have the head of pull request ${number} yet`, {
    blame: 'forge',
    retryAfter: 2,
  });
}
