import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import { simpleUser } from './account.ts';
import type { Shape } from './shape.ts';

/** `integration`: the App as it stands in what was written through it. */
export function integration(context: ForgeContext): Shape {
  const { app, records, urls } = context;
  const installation = records.installations.all({ limit: 1 })[0];
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    client_id: app.clientId,
    owner: simpleUser(context, records.account(app.ownerId)),
    name: app.name,
    description: '',
    external_url: urls.web,
    html_url: urls.webUrl(`/apps/${app.slug}`),
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: installation?.permissions ?? {},
    events: [...(installation?.events ?? [])],
  };
}
