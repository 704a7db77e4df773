import { addAppRegistration } from './app-registration.ts';
import type { ForgeContext } from './context.ts';
import type { DeliveryRecord } from './records.ts';
import { addActivity } from './rest/activity.ts';
import { addAppHookRoutes } from './rest/app-hook.ts';
import { addAppRoutes } from './rest/apps.ts';
import { addBranchRoutes } from './rest/branches.ts';
import { addCollaboratorRoutes } from './rest/collaborators.ts';
import { addCommitRoutes } from './rest/commits.ts';
import { addContentsRoutes } from './rest/contents.ts';
import { addForks } from './rest/forks.ts';
import { addGitObjectRoutes } from './rest/git-objects.ts';
import { addGitRefRoutes } from './rest/git-refs.ts';
import { addHookRoutes } from './rest/hooks.ts';
import { addInstallationRoutes } from './rest/installations.ts';
import { addOrgRoutes } from './rest/orgs.ts';
import { addProtectionRoutes } from './rest/protection.ts';
import { addRateRoutes } from './rest/rate.ts';
import { addRepositoryRoutes } from './rest/repositories.ts';
import { addRulesetRoutes } from './rest/rulesets.ts';
import { addSigningKeyRoutes } from './rest/signing-keys.ts';
import { addTeamChangeRoutes } from './rest/team-changes.ts';
import { addUserRoutes } from './rest/users.ts';
import type { Router } from './router.ts';

/** Adds the core's routes. `send` puts a stored delivery in the queue. */
export function addCoreRoutes(
  context: ForgeContext,
  router: Router,
  send: (delivery: DeliveryRecord) => void,
): void {
  addAppRoutes(context, router);
  addAppRegistration(context, router);
  addAppHookRoutes(context, router, send);
  addInstallationRoutes(context, router);
  addUserRoutes(context, router);
  addSigningKeyRoutes(context, router);
  addOrgRoutes(context, router);
  addTeamChangeRoutes(context, router);
  addRepositoryRoutes(context, router);
  addForks(context, router);
  addActivity(context, router);
  addCollaboratorRoutes(context, router);
  addContentsRoutes(context, router);
  addProtectionRoutes(context, router);
  addBranchRoutes(context, router);
  addRulesetRoutes(context, router);
  addCommitRoutes(context, router);
  addGitRefRoutes(context, router);
  addGitObjectRoutes(context, router);
  addHookRoutes(context, router, send);
  addRateRoutes(context, router);
}
