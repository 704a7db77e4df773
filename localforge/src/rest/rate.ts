import type { ForgeContext } from '../context.ts';
import { budgetOf } from '../rate-limit.ts';
import { ok } from '../request.ts';
import type { Router } from '../router.ts';

/** `/rate_limit` and `/meta`. */
export function addRateRoutes(context: ForgeContext, router: Router): void {
  router.route('GET', '/rate_limit', 'anyone', (request) => {
    const core = budgetOf(context, request.viewer);
    const unused = { ...core, used: 0, remaining: core.limit };
    return ok({
      resources: { core, search: unused, graphql: unused, integration_manifest: unused },
      rate: core,
    });
  });
  router.route('GET', '/meta', 'anyone', () =>
    ok({ verifiable_password_authentication: false, installed_version: '3.19.0' }),
  );
}
