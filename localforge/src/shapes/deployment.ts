import { appShape } from '../actors/apps.ts';
import type { DeploymentRecord, DeploymentStatusRecord, StatusRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord } from '../records.ts';
import { simpleUser } from './account.ts';
import type { Shape } from './shape.ts';

/** `simple-commit-status`, as in the combined status. */
export function simpleStatus(
  context: ForgeContext,
  repository: RepositoryRecord,
  status: StatusRecord,
): Shape {
  return {
    url: context.urls.repoApi(repository, `/statuses/${status.sha}`),
    avatar_url: simpleUser(context, context.records.account(status.creatorId)).avatar_url,
    id: status.id,
    node_id: nodeId('StatusContext', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

/** `status`. */
export function statusShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  status: StatusRecord,
): Shape {
  return {
    ...simpleStatus(context, repository, status),
    creator: simpleUser(context, context.records.account(status.creatorId)),
  };
}

/** `deployment`. */
export function deploymentShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  deployment: DeploymentRecord,
): Shape {
  const url = context.urls.repoApi(repository, `/deployments/${deployment.id}`);
  return {
    url,
    id: deployment.id,
    node_id: nodeId('Deployment', deployment.id),
    sha: deployment.sha,
    ref: deployment.ref,
    task: deployment.task,
    payload: deployment.payload,
    original_environment: deployment.environment,
    environment: deployment.environment,
    description: deployment.description,
    creator: simpleUser(context, context.records.account(deployment.creatorId)),
    created_at: deployment.createdAt,
    updated_at: deployment.updatedAt,
    statuses_url: `${url}/statuses`,
    repository_url: context.urls.repoApi(repository),
    transient_environment: deployment.transient,
    production_environment: deployment.production,
    performed_via_github_app: deployment.appId === null ? null : appShape(context, deployment.appId),
  };
}

/** `deployment-status`. */
export function deploymentStatusShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  status: DeploymentStatusRecord,
): Shape {
  const deployment = context.urls.repoApi(repository, `/deployments/${status.deploymentId}`);
  return {
    url: `${deployment}/statuses/${status.id}`,
    id: status.id,
    node_id: nodeId('DeploymentStatus', status.id),
    state: status.state,
    creator: simpleUser(context, context.records.account(status.creatorId)),
    description: status.description,
    environment: status.environment,
    target_url: status.targetUrl,
    created_at: status.createdAt,
    updated_at: status.createdAt,
    deployment_url: deployment,
    repository_url: context.urls.repoApi(repository),
    environment_url: status.environmentUrl,
    log_url: status.logUrl,
    performed_via_github_app: status.appId === null ? null : appShape(context, status.appId),
  };
}
