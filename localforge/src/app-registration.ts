/**
 * Registering an App from a manifest: the person confirms it on a page of the forge, and the code that the forge sends back
 * with is good once and for an hour (docs.github.com, "Registering a GitHub App from a manifest"). There is one App here, so
 * the credentials are its own, whatever name the manifest has.
 */
import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import type { ForgeContext } from './context.ts';
import { notFound, refusal } from './refusal.ts';
import { created } from './request.ts';
import type { Router } from './router.ts';
import { integration } from './shapes/integration.ts';
import { appHook, appHooks } from './webhook.ts';

const registration = z.object({
  name: z.string().min(1).max(34),
  url: z.url(),
  redirect_url: z.url(),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().default(true) }).optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).default({}),
  default_events: z.array(z.string()).default([]),
});

export type Registration = z.output<typeof registration>;

/** Codes that wait for their conversion, by forge. */
const waiting = new WeakMap<
  ForgeContext,
  Map<string, { readonly wanted: Registration; readonly until: number }>
>();
const CODE_LIFE_MS = 3_600_000;

/** @throws a 422 refusal for a manifest that GitHub would not take */
export function readRegistration(text: string | null): Registration {
  let content: unknown;
  try {
    content = JSON.parse(text ?? '');
  } catch {
    throw refusal(422, 'The manifest is not JSON.');
  }
  const read = registration.safeParse(content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refusal(422, `The manifest is wrong at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`);
}

/** The code for it, which is to be converted. */
export function registered(context: ForgeContext, wanted: Registration): string {
  const code = randomBytes(20).toString('hex');
  const codes = waiting.get(context) ?? new Map();
  waiting.set(context, codes.set(code, { wanted, until: context.clock().getTime() + CODE_LIFE_MS }));
  return code;
}

/** `POST /app-manifests/:code/conversions` */
export function addAppRegistration(context: ForgeContext, router: Router): void {
  router.route('POST', '/app-manifests/:code/conversions', 'anyone', (request) => {
    const code = request.param('code');
    const found = waiting.get(context)?.get(code);
    waiting.get(context)?.delete(code);
    if (found === undefined || found.until < context.clock().getTime()) throw notFound();
    const { hook_attributes: hook } = found.wanted;
    appHooks(context).update(appHook(context).id, { url: hook?.active === true ? hook.url : null });
    return created({
      ...integration(context),
      client_secret: randomBytes(20).toString('hex'),
      webhook_secret: context.app.webhookSecret,
      pem: context.app.privateKeyPem,
    });
  });
}
