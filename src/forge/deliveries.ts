import type { Octokit } from '@octokit/rest';

import type { RawDelivery } from './answer-shapes.ts';
import type { FailedDelivery } from './forge-types.ts';
import { requestOf } from './repository-context.ts';

/** Pages of a hundred deliveries that one look reads. */
const MAX_PAGES = 100;

/**
 * Webhooks since then that never got through, oldest first. A redelivery has the guid of the first attempt, so one
 * success settles all attempts. The list is paged by cursor, newest first.
 */
export async function listFailedDeliveries(
  app: Octokit,
  since: Date,
  signal?: AbortSignal,
): Promise<FailedDelivery[]> {
  const settled = new Set<string>();
  const failed = new Map<string, FailedDelivery>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, headers } = await app.rest.apps.listWebhookDeliveries({
      per_page: 100,
      ...(cursor === undefined ? {} : { cursor }),
      request: requestOf(signal),
    });
    for (const raw of data) {
      if (raw.status_code >= 200 && raw.status_code < 300) settled.add(raw.guid);
      else if (Date.parse(raw.delivered_at) >= since.getTime() && !failed.has(raw.guid)) {
        failed.set(raw.guid, toDelivery(raw));
      }
    }
    cursor = nextCursor(headers.link);
    const last = data.at(-1);
    if (cursor === undefined || last === undefined || Date.parse(last.delivered_at) < since.getTime()) break;
  }
  return [...failed.values()].filter((delivery) => !settled.has(delivery.guid)).toReversed();
}

function nextCursor(link: string | undefined): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return (next === undefined ? null : new URL(next).searchParams.get('cursor')) ?? undefined;
}

function toDelivery(raw: RawDelivery): FailedDelivery {
  return {
    id: raw.id,
    guid: raw.guid,
    event: raw.event,
    action: raw.action ?? null,
    deliveredAt: raw.delivered_at,
    statusCode: raw.status_code,
    installationId: raw.installation_id ?? null,
    repositoryId: raw.repository_id ?? null,
  };
}
