/**
 * Flux as it reports on commits (fluxcd/notification-controller `internal/notifier/github.go` and
 * `internal/server/provider_commit_status.go`): on the one that a Kustomization has just reconciled, the branch's newest when it was
 * fetched (XenitAB/gitops-promotion#175, #180), whether it changed anything or not.
 */
import { createHash } from 'node:crypto';

import { z } from 'zod';

import { latestStatuses } from '../checks-of-commit.ts';
import { putStatus } from '../checks/put-status.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import { apply, folderOf, isAddressOf, watchers, type Applied } from './cluster.ts';
import { follow } from './follow-branch.ts';
import type { Manifest } from './manifests.ts';

const reference = z.looseObject({ kind: z.string(), name: z.string(), namespace: z.string().optional() });

const source = z.looseObject({
  url: z.string(),
  // Flux's own default (https://fluxcd.io/flux/components/source/gitrepositories/#branch-example).
  ref: z.looseObject({ branch: z.string().default('master') }).prefault({}),
});

const kustomization = z.looseObject({
  path: z.string().default(''),
  sourceRef: reference,
  suspend: z.boolean().default(false),
  wait: z.boolean().default(false),
  healthChecks: z.array(z.unknown()).default([]),
});

const alert = z.looseObject({
  providerRef: z.looseObject({ name: z.string() }),
  eventSeverity: z.enum(['info', 'error']).default('info'),
  eventSources: z.array(reference),
  suspend: z.boolean().default(false),
});

const provider = z.looseObject({ type: z.string(), address: z.string() });

/** Flux looks, where the default branch holds a Kustomization over the repository. */
export function runFlux(context: ForgeContext, repository: RepositoryRecord): void {
  follow(context, repository, { name: 'Flux', lag: 'fluxLag', look });
}

async function look(
  context: ForgeContext,
  repository: RepositoryRecord,
  seen: Map<string, string>,
): Promise<(() => Promise<void>)[]> {
  const objects = await watchers(context, repository);
  const git = context.git(repository);
  const reports: (() => Promise<void>)[] = [];
  for (const object of ofKind(objects, 'Kustomization', 'kustomize.toolkit.fluxcd.io')) {
    const { success, data: spec } = kustomization.safeParse(object['spec']);
    const branch =
      success && !spec.suspend ? branchOf({ context, repository, objects, object, spec }) : undefined;
    const sha = branch === undefined ? undefined : (await git.ref(`refs/heads/${branch}`))?.sha;
    if (!success || sha === undefined || seen.get(keyOf(object)) === sha) continue;
    seen.set(keyOf(object), sha);
    const applied = await apply(git, sha, folderOf(spec.path));
    // Without a health check a Kustomization is ready when everything was applied.
    const waits = spec.wait || spec.healthChecks.length > 0;
    const event = eventOf(applied.state === 'unhealthy' && !waits ? { state: 'healthy' } : applied);
    reports.push(() => notify(context, repository, { objects, object, sha, event }));
  }
  return reports;
}

/** The branch that a Kustomization is made from; undefined where that is none of this repository. */
function branchOf({
  context,
  repository,
  objects,
  object,
  spec: { sourceRef },
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly objects: readonly Manifest[];
  readonly object: Manifest;
  readonly spec: z.infer<typeof kustomization>;
}): string | undefined {
  if (sourceRef.kind !== 'GitRepository') return undefined;
  const namespace = sourceRef.namespace ?? object.metadata.namespace;
  const found = ofKind(objects, 'GitRepository', 'source.toolkit.fluxcd.io').find(
    ({ metadata }) => metadata.name === sourceRef.name && metadata.namespace === namespace,
  );
  const read = source.safeParse(found?.['spec']);
  return read.success && isAddressOf(context, repository, read.data.url) ? read.data.ref.branch : undefined;
}

interface FluxEvent {
  readonly severity: 'info' | 'error';
  readonly reason: string;
}

/** Reasons of kustomize-controller (fluxcd/kustomize-controller `api/v1/condition_types.go`, fluxcd/pkg `apis/meta`). */
function eventOf(applied: Applied): FluxEvent {
  if (applied.state === 'healthy') return { severity: 'info', reason: 'ReconciliationSucceeded' };
  if (applied.state === 'unhealthy') return { severity: 'error', reason: 'HealthCheckFailed' };
  return { severity: 'error', reason: applied.state === 'absent' ? 'ArtifactFailed' : 'BuildFailed' };
}

/** Posts an event through each Alert that takes it and whose Provider is this forge. */
async function notify(
  context: ForgeContext,
  repository: RepositoryRecord,
  {
    objects,
    object,
    sha,
    event,
  }: {
    readonly objects: readonly Manifest[];
    readonly object: Manifest;
    readonly sha: string;
    readonly event: FluxEvent;
  },
): Promise<void> {
  const group = 'notification.toolkit.fluxcd.io';
  for (const one of ofKind(objects, 'Alert', group)) {
    const { success, data: spec } = alert.safeParse(one['spec']);
    if (!success || spec.suspend || (spec.eventSeverity === 'error' && event.severity === 'info')) continue;
    const takes = spec.eventSources.some(
      ({ kind, name, namespace = one.metadata.namespace }) =>
        kind === object.kind &&
        (name === '*' || name === object.metadata.name) &&
        namespace === object.metadata.namespace,
    );
    const through = ofKind(objects, 'Provider', group).find(
      ({ metadata }) =>
        metadata.name === spec.providerRef.name && metadata.namespace === one.metadata.namespace,
    );
    const read = provider.safeParse(through?.['spec']);
    if (!takes || through === undefined || !read.success || read.data.type !== 'github') continue;
    if (isAddressOf(context, repository, read.data.address))
      await post(context, repository, { object, through, sha, event });
  }
}

async function post(
  context: ForgeContext,
  repository: RepositoryRecord,
  {
    object,
    through,
    sha,
    event,
  }: {
    readonly object: Manifest;
    readonly through: Manifest;
    readonly sha: string;
    readonly event: FluxEvent;
  },
): Promise<void> {
  const [part = ''] = uidOf(repository, through).split('-');
  const status = {
    context: `${object.kind}/${object.metadata.name}/${part}`.toLowerCase(),
    state: event.severity === 'info' ? ('success' as const) : ('failure' as const),
    description: event.reason.replaceAll(/(?<=.)(?=[A-Z])/g, ' ').toLowerCase(),
  };
  const last = latestStatuses(context, repository.id, sha).find((one) => one.context === status.context);
  // Flux does not say the same of a commit again.
  if (last?.state === status.state && last.description === status.description) return;
  const by = context.records.account(repository.ownerId);
  await putStatus(context, { repository, sha, by, ...status });
}

/** The one that its manifest names, as in a dump; otherwise one that stays the same. */
function uidOf({ id }: RepositoryRecord, object: Manifest): string {
  const digest = createHash('sha256')
    .update(`${id} ${keyOf(object)}`)
    .digest('hex');
  return object.metadata.uid ?? digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.namespace}/${metadata.name}`;

const ofKind = (objects: readonly Manifest[], kind: string, group: string): readonly Manifest[] =>
  objects.filter((one) => one.kind === kind && one.apiVersion.startsWith(`${group}/`));
