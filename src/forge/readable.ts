/** Which repositories the bearer of a token may read, asked of the forge as that bearer. */
import { Octokit } from '@octokit/rest';

import { PorticoError } from '../error.ts';
import type { GraphqlFault } from './graphql-fault.ts';

/** One of them may take so long, in milliseconds. */
const MAX_MS = 8_000;

interface Found {
  readonly databaseId: number | null;
  /** Only whoever may read the contents is told it. */
  readonly defaultBranchRef: { readonly name: string } | null;
}

/** What hides a repository; any other error says nothing about it. */
const HIDDEN: readonly unknown[] = ['NOT_FOUND', 'FORBIDDEN', 'INSUFFICIENT_SCOPES'];

/**
 * Asks with the token itself, in one query of GraphQL, so that neither the limits of the App nor its rights come into it. Names that a repository
 * had before lead nowhere.
 *
 * @param apiUrl base address of the API
 * @throws PorticoError FORGE_AUTH for a token that the forge refuses; RATE_LIMITED where its owner has no calls left; FORGE_UNAVAILABLE where the forge does not tell
 */
export async function askReadable(
  { apiUrl, token }: { readonly apiUrl: string; readonly token: string },
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const octokit = new Octokit({ baseUrl: apiUrl, userAgent: 'portico', auth: token, log: SILENT });
  const parameters = names.map((_name, at) => `$o${at}: String!, $n${at}: String!`).join(', ');
  const fields = names.map(
    (_name, at) =>
      `r${at}: repository(owner: $o${at}, name: $n${at}, followRenames: false) { databaseId defaultBranchRef { name } }`,
  );
  const document = `query${parameters === '' ? '' : `(${parameters})`} { rateLimit { cost } ${fields.join(' ')} }`;
  const variables = Object.fromEntries(
    names.flatMap((name, at) => {
      const slash = name.indexOf('/');
      return [
        [`o${at}`, name.slice(0, slash)],
        [`n${at}`, name.slice(slash + 1)],
      ];
    }),
  );
  const data = await ask(octokit, document, variables, signal);
  return new Map(
    names.flatMap((name, at): [string, number][] => {
      const found = data[`r${at}`];
      const isReadable = typeof found?.databaseId === 'number' && (found.defaultBranchRef ?? null) !== null;
      return isReadable ? [[name, found.databaseId ?? 0]] : [];
    }),
  );
}

const quiet = (): void => {};
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

type Data = Readonly<Record<string, Found | null | undefined>>;

/** What GitHub answers beside errors counts where these only hide something. */
async function ask(
  octokit: Octokit,
  document: string,
  variables: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Data> {
  const request = { signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]) };
  try {
    return await octokit.graphql<Data>(document, { ...variables, request });
  } catch (error) {
    const { status, errors, data, response } = error as {
      readonly status?: number;
      readonly errors?: readonly GraphqlFault[];
      readonly data?: Data | null;
      readonly response?: { readonly headers?: Readonly<Record<string, unknown>> };
    };
    if (
      Array.isArray(errors) &&
      data !== undefined &&
      data !== null &&
      errors.every(({ type }) => HIDDEN.includes(type))
    )
      return data;
    if (status === 401)
      throw new PorticoError('FORGE_AUTH', 'the forge refuses the token', { blame: 'user' });
    const isLimited =
      status === 429 ||
      (status === 403 && String(response?.headers?.['x-ratelimit-remaining']) === '0') ||
      errors?.some(({ type }) => type === 'RATE_LIMITED' || type === 'RATE_LIMIT') === true;
    if (isLimited)
      throw new PorticoError('RATE_LIMITED', 'the token has no calls of the forge left', {
        blame: 'user',
        retryAfter: 60,
      });
    signal.throwIfAborted();
    // The error itself holds the request, and with it the token.
    throw new PorticoError(
      'FORGE_UNAVAILABLE',
      `the forge does not say what a token may read (${status ?? 'no answer'})`,
      { blame: 'forge' },
    );
  }
}
