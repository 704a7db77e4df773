import { z } from 'zod';

import { latestRuns } from '../checks-of-commit.ts';
import { completeIfDone, emitRun, suiteFor } from '../checks/check-suites.ts';
import { rerequestRun } from '../checks/rerequest.ts';
import type { AnnotationRecord, CheckRunRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { retryAutoMergeAt } from '../pulls/auto-merge.ts';
import { forbidden, invalid, notFound, unprocessable } from '../refusal.ts';
import { bodyOf, created, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { annotationShape, checkRunShape } from '../shapes/check.ts';
import { numberParam } from './writing.ts';

/** GitHub's limits. */
const MAX_TEXT_BYTES = 65_535;
const MAX_ANNOTATIONS = 50;
const MAX_MESSAGE = 64 * 1024;

/**
 * Counted in bytes, though the documentation speaks of characters (github/docs#35252, dorny/test-reporter#57); where even the
 * characters are too many, an earlier judge says so (zyborg/dotnet-tests-report#9).
 */
const text = (field: 'summary' | 'text') =>
  z.string().refine((value) => {
    if (value.length > MAX_TEXT_BYTES) {
      const sentence = `Only ${MAX_TEXT_BYTES} characters are allowed; ${value.length} were supplied.`;
      throw unprocessable(`Invalid request.\n\n${sentence}`);
    }
    if (Buffer.byteLength(value) <= MAX_TEXT_BYTES) return true;
    const message = `${field} exceeds a maximum bytesize of ${MAX_TEXT_BYTES}`;
    throw invalid({ resource: 'CheckRun', code: 'custom', field, message });
  });
const message = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= MAX_MESSAGE, 'is too long (maximum is 64 KB)');

const annotation = z
  .object({
    path: z.string().min(1),
    start_line: z.int().min(0),
    end_line: z.int().min(0),
    start_column: z.int().min(0).optional(),
    end_column: z.int().min(0).optional(),
    annotation_level: z.enum(['notice', 'warning', 'failure']),
    message: message.min(1),
    title: z.string().max(255).optional(),
    raw_details: message.optional(),
  })
  .refine(
    (one) =>
      one.start_line === one.end_line || (one.start_column === undefined && one.end_column === undefined),
    'columns are allowed only where start_line equals end_line',
  )
  .refine((one) => one.end_line >= one.start_line, 'end_line must not be before start_line');

const output = z.object({
  title: z.string().optional(),
  summary: text('summary').optional(),
  text: text('text').optional(),
  annotations: z
    .array(annotation)
    .max(MAX_ANNOTATIONS, `No more than ${MAX_ANNOTATIONS} items are allowed`)
    .default([]),
  images: z
    .array(z.object({ alt: z.string(), image_url: z.string(), caption: z.string().optional() }))
    .optional(),
});

const action = z.object({
  label: z.string().min(1).max(20),
  description: z.string().min(1).max(40),
  identifier: z.string().min(1).max(20),
});

const conclusions = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'success',
  'skipped',
  'timed_out',
] as const;

const fields = {
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  status: z.enum(['queued', 'in_progress', 'completed']).optional(),
  started_at: z.string().optional(),
  conclusion: z.enum(conclusions).optional(),
  completed_at: z.string().optional(),
  output: output.optional(),
  actions: z.array(action).max(3).optional(),
};

const creation = z.object({
  ...fields,
  name: z.string().min(1),
  head_sha: z.string().regex(/^[0-9a-f]{40}$/),
});
const edit = z.object({ ...fields, name: z.string().min(1).optional() });

type Fields = z.output<typeof edit>;

/** Check runs. Only the App writes them. */
export function addChecks(context: ForgeContext, router: Router): void {
  const read = { app: ['checks:read'], user: 'read' } as const;
  const write = { app: ['checks:write'], user: 'read' } as const;
  const { runs, annotations } = collaborationStore(context.store);

  router.repo('POST', '/check-runs', write, async (request) => {
    refuseUsers(request);
    const appId = appOf(context, request);
    const wanted = bodyOf(request, creation);
    if ((await context.git(request.repository).commit(wanted.head_sha)) === undefined) {
      throw unprocessable(`No commit found for SHA: ${wanted.head_sha}`);
    }
    refuseOutput(wanted, true);
    const run = context.store.transaction(() => {
      const suite = suiteFor(context, request.repository, wanted.head_sha, appId);
      const made = runs.insert({
        repositoryId: request.repository.id,
        suiteId: suite.id,
        appId,
        name: wanted.name,
        headSha: wanted.head_sha,
        detailsUrl: null,
        externalId: null,
        title: null,
        summary: null,
        text: null,
        actions: [],
        completedAt: null,
        conclusion: null,
        status: 'queued',
        startedAt: wanted.started_at ?? context.now(),
      });
      const filled = runs.update(made.id, changesOf(context, made, wanted));
      addAnnotations(context, filled, wanted);
      emitRun({
        context,
        repository: request.repository,
        run: filled,
        sender: request.actor().user,
        action: 'created',
      });
      if (filled.status === 'completed') finished(context, request, filled);
      return filled;
    });
    if (run.status === 'completed') retryAutoMergeAt(context, request.repository, run.headSha);
    const body = checkRunShape(context, request.repository, run);
    return created(body, { location: String(body['url']) });
  });

  router.repo('GET', '/check-runs/:run', read, (request) =>
    ok(checkRunShape(context, request.repository, runAt(context, request))),
  );

  router.repo('PATCH', '/check-runs/:run', write, (request) => {
    refuseUsers(request);
    const run = runAt(context, request);
    if (run.appId !== appOf(context, request))
      throw forbidden('Invalid app_id - check run can only be modified by its App.');
    const wanted = bodyOf(request, edit);
    refuseOutput(wanted, false);
    const changed = context.store.transaction(() => {
      const updated = runs.update(run.id, changesOf(context, run, wanted));
      addAnnotations(context, updated, wanted);
      if (updated.status === 'completed' && run.status !== 'completed') finished(context, request, updated);
      return updated;
    });
    if (changed.status === 'completed') retryAutoMergeAt(context, request.repository, changed.headSha);
    return ok(checkRunShape(context, request.repository, changed));
  });

  router.repo('GET', '/check-runs/:run/annotations', read, (request) => {
    const run = runAt(context, request);
    return paginated(request, annotations.find('run', [run.id]), (one) =>
      annotationShape(context, request.repository, run, one),
    );
  });

  router.repo('POST', '/check-runs/:run/rerequest', { ...write, user: 'write' }, (request) => {
    rerequestRun(context, request.repository, runAt(context, request), request.actor().user);
    return created({});
  });

  router.repo('GET', '/commits/:ref{.+}/check-runs', read, async (request) => {
    const sha = await context.git(request.repository).resolve(request.param('ref'));
    if (sha === undefined) throw unprocessable(`No commit found for SHA: ${request.param('ref')}`);
    return listRuns(
      context,
      request,
      request.query('filter') === 'all'
        ? all(context, request, sha)
        : latestRuns(context, request.repository.id, sha),
    );
  });
}

