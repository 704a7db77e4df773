/** The boxes to write in. A refused form comes back with what was in it. */
import { html } from 'hono/html';

import { form } from './form.ts';
import type { Html } from './html.ts';
import type { Pull } from './pull-header.ts';
import type { RepositoryVisit, Visit } from './visit.ts';

/** What the refused form had in this field, if it was the form of that name. */
export function typed(visit: Visit, name: string, field = 'body'): string {
  const { refused } = visit;
  return refused?.form.get('form') === name ? (refused.form.get(field) ?? '') : '';
}

/** To comment on an issue or pull request, and to close or reopen it with or without a comment. */
export function commentForm(
  visit: RepositoryVisit,
  about: {
    readonly number: number;
    readonly state: string;
    readonly kind: 'issue' | 'pull request';
    readonly merged: boolean;
    /** The branch of a pull request is gone: GitHub does not offer to reopen it then. */
    readonly isStranded?: boolean;
  },
): Html {
  const close =
    about.state === 'open' ? ['close', `Close ${about.kind}`] : ['reopen', `Reopen ${about.kind}`];
  const fields = html`<input type="hidden" name="form" value="comment" />
    <label for="comment">Your comment, as ${visit.viewer?.login ?? 'nobody'}</label>
    <textarea id="comment" name="body" rows="4" aria-describedby="comment-help">
${typed(visit, 'comment')}</textarea>
    <p class="dim" id="comment-help">
      Markdown works. Bots answer to lines such as <code>/${visit.context.app.slug} help</code>.
      <noscript>Load the page again for its answer: scripts, which would do that, are off.</noscript>
    </p>
    <p class="line">
      <button class="main" name="button" value="comment">Comment</button>
      ${about.merged || (about.state !== 'open' && about.isStranded === true) ? '' : html`<button name="button" value="${close[0]}">${close[1]}</button>`}
    </p>`;
  return html`<section>
    <h2>Comment</h2>
    ${form(`${visit.root}/issues/${about.number}/comments`, visit, fields)}
  </section>`;
}

/** To approve, to ask for changes or to review without a verdict. */
export function reviewForm(visit: RepositoryVisit, pull: Pull): Html {
  const choice = typed(visit, 'review', 'event') || 'COMMENT';
  const radio = (value: string, label: string): Html =>
    html`<label
      >${
        choice === value
          ? html`<input type="radio" name="event" value="${value}" checked />`
          : html`<input type="radio" name="event" value="${value}" />`
      }
      ${label}</label
    >`;
  const fields = html`<input type="hidden" name="form" value="review" />
    <input type="hidden" name="sha" value="${pull.head.sha}" />
    <fieldset>
      <legend>Verdict on <code>${pull.head.sha.slice(0, 7)}</code></legend>
      ${radio('COMMENT', 'Comment only')} ${radio('APPROVE', 'Approve')}
      ${radio('REQUEST_CHANGES', 'Request changes')}
    </fieldset>
    <label for="review">Review, as ${visit.viewer?.login ?? 'nobody'}</label>
    <textarea id="review" name="body" rows="3">${typed(visit, 'review')}</textarea>
    <p><button class="main">Submit review</button></p>`;
  return html`<section>
    <h2>Review</h2>
    ${form(`${visit.root}/pull/${pull.number}/review`, visit, fields)}
  </section>`;
}

/** To comment on a line of a changed file. */
export function lineForm(visit: RepositoryVisit, pull: Pull, path: string, index: number): Html {
  const id = `line-${index}`;
  const again = typed(visit, id, 'path') === path;
  const fields = html`<input type="hidden" name="form" value="${id}" />
    <input type="hidden" name="path" value="${path}" />
    <input type="hidden" name="sha" value="${pull.head.sha}" />
    <p class="line">
      <label for="${id}">Line</label>
      <input
        type="text"
        id="${id}"
        name="line"
        inputmode="numeric"
        pattern="[0-9]+"
        size="6"
        required
        value="${typed(visit, id, 'line')}"
      />
      <label for="${id}-side">Side</label>
      <select id="${id}-side" name="side">
        <option value="RIGHT">new</option>
        <option value="LEFT">old</option>
      </select>
    </p>
    <label for="${id}-body">Comment</label>
    <textarea id="${id}-body" name="body" rows="2" required>${typed(visit, id)}</textarea>
    <p><button>Comment on the line</button></p>`;
  const content = html`<summary>Comment on a line</summary>
    ${form(`${visit.root}/pull/${pull.number}/comments`, visit, fields)}`;
  return html`<div class="in">
    ${again ? html`<details open>${content}</details>` : html`<details>${content}</details>`}
  </div>`;
}
