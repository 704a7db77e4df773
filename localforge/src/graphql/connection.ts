import { graphqlError } from './graphql-error.ts';

/** The arguments of every connection; a cursor is the place in the list. */
export interface Page {
  readonly first?: number;
  readonly last?: number;
  readonly after?: string;
}

const MAX_PAGE = 100;

/** A page of a list. GitHub demands to be told how many, and gives at most a hundred. @throws UNPROCESSABLE */
export function connection<Item>(
  name: string,
  items: readonly Item[],
  { first, last, after }: Page,
  node: (item: Item) => unknown,
): Record<string, unknown> {
  const size = first ?? last;
  if (size === undefined) {
    throw graphqlError(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  if (size > MAX_PAGE) {
    throw graphqlError(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`first\` limit of 100 records.`,
    );
  }
  const from = Number(after ?? 0) || 0;
  const start = first === undefined ? Math.max(from, items.length - size) : from;
  const shown = items.slice(start, start + size);
  const end = start + shown.length;
  const isEmpty = shown.length === 0;
  return {
    totalCount: items.length,
    filteredCount: items.length,
    nodes: () => shown.map((item) => node(item)),
    pageInfo: {
      startCursor: isEmpty ? null : String(start),
      endCursor: isEmpty ? null : String(end),
      hasNextPage: end < items.length,
      hasPreviousPage: start > 0,
    },
  };
}
