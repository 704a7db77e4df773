import type { Issue, IssuesPort, Opening } from '../reconcile/forge/issues.ts';
import { cutText, MAX_BODY, MAX_TITLE, shorten } from '../text/cut-text.ts';
import type { RawIssue } from './answer-shapes.ts';
import { orNull } from './forge-error.ts';
import { allPages, firstOnPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, labelNames, where } from './repository-context.ts';

/** Issues, and the labels of issues and pull requests. */
export function createIssuesApi(context: RepositoryContext): IssuesPort {
  const { issues } = context.octokit.rest;
  const eventsOf = (issue_number: number, signal?: AbortSignal) =>
    allPages((page) => issues.listEvents({ ...where(context, signal), issue_number, ...page }));
  return {
    listIssues: async ({ state = 'open', labels }, signal) => {
      const filter = { state, ...(labels === undefined ? {} : { labels: labels.join(',') }) };
      const found = await allPages((page) =>
        issues.listForRepo({ ...where(context, signal), ...filter, ...page }),
      );
      return found.map(toIssue).filter((issue) => !issue.isPull);
    },
    listRecentOpenings: async (since, signal) => {
      const filter = { state: 'open' as const, since: since.toISOString() };
      const found = await allPages((page) =>
        issues.listForRepo({ ...where(context, signal), ...filter, ...page }),
      );
      return found.map(toOpening);
    },
    wasTransferred: async (n, signal) => (await eventsOf(n, signal)).some(isTransfer),
    oldestIssue: async ({ creator, title }, signal) => {
      const filter = { state: 'all', creator, sort: 'created', direction: 'asc' } as const;
      const found = await firstOnPages(
        (page) => issues.listForRepo({ ...where(context, signal), ...filter, ...page }),
        (raw) => raw.title === title && !isPull(raw),
      );
      return found && toIssue(found);
    },
    getIssue: async (issue_number, signal) => {
      const answer = await orNull(issues.get({ ...where(context, signal), issue_number }));
      return answer && toIssue(answer.data);
    },
    createIssue: async ({ title, body }, signal) => {
      const issue = { title: shorten(title, MAX_TITLE), body: cutText(body, MAX_BODY) };
      return toIssue((await issues.create({ ...where(context, signal), ...issue })).data);
    },
    updateIssue: async (issue_number, { body }, signal) => {
      await issues.update({ ...where(context, signal), issue_number, body: cutText(body, MAX_BODY) });
    },
    hasLabel: async (name, signal) =>
      (await orNull(issues.getLabel({ ...where(context, signal), name }))) !== null,
    addLabels: async (issue_number, labels, signal) => {
      if (labels.length === 0) return;
      await issues.addLabels({ ...where(context, signal), issue_number, labels: [...labels] });
    },
    labelsEverOn: async (issue_number, signal) => {
      const events = await eventsOf(issue_number, signal);
      return events.flatMap((one) =>
        one.event === 'labeled' && 'label' in one ? [one.label.name ?? ''] : [],
      );
    },
    draftedAt: async (n, login, signal) => {
      const events = await eventsOf(n, signal);
      return events
        .filter(({ event, actor }) => event === 'convert_to_draft' && actor?.login === login)
        .map((one) => one.created_at);
    },
    basedAt: async (n, signal) =>
      (await eventsOf(n, signal)).filter(isOtherBase).map((one) => one.created_at),
    removeLabel: async (issue_number, name, signal) => {
      await orNull(issues.removeLabel({ ...where(context, signal), issue_number, name }));
    },
  };
}

/** `transferred`: docs.github.com/en/rest/using-the-rest-api/issue-event-types */
function isTransfer({ event }: { readonly event: string }): boolean {
  return event === 'transferred';
}

/** The forge itself changes it where the base branch was merged and deleted. */
function isOtherBase({ event }: { readonly event: string }): boolean {
  return event === 'base_ref_changed' || event === 'automatic_base_change_succeeded';
}

/** Whether the list of issues gave a pull request. */
function isPull({ pull_request: pull }: Pick<RawIssue, 'pull_request'>): boolean {
  return pull !== undefined && pull !== null;
}

function toOpening(raw: RawIssue): Opening {
  return {
    number: raw.number,
    nodeId: raw.node_id,
    isPull: isPull(raw),
    body: raw.body ?? '',
    ...authorOf(raw.user),
    createdAt: raw.created_at,
  };
}

function toIssue(raw: RawIssue): Issue {
  return {
    number: raw.number,
    state: raw.state === 'open' ? 'open' : 'closed',
    title: raw.title,
    body: raw.body ?? '',
    author: authorOf(raw.user).author,
    labels: labelNames(raw.labels),
    isPull: isPull(raw),
    locked: raw.locked ?? false,
    updatedAt: raw.updated_at,
  };
}
