import { z } from 'zod';

import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const failed = z.object({ errors: z.array(z.object({ type: z.string().optional(), message: z.string() })) });
const limits = z.object({ data: z.object({ rateLimit: z.object({ remaining: z.number() }) }) });

/** Asks GraphQL for its limit, for something that is not there, and something that makes no sense. */
export const graphqlErrors: Row = {
  number: 17,
  belief:
    'GraphQL answers errors with status 200: of the type NOT_FOUND for what is not there, without one of its known types for a document that is wrong',
  async play({ graphql, organization }) {
    const limit = await graphql('query { rateLimit { remaining } }', {});
    if (!limits.safeParse(limit.body).success) return otherwise(`the limit is not told (${limit.status})`);
    const query = 'query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }';
    const absent = await graphql(query, { owner: organization, name: 'portico-trial-that-is-not-there' });
    const missing = failed.safeParse(absent.body);
    const type = missing.success ? missing.data.errors[0]?.type : 'no error';
    if (absent.status !== 200 || type !== 'NOT_FOUND') {
      return otherwise(`what is not there: ${absent.status}, ${type ?? 'no type'}`);
    }
    const wrong = await graphql('query { nothingOfThatName }', {});
    const errors = failed.safeParse(wrong.body);
    if (!errors.success) return otherwise(`a wrong document: ${wrong.status} without errors`);
    const known = ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED', 'RATE_LIMIT'];
    const [fault] = errors.data.errors;
    return known.includes(fault?.type ?? '')
      ? otherwise(`a wrong document has the type ${fault?.type}`)
      : asBelieved(`NOT_FOUND; a wrong document: ${wrong.status}, ${fault?.type ?? 'no type'}`);
  },
};
