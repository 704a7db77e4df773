import { GraphQLError } from 'graphql';

/** An error as GitHub types it. */
export function graphqlError(
  type:
    | 'NOT_FOUND'
    | 'FORBIDDEN'
    | 'UNPROCESSABLE'
    | 'MISSING_PAGINATION_BOUNDARIES'
    | 'EXCESSIVE_PAGINATION',
  message: string,
): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
