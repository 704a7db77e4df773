import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import { integration } from '../shapes/integration.ts';
import type { Shape } from '../shapes/shape.ts';

/** An App beside the one that this forge is for. */
export interface OtherApp {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

/** The number is the one that GitHub Actions has on github.com. */
export const ACTIONS_APP: OtherApp = { id: 15_368, slug: 'github-actions', name: 'GitHub Actions' };

/** Argo CD reports through an App of the organization's own (argoproj/notifications-engine, docs/services/github.md). */
export const ARGO_APP: OtherApp = { id: 900_001, slug: 'argocd', name: 'Argo CD' };

const OTHERS: readonly OtherApp[] = [ACTIONS_APP, ARGO_APP];

/** The App of that number as it stands in what was written through it. */
export function appShape(context: ForgeContext, id: number): Shape {
  const own = integration(context);
  const other = OTHERS.find((one) => one.id === id);
  if (other === undefined) return own;
  const { client_id: _none, ...rest } = own;
  const { slug, name } = other;
  return {
    ...rest,
    id,
    slug,
    name,
    node_id: nodeId('App', id),
    html_url: context.urls.webUrl(`/apps/${slug}`),
  };
}
