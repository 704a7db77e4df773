import { html } from 'hono/html';

import { commentBox, issueComment } from './comment-view.ts';
import { commentForm, typed } from './discussion-forms.ts';
import { form } from './form.ts';
import { badge, time } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage } from './layout.ts';
import { signIn } from './sign-in.ts';
import type { RepositoryVisit } from './visit.ts';

/** `/issues/:number`; the number of a pull request leads to that. */
export async function issuePage(visit: RepositoryVisit): Promise<Html | Response> {
  const { api, at, root } = visit;
  const number = Number(visit.param('number'));
  const { data: issue } = await api.rest.issues.get({ ...at, issue_number: number });
  if (issue.pull_request !== undefined) {
    return new Response(null, { status: 302, headers: { location: `${root}/pull/${number}` } });
  }
  const comments = await api.paginate(api.rest.issues.listComments, {
    ...at,
    issue_number: number,
    per_page: 100,
  });
  const open = issue.state === 'open';
  const main = html`<h1>${issue.title} <span class="dim">#${number}</span></h1>
    <p>
      ${badge(issue.state, open ? 'good' : 'done')}
      ${issue.closed_at === null ? '' : html`${time(issue.closed_at)}`}
      ${issue.labels.map((label) => badge(typeof label === 'string' ? label : (label.name ?? '')))}
    </p>
    ${commentBox({ visit, written: issue, anchor: `issue-${number}`, what: 'wrote' })}
    ${comments.map((comment) => issueComment(visit, comment))}
    ${
      visit.viewer === undefined
        ? signIn(visit)
        : commentForm(visit, { number, state: issue.state, kind: 'issue', merged: false })
    }`;
  return repositoryPage(visit, 'issues', `${issue.title} · #${number}`, main);
}

/** `/issues/new` */
export function newIssuePage(visit: RepositoryVisit): Html {
  const fields = html`<input type="hidden" name="form" value="issue" />
    <label for="title">Title</label>
    <input
      type="text"
      class="wide"
      id="title"
      name="title"
      required
      maxlength="256"
      value="${typed(visit, 'issue', 'title')}"
    />
    <label for="body">Text</label>
    <textarea id="body" name="body" rows="6">${typed(visit, 'issue')}</textarea>
    <p><button class="main">Open issue</button></p>`;
  const main = html`<h1>Write an issue</h1>
    ${form(`${visit.root}/issues`, visit, fields)}`;
  return repositoryPage(visit, 'issues', 'Write an issue', main);
}
