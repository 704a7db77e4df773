import { readFileSync } from 'node:fs';

import { parse } from 'yaml';
import { z } from 'zod';

import { ForgeError } from './error.ts';
import type { Permissions } from './records.ts';

/** Who the App is and what it asks for, as the manifest of a GitHub App says it. */
export interface AppManifest {
  /** Its slug and the login of its bot are made of it. Default: `Local App`. */
  readonly name?: string | undefined;
  readonly permissions: Permissions;
  readonly events: readonly string[];
}

/** What bots of pull requests commonly ask for; never Administration or Workflows. */
const DEFAULT_MANIFEST: AppManifest = {
  permissions: {
    metadata: 'read',
    contents: 'write',
    pull_requests: 'write',
    checks: 'write',
    issues: 'write',
    members: 'read',
    statuses: 'read',
    deployments: 'read',
    merge_queues: 'read',
  },
  events: [
    'check_run',
    'check_suite',
    'create',
    'delete',
    'deployment_status',
    'issue_comment',
    'issues',
    'member',
    'membership',
    'merge_group',
    'organization',
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'push',
    'release',
    'repository',
    'status',
    'team',
  ],
};

const manifestSchema = z.object({
  name: z
    .string()
    .regex(/[A-Za-z0-9]/)
    .max(34)
    .optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])),
  default_events: z.array(z.string()),
});

/**
 * Reads the manifest of a GitHub App (https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest),
 * in YAML or JSON; without a file it is one that suits bots of pull requests.
 * @throws ForgeError FORGE_MANIFEST when it cannot be read
 */
export function readManifest(file: string | undefined): AppManifest {
  if (file === undefined) return DEFAULT_MANIFEST;
  try {
    const read = manifestSchema.parse(parse(readFileSync(file, 'utf8')));
    return { name: read.name, permissions: read.default_permissions, events: read.default_events };
  } catch (cause) {
    throw new ForgeError('FORGE_MANIFEST', `${file} is not a manifest of a GitHub App.`, {
      hint: 'It needs default_permissions and default_events, and may have a name of up to 34 characters.',
      cause,
    });
  }
}

/** As GitHub makes it of a name: lower case, and a hyphen for each stretch of other characters. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
