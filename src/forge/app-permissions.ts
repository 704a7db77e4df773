export type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/**
 * What app.yml asks for and calls need: tokens are made with it, and owners are asked for it. Of app.yml it leaves out
 * `merge_queues`, which only lets webhooks of merge queues come.
 */
export const APP_PERMISSIONS: Permissions = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'read',
  deployments: 'read',
  members: 'read',
};
