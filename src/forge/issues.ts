import { cutText, MAX_BODY } from '../text/cut-text.ts';
import { orNull } from './forge-error.ts';
import { allPages, firstOnPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, labelNames, where } from './repository-context.ts';

interface Issue {
  readonly number: number;
  readonly nodeId: string;
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly authorIsBot: boolean;
  readonly appId: number | null;
  readonly labels: readonly string[];
  readonly isPull: boolean;
  readonly locked: boolean;
  readonly htmlUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface IssueFilter {
  readonly state?: 'open' | 'closed' | 'all';
  readonly labels?: readonly string[];
  readonly since?: Date;
}

interface IssuePatch {
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
  readonly stateReason?: 'completed' | 'not_planned';
}

export interface IssuesApi {
  /** Issues only; pull requests are left out. */
  listIssues(filter?: IssueFilter, signal?: AbortSignal): Promise<Issue[]>;
  /**
   * The first issue of that title by that account, open or closed. The list of REST holds its pull requests, too, so it is read
   * in the order of creation and no further than that issue. GraphQL's `filterBy.createdBy` is of no use: on GitHub Enterprise
   * Cloud it finds nothing by Apps (renovatebot/renovate#44730).
   */
  oldestIssue(
    wanted: { readonly creator: string; readonly title: string },
    signal?: AbortSignal,
  ): Promise<Issue | null>;
  getIssue(n: number, signal?: AbortSignal): Promise<Issue | null>;
  createIssue(
    issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
    signal?: AbortSignal,
  ): Promise<Issue>;
  updateIssue(n: number, patch: IssuePatch, signal?: AbortSignal): Promise<Issue>;
  /** Whether the repository has a label of this name. */
  hasLabel(name: string, signal?: AbortSignal): Promise<boolean>;
  addLabels(n: number, labels: readonly string[], signal?: AbortSignal): Promise<void>;
  /** The labels that it has or had, whoever put them on; as they were called then. */
  labelsEverOn(n: number, signal?: AbortSignal): Promise<readonly string[]>;
  removeLabel(n: number, label: string, signal?: AbortSignal): Promise<void>;
}

export function createIssuesApi(context: RepositoryContext): IssuesApi {
  const { issues } = context.octokit.rest;
  return {
    listIssues: async ({ state = 'open', labels, since } = {}, signal) => {
      const filter = {
        state,
        ...(labels === undefined ? {} : { labels: labels.join(',') }),
        ...(since === undefined ? {} : { since: since.toISOString() }),
      };
      const found = await allPages((page) =>
        issues.listForRepo({ ...where(context, signal), ...filter, ...page }),
      );
      return found.map(toIssue).filter((issue) => !issue.isPull);
    },
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
    createIssue: async ({ title, body, labels }, signal) => {
      const issue = {
        title,
        body: cutText(body, MAX_BODY),
        ...(labels === undefined ? {} : { labels: [...labels] }),
      };
      return toIssue((await issues.create({ ...where(context, signal), ...issue })).data);
    },
    updateIssue: async (issue_number, { stateReason, body, ...patch }, signal) => {
      const change = {
        ...patch,
        ...(body === undefined ? {} : { body: cutText(body, MAX_BODY) }),
        ...(stateReason === undefined ? {} : { state_reason: stateReason }),
      };
      return toIssue((await issues.update({ ...where(context, signal), issue_number, ...change })).data);
    },
    hasLabel: async (name, signal) =>
      (await orNull(issues.getLabel({ ...where(context, signal), name }))) !== null,
    addLabels: async (issue_number, labels, signal) => {
      if (labels.length === 0) return;
      await issues.addLabels({ ...where(context, signal), issue_number, labels: [...labels] });
    },
    labelsEverOn: async (issue_number, signal) => {
      const events = await allPages((page) =>
        issues.listEvents({ ...where(context, signal), issue_number, ...page }),
      );
      return events.flatMap((one) =>
        one.event === 'labeled' && 'label' in one ? [one.label.name ?? ''] : [],
      );
    },
    removeLabel: async (issue_number, name, signal) => {
      await orNull(issues.removeLabel({ ...where(context, signal), issue_number, name }));
    },
  };
}

interface RawIssue {
  readonly number: number;
  readonly node_id: string;
  readonly state: string;
  readonly title: string;
  readonly body?: string | null;
  readonly user: { readonly login: string; readonly type?: string } | null;
  readonly performed_via_github_app?: { readonly id: number } | null;
  readonly labels: readonly (string | { readonly name?: string | null })[];
  readonly pull_request?: unknown;
  readonly locked?: boolean;
  readonly html_url: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Whether the list of issues gave a pull request. */
function isPull({ pull_request: pull }: Pick<RawIssue, 'pull_request'>): boolean {
  return pull !== undefined && pull !== null;
}

function toIssue(raw: RawIssue): Issue {
  return {
    number: raw.number,
    nodeId: raw.node_id,
    state: raw.state === 'open' ? 'open' : 'closed',
    title: raw.title,
    body: raw.body ?? '',
    ...authorOf(raw.user),
    appId: raw.performed_via_github_app?.id ?? null,
    labels: labelNames(raw.labels),
    isPull: isPull(raw),
    locked: raw.locked ?? false,
    htmlUrl: raw.html_url,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}
