/** The App's webhooks: what was sent and what came back. */
import { html } from 'hono/html';

import type { DeliveryRecord } from '../records.ts';
import { notFound } from '../refusal.ts';
import { appHook } from '../webhook.ts';
import { buttonForm } from './form.ts';
import { badge, time } from './html.ts';
import type { Html } from './html.ts';
import { page } from './layout.ts';
import { pager, pageNumber, PER_PAGE } from './pager.ts';
import type { Visit } from './visit.ts';

/** `/settings/deliveries` */
export function deliveriesPage(visit: Visit): Html {
  const { context } = visit;
  const { url } = appHook(context);
  const offset = (pageNumber(visit) - 1) * PER_PAGE;
  const found = context.records.deliveries.find('hook', [null], {
    order: 'desc',
    limit: PER_PAGE + 1,
    offset,
  });
  const main = html`<h1>Webhook deliveries</h1>
    <p>
      What the App ${context.app.name} was
      told${url === null ? ', which has no address for webhooks' : html` at <code>${url}</code>`}. Newest
      first.
    </p>
    ${
      found.length === 0
        ? html`<p>Nothing yet.</p>`
        : html`<ul class="rows">
            ${found.slice(0, PER_PAGE).map((delivery) => deliveryRow(visit, delivery))}
          </ul>`
    }
    ${pager(visit, found.length > PER_PAGE)}`;
  return page(visit, 'Webhook deliveries', main);
}

/** `/settings/deliveries/:delivery` */
export function deliveryPage(visit: Visit): Html {
  const delivery = visit.context.records.deliveries.get(Number(visit.param('delivery')) || 0);
  if (delivery === undefined || delivery.hookId !== null) throw notFound();
  const main = html`<h1>${eventName(delivery)}</h1>
    <p>
      ${outcome(delivery)} ${time(delivery.deliveredAt ?? delivery.createdAt)} · <code>${delivery.guid}</code>
    </p>
    ${again(visit, delivery)}
    <h2>Request</h2>
    <pre tabindex="0"><code>${headerLines(delivery.requestHeaders)}</code></pre>
    <pre tabindex="0"><code>${JSON.stringify(JSON.parse(delivery.payload), null, 2)}</code></pre>
    <h2>Answer</h2>
    <pre tabindex="0"><code>${headerLines(delivery.responseHeaders)}</code></pre>
    <pre tabindex="0"><code>${delivery.responseBody}</code></pre>
    <p><a href="/settings/deliveries">All deliveries</a></p>`;
  return page(visit, eventName(delivery), main);
}

function deliveryRow(visit: Visit, delivery: DeliveryRecord): Html {
  const { records, urls } = visit.context;
  const repository = records.repositories.get(delivery.repositoryId ?? 0);
  const where = repository === undefined ? '' : urls.fullName(repository);
  return html`<li>
    <div class="line">
      <a href="/settings/deliveries/${delivery.id}"><b>${eventName(delivery)}</b></a>
      ${delivery.redelivery ? badge('redelivery') : ''} ${where} ${time(delivery.createdAt)}
      ${outcome(delivery)} ${again(visit, delivery)}
    </div>
  </li>`;
}

const eventName = ({ event, action }: DeliveryRecord): string =>
  action === null ? event : `${event}.${action}`;

function outcome({ state, statusCode, status, duration }: DeliveryRecord): Html {
  if (state === 'pending') return badge('waiting', 'busy');
  if (statusCode === 0) return badge(status || 'no answer', 'bad');
  return html`${badge(String(statusCode), statusCode < 300 ? 'good' : 'bad')}
    <span class="dim">${duration} s</span>`;
}

const again = (visit: Visit, delivery: DeliveryRecord): Html =>
  buttonForm(`/settings/deliveries/${delivery.id}/attempts`, visit, `Send ${delivery.id} again`);

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
