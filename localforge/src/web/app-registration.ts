/** The pages on which a person registers an App from a manifest. */
import { html } from 'hono/html';

import { readRegistration, registered, type Registration } from '../app-registration.ts';
import { refusal } from '../refusal.ts';
import { form } from './form.ts';
import type { Html } from './html.ts';
import { page } from './layout.ts';
import type { Visit } from './visit.ts';

/** What other sites post manifests to: for a person, and for an organization. Nothing is done by it. */
export const NEW_APP_PATHS = ['/settings/apps/new', '/organizations/:org/settings/apps/new'] as const;
export const NEW_APP = /^\/(?:organizations\/[^/]+\/)?settings\/apps\/new$/;
/** What the form of that page is posted to. */
export const REGISTER = '/settings/apps';

export function newAppPage(visit: Visit, fields: URLSearchParams): Html {
  const manifest = fields.get('manifest');
  const wanted = readRegistration(manifest);
  const owner = visit.param('org') || (visit.viewer?.login ?? 'you');
  const permissions = Object.entries(wanted.default_permissions).map(([name, level]) => `${name}: ${level}`);
  const main = html`<h1>Create GitHub App for ${owner}</h1>
    <p><b>${wanted.name}</b>, which may: ${permissions.join(', ')}.</p>
    ${form(
      REGISTER,
      visit,
      html`<input type="hidden" name="manifest" value="${manifest ?? ''}" />
        <input type="hidden" name="state" value="${visit.url.searchParams.get('state') ?? ''}" />
        <button class="main">Create GitHub App for ${owner}</button>`,
    )}`;
  return page(visit, 'Create GitHub App', main);
}

/** @throws a 422 refusal for a reader who is nobody yet */
export function registeredPage(visit: Visit, fields: URLSearchParams): Html {
  if (visit.viewer === undefined) throw refusal(422, 'Choose who you are first.');
  const wanted = readRegistration(fields.get('manifest'));
  const back = backTo(wanted, registered(visit.context, wanted), fields.get('state'));
  const main = html`<h1>${wanted.name} is registered</h1>
    <p><a href="${back}" rel="noreferrer">Go back with the code</a></p>`;
  return page(visit, 'Registered', main);
}

function backTo({ redirect_url: redirect }: Registration, code: string, state: string | null): string {
  const url = new URL(redirect);
  url.searchParams.set('code', code);
  if (state !== null && state !== '') url.searchParams.set('state', state);
  return url.href;
}
