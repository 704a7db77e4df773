import type { Comment, CommentsPort } from '../reconcile/forge/comments.ts';
import { cutText, MAX_BODY } from '../text/cut-text.ts';
import { scrubSecrets } from '../text/secrets.ts';
import type { RawComment } from './answer-shapes.ts';
import { orNull } from './forge-error.ts';
import type { AppIdentity } from './forge-types.ts';
import { allPages, runGraphql } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, where } from './repository-context.ts';

/** Comments of issues and pull requests, and of lines of changes. */
export function createCommentsApi(
  context: RepositoryContext,
): Omit<CommentsPort, 'isEdited' | 'isAuthorsOwn' | 'addReaction' | 'removeReaction' | 'listReactions'> {
  const { issues, pulls } = context.octokit.rest;
  const list = async (issue_number: number, signal?: AbortSignal): Promise<Comment[]> => {
    const found = await allPages((page) =>
      issues.listComments({ ...where(context, signal), issue_number, ...page }),
    );
    return found.map(toComment);
  };
  const create = async (issue_number: number, body: string, signal?: AbortSignal): Promise<Comment> => {
    const comment = { issue_number, body: cutText(body, MAX_BODY) };
    return toComment((await issues.createComment({ ...where(context, signal), ...comment })).data);
  };
  const update = async (comment_id: number, body: string, signal?: AbortSignal): Promise<void> => {
    await issues.updateComment({ ...where(context, signal), comment_id, body: cutText(body, MAX_BODY) });
  };
  const minimize = async (id: string, signal?: AbortSignal): Promise<void> => {
    await runGraphql({
      octokit: context.octokit,
      name: 'minimizeComment',
      document: MINIMIZE,
      variables: { id },
      signal,
    });
  };

  const upsertAmong: CommentsPort['upsertStickyAmong'] = async (
    comments,
    { number: n, marker, body },
    signal,
  ) => {
    const wanted = cutText(`${marker}\n${body}`, MAX_BODY);
    const app = await context.app(signal);
    const [first, ...others] = comments.filter(
      (one) => isOurs(one, app) && one.body.trimStart().startsWith(marker),
    );
    // Two runs at once may have made two; the older one stays the sticky.
    for (const extra of others) await minimize(extra.nodeId, signal);
    if (first === undefined) return { id: (await create(n, wanted, signal)).id, written: 'created' };
    const same = normal(first.body) === normal(scrubSecrets(wanted));
    if (!same) await update(first.id, wanted, signal);
    return { id: first.id, written: same ? 'unchanged' : 'updated' };
  };

  return {
    listComments: list,
    listRecentComments: async (since, signal) => {
      const when = { since: since.toISOString(), sort: 'updated' as const, direction: 'asc' as const };
      const found = await allPages((page) =>
        issues.listCommentsForRepo({ ...where(context, signal), ...when, ...page }),
      );
      return found.map((raw) => ({ ...toComment(raw), issue: Number(raw.issue_url.split('/').at(-1)) }));
    },
    listRecentLineComments: async (since, signal) => {
      const when = { since: since.toISOString(), sort: 'updated' as const, direction: 'asc' as const };
      const found = await allPages((page) =>
        pulls.listReviewCommentsForRepo({ ...where(context, signal), ...when, ...page }),
      );
      return found.map((raw) => {
        const { appId: _none, ...comment } = toComment(raw);
        return { ...comment, pull: Number(raw.pull_request_url.split('/').at(-1)) };
      });
    },
    getComment: async (comment_id, signal) => {
      const answer = await orNull(issues.getComment({ ...where(context, signal), comment_id }));
      return answer && toComment(answer.data);
    },
    createComment: create,
    upsertSticky: async (n, marker, body, signal) =>
      upsertAmong(await list(n, signal), { number: n, marker, body }, signal),
    upsertStickyAmong: upsertAmong,
  };
}

const MINIMIZE = `mutation Minimize($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`;

/** Written by this App: told by the App's id, or where the forge does not say it, by the bot's login. */
function isOurs(comment: Comment, app: AppIdentity): boolean {
  if (comment.appId !== null) return comment.appId === app.id;
  return comment.authorIsBot && comment.author === app.botLogin;
}

/** The forge may store other line ends and no last one. */
function normal(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd();
}

function toComment(raw: RawComment): Comment {
  return {
    id: raw.id,
    nodeId: raw.node_id,
    ...authorOf(raw.user),
    appId: raw.performed_via_github_app?.id ?? null,
    body: raw.body ?? '',
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}
