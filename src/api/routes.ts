/** What there is to ask: a row for each collection, from which requests are answered and the description is made. */
import { z } from 'zod';

import {
  driftRows,
  memberRows,
  packageRows,
  repositoryRows,
  revisionRows,
  rolloutRows,
  updateRows,
  variantRows,
  type RowsIn,
} from './rows.ts';
import * as schemas from './schemas.ts';

/** Rows of one page. */
const MAX_LIMIT = 500;
const USUAL_LIMIT = 100;
/** A name of GitHub's has 39 and 100 characters; a path that git takes may have 4,096, which no URL here holds. */
const MAX_TEXT = 1_000;

const text = z.string().min(1).max(MAX_TEXT);

const paging = {
  repository: z
    .string()
    .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be owner/name')
    .optional()
    .meta({ description: 'Only what is kept in this repository, `owner/name`' }),
  owner: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be the name of an account')
    .optional()
    .meta({ description: 'Only repositories of this account' }),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, `must be from 1 to ${MAX_LIMIT}`)
    .transform(Number)
    .refine((limit) => limit <= MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`)
    .default(USUAL_LIMIT)
    .meta({ description: `Rows of a page: 1 to ${MAX_LIMIT}` }),
  cursor: text.optional().meta({ description: '`next` of the page before' }),
};

interface CollectionRow {
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly summary: string;
  readonly row: z.ZodType;
  readonly rows: RowsIn;
  /** Fields of a row that may be asked for by their value, beside paging. */
  readonly filters: readonly string[];
}

const ROWS: readonly CollectionRow[] = [
  {
    path: 'repositories',
    summary: 'Registered repositories',
    row: schemas.repository,
    rows: repositoryRows,
    filters: [],
  },
  {
    path: 'packages',
    summary: 'Packages on registered branches',
    row: schemas.packageRow,
    rows: packageRows,
    filters: ['package'],
  },
  {
    path: 'revisions',
    summary: 'Published revisions, oldest first in each package',
    row: schemas.revisionRow,
    rows: revisionRows,
    filters: ['package'],
  },
  {
    path: 'updates',
    summary: 'Downstream packages, with what came of the last look at their update',
    row: schemas.updateRow,
    rows: updateRows,
    filters: ['package', 'reason'],
  },
  {
    path: 'drift',
    summary: 'Downstream packages, with how far they are behind their upstream',
    row: schemas.driftRow,
    rows: driftRows,
    filters: ['package', 'upstream', 'state'],
  },
  {
    path: 'variants',
    summary: 'Variants by the repository with their document, with the reason where they are not Ready',
    row: schemas.variantRow,
    rows: variantRows,
    filters: ['condition', 'reason', 'set'],
  },
  {
    path: 'rollouts',
    summary: 'Rollouts of newest revisions by the repository with their document, with their waves',
    row: schemas.rolloutRow,
    rows: rolloutRows,
    filters: ['rollout', 'package', 'state'],
  },
  {
    path: 'rollout-members',
    summary: 'The downstreams of rollouts, each with its wave and its health',
    row: schemas.memberRow,
    rows: memberRows,
    filters: ['rollout', 'package', 'wave', 'standing'],
  },
];

/** In the order of the description. `query` is what may stand behind the question mark: anything else is refused. */
export const COLLECTIONS = ROWS.map((one) => ({
  ...one,
  query: z.strictObject({
    ...paging,
    ...Object.fromEntries(
      one.filters.map((filter) => [
        filter,
        text.optional().meta({ description: `Only rows with this \`${filter}\`` }),
      ]),
    ),
  }),
}));

export type Collection = (typeof COLLECTIONS)[number];

/** What there is to ask besides collections. */
export const WHY = {
  path: 'why',
  summary: 'Why nothing happens to a webhook, a repository, a pull request or a package',
  answer: schemas.why,
  query: z.strictObject({
    about: text.meta({
      description: 'A delivery id, `owner/name`, `owner/name#number` or `owner/name:path`',
    }),
  }),
};
