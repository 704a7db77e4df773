import { createHash } from 'node:crypto';

import { PorticoError } from '../error.ts';
import {
  isPorticoCheck,
  type CheckAnnotation,
  type CheckInput,
  type CheckRun,
  type ChecksPort,
} from '../reconcile/forge/checks.ts';
import { cutLines, cutText, MAX_CHECK_BYTES, shorten } from '../text/cut-text.ts';
import type { RawCheckRun } from './answer-shapes.ts';
import type { AppIdentity } from './forge-types.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** GitHub: at most so many annotations in one request; each further request adds to them. */
const MAX_ANNOTATIONS_PER_REQUEST = 50;
/** GitHub takes 64 KB in each of an annotation's texts; a batch of them is not to be a request of megabytes. */
const ANNOTATION = { bytes: 16_000 };
/** Annotations of one check: ten calls of fifty. */
const MAX_ANNOTATIONS = 500;

/** Check runs of ours, and what others say of a commit. Checks with more than three actions or too long ones throw CHECK_INVALID. */
export function createChecksApi(context: RepositoryContext): Omit<ChecksPort, 'healthOf'> & PutAmong {
  const { checks, repos } = context.octokit.rest;

  const ourRun = async (check: CheckInput, signal?: AbortSignal): Promise<readonly RawCheckRun[]> => {
    const app = await context.app(signal);
    const { id: app_id } = app;
    const filter = { ref: check.headSha, check_name: check.name, app_id, filter: 'latest' as const };
    const { data } = await checks.listForRef({ ...where(context, signal), ...filter, per_page: 100 });
    return data.check_runs.filter((run) => isOurs(run, app));
  };

  const ourRuns = async (ref: string, signal?: AbortSignal): Promise<readonly RawCheckRun[]> => {
    const app = await context.app(signal);
    const { id: app_id } = app;
    const runs = await allPages(async (page) => {
      const filter = { ref, app_id, filter: 'latest' as const, ...page };
      const { data, headers } = await checks.listForRef({ ...where(context, signal), ...filter });
      return { data: data.check_runs, headers };
    });
    return runs.filter((run) => isOurs(run, app));
  };

  const start = async (
    check: CheckInput,
    existing: RawCheckRun | undefined,
    fields: CheckFields,
    signal?: AbortSignal,
  ): Promise<number> => {
    const at = where(context, signal);
    if (existing !== undefined && !isPast(existing, check) && canChange(existing, check)) {
      return (await checks.update({ ...at, check_run_id: existing.id, ...fields })).data.id;
    }
    return (await checks.create({ ...at, name: check.name, head_sha: check.headSha, ...fields })).data.id;
  };

  const put = async (
    check: CheckInput,
    wanted: ReturnType<typeof requestsFor>,
    present: readonly RawCheckRun[],
    signal?: AbortSignal,
  ): Promise<{ readonly id: number; readonly written: 'created' | 'updated' | 'unchanged' }> => {
    const [first, ...rest] = wanted.requests;
    const [existing] = present.filter(({ name }) => name === check.name).toSorted((a, b) => b.id - a.id);
    if (existing && !isPast(existing, check) && isSo(existing, check, wanted.externalId)) {
      return { id: existing.id, written: 'unchanged' };
    }
    const id = await start(check, existing, first, signal);
    for (const fields of rest) {
      await checks.update({ ...where(context, signal), check_run_id: id, ...fields });
    }
    return { id, written: existing?.id === id ? 'updated' : 'created' };
  };

  const putAmong: PutAmong['putAmong'] = async (all, read, signal) => {
    const wanted = all.map((check) => ({ check, requests: requestsFor(check) }));
    for (const [sha, group] of Map.groupBy(wanted, ({ check }) => check.headSha)) {
      const present = (await read(sha)) ?? (await ourRuns(sha, signal));
      const there = new Set(present.map(({ name }) => name));
      for (const { check, requests } of group) {
        if (check.onlyIfThere === true && !there.has(check.name)) continue;
        await put(check, requests, present, signal);
      }
    }
  };

  return {
    putAmong,
    putCheck: async (check, signal) => {
      const wanted = requestsFor(check);
      return put(check, wanted, await ourRun(check, signal), signal);
    },
    putChecks: async (all, signal) => putAmong(all, async () => null, signal),
    ourChecks: async (sha, signal) => {
      const app = await context.app(signal);
      return (await ourRuns(sha, signal)).map((run) => toCheckRun(run, app));
    },
    listChecks: async (ref, signal) => {
      const runs = await allPages(async (page) => {
        const filter = { ref, filter: 'latest' as const };
        const { data, headers } = await checks.listForRef({ ...where(context, signal), ...filter, ...page });
        return { data: data.check_runs, headers };
      });
      const app = await context.app(signal);
      return runs.map((run) => toCheckRun(run, app));
    },
    checkHistory: async (ref, check_name, signal) => {
      const app = await context.app(signal);
      const { id: app_id } = app;
      const runs = await allPages(async (page) => {
        const filter = { ref, check_name, app_id, filter: 'all' as const };
        const { data, headers } = await checks.listForRef({ ...where(context, signal), ...filter, ...page });
        return { data: data.check_runs, headers };
      });
      return runs
        .filter((run) => isOurs(run, app) && run.name === check_name)
        .map((run) => toCheckRun(run, app));
    },
    checkSuites: async (ref, signal) => {
      const suites = await allPages(async (page) => {
        const { data, headers } = await checks.listSuitesForRef({ ...where(context, signal), ref, ...page });
        return { data: data.check_suites, headers };
      });
      const { id: own, isShared } = await context.app(signal);
      return suites.map(({ id, app, head_branch: branch, status, latest_check_runs_count: runs }) => ({
        id,
        // What is in the suite of an App that others have too is not known.
        appId: isShared === true && app?.id === own ? null : (app?.id ?? null),
        ofActions: app?.slug === 'github-actions',
        branch: branch ?? null,
        status: status ?? 'queued',
        runs,
      }));
    },
    combinedStatus: async (ref, signal) => {
      let state = 'pending';
      const statuses = await allPages(async (page) => {
        const { data, headers } = await repos.getCombinedStatusForRef({
          ...where(context, signal),
          ref,
          ...page,
        });
        state = data.state;
        return { data: data.statuses, headers };
      });
      return {
        state,
        statuses: statuses.map((one) => ({ context: one.context, state: one.state })),
      };
    },
  };
}

