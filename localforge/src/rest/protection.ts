import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import { protectionOf } from '../gate.ts';
import type { ProtectionRecord, RepositoryRecord } from '../records.ts';
import { refusal } from '../refusal.ts';
import { bodyOf, noContent, ok } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleUser } from '../shapes/account.ts';
import { integration } from '../shapes/integration.ts';
import { teamShape } from '../shapes/team.ts';

type Protection = RestEndpointMethodTypes['repos']['getBranchProtection']['response']['data'];

const READ = { app: ['administration:read'], user: 'admin' } as const;
const WRITE = { app: ['administration:write'], user: 'admin' } as const;

const people = z.object({
  users: z.array(z.string()).default([]),
  teams: z.array(z.string()).default([]),
  apps: z.array(z.string()).default([]),
});
const body = z.object({
  required_status_checks: z
    .object({
      strict: z.boolean(),
      contexts: z.array(z.string()).default([]),
      checks: z.array(z.object({ context: z.string(), app_id: z.number().nullish() })).optional(),
    })
    .nullable(),
  enforce_admins: z.boolean().nullable(),
  required_pull_request_reviews: z
    .object({
      dismiss_stale_reviews: z.boolean().default(false),
      require_code_owner_reviews: z.boolean().default(false),
      required_approving_review_count: z.number().int().min(0).max(6).default(1),
      require_last_push_approval: z.boolean().default(false),
    })
    .nullable(),
  restrictions: people.nullable(),
  required_linear_history: z.boolean().default(false),
  allow_force_pushes: z.boolean().nullish(),
  allow_deletions: z.boolean().default(false),
  block_creations: z.boolean().default(false),
  required_conversation_resolution: z.boolean().default(false),
  lock_branch: z.boolean().default(false),
});

/** `/branches/{branch}/protection`. */
export function addProtectionRoutes(context: ForgeContext, router: Router): void {
  const path = '/branches/:branch{.+}/protection';
  const { protections } = context.records;
  router.repo('GET', path, READ, (request) => {
    const found = protectionOf(context, request.repository, request.param('branch'));
    if (found === undefined) throw refusal(404, 'Branch not protected');
    return ok(protectionShape(context, request.repository, found));
  });
  router.repo('PUT', path, WRITE, async (request) => {
    await demandBranch(context, request);
    const branch = request.param('branch');
    const fields = { repositoryId: request.repository.id, branch, ...fieldsOf(bodyOf(request, body)) };
    const present = protections.first('branch', [request.repository.id, branch]);
    const record =
      present === undefined ? protections.insert(fields) : protections.update(present.id, fields);
    return ok(protectionShape(context, request.repository, record));
  });
  router.repo('DELETE', path, WRITE, (request) => {
    const present = protections.first('branch', [request.repository.id, request.param('branch')]);
    if (present === undefined) throw refusal(404, 'Branch not protected');
    protections.remove(present.id);
    return noContent();
  });
  addSignatureRoutes(context, router, path);
}

/**
 * `required_signatures` is switched by itself: the body of the protection does not know it, and what is put there leaves it
 * as it is (https://docs.github.com/en/rest/branches/branch-protection#create-commit-signature-protection,
 * kubernetes-sigs/prow#771).
 */
function addSignatureRoutes(context: ForgeContext, router: Router, protection: string): void {
  const path = `${protection}/required_signatures`;
  const { protections } = context.records;
  const protectionFor = (request: RepositoryRequest): ProtectionRecord => {
    const found = protections.first('branch', [request.repository.id, request.param('branch')]);
    if (found === undefined) throw refusal(404, 'Branch not protected');
    return found;
  };
  router.repo('GET', path, READ, (request) =>
    ok(protectionShape(context, request.repository, protectionFor(request)).required_signatures),
  );
  router.repo('POST', path, WRITE, (request) => {
    const changed = protections.update(protectionFor(request).id, { signatures: true });
    return ok(protectionShape(context, request.repository, changed).required_signatures);
  });
  router.repo('DELETE', path, WRITE, (request) => {
    protections.update(protectionFor(request).id, { signatures: false });
    return noContent();
  });
}

