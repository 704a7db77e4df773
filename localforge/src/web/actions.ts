/** What the forms do. Each goes through REST (or GraphQL) as the reader's chosen user. */
import { roleAtLeast } from '../access.ts';
import { pressAction } from '../checks/rerequest.ts';
import { collaborationStore } from '../collaboration-store.ts';
import { forbidden, notFound, refusal } from '../refusal.ts';
import type { RepositoryVisit, Visit } from './visit.ts';

/** Does it, and answers with the page to go to; undefined: back to where the form was. */
export type Action<At extends Visit = RepositoryVisit> = (
  visit: At,
  form: URLSearchParams,
) => Promise<string | undefined>;

/** `POST …/issues/:number/comments`: a comment, and with `button` also closes or reopens. */
export const comment: Action = async ({ api, at, param, root }, form) => {
  const issue = { ...at, issue_number: Number(param('number')) };
  const body = form.get('body') ?? '';
  const pressed = form.get('button');
  const stateOnly = body.trim() === '' && pressed !== 'comment';
  const made = stateOnly ? undefined : (await api.rest.issues.createComment({ ...issue, body })).data;
  if (pressed === 'close') await api.rest.issues.update({ ...issue, state: 'closed' });
  if (pressed === 'reopen') await api.rest.issues.update({ ...issue, state: 'open' });
  return made === undefined ? undefined : `${root}/issues/${issue.issue_number}#issuecomment-${made.id}`;
};

export const openIssue: Action = async ({ api, at, root }, form) => {
  const { data } = await api.rest.issues.create({
    ...at,
    title: form.get('title') ?? '',
    body: form.get('body') ?? '',
  });
  return `${root}/issues/${data.number}`;
};

export const openPull: Action = async ({ api, at, root }, form) => {
  const { data } = await api.rest.pulls.create({
    ...at,
    title: form.get('title') ?? '',
    body: form.get('body') ?? '',
    base: form.get('base') ?? '',
    head: form.get('head') ?? '',
    draft: form.get('draft') === 'yes',
  });
  return `${root}/pull/${data.number}`;
};

const EVENTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;

export const review: Action = async ({ api, at, param, root }, form) => {
  const pull = { ...at, pull_number: Number(param('number')) };
  const event = EVENTS.find((one) => one === form.get('event'));
  if (event === undefined) throw refusal(422, 'Choose a verdict.');
  const sha = form.get('sha') ?? '';
  const { data } = await api.rest.pulls.get(pull);
  if (data.head.sha !== sha) {
    throw refusal(
      409,
      'The branch moved while you were reading. Look at the new commits, then review again.',
    );
  }
  const made = await api.rest.pulls.createReview({
    ...pull,
    event,
    body: form.get('body') ?? '',
    commit_id: sha,
  });
  return `${root}/pull/${pull.pull_number}#pullrequestreview-${made.data.id}`;
};

export const lineComment: Action = async ({ api, at, param, root }, form) => {
  const pull = { ...at, pull_number: Number(param('number')) };
  const { data } = await api.rest.pulls.createReviewComment({
    ...pull,
    path: form.get('path') ?? '',
    commit_id: form.get('sha') ?? '',
    line: Number(form.get('line')) || 0,
    side: form.get('side') === 'LEFT' ? 'LEFT' : 'RIGHT',
    body: form.get('body') ?? '',
  });
  return `${root}/pull/${pull.pull_number}/files#discussion_r${data.id}`;
};

export const reply: Action = async ({ api, at, param, root }, form) => {
  const pull = { ...at, pull_number: Number(param('number')) };
  const id = Number(form.get('comment')) || 0;
  const body = form.get('body') ?? '';
  const { data } = await api.rest.pulls.createReplyForReviewComment({ ...pull, comment_id: id, body });
  return `${root}/pull/${pull.pull_number}/files#discussion_r${data.id}`;
};

const METHODS = ['merge', 'squash', 'rebase'] as const;

export const merge: Action = async ({ api, at, param }, form) => {
  const method = METHODS.find((one) => one === form.get('method'));
  await api.rest.pulls.merge({
    ...at,
    pull_number: Number(param('number')),
    sha: form.get('sha') ?? '',
    ...(method === undefined ? {} : { merge_method: method }),
  });
  return undefined;
};

export const updateBranch: Action = async ({ api, at, param }) => {
  await api.rest.pulls.updateBranch({ ...at, pull_number: Number(param('number')) });
  return undefined;
};

/** `draft` or not, which only GraphQL can change. */
export const setDraft =
  (draft: boolean): Action =>
  async ({ api, at, param }) => {
    const { data } = await api.rest.pulls.get({ ...at, pull_number: Number(param('number')) });
    const name = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
    await api.graphql(`mutation($id: ID!) { ${name}(input: { pullRequestId: $id }) { clientMutationId } }`, {
      id: data.node_id,
    });
    return undefined;
  };

export const rerunCheck: Action = async ({ api, at, param }) => {
  await api.rest.checks.rerequestRun({ ...at, check_run_id: Number(param('run')) });
  return undefined;
};

/** Presses a button of a check, which GitHub has on its pages alone. */
export const pressCheck: Action = async ({ context, repository, viewer, role, param }, form) => {
  const run = collaborationStore(context.store).runs.get(Number(param('run')) || 0);
  if (run === undefined || run.repositoryId !== repository.id) throw notFound();
  if (viewer === undefined || !roleAtLeast(role, 'write')) {
    throw forbidden('Only people with write access to the repository can press the buttons of a check.');
  }
  pressAction(context, run.id, form.get('identifier') ?? '', viewer.login);
  return undefined;
};

/** Sends a delivery of the App's hook again, as the App. */
export const redeliver: Action<Visit> = async ({ appApi, param }) => {
  await appApi().rest.apps.redeliverWebhookDelivery({ delivery_id: Number(param('delivery')) || 0 });
  return undefined;
};
