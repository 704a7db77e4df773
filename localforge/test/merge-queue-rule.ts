/** The rule of a ruleset that makes a merge queue: one pull request at a time, when its checks are green. */
export const MERGE_QUEUE = {
  type: 'merge_queue',
  parameters: {
    check_response_timeout_minutes: 5,
    grouping_strategy: 'ALLGREEN',
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: 'MERGE',
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 0,
  },
} as const;
