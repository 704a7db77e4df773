export interface Issue {
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
  readonly htmlUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface IssueFilter {
  readonly state?: 'open' | 'closed' | 'all';
  readonly labels?: readonly string[];
  readonly creator?: string;
  readonly since?: Date;
}

export interface IssuePatch {
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
  readonly stateReason?: 'completed' | 'not_planned';
}

export interface IssuesApi {
  /** Issues only; pull requests are left out. */
  listIssues(filter?: IssueFilter, signal?: AbortSignal): Promise<Issue[]>;
  getIssue(n: number, signal?: AbortSignal): Promise<Issue | null>;
  createIssue(
    issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
    signal?: AbortSignal,
  ): Promise<Issue>;
  updateIssue(n: number, patch: IssuePatch, signal?: AbortSignal): Promise<Issue>;
  addLabels(n: number, labels: readonly string[], signal?: AbortSignal): Promise<void>;
  removeLabel(n: number, label: string, signal?: AbortSignal): Promise<void>;
}
