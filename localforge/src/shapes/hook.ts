import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import type { DeliveryRecord, HookRecord, RepositoryRecord } from '../records.ts';

type Hook = RestEndpointMethodTypes['repos']['getWebhook']['response']['data'];
type DeliveryItem = RestEndpointMethodTypes['apps']['listWebhookDeliveries']['response']['data'][number];
type Delivery = RestEndpointMethodTypes['apps']['getWebhookDelivery']['response']['data'];

/** `hook`. The secret is never shown. */
export function hookShape(context: ForgeContext, repository: RepositoryRecord, hook: HookRecord): Hook {
  const url = context.urls.repoApi(repository, `/hooks/${hook.id}`);
  const last = context.records.deliveries.find('hook', [hook.id], { order: 'desc', limit: 1 })[0];
  return {
    type: 'Repository',
    id: hook.id,
    name: 'web',
    active: hook.active,
    events: [...hook.events],
    config: {
      content_type: hook.contentType,
      insecure_ssl: hook.insecureSsl,
      url: hook.url,
      ...(hook.secret === null ? {} : { secret: '********' }),
    },
    updated_at: hook.updatedAt,
    created_at: hook.createdAt,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response:
      last === undefined || last.state === 'pending'
        ? { code: null, status: 'unused', message: null }
        : { code: last.statusCode, status: last.status === 'OK' ? 'active' : 'failed', message: last.status },
  };
}

/** `hook-delivery-item`, as lists have it. */
export const deliveryItem = (delivery: DeliveryRecord): DeliveryItem => ({
  id: delivery.id,
  guid: delivery.guid,
  delivered_at: delivery.deliveredAt ?? delivery.createdAt,
  redelivery: delivery.redelivery,
  duration: delivery.duration,
  status: delivery.status,
  status_code: delivery.statusCode,
  event: delivery.event,
  action: delivery.action,
  installation_id: delivery.installationId,
  repository_id: delivery.repositoryId,
  throttled_at: null,
});

/** `hook-delivery`: with request and answer. */
export const deliveryShape = (delivery: DeliveryRecord): Delivery => ({
  ...deliveryItem(delivery),
  url: delivery.url,
  request: {
    headers: { ...delivery.requestHeaders },
    payload: JSON.parse(delivery.payload) as Record<string, unknown>,
  },
  response: { headers: { ...delivery.responseHeaders }, payload: delivery.responseBody },
});
