import type { BranchPush, RepositoryPort } from '../reconcile/forge/repository.ts';
import type { RawActivity } from './answer-shapes.ts';
import { isForgeError } from './forge-error.ts';
import type { RepositoryContext } from './repository-context.ts';
import { requestOf, where } from './repository-context.ts';

/** Pages of a hundred. */
const MAX_PAGES = 10;

/** How the forge writes that there is no commit. */
const NO_COMMIT = /^0*$/;

/** Which accounts moved a branch, as the forge records it. */
export function createActivityApi(context: RepositoryContext): Pick<RepositoryPort, 'branchActivity'> {
  const { repos } = context.octokit.rest;
  return {
    branchActivity: async (ref, { repository } = {}, signal) => {
      const [owner = '', repo = ''] = repository?.split('/') ?? [];
      const place =
        repository === undefined ? where(context, signal) : { owner, repo, request: requestOf(signal) };
      const pushes: BranchPush[] = [];
      let after: string | undefined;
      try {
        for (let page = 0; page < MAX_PAGES; page += 1) {
          const { data, headers } = await repos.listActivities({
            ...place,
            ref,
            per_page: 100,
            ...(after !== undefined && { after }),
          });
          // A forge that does not know the filter would tell of other branches too.
          pushes.push(...data.filter((one) => one.ref === ref).map(toPush));
          after = nextCursor(headers.link);
          if (after === undefined) return { pushes: pushes.toReversed(), complete: true };
        }
      } catch (error) {
        if (isForgeError(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN', 'FORGE_INVALID')) return null;
        throw error;
      }
      return { pushes: pushes.toReversed(), complete: false };
    },
  };
}

function toPush({ before, after, timestamp, activity_type: type, actor }: RawActivity): BranchPush {
  return {
    before: commitOrNull(before),
    after: commitOrNull(after),
    type,
    actor: actor ? { login: actor.login, id: actor.id ?? undefined, isBot: actor.type === 'Bot' } : null,
    at: timestamp,
  };
}

function commitOrNull(oid: string | null | undefined): string | null {
  return oid === null || oid === undefined || NO_COMMIT.test(oid) ? null : oid;
}

/** Pages of this list are reached by the cursor of the `link` header alone. */
function nextCursor(link: string | undefined): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next).searchParams.get('after') ?? undefined);
}
