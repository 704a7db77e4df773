/** One of the `errors` of a GraphQL answer, as far as it matters. */
export interface GraphqlFault {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly extensions?: { readonly code?: string };
}

const STATUS: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPES: 403,
  UNPROCESSABLE: 422,
  INTERNAL: 500,
  SERVICE_UNAVAILABLE: 503,
};

const LIMITED: readonly (string | undefined)[] = ['RATE_LIMITED', 'RATE_LIMIT', 'graphql_rate_limit'];

/**
 * The limit of GraphQL, of which the forge tells with status 200: of type RATE_LIMITED as it was, or RATE_LIMIT with the code
 * `graphql_rate_limit` as it is (yanyongyu/githubkit#271), where `x-ratelimit-remaining` may be more than 0.
 */
export function isGraphqlLimit(errors: readonly GraphqlFault[]): boolean {
  return errors.some(({ type, code }) => LIMITED.includes(type) || LIMITED.includes(code));
}

/**
 * The status that REST would have. An error of no type and no code is the forge's own ("Something went wrong while executing
 * your query. This may be the result of a timeout, or it could be a GitHub bug."): it says nothing of what was asked. One of
 * a document that does not fit the schema has a code.
 */
export function graphqlStatus(errors: readonly GraphqlFault[]): number {
  if (isGraphqlLimit(errors)) return 429;
  const outage = errors.some(
    ({ type, code, extensions }) =>
      type === undefined && code === undefined && extensions?.code === undefined,
  );
  if (outage) return 502;
  return STATUS[errors[0]?.type ?? ''] ?? 422;
}
