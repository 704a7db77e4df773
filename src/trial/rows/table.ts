import type { Row } from '../row.ts';
import { addresses } from './addresses.ts';
import { allOrNothing } from './all-or-nothing.ts';
import { annotations } from './annotations.ts';
import { bypassOfTags } from './bypass-of-tags.ts';
import { bytesOfChecks } from './bytes-of-checks.ts';
import { commentsUnedited } from './comments-unedited.ts';
import { deliveriesRead } from './deliveries-read.ts';
import { deliveryTools } from './delivery-tools.ts';
import { etags } from './etags.ts';
import { expectedSource } from './expected-source.ts';
import { freshTokens } from './fresh-tokens.ts';
import { graphqlErrors } from './graphql-errors.ts';
import { issuesByCreator } from './issues-by-creator.ts';
import { latestRelease } from './latest-release.ts';
import { logins } from './logins.ts';
import { mergesAtOnce } from './merges-at-once.ts';
import { mergesOfWorkflows } from './merges-of-workflows.ts';
import { mergingWorkflows } from './merging-workflows.ts';
import { movedHeads } from './moved-heads.ts';
import { pace } from './pace.ts';
import { porticoRefs } from './portico-refs.ts';
import { pullRefs } from './pull-refs.ts';
import { pullsOnPulls } from './pulls-on-pulls.ts';
import { renamedToGit } from './renamed-to-git.ts';
import { signatures } from './signatures.ts';
import { suitesWithoutRuns } from './suites-without-runs.ts';
import { tagsPastWorkflows } from './tags-past-workflows.ts';
import { lookingWritesNothing, proposalChecked, revisionTagged, updateProposed } from './the-loop.ts';
import { tokenForAStranger } from './token-for-a-stranger.ts';

/** By number. */
export const ROWS: readonly Row[] = [
  commentsUnedited,
  tagsPastWorkflows,
  mergesOfWorkflows,
  mergingWorkflows,
  mergesAtOnce,
  suitesWithoutRuns,
  deliveryTools,
  logins,
  bytesOfChecks,
  expectedSource,
  addresses,
  renamedToGit,
  signatures,
  deliveriesRead,
  etags,
  pace,
  graphqlErrors,
  tokenForAStranger,
  freshTokens,
  pullRefs,
  issuesByCreator,
  latestRelease,
  pullsOnPulls,
  bypassOfTags,
  allOrNothing,
  porticoRefs,
  movedHeads,
  annotations,
  proposalChecked,
  revisionTagged,
  updateProposed,
  lookingWritesNothing,
];

/** Those whose outcome is about all that was done before them. */
const LAST: readonly Row[] = [deliveriesRead, pace];

/** In the order in which they are played. */
export const PLAYED: readonly Row[] = [...ROWS.filter((row) => !LAST.includes(row)), ...LAST];
