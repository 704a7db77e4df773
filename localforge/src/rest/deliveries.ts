import type { ForgeContext } from '../context.ts';
import type { DeliveryRecord } from '../records.ts';
import { notFound, unprocessable } from '../refusal.ts';
import { accepted, ok, pageOf } from '../request.ts';
import type { ForgeRequest, Reply } from '../request.ts';
import { deliveryItem, deliveryShape } from '../shapes/hook.ts';

/** GitHub redelivers for three days. */
const REDELIVERABLE_MS = 3 * 24 * 3600 * 1000;
const PIECE = 100;

/** Forgets deliveries that GitHub would no longer list. */
export function forgetOldDeliveries(context: ForgeContext): void {
  const { deliveries } = context.records;
  const since = context.clock().getTime() - REDELIVERABLE_MS;
  for (let old: DeliveryRecord[] = []; ;) {
    old = deliveries.all({ limit: PIECE }).filter((delivery) => Date.parse(delivery.createdAt) < since);
    if (old.length === 0) return;
    context.store.transaction(() => old.forEach((delivery) => deliveries.remove(delivery.id)));
  }
}

/** Newest first, paged by a cursor, as deliveries are. `hookId` null: the App's. */
export function listDeliveries(context: ForgeContext, request: ForgeRequest, hookId: number | null): Reply {
  const { perPage } = pageOf(request);
  const cursor = /^v1_(\d{1,15})$/.exec(request.query('cursor') ?? '')?.[1];
  const failed = request.query('status') === 'failure';
  const all: DeliveryRecord[] = [];
  let below = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  // In pieces, because payloads are large and there may be many.
  for (let more = true; more && all.length <= perPage;) {
    const piece = context.records.deliveries.find('hook', [hookId], { order: 'desc', limit: PIECE, below });
    all.push(...piece.filter((one) => one.state !== 'pending' && !(failed && isSuccess(one))));
    below = piece.at(-1)?.id ?? 0;
    more = piece.length === PIECE;
  }
  const shown = all.slice(0, perPage);
  const last = shown.at(-1);
  if (last === undefined || all.length <= perPage) return ok(shown.map(deliveryItem));
  const next = new URL(request.url);
  next.searchParams.set('cursor', `v1_${last.id}`);
  return { status: 200, body: shown.map(deliveryItem), headers: { link: `<${next.href}>; rel="next"` } };
}

const isSuccess = (delivery: DeliveryRecord): boolean =>
  delivery.statusCode >= 200 && delivery.statusCode < 300;

function deliveryAt(context: ForgeContext, request: ForgeRequest, hookId: number | null): DeliveryRecord {
  const found = context.records.deliveries.get(Number(request.param('delivery')) || 0);
  if (found === undefined || found.hookId !== hookId) throw notFound();
  return found;
}

export const getDelivery = (context: ForgeContext, request: ForgeRequest, hookId: number | null): Reply =>
  ok(deliveryShape(deliveryAt(context, request, hookId)));

/** Sends the same body under the same GUID once more, as a delivery of its own. */
export function redeliver(
  context: ForgeContext,
  request: ForgeRequest,
  hookId: number | null,
  send: (delivery: DeliveryRecord) => void,
): Reply {
  const { id: _id, ...before } = deliveryAt(context, request, hookId);
  if (context.clock().getTime() - Date.parse(before.createdAt) > REDELIVERABLE_MS) {
    throw unprocessable('The delivery is too old to be redelivered.');
  }
  const again = context.records.deliveries.insert({
    ...before,
    redelivery: true,
    state: 'pending',
    createdAt: context.clock().toISOString(),
    deliveredAt: null,
    duration: 0,
    statusCode: 0,
    status: '',
    responseHeaders: {},
    responseBody: '',
  });
  send(again);
  return accepted();
}
