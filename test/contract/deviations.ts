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
    operation: 'check_suite.rerequested',
    problem: /\/app\/events/,
    reason: 'The list of events that an App may have, in this one description, is older than merge queues.',
  },
];
