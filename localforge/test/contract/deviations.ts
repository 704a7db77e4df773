/** Where the forge, or GitHub itself, differs from GitHub's description, and why that is right. */
export interface Deviation {
  readonly kind: 'request' | 'reply' | 'webhook';
  /** The operation or webhook, or a pattern of them. */
  readonly operation: string | RegExp;
  readonly problem: RegExp;
  readonly reason: string;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    kind: 'reply',
    operation: /pulls.*\/comments/,
    problem: /\/(original_)?line must be integer$/,
    reason:
      'A comment on a whole file (subject_type "file") has no line: GitHub answers null, its description allows integers only.',
  },
  {
    kind: 'reply',
    operation: 'GET /app/installations',
    problem: /\/account must /,
    reason:
      'GitHub’s description demands that the account be a user and an enterprise at once (allOf for anyOf).',
  },
  {
    kind: 'webhook',
    operation: /^(?:check_suite|issues|issue_comment)\./,
    problem: /\/(?:app|performed_via_github_app)\/events/,
    reason: 'The lists of events that an App may have are, in these descriptions, older than merge queues.',
  },
];
