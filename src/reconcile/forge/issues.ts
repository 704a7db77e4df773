import type { Authored } from './comments.ts';

export interface Issue {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly locked: boolean;
  /** Pull requests are issues too. */
  readonly isPull: boolean;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** The text that opens an issue or a pull request. */
export interface Opening extends Authored {
  readonly number: number;
  readonly nodeId: string;
  readonly isPull: boolean;
  readonly body: string;
  readonly createdAt: string;
}

/** Issues, and the labels of issues and pull requests. Every write may run twice. */
export interface IssuesPort {
  getIssue(n: number, signal?: AbortSignal): Promise<Issue | null>;
  /**
   * The first issue of that title by that account, open or closed. The list of REST holds its pull requests, too, so it is read
   * in the order of creation and no further than that issue. GraphQL's `filterBy.createdBy` is of no use: on GitHub Enterprise
   * Cloud it finds nothing by Apps (renovatebot/renovate#44730).
   */
  oldestIssue(
    wanted: { readonly creator: string; readonly title: string },
    signal?: AbortSignal,
  ): Promise<Issue | null>;
  /** Pull requests are left out. */
  listIssues(
    filter: {
      readonly state?: 'open' | 'closed' | 'all';
      /** Those that have all of them. */
      readonly labels?: readonly string[];
    },
    signal?: AbortSignal,
  ): Promise<readonly Issue[]>;
  /** The texts that open the issues and pull requests that are open and were changed since then. */
  listRecentOpenings(since: Date, signal?: AbortSignal): Promise<readonly Opening[]>;
  /** When an account made a pull request a draft again (ISO 8601). Nobody can take that off the forge's record. */
  draftedAt(n: number, login: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** When the base branch of a pull request was changed (ISO 8601), by a person or by the forge. */
  basedAt(n: number, signal?: AbortSignal): Promise<readonly string[]>;
  /** Whether it came from another repository: its list of events then says so. */
  wasTransferred(n: number, signal?: AbortSignal): Promise<boolean>;
  updateIssue(n: number, patch: { readonly body: string }, signal?: AbortSignal): Promise<unknown>;
  createIssue(
    issue: { readonly title: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<{ readonly number: number }>;
  /** Whether the repository has a label of this name. */
  hasLabel(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Labels of an issue or pull request; those that the repository lacks are made. */
  addLabels(n: number, labels: readonly string[], signal?: AbortSignal): Promise<unknown>;
  removeLabel(n: number, label: string, signal?: AbortSignal): Promise<unknown>;
  /** The labels that it has or had, whoever put them on; as they were called then. */
  labelsEverOn(n: number, signal?: AbortSignal): Promise<readonly string[]>;
}