/** Checks written among runs of ours that were read just now; where `read` answers null they are read here. */
export interface PutAmong {
  putAmong(
    all: readonly CheckInput[],
    read: (sha: string) => Promise<readonly RawCheckRun[] | null>,
    signal?: AbortSignal,
  ): Promise<void>;
}

interface CheckFields {
  readonly external_id: string;
  readonly status: CheckInput['status'];
  readonly conclusion?: NonNullable<CheckInput['conclusion']>;
  readonly output: {
    readonly title: string;
    readonly summary: string;
    readonly text?: string;
    readonly annotations?: RawAnnotation[];
  };
  readonly actions?: { label: string; description: string; identifier: string }[];
}

interface RawAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  start_column?: number;
  end_column?: number;
  annotation_level: CheckAnnotation['level'];
  message: string;
  title?: string;
  raw_details?: string;
}

/**
 * The requests that make the check so. Annotations can only be added, 50 at a time, so that the run is completed, and
 * its `external_id` gets the digest of all of it, with the last one: a run that lacks some is never taken for whole.
 */
function requestsFor(check: CheckInput): { externalId: string; requests: [CheckFields, ...CheckFields[]] } {
  checkInput(check);
  const { annotations = [], actions = [] } = check;
  const shown = annotations.slice(0, MAX_ANNOTATIONS).map(toRawAnnotation);
  const hidden = annotations.length - shown.length;
  const note = hidden > 0 ? `\n\n*(${hidden} more annotations are not shown.)*` : '';
  const output = {
    title: shorten(check.title, { bytes: 255 }),
    summary: cutText(check.summary, { bytes: MAX_CHECK_BYTES - note.length }) + note,
    ...(check.text === undefined ? {} : { text: cutText(check.text, { bytes: MAX_CHECK_BYTES }) }),
  };
  const batches = Array.from(
    { length: Math.max(1, Math.ceil(shown.length / MAX_ANNOTATIONS_PER_REQUEST)) },
    (_, at) => shown.slice(at * MAX_ANNOTATIONS_PER_REQUEST, (at + 1) * MAX_ANNOTATIONS_PER_REQUEST),
  );
  const end = {
    status: check.status,
    ...(check.conclusion === undefined ? {} : { conclusion: check.conclusion }),
    ...(actions.length === 0 ? {} : { actions: actions.map((action) => ({ ...action })) }),
  };
  const digest = createHash('sha256')
    .update(JSON.stringify([end, output, shown]))
    .digest('hex')
    .slice(0, 16);
  const externalId = `${check.externalId}#${digest}`;
  const requests = batches.map((batch, at): CheckFields => {
    const own = { output: { ...output, ...(batch.length === 0 ? {} : { annotations: batch }) } };
    // Buttons of before are taken away only where they are said to be none.
    if (at === batches.length - 1) return { actions: [], ...end, ...own, external_id: externalId };
    return { ...own, status: 'in_progress', external_id: check.externalId };
  });
  return { externalId, requests: requests as [CheckFields, ...CheckFields[]] };
}

