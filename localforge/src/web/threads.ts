/** Comments on lines, as threads. */
import { html } from 'hono/html';

import { commentBox } from './comment-view.ts';
import type { LineMark } from './diff-view.ts';
import { lineAnchor } from './diff-view.ts';
import { form } from './form.ts';
import type { Html } from './html.ts';
import type { Data, RepositoryVisit } from './visit.ts';

export type LineComment = Data<'pulls', 'listReviewComments'>[number];

/** All comments on lines of a pull request. */
export const lineComments = async ({ api, at, param }: RepositoryVisit): Promise<LineComment[]> =>
  api.paginate(api.rest.pulls.listReviewComments, {
    ...at,
    pull_number: Number(param('number')),
    per_page: 100,
  });

/** Each thread, with a form to answer, to be shown on its line. */
export function threadMarks(visit: RepositoryVisit, comments: readonly LineComment[]): LineMark[] {
  return comments
    .filter((comment) => comment.in_reply_to_id === undefined)
    .map((first) => {
      const thread = [first, ...comments.filter((one) => one.in_reply_to_id === first.id)];
      const boxes = thread.map((one) =>
        commentBox({ visit, written: one, anchor: `discussion_r${one.id}`, what: 'commented' }),
      );
      const place =
        first.line === undefined || first.line === null ? html`<p class="dim">${where(first)}</p>` : '';
      return {
        path: first.path,
        side: first.side === 'LEFT' ? 'LEFT' : 'RIGHT',
        line: first.line ?? null,
        shown: html`<div>${place}${boxes}${visit.viewer === undefined ? '' : replyForm(visit, first)}</div>`,
      };
    });
}

function replyForm(visit: RepositoryVisit, first: LineComment): Html {
  const id = `reply-${first.id}`;
  const action = `${visit.root}/pull/${visit.param('number')}/replies`;
  const fields = html`<input type="hidden" name="comment" value="${first.id}" />
    <label for="${id}">Answer</label>
    <textarea id="${id}" name="body" required rows="2"></textarea>
    <p><button>Answer</button></p>`;
  return html`<details>
    <summary>Answer ${first.user.login}</summary>
    ${form(action, visit, fields)}
  </details>`;
}

/** A line of the timeline for a comment that is shown whole among the changes. */
export function commentLink(visit: RepositoryVisit, comment: LineComment): Html {
  const page = `${visit.root}/pull/${visit.param('number')}/files`;
  const outdated = comment.line === undefined || comment.line === null;
  const anchor = outdated ? `discussion_r${comment.id}` : lineAnchor(comment.path, comment.line);
  return commentBox({
    visit,
    written: comment,
    anchor: `discussion_r${comment.id}`,
    what: html`on <a href="${page}#${anchor}"><code>${comment.path}</code> ${where(comment)}</a>`,
  });
}

const where = (comment: LineComment): string => {
  if (comment.subject_type === 'file') return 'as a whole';
  return comment.line === undefined || comment.line === null
    ? `line ${comment.original_line ?? '?'} (outdated)`
    : `line ${comment.line}`;
};
