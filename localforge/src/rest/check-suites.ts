import { z } from 'zod';

import { ownSuite, suiteFor } from '../checks/check-suites.ts';
import { rerequestSuite } from '../checks/rerequest.ts';
import type { CheckSuiteRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { forbidden, notFound, unprocessable } from '../refusal.ts';
import { bodyOf, created, linkHeader, ok, pageOf } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { checkSuiteShape } from '../shapes/check.ts';
import { repositoryShape } from '../shapes/repository.ts';
import type { Shape } from '../shapes/shape.ts';
import { listRuns } from './checks.ts';
import { numberParam } from './writing.ts';

const creation = z.object({ head_sha: z.string().regex(/^[0-9a-f]{40}$/) });

const preferences = z.object({
  auto_trigger_checks: z.array(z.object({ app_id: z.int(), setting: z.boolean() })).default([]),
});

/** Check suites. */
export function addCheckSuites(context: ForgeContext, router: Router): void {
  const read = { app: ['checks:read'], user: 'read' } as const;
  const write = { app: ['checks:write'], user: 'write' } as const;
  const { suites, runs } = collaborationStore(context.store);
  const shape = async (request: RepositoryRequest, suite: CheckSuiteRecord): Promise<Shape> => {
    const commit = await context.git(request.repository).commit(suite.headSha);
    return checkSuiteShape(context, request.repository, suite, commit);
  };

  router.repo(
    'PATCH',
    '/check-suites/preferences',
    { app: ['administration:write'], user: 'admin' },
    (request) => {
      const wanted = bodyOf(request, preferences);
      return ok({
        preferences: wanted,
        repository: repositoryShape(context, request.repository),
      });
    },
  );

  router.repo('POST', '/check-suites', write, async (request) => {
    if (request.actor().kind !== 'installation') throw forbidden('You must authenticate via a GitHub App.');
    const { head_sha: sha } = bodyOf(request, creation);
    if ((await context.git(request.repository).commit(sha)) === undefined) {
      throw unprocessable(`No commit found for SHA: ${sha}`);
    }
    const known = ownSuite(context, request.repository, sha) !== undefined;
    const body = await shape(request, suiteFor(context, request.repository, sha));
    return known ? ok(body) : created(body);
  });

  router.repo('GET', '/check-suites/:suite', read, async (request) =>
    ok(await shape(request, suiteAt(context, request))),
  );

  router.repo('GET', '/check-suites/:suite/check-runs', read, (request) =>
    listRuns(context, request, runs.find('suite', [suiteAt(context, request).id])),
  );

  router.repo('POST', '/check-suites/:suite/rerequest', write, async (request) => {
    const suite = suiteAt(context, request);
    await rerequestSuite(context, request.repository, suite, request.actor().user);
    return created({});
  });

  router.repo('GET', '/commits/:ref{.+}/check-suites', read, async (request) => {
    const sha = await context.git(request.repository).resolve(request.param('ref'));
    if (sha === undefined) throw unprocessable(`No commit found for SHA: ${request.param('ref')}`);
    const appId = request.query('app_id');
    const found = suites
      .find('sha', [request.repository.id, sha])
      .filter((suite) => appId === undefined || String(suite.appId) === appId);
    const page = pageOf(request);
    const shown = found.slice(page.offset, page.offset + page.perPage);
    const items = await Promise.all(shown.map((suite) => shape(request, suite)));
    return {
      ...ok({ total_count: found.length, check_suites: items }),
      headers: linkHeader(request, page, found.length),
    };
  });
}

function suiteAt(context: ForgeContext, request: RepositoryRequest): CheckSuiteRecord {
  const suite = collaborationStore(context.store).suites.get(numberParam(request, 'suite'));
  if (suite === undefined || suite.repositoryId !== request.repository.id) throw notFound();
  return suite;
}