function checkInput({ name, status, conclusion, actions = [] }: CheckInput): void {
  const wrong = (what: string): PorticoError =>
    new PorticoError('CHECK_INVALID', `check ${name}: ${what}`, { blame: 'bug' });
  if ((status === 'completed') !== (conclusion !== undefined))
    throw wrong('a conclusion belongs to completed alone');
  if (actions.length > 3) throw wrong('a check has at most three actions');
  for (const { label, description, identifier } of actions) {
    const long = label.length > 20 || description.length > 40 || identifier.length > 20;
    if (long) throw wrong(`the texts of action ${identifier} are longer than 20, 40 and 20 characters`);
  }
}

function toRawAnnotation(annotation: CheckAnnotation): RawAnnotation {
  const { path, startLine, endLine, startColumn, endColumn, level, message, title, rawDetails } = annotation;
  const oneLine = startLine === endLine;
  return {
    path,
    start_line: startLine,
    end_line: endLine,
    ...(oneLine && startColumn !== undefined ? { start_column: startColumn } : {}),
    ...(oneLine && endColumn !== undefined ? { end_column: endColumn } : {}),
    annotation_level: level,
    message: cutLines(message === '' ? '(no message)' : message, ANNOTATION),
    ...(title === undefined ? {} : { title: shorten(title, { bytes: 255 }) }),
    ...(rawDetails === undefined ? {} : { raw_details: cutLines(rawDetails, ANNOTATION) }),
  };
}

/** Also looks at the state, because a person's "re-run" sets that back and leaves the rest. */
function isSo(run: RawCheckRun, check: CheckInput, externalId: string): boolean {
  return (
    run.external_id === externalId &&
    run.status === check.status &&
    (run.conclusion ?? undefined) === check.conclusion
  );
}

/** True for a run that somebody has asked again for since. */
function isPast({ started_at }: RawCheckRun, { notBefore }: CheckInput): boolean {
  return notBefore !== undefined && Date.parse(started_at ?? '') < Date.parse(notBefore);
}

/**
 * Annotations cannot be taken back, nor can a completed run be opened again: then a new run takes its place. So it is
 * where the run speaks of something else, so that what it said, and from when on, stays known.
 */
function canChange(run: RawCheckRun, check: CheckInput): boolean {
  if (idOf(run) !== check.externalId) return false;
  if (run.output.annotations_count > 0) return false;
  return (
    run.status !== 'completed' ||
    (check.status === 'completed' && (check.annotations ?? []).length <= MAX_ANNOTATIONS_PER_REQUEST)
  );
}

/** The id that was asked for, without the digest of what the run says. */
function idOf({ external_id: id }: Pick<RawCheckRun, 'external_id'>): string {
  return (id ?? '').replace(/#[0-9a-f]{16}$/, '');
}

/** Through an App of its own all runs are Portico's; jobs of workflows are check runs of the same App as a workflow's token. */
export function isOurs(
  { name, app }: Pick<RawCheckRun, 'name' | 'app'>,
  { id, isShared }: Pick<AppIdentity, 'id' | 'isShared'>,
): boolean {
  return app?.id === id && (isShared !== true || isPorticoCheck(name));
}

export function toCheckRun(run: RawCheckRun, app: AppIdentity): CheckRun {
  const isOfOthers = run.app?.id === app.id && !isOurs(run, app);
  return {
    id: run.id,
    name: run.name,
    headSha: run.head_sha,
    externalId: idOf(run),
    status: run.status,
    conclusion: run.conclusion ?? null,
    appId: isOfOthers ? null : (run.app?.id ?? null),
    suiteId: run.check_suite?.id ?? null,
    title: run.output.title ?? null,
    startedAt: run.started_at ?? null,
  };
}