async function demandBranch(context: ForgeContext, request: RepositoryRequest): Promise<void> {
  const found = await context.git(request.repository).ref(`refs/heads/${request.param('branch')}`);
  if (found === undefined) throw refusal(404, 'Branch not found');
}

function fieldsOf(given: z.output<typeof body>): Omit<ProtectionRecord, 'id' | 'repositoryId' | 'branch'> {
  const checks = given.required_status_checks;
  const reviews = given.required_pull_request_reviews;
  return {
    requiredStatusChecks:
      checks === null
        ? null
        : {
            strict: checks.strict,
            checks: (checks.checks ?? checks.contexts.map((name) => ({ context: name, app_id: null }))).map(
              (check) => ({
                context: check.context,
                // -1 stands for any App.
                appId: typeof check.app_id === 'number' && check.app_id > 0 ? check.app_id : null,
              }),
            ),
          },
    enforceAdmins: given.enforce_admins === true,
    requiredReviews:
      reviews === null
        ? null
        : {
            count: reviews.required_approving_review_count,
            dismissStale: reviews.dismiss_stale_reviews,
            codeOwners: reviews.require_code_owner_reviews,
            lastPushApproval: reviews.require_last_push_approval,
          },
    restrictions: given.restrictions,
    linearHistory: given.required_linear_history,
    allowForcePushes: given.allow_force_pushes === true,
    allowDeletions: given.allow_deletions,
    blockCreations: given.block_creations,
    conversationResolution: given.required_conversation_resolution,
    lockBranch: given.lock_branch,
  };
}

/** `protected-branch`. */
export function protectionShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  protection: ProtectionRecord,
): Protection {
  const url = context.urls.repoApi(
    repository,
    `/branches/${encodeURIComponent(protection.branch)}/protection`,
  );
  const { requiredStatusChecks: checks, requiredReviews: reviews, restrictions } = protection;
  return {
    url,
    ...(checks === null
      ? {}
      : {
          required_status_checks: {
            url: `${url}/required_status_checks`,
            strict: checks.strict,
            contexts: checks.checks.map((check) => check.context),
            contexts_url: `${url}/required_status_checks/contexts`,
            checks: checks.checks.map((check) => ({ context: check.context, app_id: check.appId })),
          },
        }),
    ...(reviews === null
      ? {}
      : {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: reviews.dismissStale,
            require_code_owner_reviews: reviews.codeOwners,
            required_approving_review_count: reviews.count,
            require_last_push_approval: reviews.lastPushApproval,
          },
        }),
    ...(restrictions === null
      ? {}
      : { restrictions: restrictionsShape(context, repository, url, restrictions) }),
    required_signatures: { url: `${url}/required_signatures`, enabled: protection.signatures ?? false },
    enforce_admins: { url: `${url}/enforce_admins`, enabled: protection.enforceAdmins },
    required_linear_history: flag(protection.linearHistory),
    allow_force_pushes: flag(protection.allowForcePushes),
    allow_deletions: flag(protection.allowDeletions),
    block_creations: flag(protection.blockCreations),
    required_conversation_resolution: flag(protection.conversationResolution),
    lock_branch: flag(protection.lockBranch),
    allow_fork_syncing: flag(false),
  };
}

const flag = (enabled: boolean): { enabled: boolean } => ({ enabled });

function restrictionsShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  url: string,
  lists: NonNullable<ProtectionRecord['restrictions']>,
): NonNullable<Protection['restrictions']> {
  const { records } = context;
  return {
    url: `${url}/restrictions`,
    users_url: `${url}/restrictions/users`,
    teams_url: `${url}/restrictions/teams`,
    apps_url: `${url}/restrictions/apps`,
    users: lists.users.flatMap((login) => {
      const user = records.accountByLogin(login);
      return user === undefined
        ? []
        : [{ ...simpleUser(context, user), name: user.login, email: '', gravatar_id: '' }];
    }),
    teams: lists.teams.flatMap((slug) => {
      const team = records.teams.first('slug', [repository.ownerId, slug]);
      return team === undefined ? [] : [teamShape(context, team)];
    }),
    apps: lists.apps.includes(context.app.slug) ? [integration(context)] : [],
  };
}
