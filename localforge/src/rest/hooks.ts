import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import type { DeliveryRecord, HookRecord } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { hookShape } from '../shapes/hook.ts';
import { storePing } from '../webhook.ts';
import { getDelivery, listDeliveries, redeliver } from './deliveries.ts';

const READ = { app: ['repository_hooks:read'], user: 'admin' } as const;
const WRITE = { app: ['repository_hooks:write'], user: 'admin' } as const;
/** Webhooks of a repository for each event, as on GitHub. */
const MAX_HOOKS = 20;

const config = z.object({
  url: z.url({ protocol: /^https?$/ }).optional(),
  content_type: z.enum(['json', 'form']).optional(),
  secret: z.string().optional(),
  insecure_ssl: z.union([z.string(), z.number()]).optional(),
});
const createBody = z.object({
  name: z.literal('web').default('web'),
  config: config.extend({ url: z.url({ protocol: /^https?$/ }) }),
  events: z.array(z.string()).default(['push']),
  active: z.boolean().default(true),
});
const updateBody = z.object({
  config: config.optional(),
  events: z.array(z.string()).optional(),
  add_events: z.array(z.string()).optional(),
  remove_events: z.array(z.string()).optional(),
  active: z.boolean().optional(),
});

/** `/hooks` of a repository. */
export function addHookRoutes(
  context: ForgeContext,
  router: Router,
  send: (delivery: DeliveryRecord) => void,
): void {
  const { hooks } = context.records;
  router.repo('GET', '/hooks', READ, (request) =>
    paginated(request, hooks.find('repository', [request.repository.id]), (hook) =>
      hookShape(context, request.repository, hook),
    ),
  );
  router.repo('POST', '/hooks', WRITE, (request) => {
    const body = bodyOf(request, createBody);
    const present = hooks.find('repository', [request.repository.id]);
    const same = present.some((hook) => hook.url === body.config.url && sameEvents(hook.events, body.events));
    if (same) {
      throw invalid({ resource: 'Hook', code: 'custom', message: 'Hook already exists on this repository' });
    }
    if (present.length >= MAX_HOOKS) {
      throw invalid({
        resource: 'Hook',
        code: 'custom',
        message: `The "push" event cannot have more than ${MAX_HOOKS} hooks`,
      });
    }
    const now = context.now();
    const hook = hooks.insert({
      repositoryId: request.repository.id,
      active: body.active,
      events: body.events,
      url: body.config.url,
      contentType: body.config.content_type ?? 'form',
      insecureSsl: String(body.config.insecure_ssl ?? '0'),
      secret: body.config.secret ?? null,
      createdAt: now,
      updatedAt: now,
    });
    ping(context, request, hook, send);
    const shape = hookShape(context, request.repository, hook);
    return created(shape, { location: shape.url });
  });
  router.repo('GET', '/hooks/:hook', READ, (request) =>
    ok(hookShape(context, request.repository, hookAt(context, request))),
  );
  router.repo('PATCH', '/hooks/:hook', WRITE, (request) => {
    const hook = hookAt(context, request);
    const body = bodyOf(request, updateBody);
    const events = (body.events ?? [...hook.events, ...(body.add_events ?? [])]).filter(
      (event) => !(body.remove_events ?? []).includes(event),
    );
    const updated = hooks.update(hook.id, {
      events: [...new Set(events)],
      updatedAt: context.now(),
      ...(body.active === undefined ? {} : { active: body.active }),
      // A new config replaces the old one, its secret included.
      ...(body.config === undefined
        ? {}
        : {
            url: body.config.url ?? hook.url,
            contentType: body.config.content_type ?? hook.contentType,
            insecureSsl: String(body.config.insecure_ssl ?? hook.insecureSsl),
            secret: body.config.secret ?? null,
          }),
    });
    return ok(hookShape(context, request.repository, updated));
  });
  router.repo('DELETE', '/hooks/:hook', WRITE, (request) => {
    hooks.remove(hookAt(context, request).id);
    return noContent();
  });
  router.repo('POST', '/hooks/:hook/pings', WRITE, (request) => {
    ping(context, request, hookAt(context, request), send);
    return noContent();
  });
  router.repo('GET', '/hooks/:hook/deliveries', READ, (request) =>
    listDeliveries(context, request, hookAt(context, request).id),
  );
  router.repo('GET', '/hooks/:hook/deliveries/:delivery', READ, (request) =>
    getDelivery(context, request, hookAt(context, request).id),
  );
  router.repo('POST', '/hooks/:hook/deliveries/:delivery/attempts', WRITE, (request) =>
    redeliver(context, request, hookAt(context, request).id, send),
  );
}

function hookAt(context: ForgeContext, request: RepositoryRequest): HookRecord {
  const found = context.records.hooks.get(Number(request.param('hook')) || 0);
  if (found?.repositoryId !== request.repository.id) throw notFound();
  return found;
}

const sameEvents = (one: readonly string[], other: readonly string[]): boolean =>
  one.toSorted().join() === other.toSorted().join();

function ping(
  context: ForgeContext,
  request: RepositoryRequest,
  hook: HookRecord,
  send: (delivery: DeliveryRecord) => void,
): void {
  const stored = storePing(context, hook, {
    event: 'ping',
    repository: request.repository,
    sender: request.actor().user,
    payload: {
      zen: 'Keep it logically awesome.',
      hook_id: hook.id,
      hook: hookShape(context, request.repository, hook),
    },
  });
  stored.forEach(send);
}