/** One page of check runs, after the filters of the query. */
export function listRuns(
  context: ForgeContext,
  request: RepositoryRequest,
  found: readonly CheckRunRecord[],
): ReturnType<typeof paginated> {
  const [name, status, appId] = [
    request.query('check_name'),
    request.query('status'),
    request.query('app_id'),
  ];
  const wanted = found.filter(
    (run) =>
      (name === undefined || run.name === name) &&
      (status === undefined || run.status === status) &&
      (appId === undefined || String(run.appId) === appId),
  );
  return paginated(
    request,
    wanted,
    (run) => checkRunShape(context, request.repository, run),
    (items, total) => ({ total_count: total, check_runs: items }),
  );
}

function all(context: ForgeContext, request: RepositoryRequest, sha: string): CheckRunRecord[] {
  return collaborationStore(context.store).runs.find('sha', [request.repository.id, sha], { order: 'desc' });
}

function refuseUsers(request: RepositoryRequest): void {
  if (request.actor().kind !== 'installation') {
    throw forbidden('You must authenticate via a GitHub App.');
  }
}

/** The App that asks: `refuseUsers` has seen that it is one. */
function appOf(context: ForgeContext, request: RepositoryRequest): number {
  const actor = request.actor();
  return actor.kind === 'installation' ? actor.appId : context.app.id;
}

function runAt(context: ForgeContext, request: RepositoryRequest): CheckRunRecord {
  const run = collaborationStore(context.store).runs.get(numberParam(request, 'run'));
  if (run === undefined || run.repositoryId !== request.repository.id) throw notFound();
  return run;
}

/** GitHub's conditions between fields. @throws 422 */
function refuseOutput(wanted: Fields, isNew: boolean): void {
  if (wanted.status === 'completed' && wanted.conclusion === undefined) throw missing('conclusion');
  if (wanted.output === undefined) return;
  if (wanted.output.summary === undefined) throw missing('summary');
  if (wanted.output.title === undefined && isNew) throw missing('title');
}

function changesOf(
  context: ForgeContext,
  run: CheckRunRecord,
  wanted: Fields,
): Partial<Omit<CheckRunRecord, 'id'>> {
  // A conclusion or a time of completion makes a run completed.
  const completed = wanted.conclusion !== undefined || wanted.completed_at !== undefined;
  const status = completed ? 'completed' : (wanted.status ?? run.status);
  const reopened = run.status === 'completed' && status !== 'completed';
  const conclusion = reopened ? null : (wanted.conclusion ?? run.conclusion);
  const completedAt = reopened
    ? null
    : (wanted.completed_at ?? run.completedAt ?? (status === 'completed' ? context.now() : null));
  return {
    status,
    conclusion: status === 'completed' ? (conclusion ?? 'neutral') : conclusion,
    completedAt,
    startedAt: wanted.started_at ?? run.startedAt,
    name: wanted.name ?? run.name,
    detailsUrl: wanted.details_url ?? run.detailsUrl,
    externalId: wanted.external_id ?? run.externalId,
    title: wanted.output?.title ?? run.title,
    summary: wanted.output?.summary ?? run.summary,
    text: wanted.output?.text ?? run.text,
    actions: wanted.actions ?? run.actions,
  };
}

function addAnnotations(context: ForgeContext, run: CheckRunRecord, wanted: Fields): void {
  const { annotations } = collaborationStore(context.store);
  for (const one of wanted.output?.annotations ?? []) {
    const record: Omit<AnnotationRecord, 'id'> = {
      runId: run.id,
      path: one.path,
      startLine: one.start_line,
      endLine: one.end_line,
      startColumn: one.start_column ?? null,
      endColumn: one.end_column ?? null,
      level: one.annotation_level,
      message: one.message,
      title: one.title ?? null,
      rawDetails: one.raw_details ?? null,
    };
    annotations.insert(record);
  }
}

function finished(context: ForgeContext, request: RepositoryRequest, run: CheckRunRecord): void {
  emitRun({
    context,
    repository: request.repository,
    run,
    sender: request.actor().user,
    action: 'completed',
  });
  completeIfDone(context, request.repository, run.suiteId, request.actor().user);
}

const missing = (field: string): Error => invalid({ resource: 'CheckRun', field, code: 'missing_field' });
