import { createHmac, randomUUID } from 'node:crypto';

import type { ForgeContext } from './context.ts';
import { nodeId } from './node-id.ts';
import type { DeliveryRecord, HookRecord, InstallationRecord } from './records.ts';
import { simpleOrganization, simpleUser } from './shapes/account.ts';
import { organizationPayload, repositoryPayload } from './shapes/repository.ts';
import type { Collection } from './store.ts';
import type { WebhookEvent } from './webhook-types.ts';

/** GitHub does not send larger bodies. */
const MAX_PAYLOAD = 25 * 1024 * 1024;
/** Told to every App whether it subscribed or not. */
const ALWAYS = new Set(['installation', 'installation_repositories', 'installation_target', 'ping']);

/** Where the App's deliveries go. */
export interface AppHook {
  readonly id: number;
  readonly url: string | null;
  readonly contentType: 'json' | 'form';
  readonly insecureSsl: string;
  readonly secret: string;
}

export const appHooks = (context: Pick<ForgeContext, 'store'>): Collection<AppHook> =>
  context.store.collection<AppHook>('app_hook');

/** The App's hook; made with no address on first use. */
export function appHook(context: Pick<ForgeContext, 'store' | 'app'>): AppHook {
  const hooks = appHooks(context);
  return (
    hooks.all({ limit: 1 })[0] ??
    hooks.insert({ url: null, contentType: 'json', insecureSsl: '0', secret: context.app.webhookSecret })
  );
}

/**
 * Stores one delivery for every hook that wants the event; to be sent after the transaction in progress.
 * @returns the deliveries, oldest first
 */
export function storeDeliveries(context: ForgeContext, event: WebhookEvent): DeliveryRecord[] {
  const { records } = context;
  const deliveries: DeliveryRecord[] = [];
  const installation =
    event.repository === undefined
      ? event.account && records.installations.first('account', [event.account.id])
      : context.access.installationFor(event.repository);
  if (installation !== undefined && appHook(context).url !== null && appWants(event, installation)) {
    deliveries.push(...store(context, event, null, installation));
  }
  if (event.repository !== undefined && event.onlyApp !== true) {
    const hooks = records.hooks.find('repository', [event.repository.id]);
    for (const hook of hooks.filter((one) => wants(one, event))) {
      deliveries.push(...store(context, event, hook, undefined));
    }
  }
  return deliveries;
}

/** Stores the `ping` that a new hook gets, or that was asked for. */
export function storePing(context: ForgeContext, hook: HookRecord, event: WebhookEvent): DeliveryRecord[] {
  return store(context, event, hook, undefined);
}

const appWants = (event: WebhookEvent, installation: InstallationRecord): boolean =>
  event.onlyApp === true || ALWAYS.has(event.event) || installation.events.includes(event.event);

const wants = (hook: HookRecord, event: WebhookEvent): boolean =>
  hook.active && (hook.events.includes('*') || hook.events.includes(event.event));

function store(
  context: ForgeContext,
  event: WebhookEvent,
  hook: HookRecord | null,
  installation: InstallationRecord | undefined,
): DeliveryRecord[] {
  const payload = JSON.stringify(payloadOf(context, event, installation));
  if (Buffer.byteLength(payload) > MAX_PAYLOAD) {
    context.log('webhook too large, not sent', { event: event.event });
    return [];
  }
  return [
    context.records.deliveries.insert({
      guid: randomUUID(),
      hookId: hook?.id ?? null,
      event: event.event,
      action: event.action ?? null,
      repositoryId: event.repository?.id ?? null,
      installationId: installation?.id ?? null,
      payload,
      redelivery: false,
      state: 'pending',
      createdAt: context.clock().toISOString(),
      deliveredAt: null,
      duration: 0,
      statusCode: 0,
      status: '',
      url: hook?.url ?? appHook(context).url ?? '',
      requestHeaders: {},
      responseHeaders: {},
      responseBody: '',
    }),
  ];
}

function payloadOf(
  context: ForgeContext,
  event: WebhookEvent,
  installation: InstallationRecord | undefined,
): Record<string, unknown> {
  const { repository, account } = event;
  const organization =
    repository === undefined
      ? account?.type === 'Organization'
        ? simpleOrganization(context, account)
        : undefined
      : organizationPayload(context, repository);
  return {
    ...(event.action === undefined ? {} : { action: event.action }),
    ...event.payload,
    ...(repository === undefined ? {} : { repository: repositoryPayload(context, repository) }),
    ...(organization === undefined ? {} : { organization }),
    sender: simpleUser(context, event.sender),
    ...(installation === undefined
      ? {}
      : {
          installation: { id: installation.id, node_id: nodeId('IntegrationInstallation', installation.id) },
        }),
    ...event.override,
  };
}

/** The request of a delivery as GitHub sends it: headers and body, signed when the hook has a secret. */
export function deliveryRequest(
  context: ForgeContext,
  delivery: DeliveryRecord,
): { readonly url: string; readonly headers: Record<string, string>; readonly body: string } | undefined {
  const hook = delivery.hookId === null ? appHook(context) : context.records.hooks.get(delivery.hookId);
  if (hook === undefined || hook.url === null || hook.url === '') return undefined;
  const form = hook.contentType === 'form';
  const body = form ? `payload=${encodeURIComponent(delivery.payload)}` : delivery.payload;
  const app = delivery.hookId === null;
  const signature = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, hook.secret ?? '')
      .update(body)
      .digest('hex')}`;
  return {
    url: hook.url,
    body,
    headers: {
      accept: '*/*',
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'GitHub-Hookshot/1ocal42',
      'x-github-delivery': delivery.guid,
      'x-github-event': delivery.event,
      'x-github-hook-id': String(hook.id),
      'x-github-hook-installation-target-id': String(app ? context.app.id : delivery.repositoryId),
      'x-github-hook-installation-target-type': app ? 'integration' : 'repository',
      ...(hook.secret === null || hook.secret === ''
        ? {}
        : { 'x-hub-signature': signature('sha1'), 'x-hub-signature-256': signature('sha256') }),
    },
  };
}
