import { html } from 'hono/html';

import { collaborationStore } from '../collaboration-store.ts';
import { requirementsOf, unmet } from '../pulls/requirements.ts';
import { checkLines } from './checks.ts';
import type { Reported } from './checks.ts';
import { buttonForm, form } from './form.ts';
import { badge } from './html.ts';
import type { Html } from './html.ts';
import type { Pull } from './pull-header.ts';
import type { RepositoryVisit } from './visit.ts';

/** Whether an open pull request can be merged, what is in the way, and the buttons. */
export function mergeSection(visit: RepositoryVisit, pull: Pull, reported: Reported): Html {
  const page = `${visit.root}/pull/${pull.number}`;
  const checks = html`<h2>Checks on <code>${pull.head.sha.slice(0, 7)}</code></h2>
    ${checkLines(reported, `${page}/checks`)}`;
  if (pull.state === 'closed') return html`<section>${checks}</section>`;
  const problems = problemsOf(visit, pull);
  return html`<section aria-labelledby="merge">
    ${checks}
    <h2 id="merge">Merge</h2>
    <p>${verdict(pull)}</p>
    ${
      problems.length === 0
        ? ''
        : html`<ul>
            ${problems.map((problem) => html`<li>${problem}</li>`)}
          </ul>`
    }
    ${visit.viewer === undefined ? '' : buttons(visit, pull, page)}
  </section>`;
}

function buttons(visit: RepositoryVisit, pull: Pull, page: string): Html {
  const behind = pull.mergeable_state === 'behind';
  const draft = pull.draft
    ? buttonForm(`${page}/ready`, visit, 'Ready for review')
    : buttonForm(`${page}/draft`, visit, 'Convert to draft');
  return html`${pull.draft ? '' : mergeForm(visit, pull, page)}
    <div class="line">
      ${draft}
      ${behind ? buttonForm(`${page}/update-branch`, visit, `Update the branch with ${pull.base.ref}`) : ''}
    </div>`;
}

function mergeForm(visit: RepositoryVisit, pull: Pull, page: string): Html {
  const { allowMergeCommit, allowSquashMerge, allowRebaseMerge } = visit.repository;
  const methods = [
    ['merge', 'with a merge commit', allowMergeCommit],
    ['squash', 'squashed to one commit', allowSquashMerge],
    ['rebase', 'rebased', allowRebaseMerge],
  ] as const;
  const fields = html`<input type="hidden" name="sha" value="${pull.head.sha}" />
    <div class="line">
      <label for="method">How</label>
      <select id="method" name="method">
        ${methods.filter(([, , allowed]) => allowed).map(([value, label]) => html`<option value="${value}">${label}</option>`)}
      </select>
      <button class="main">Merge pull request</button>
    </div>`;
  return form(`${page}/merge`, visit, fields);
}

function problemsOf({ context, repository }: RepositoryVisit, pull: Pull): string[] {
  const record = collaborationStore(context.store).pulls.first('number', [repository.id, pull.number]);
  if (record === undefined) return [];
  return unmet(context, repository, record, requirementsOf(context, repository, record.baseRef));
}

function verdict(pull: Pull): Html {
  switch (pull.mergeable_state) {
    case 'clean':
      return html`${badge('ready', 'good')} This can be merged.`;
    case 'unstable':
      return html`${badge('unstable', 'busy')} This can be merged, but not all checks are green.`;
    case 'draft':
      return html`${badge('draft')} This is a draft: say that it is ready for review before it can be merged.`;
    case 'dirty':
      return html`${badge('conflicts', 'bad')} This branch has conflicts with
        <code>${pull.base.ref}</code> that must be settled first.`;
    case 'blocked':
      return html`${badge('blocked', 'bad')} The rules of <code>${pull.base.ref}</code> are not met yet.`;
    case 'behind':
      return html`${badge('behind', 'busy')} <code>${pull.base.ref}</code> has commits that this branch lacks.`;
    default:
      return html`${badge('unknown', 'busy')} The forge is finding out whether this can be merged. Load the
      page again.`;
  }
}
