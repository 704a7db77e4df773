/** Deployments and what is said of them, by whoever deploys. */
import { emitFor } from '../acting.ts';
import type { DeploymentRecord, DeploymentStatusRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { deploymentShape, deploymentStatusShape } from '../shapes/deployment.ts';

interface Author {
  readonly by: AccountRecord;
  /** null: a person. */
  readonly appId: number | null;
}

interface NewDeployment {
  readonly sha: string;
  readonly ref: string;
  readonly environment: string;
  readonly task?: string;
  readonly payload?: unknown;
  readonly description?: string | null;
  readonly transient?: boolean;
  readonly production?: boolean;
}

/** Stores a deployment and tells of it. */
export function putDeployment(
  context: ForgeContext,
  repository: RepositoryRecord,
  { by, appId }: Author,
  wanted: NewDeployment,
): DeploymentRecord {
  const now = context.now();
  return context.store.transaction(() => {
    const made = collaborationStore(context.store).deployments.insert({
      task: 'deploy',
      payload: {},
      description: null,
      transient: false,
      production: wanted.environment === 'production',
      ...wanted,
      repositoryId: repository.id,
      creatorId: by.id,
      appId,
      createdAt: now,
      updatedAt: now,
    });
    emitFor({
      context,
      repository,
      sender: by,
      event: 'deployment',
      action: 'created',
      payload: {
        deployment: deploymentShape(context, repository, made),
        workflow: null,
        workflow_run: null,
      },
    });
    return made;
  });
}

type DeploymentStatusFields = Pick<
  DeploymentStatusRecord,
  'state' | 'description' | 'environment' | 'environmentUrl' | 'logUrl'
> & {
  readonly deployment: DeploymentRecord;
  readonly targetUrl?: string;
  /** GitHub's `auto_inactive`. Default true. */
  readonly retiresOthers?: boolean;
};

/** Stores what is said of a deployment and tells of it; a success ends earlier ones in an environment that is not for production. */
export function putDeploymentStatus(
  context: ForgeContext,
  repository: RepositoryRecord,
  { by, appId }: Author,
  { deployment, targetUrl = '', retiresOthers: retires = true, ...fields }: DeploymentStatusFields,
): DeploymentStatusRecord {
  const store = collaborationStore(context.store);
  return context.store.transaction(() => {
    const now = context.now();
    const made = store.deploymentStatuses.insert({
      ...fields,
      deploymentId: deployment.id,
      targetUrl: targetUrl === '' ? fields.logUrl : targetUrl,
      creatorId: by.id,
      appId,
      createdAt: now,
    });
    store.deployments.update(deployment.id, { updatedAt: now });
    if (retires && fields.state === 'success') retireOthers(context, deployment, fields.environment);
    emitFor({
      context,
      repository,
      sender: by,
      event: 'deployment_status',
      action: 'created',
      payload: {
        deployment_status: deploymentStatusShape(context, repository, made),
        deployment: deploymentShape(context, repository, deployment),
        check_run: null,
        workflow: null,
        workflow_run: null,
      },
    });
    return made;
  });
}

function retireOthers(context: ForgeContext, deployment: DeploymentRecord, environment: string): void {
  const store = collaborationStore(context.store);
  if (deployment.production || deployment.transient) return;
  for (const other of store.deployments.find('repository', [deployment.repositoryId])) {
    if (other.id === deployment.id || other.environment !== environment) continue;
    const last = store.deploymentStatuses.find('deployment', [other.id], { order: 'desc', limit: 1 })[0];
    if (last?.state !== 'success') continue;
    const { id: _id, ...rest } = last;
    store.deploymentStatuses.insert({
      ...rest,
      state: 'inactive',
      description: '',
      createdAt: context.now(),
    });
  }
}
