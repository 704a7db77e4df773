import { html } from 'hono/html';

import { collaborationStore } from '../collaboration-store.ts';
import { reportedOn } from './checks.ts';
import { commentBox, issueComment } from './comment-view.ts';
import { commentForm, reviewForm } from './discussion-forms.ts';
import { badge, person, sha, time } from './html.ts';
import type { Html } from './html.ts';
import { mergeSection } from './merge-section.ts';
import { loadPull, pullPage } from './pull-header.ts';
import type { Pull } from './pull-header.ts';
import { signIn } from './sign-in.ts';
import { commentLink, lineComments } from './threads.ts';
import type { LineComment } from './threads.ts';
import type { Data, RepositoryVisit } from './visit.ts';

type Review = Data<'pulls', 'listReviews'>[number];

interface Event {
  readonly at: string;
  readonly shown: Html;
}

/** `/pull/:number`: what was said and done, and what can be done next. */
export async function conversationPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at } = visit;
  const number = Number(visit.param('number'));
  const pull = await loadPull(visit);
  const [issue, comments, reviews, onLines, commits, reported] = await Promise.all([
    api.rest.issues.get({ ...at, issue_number: number }),
    api.paginate(api.rest.issues.listComments, { ...at, issue_number: number, per_page: 100 }),
    api.paginate(api.rest.pulls.listReviews, { ...at, pull_number: number, per_page: 100 }),
    lineComments(visit),
    api.paginate(api.rest.pulls.listCommits, { ...at, pull_number: number, per_page: 100 }),
    reportedOn(visit, pull.head.sha),
  ]);
  const events: Event[] = [
    ...commits.map((commit) => ({
      at: commit.commit.committer?.date ?? '',
      shown: commitEvent(visit, commit),
    })),
    // Times are to the second. Within one, commands mostly follow the approval that they need.
    ...reviews.map((review) => ({
      at: review.submitted_at ?? '9',
      shown: reviewEvent(visit, review, onLines),
    })),
    ...comments.map((comment) => ({ at: comment.created_at, shown: issueComment(visit, comment) })),
    ...endEvents(visit, pull),
  ];
  const main = html`<h2>Conversation</h2>
    ${labels(pull)}
    ${commentBox({ visit, written: issue.data, anchor: `issue-${pull.number}`, what: 'wrote' })}
    ${events.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).map((event) => event.shown)}
    ${mergeSection(visit, pull, reported)}
    ${
      visit.viewer === undefined
        ? signIn(visit)
        : html`${commentForm(visit, { number, state: pull.state, kind: 'pull request', merged: pull.merged, isStranded: await isStranded(visit, pull) })}
          ${pull.state === 'open' ? reviewForm(visit, pull) : ''}`
    }`;
  return pullPage(visit, pull, 'conversation', main);
}

/** True for a closed pull request whose branch is gone; GitHub says so in place of its button. */
async function isStranded({ api }: RepositoryVisit, { state, merged, head }: Pull): Promise<boolean> {
  if (state === 'open' || merged) return false;
  // A fork that was deleted took its branches along.
  if ((head.repo as typeof head.repo | null) === null) return true;
  const { name: repo, owner } = head.repo;
  const branches = await api.paginate(api.rest.git.listMatchingRefs, {
    owner: owner.login,
    repo,
    ref: `heads/${head.ref}`,
  });
  return branches.every(({ ref }) => ref !== `refs/heads/${head.ref}`);
}

function labels(pull: Pull): Html | '' {
  const reviewers = [
    ...(pull.requested_reviewers ?? []).map((user) => user.login),
    ...(pull.requested_teams ?? []).map((team) => team.slug),
  ];
  return html`${pull.labels.length === 0 ? '' : html`<p>Labels: ${pull.labels.map((label) => html`${badge(label.name)} `)}</p>`}
  ${reviewers.length === 0 ? '' : html`<p>A review is asked of ${reviewers.join(', ')}.</p>`}`;
}

const REVIEW_WORDS: Readonly<Record<string, Html>> = {
  APPROVED: badge('approved', 'good'),
  CHANGES_REQUESTED: badge('changes requested', 'bad'),
  DISMISSED: badge('review dismissed'),
  PENDING: badge('review not sent yet', 'busy'),
};

function reviewEvent(visit: RepositoryVisit, review: Review, onLines: readonly LineComment[]): Html {
  const own = onLines.filter((comment) => comment.pull_request_review_id === review.id);
  const word = REVIEW_WORDS[review.state];
  const anchor = `pullrequestreview-${review.id}`;
  const minimized = collaborationStore(visit.context.store).reviews.get(review.id)?.minimized ?? null;
  // A single comment on a line comes with a review that says nothing.
  const silent = review.body === '' && word === undefined;
  const head = silent
    ? ''
    : review.body === ''
      ? html`<p class="event" id="${anchor}">
          ${person(review.user)} ${word ?? 'reviewed'} at ${sha(visit.root, review.commit_id ?? '')}
          ${time(review.submitted_at)}
        </p>`
      : commentBox({
          visit,
          written: { ...review, created_at: review.submitted_at ?? '' },
          anchor,
          what: html`${word ?? 'reviewed'} at ${sha(visit.root, review.commit_id ?? '')}`,
          minimized,
        });
  return html`${head} ${own.map((comment) => commentLink(visit, comment))}`;
}

function commitEvent(
  visit: RepositoryVisit,
  { commit, sha: id }: Data<'pulls', 'listCommits'>[number],
): Html {
  return html`<p class="event">
    ${commit.author?.name ?? 'Somebody'} committed ${sha(visit.root, id)} ${commit.message.split('\n')[0]}
    ${time(commit.committer?.date)}
  </p>`;
}

function endEvents(visit: RepositoryVisit, pull: Pull): Event[] {
  if (pull.merged_at !== null) {
    const shown = html`<p class="event">
      ${person(pull.merged_by)} ${badge('merged', 'done')} this as
      ${sha(visit.root, pull.merge_commit_sha ?? '')} ${time(pull.merged_at)}
    </p>`;
    return [{ at: pull.merged_at, shown }];
  }
  if (pull.closed_at === null) return [];
  const shown = html`<p class="event">${badge('closed', 'bad')} ${time(pull.closed_at)}</p>`;
  return [{ at: pull.closed_at, shown }];
}
