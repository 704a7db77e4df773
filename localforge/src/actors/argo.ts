/**
 * Argo CD and its notifications as GitHub sees them (argoproj/notifications-engine `pkg/services/github.go`,
 * `docs/services/github.md`): statuses, deployments and check runs on the commit that an Application was synced to, as the templates of
 * `argocd-notifications-cm` say, where the Application subscribes to the service `github`.
 */
import { parse } from 'yaml';
import { z } from 'zod';

import { putStatus } from '../checks/put-status.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { putDeployment, putDeploymentStatus } from '../deployments/put-deployment.ts';
import type { RepositoryRecord } from '../records.ts';
import { ARGO_APP } from './apps.ts';
import { argoTemplate, fillTemplate, type ArgoTemplate } from './argo-template.ts';
import { beginRun, concludeRun } from './check-app.ts';
import { apply, folderOf, isAddressOf, watchers } from './cluster.ts';
import { follow } from './follow-branch.ts';
import type { Manifest } from './manifests.ts';

const application = z.looseObject({
  source: z.looseObject({
    repoURL: z.string(),
    path: z.string().default(''),
    targetRevision: z.string().default('HEAD'),
  }),
  syncPolicy: z
    .looseObject({ automated: z.looseObject({ enabled: z.boolean().optional() }).nullish() })
    .prefault({}),
});

const sends = z.array(z.looseObject({ send: z.array(z.string()) }));

/** What each trigger of Argo CD's catalog sends where the ConfigMap does not say (argoproj/argo-cd `notifications_catalog/triggers`). */
const CATALOG = {
  'on-sync-running': 'app-sync-running',
  'on-deployed': 'app-deployed',
  'on-health-degraded': 'app-health-degraded',
} as const;
type Trigger = keyof typeof CATALOG;

/** Argo CD looks, where the default branch holds an Application over the repository. */
export function runArgo(context: ForgeContext, repository: RepositoryRecord): void {
  follow(context, repository, { name: 'Argo CD', lag: 'argoLag', look });
}

async function look(
  context: ForgeContext,
  repository: RepositoryRecord,
  seen: Map<string, string>,
): Promise<(() => Promise<void>)[]> {
  const objects = await watchers(context, repository);
  const git = context.git(repository);
  const reports: (() => Promise<void>)[] = [];
  for (const app of objects.filter(isApplication)) {
    const { success, data: spec } = application.safeParse(app['spec']);
    if (!success || !isAddressOf(context, repository, spec.source.repoURL)) continue;
    const { automated } = spec.syncPolicy;
    if (automated === undefined || automated === null || automated.enabled === false) continue;
    const { targetRevision } = spec.source;
    const branch = targetRevision === 'HEAD' ? repository.defaultBranch : targetRevision;
    const sha = (await git.ref(`refs/heads/${branch}`))?.sha;
    const path = folderOf(spec.source.path);
    const key = `${app.metadata.namespace}/${app.metadata.name}`;
    const tree = sha === undefined ? undefined : path === '' ? sha : (await git.entry(sha, path))?.sha;
    // Nothing is synced, and nothing said, where the commit changes nothing in the folder.
    if (sha === undefined || tree === undefined || seen.get(key) === tree) continue;
    seen.set(key, tree);
    const applied = await apply(git, sha, path);
    // What cannot be read is never synced: Argo CD has no revision then to speak of.
    if (applied.state === 'absent' || applied.state === 'unreadable') continue;
    const say = (trigger: Trigger): Promise<void> =>
      notify(context, repository, { objects, app: syncedTo(app, sha), sha, trigger });
    await say('on-sync-running');
    reports.push(() => say(applied.state === 'healthy' ? 'on-deployed' : 'on-health-degraded'));
  }
  return reports;
}

const isApplication = ({ kind, apiVersion }: Manifest): boolean =>
  kind === 'Application' && apiVersion.startsWith('argoproj.io/');

/** The Application with as much of its status as templates ask for. */
const syncedTo = (app: Manifest, revision: string): Manifest => ({
  ...app,
  status: { sync: { status: 'Synced', revision }, operationState: { syncResult: { revision } } },
});

interface Notice {
  readonly objects: readonly Manifest[];
  readonly app: Manifest;
  readonly sha: string;
  readonly trigger: Trigger;
}

async function notify(context: ForgeContext, repository: RepositoryRecord, notice: Notice): Promise<void> {
  const { objects, app, sha, trigger } = notice;
  if (app.metadata.annotations[`notifications.argoproj.io/subscribe.${trigger}.github`] === undefined) return;
  const settings = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'argocd-notifications-cm',
  );
  const { data = {} } = z.object({ data: z.record(z.string(), z.string()).optional() }).parse(settings ?? {});
  const own = sends.safeParse(parse(data[`trigger.${trigger}`] ?? ''));
  const names = own.success ? own.data.flatMap(({ send }) => send) : [CATALOG[trigger]];
  for (const name of names) {
    const template = argoTemplate(data[`template.${name}`] ?? '');
    if (template !== undefined) await send(context, repository, sha, fillTemplate(template, { app }));
  }
}

async function send(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
  { message, github }: ArgoTemplate,
): Promise<void> {
  const by = context.records.account(repository.ownerId);
  const description = message.length > 140 ? `${message.slice(0, 137)}...` : message;
  if (github.status !== undefined) {
    const { label, state, targetURL } = github.status;
    const status = { context: label, state, description, targetUrl: targetURL };
    await putStatus(context, { repository, sha, by, appId: ARGO_APP.id, ...status });
  }
  if (github.deployment !== undefined) {
    const { environment, reference, state, environmentURL, logURL, transientEnvironment } = github.deployment;
    const author = { by, appId: ARGO_APP.id };
    const known = collaborationStore(context.store)
      .deployments.find('repository', [repository.id], { order: 'desc' })
      .find((one) => one.ref === sha && one.environment === environment);
    const deployment =
      known ??
      putDeployment(context, repository, author, {
        sha,
        ref: reference === '' ? sha : reference,
        environment,
        transient: transientEnvironment,
      });
    const status = { state, description, environment, environmentUrl: environmentURL, logUrl: logURL };
    putDeploymentStatus(context, repository, author, { deployment, ...status });
  }
  if (github.checkRun !== undefined) {
    const commit = { repository, sha, branch: repository.defaultBranch };
    const run = beginRun(context, commit, ARGO_APP, github.checkRun.name);
    concludeRun(context, commit, run, github.checkRun.conclusion);
  }
}
