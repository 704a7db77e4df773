import { cutText, MAX_BODY } from '../text/cut-text.ts';
import { scrubSecrets } from '../text/secrets.ts';
import { orNull } from './forge-error.ts';
import type { AppIdentity } from './forge-types.ts';
import { allPages, runGraphql } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, where } from './repository-context.ts';

/** A comment of an issue or pull request. */
interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  /** Id of the App that wrote it, where an App did. */
  readonly appId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly htmlUrl: string;
}

/** What tells whose a comment is and what it says. */
type Written = Pick<Comment, 'id' | 'nodeId' | 'author' | 'authorIsBot' | 'appId' | 'body'>;

export interface CommentsApi {
  /** Oldest first. */
  listComments(n: number, signal?: AbortSignal): Promise<Comment[]>;
  /** Comments of all issues and pull requests that were written or changed since then. */
  listRecentComments(since: Date, signal?: AbortSignal): Promise<(Comment & { readonly issue: number })[]>;
  /** The same of comments on lines of changes. */
  listRecentLineComments(
    since: Date,
    signal?: AbortSignal,
  ): Promise<(Omit<Comment, 'appId'> & { readonly pull: number })[]>;
  getComment(commentId: number, signal?: AbortSignal): Promise<Comment | null>;
  createComment(n: number, body: string, signal?: AbortSignal): Promise<Comment>;
  updateComment(commentId: number, body: string, signal?: AbortSignal): Promise<Comment>;
  /**
   * Keeps exactly one comment of ours that carries `marker` (an HTML comment such as `<!-- portico:summary -->`, put at
   * the top of the body). Comments of others are never touched, whatever they carry. `written` tells if a call was made.
   */
  upsertSticky(
    n: number,
    marker: string,
    body: string,
    signal?: AbortSignal,
  ): Promise<{ readonly id: number; readonly written: 'created' | 'updated' | 'unchanged' }>;
  /** The same among comments that were listed just now, so that they are not listed again. */
  upsertStickyAmong(
    comments: readonly Written[],
    sticky: { readonly number: number; readonly marker: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<{ readonly id: number; readonly written: 'created' | 'updated' | 'unchanged' }>;
  /** Folds a comment away as outdated. */
  minimizeComment(nodeId: string, signal?: AbortSignal): Promise<void>;
}

export function createCommentsApi(context: RepositoryContext): CommentsApi {
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
  const update = async (comment_id: number, body: string, signal?: AbortSignal): Promise<Comment> => {
    const comment = { comment_id, body: cutText(body, MAX_BODY) };
    return toComment((await issues.updateComment({ ...where(context, signal), ...comment })).data);
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

  const stick: CommentsApi['upsertStickyAmong'] = async (comments, { number: n, marker, body }, signal) => {
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
    updateComment: update,
    upsertSticky: async (n, marker, body, signal) =>
      stick(await list(n, signal), { number: n, marker, body }, signal),
    upsertStickyAmong: stick,
    minimizeComment: minimize,
  };
}

const MINIMIZE = `mutation Minimize($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`;

/** Written by this App: told by the App's id, or where the forge does not say it, by the bot's login. */
function isOurs(comment: Written, app: AppIdentity): boolean {
  if (comment.appId !== null) return comment.appId === app.id;
  return comment.authorIsBot && comment.author === app.botLogin;
}

/** The forge may store other line ends and no last one. */
function normal(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd();
}

interface RawComment {
  readonly id: number;
  readonly node_id: string;
  readonly user: { readonly id?: number; readonly login: string; readonly type?: string } | null;
  readonly body?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly html_url: string;
  readonly performed_via_github_app?: { readonly id: number } | null;
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
    htmlUrl: raw.html_url,
  };
}
