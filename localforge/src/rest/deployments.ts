import { z } from 'zod';

import { isUnstable } from '../checks-of-commit.ts';
import type { DeploymentRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { putDeployment, putDeploymentStatus } from '../deployments/put-deployment.ts';
import { mergeCommit } from '../merge-engine.ts';
import { personOf } from '../people.ts';
import { conflict, notFound, refusal, unprocessable } from '../refusal.ts';
import { accepted, bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { deploymentShape, deploymentStatusShape } from '../shapes/deployment.ts';
import { numberParam } from './writing.ts';

const creation = z.object({
  ref: z.string().min(1),
  task: z.string().default('deploy'),
  auto_merge: z.boolean().default(true),
  required_contexts: z.array(z.string()).optional(),
  payload: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  environment: z.string().default('production'),
  description: z.string().max(140).nullish(),
  transient_environment: z.boolean().default(false),
  production_environment: z.boolean().optional(),
});

const statusCreation = z.object({
  state: z.enum(['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success']),
  target_url: z.string().default(''),
  log_url: z.string().default(''),
  description: z.string().max(140).default(''),
  environment: z.string().optional(),
  environment_url: z.string().default(''),
  auto_inactive: z.boolean().default(true),
});

/** Deployments and their statuses. */
export function addDeployments(context: ForgeContext, router: Router): void {
  const read = { app: ['deployments:read'], user: 'read' } as const;
  const write = { app: ['deployments:write'], user: 'write' } as const;
  const { deployments, deploymentStatuses } = collaborationStore(context.store);

  router.repo('GET', '/deployments', read, (request) => {
    const fits = (name: string, value: string): boolean => (request.query(name) ?? value) === value;
    const found = deployments
      .find('repository', [request.repository.id], { order: 'desc' })
      .filter((one) => fits('sha', one.sha) && fits('ref', one.ref))
      .filter((one) => fits('task', one.task) && fits('environment', one.environment));
    return paginated(request, found, (one) => deploymentShape(context, request.repository, one));
  });

  router.repo('POST', '/deployments', write, (request) => deploy(context, request));

  router.repo('GET', '/deployments/:deployment', read, (request) =>
    ok(deploymentShape(context, request.repository, deploymentAt(context, request))),
  );

  router.repo('DELETE', '/deployments/:deployment', write, (request) => {
    const deployment = deploymentAt(context, request);
    const last = deploymentStatuses.find('deployment', [deployment.id], { order: 'desc', limit: 1 })[0];
    const only = deployments.find('repository', [request.repository.id], { limit: 2 }).length === 1;
    if (!only && last !== undefined && last.state !== 'inactive') {
      throw unprocessable(
        'We cannot delete an active deployment unless it is the only deployment in a given environment.',
      );
    }
    deployments.remove(deployment.id);
    return noContent();
  });

  router.repo('GET', '/deployments/:deployment/statuses', read, (request) => {
    const found = deploymentStatuses.find('deployment', [deploymentAt(context, request).id], {
      order: 'desc',
    });
    return paginated(request, found, (one) => deploymentStatusShape(context, request.repository, one));
  });

  router.repo('POST', '/deployments/:deployment/statuses', write, (request) => report(context, request));

  router.repo('GET', '/deployments/:deployment/statuses/:status', read, (request) => {
    const status = deploymentStatuses.get(numberParam(request, 'status'));
    if (status === undefined || status.deploymentId !== deploymentAt(context, request).id) throw notFound();
    return ok(deploymentStatusShape(context, request.repository, status));
  });
}

async function deploy(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const { repository } = request;
  const wanted = bodyOf(request, creation);
  const git = context.git(repository);
  const sha = await git.resolve(wanted.ref);
  if (sha === undefined) throw unprocessable(`No ref found for: ${wanted.ref}`);
  if (wanted.auto_merge && (await mergeDefaultBranch(context, request, wanted.ref, sha))) {
    return accepted({ message: `Auto-merged ${repository.defaultBranch} into ${wanted.ref} on deployment.` });
  }
  if (wanted.required_contexts?.length !== 0 && isUnstable(context, repository.id, sha)) {
    throw conflict(`Conflict: Commit status checks failed for ${wanted.ref}.`);
  }
  const { environment, production_environment: production } = wanted;
  const deployment = putDeployment(context, repository, authorOf(request), {
    sha,
    ref: wanted.ref,
    task: wanted.task,
    payload: wanted.payload,
    environment,
    description: wanted.description ?? null,
    transient: wanted.transient_environment,
    ...(production !== undefined && { production }),
  });
  const body = deploymentShape(context, repository, deployment);
  return created(body, { location: String(body['url']) });
}

/** GitHub's `auto_merge`: the default branch is merged into a branch that lacks commits of it. */
async function mergeDefaultBranch(
  context: ForgeContext,
  request: RepositoryRequest,
  word: string,
  sha: string,
): Promise<boolean> {
  const { repository } = request;
  const git = context.git(repository);
  const ref = `refs/heads/${word}`;
  const main = (await git.ref(`refs/heads/${repository.defaultBranch}`))?.sha;
  if (main === undefined || (await git.ref(ref))?.sha !== sha || (await git.isAncestor(main, sha)))
    return false;
  const actor = request.actor();
  const person = personOf(context, actor.user);
  const message = `Merge branch '${repository.defaultBranch}' into ${word}\n`;
  const made = await mergeCommit(git, { base: sha, head: main, message, author: person, committer: person });
  if (!made.clean) throw refusal(409, `Conflict merging ${repository.defaultBranch} into ${word}.`);
  const moved = await context.refs.update(repository, [{ ref, before: sha, after: made.sha }], { actor });
  if (!moved.ok) throw refusal(409, `Conflict merging ${repository.defaultBranch} into ${word}.`);
  return true;
}

function report(context: ForgeContext, request: RepositoryRequest): Reply {
  const { repository } = request;
  const deployment = deploymentAt(context, request);
  const wanted = bodyOf(request, statusCreation);
  const status = putDeploymentStatus(context, repository, authorOf(request), {
    deployment,
    state: wanted.state,
    description: wanted.description,
    environment: wanted.environment ?? deployment.environment,
    environmentUrl: wanted.environment_url,
    logUrl: wanted.log_url,
    targetUrl: wanted.target_url,
    retiresOthers: wanted.auto_inactive,
  });
  const body = deploymentStatusShape(context, repository, status);
  return created(body, { location: String(body['url']) });
}

function authorOf(request: RepositoryRequest): Parameters<typeof putDeployment>[2] {
  const actor = request.actor();
  return { by: actor.user, appId: actor.kind === 'installation' ? actor.appId : null };
}

function deploymentAt(context: ForgeContext, request: RepositoryRequest): DeploymentRecord {
  const deployment = collaborationStore(context.store).deployments.get(numberParam(request, 'deployment'));
  if (deployment === undefined || deployment.repositoryId !== request.repository.id) throw notFound();
  return deployment;
}
