import { z } from 'zod';

import type { AppPermission } from '../access.ts';
import type { ForgeContext } from '../context.ts';
import { ZERO_SHA } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import type { ActivityRecord } from '../records.ts';
import { invalid } from '../refusal.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import { pageOf } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleUser } from '../shapes/account.ts';
import type { Shape } from '../shapes/shape.ts';

const TYPES = [
  'push',
  'force_push',
  'branch_creation',
  'branch_deletion',
  'pr_merge',
  'merge_queue_merge',
] as const;

const DAY_MS = 86_400_000;
const PERIODS = { day: 1, week: 7, month: 30, quarter: 90, year: 365 } as const;

const wanted = z.object({
  direction: z.enum(['asc', 'desc']).default('desc'),
  time_period: z.enum(['day', 'week', 'month', 'quarter', 'year']).optional(),
  activity_type: z.enum(TYPES).optional(),
});

/**
 * `/activity`: who moved which branch, and how, newest first ("List repository activities" of GitHub's REST reference).
 * The actor is the account that authenticated, never what a commit says. Pages are reached by the cursors of the `link`
 * header alone. What is public may be read without a permission.
 */
export function addActivity(context: ForgeContext, router: Router): void {
  const read: { app: readonly AppPermission[]; user: 'read' } = { app: ['contents:read'], user: 'read' };
  router.repo('GET', '/activity', read, (request) => listed(context, request));
}

function listed(context: ForgeContext, request: RepositoryRequest): Reply {
  const asked = wanted.safeParse({
    direction: request.query('direction'),
    time_period: request.query('time_period'),
    activity_type: request.query('activity_type'),
  });
  if (!asked.success) {
    const field = String(asked.error.issues[0]?.path[0] ?? '');
    throw invalid({ resource: 'Repository', field, code: 'invalid' });
  }
  const { direction, time_period: period, activity_type: type } = asked.data;
  const ref = request.query('ref');
  const actor = request.query('actor')?.toLowerCase();
  const since = period === undefined ? 0 : context.clock().getTime() - PERIODS[period] * DAY_MS;
  const { activities, account } = context.records;
  const id = request.repository.id;
  const found = (
    ref === undefined
      ? activities.find('repository', [id])
      : activities.find('ref', [id, ref.startsWith('refs/') ? ref : `refs/heads/${ref}`])
  ).filter(
    (one) =>
      (type === undefined || one.type === type) &&
      (actor === undefined || account(one.actorId).login.toLowerCase() === actor) &&
      Date.parse(one.at) >= since,
  );
  const all = direction === 'asc' ? found : found.toReversed();
  const after = cursorIn(all, request.query('after'));
  const before = cursorIn(all, request.query('before'));
  const { perPage } = pageOf(request);
  const start = before === undefined ? (after === undefined ? 0 : after + 1) : Math.max(0, before - perPage);
  const shown = all.slice(start, before === undefined ? start + perPage : before);
  return {
    status: 200,
    body: shown.map((one) => activityShape(context, one)),
    headers: links(request, {
      prev: start > 0 ? shown[0] : undefined,
      next: start + shown.length < all.length ? shown.at(-1) : undefined,
    }),
  };
}

function activityShape(context: ForgeContext, one: ActivityRecord): Shape {
  return {
    id: one.id,
    node_id: nodeId('RepositoryActivity', one.id),
    before: one.before ?? ZERO_SHA,
    after: one.after ?? ZERO_SHA,
    ref: one.ref,
    timestamp: one.at,
    activity_type: one.type,
    actor: simpleUser(context, context.records.account(one.actorId)),
  };
}

function cursorIn(all: readonly ActivityRecord[], cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const at = all.findIndex((one) => cursorOf(one) === cursor);
  if (at < 0) throw invalid({ resource: 'Repository', field: 'cursor', code: 'invalid' });
  return at;
}

function cursorOf({ id }: ActivityRecord): string {
  return Buffer.from(`activity:${id}`).toString('base64url');
}

function links(
  request: RepositoryRequest,
  { prev, next }: { readonly prev: ActivityRecord | undefined; readonly next: ActivityRecord | undefined },
): Record<string, string> {
  const to = (rel: string, name: string, one: ActivityRecord): string => {
    const url = new URL(request.url);
    for (const cursor of ['before', 'after', 'page']) url.searchParams.delete(cursor);
    url.searchParams.set(name, cursorOf(one));
    return `<${url.href}>; rel="${rel}"`;
  };
  const made = [
    ...(next === undefined ? [] : [to('next', 'after', next)]),
    ...(prev === undefined ? [] : [to('prev', 'before', prev)]),
  ];
  return made.length === 0 ? {} : { link: made.join(', ') };
}
