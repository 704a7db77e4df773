import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import type { DeliveryRecord } from '../records.ts';
import { bodyOf, ok } from '../request.ts';
import type { Reply } from '../request.ts';
import type { Router } from '../router.ts';
import { appHook, appHooks } from '../webhook.ts';
import { getDelivery, listDeliveries, redeliver } from './deliveries.ts';

const body = z.object({
  url: z.url().optional(),
  content_type: z.enum(['json', 'form']).optional(),
  secret: z.string().min(1).optional(),
  insecure_ssl: z.union([z.string(), z.number()]).optional(),
});

/** `/app/hook`: where the App's webhooks go, and what became of them. */
export function addAppHookRoutes(
  context: ForgeContext,
  router: Router,
  send: (delivery: DeliveryRecord) => void,
): void {
  const config = (): Reply => {
    const hook = appHook(context);
    return ok({
      content_type: hook.contentType,
      insecure_ssl: hook.insecureSsl,
      secret: '********',
      ...(hook.url === null ? {} : { url: hook.url }),
    });
  };
  router.route('GET', '/app/hook/config', 'app-jwt', config);
  router.route('PATCH', '/app/hook/config', 'app-jwt', (request) => {
    const given = bodyOf(request, body);
    appHooks(context).update(appHook(context).id, {
      ...(given.url === undefined ? {} : { url: given.url }),
      ...(given.content_type === undefined ? {} : { contentType: given.content_type }),
      ...(given.secret === undefined ? {} : { secret: given.secret }),
      ...(given.insecure_ssl === undefined ? {} : { insecureSsl: String(given.insecure_ssl) }),
    });
    return config();
  });
  router.route('GET', '/app/hook/deliveries', 'app-jwt', (request) => listDeliveries(context, request, null));
  router.route('GET', '/app/hook/deliveries/:delivery', 'app-jwt', (request) =>
    getDelivery(context, request, null),
  );
  router.route('POST', '/app/hook/deliveries/:delivery/attempts', 'app-jwt', (request) =>
    redeliver(context, request, null, send),
  );
}
