import type { ChecksPort } from './forge/checks.ts';
import type { CommentsPort } from './forge/comments.ts';
import type { IssuesPort } from './forge/issues.ts';
import type { MergingPort } from './forge/merging.ts';
import type { PeoplePort } from './forge/people.ts';
import type { PullsPort } from './forge/pulls.ts';
import type { ReleasesPort } from './forge/releases.ts';
import type { RepositoryPort } from './forge/repository.ts';
import type { ReviewsPort } from './forge/reviews.ts';

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
