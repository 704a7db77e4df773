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
    ReleasesPort {
  /**
   * The same forge for one look at a pull request: it, its comments, its reviews, when it became a draft, and our checks at its head are read in one
   * call where the forge can, and one by one where that does not tell all of it. Each is given once and is no older than three seconds; nothing that was
   * read before a write through this forge is given after it. After waiting for a lock begin another look; whoever merges reads without one.
   */
  lookingAt(n: number): Forge;
}
