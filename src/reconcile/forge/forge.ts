import type { ChecksPort } from './checks.ts';
import type { CommentsPort } from './comments.ts';
import type { IssuesPort } from './issues.ts';
import type { MergingPort } from './merging.ts';
import type { PeoplePort } from './people.ts';
import type { PullsPort } from './pulls.ts';
import type { ReleasesPort } from './releases.ts';
import type { RepositoryPort } from './repository.ts';
import type { ReviewsPort } from './reviews.ts';

/**
 * All that the reconcilers need of the forge for one repository, by need: a function asks for the ports that it uses. What
 * only GitHub has (numbers of nodes, merge queues, activity of branches, buttons of checks) is named in ARCHITECTURE.md.
 */
export interface Forge
  extends
    RepositoryPort,
    PullsPort,
    MergingPort,
    ReviewsPort,
    CommentsPort,
    IssuesPort,
    PeoplePort,
    ChecksPort,
    ReleasesPort {}
