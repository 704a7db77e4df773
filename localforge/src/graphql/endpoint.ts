import { buildSchema, graphql } from 'graphql';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import { spendPoints } from '../points.ts';
import { bodyOf, ok } from '../request.ts';
import type { ForgeRequest } from '../request.ts';
import type { Router } from '../router.ts';
import type { GraphqlCall } from './call.ts';
import { GITHUB_SCHEMA } from './github-schema.ts';
import { mutations } from './mutations.ts';
import { queries } from './queries.ts';

const document = z.object({
  query: z.string().min(1),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

let schema: GraphQLSchema | undefined;

/** GraphQL for what has no REST, checked against GitHub's own schema. */
export function addGraphql(context: ForgeContext, router: Router): void {
  // The address is /api/graphql on GitHub Enterprise Server and /graphql on github.com.
  for (const path of ['/graphql', '/api/graphql']) {
    router.route('POST', path, 'signed-in', async (request) => ok(await answer(context, request)));
  }
}

/**
 * What GitHub answers, with status 200, where the limit of GraphQL is spent (yanyongyu/githubkit#271), and where it fails itself:
 * then without a type.
 */
const FAULTS = {
  'rate-limit': {
    errors: [
      {
        type: 'RATE_LIMIT',
        code: 'graphql_rate_limit',
        message: 'API rate limit already exceeded for installation.',
      },
    ],
  },
  untyped: {
    data: null,
    errors: [
      {
        message:
          'Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug.',
      },
    ],
  },
};

async function answer(context: ForgeContext, request: ForgeRequest): Promise<unknown> {
  const { query, variables, operationName } = bodyOf(request, document);
  spendPoints(context, request.viewer, 'graphql', /^\s*mutation\b/.test(query) ? 5 : 1);
  const fault = context.knobs.graphqlFault;
  if (fault !== null && fault.times > 0) {
    fault.times -= 1;
    return FAULTS[fault.kind];
  }
  schema ??= buildSchema(GITHUB_SCHEMA);
  const call: GraphqlCall = { context, actor: request.actor() };
  const result = await graphql({
    schema,
    source: query,
    rootValue: { ...queries(call), ...mutations(call) },
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  return withGithubErrors(result);
}

/** GitHub answers 200 with the type of each error beside its message. */
function withGithubErrors(result: ExecutionResult): unknown {
  if (result.errors === undefined) return { data: result.data };
  const errors = result.errors.map((error) => ({
    ...(typeof error.extensions['type'] === 'string' ? { type: error.extensions['type'] } : {}),
    ...(error.path === undefined ? {} : { path: error.path }),
    ...(error.path === undefined ? { extensions: error.extensions } : {}),
    locations: error.locations,
    message: error.message,
  }));
  return { ...(result.data === undefined ? {} : { data: result.data }), errors };
}
