/** Pure: what is told of a look at the packages of a registered branch, and what follows from the answer to the push of a tag. */
import type { Provenance } from '../../revision/provenance.ts';
import { publicationCheck, publishedCheck, type PublicationNews } from '../check/publication-check.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { PushResult, RejectedRef } from '../git-port.ts';
import type { Job } from '../job.ts';
import { proposalJob, repositoryJob } from '../jobs.ts';
import type { RepositoryRef } from '../ports.ts';
import { wasOvertaken } from '../repository/refused-push.ts';

/** What came of all packages of the branch. */
export interface PublicationRound extends PublicationNews {
  /** Something was published by this look. */
  readonly isPublished: boolean;
}

/** What is told, in the order in which it is written. */
export interface PublicationReport {
  /** Absent where there is nothing to tell. */
  readonly check?: CheckInput;
  /** Proposals whose comments say that nothing was published of them. */
  readonly looks: readonly Job[];
  /** In the place of a check that stands at the head: a merge can be told as one only a while later. */
  readonly takesBack?: CheckInput;
  /** For whoever follows what was published. */
  readonly followers: readonly Job[];
}

/** What is told of a look, at the head of the branch. */
export function reportOf(
  repository: RepositoryRef,
  head: string,
  round: PublicationRound,
): PublicationReport {
  const { flagged, refused, unapproved, isPublished } = round;
  const hasNews = flagged.size + refused.size + unapproved.size > 0;
  const pulls = new Set([...flagged.values()].flatMap(({ pull }) => pull ?? []));
  return {
    ...(hasNews && { check: publicationCheck(head, round) }),
    looks: [...pulls].map((number) => proposalJob(repository, number)),
    ...(!hasNews && isPublished && { takesBack: publishedCheck(head) }),
    followers: isPublished ? [repositoryJob(repository)] : [],
  };
}

/** Where is told that a revision has no approvals: at the head, or at the commit that was the head. */
export function reportedAsUnapproved(
  provenance: Pick<Provenance, 'unapproved'> | null,
  commit: string,
  head: string,
): 'nowhere' | 'at-head' | 'at-commit' {
  if (provenance?.unapproved !== true) return 'nowhere';
  return commit === head ? 'at-head' : 'at-commit';
}

/** What became of the claim to a revision's number. */
export type Claim =
  | { readonly kind: 'published' }
  /** Somebody else was faster: the next number is tried. */
  | { readonly kind: 'overtaken' }
  /** No branch holds the commit's workflow files any more: a later commit with the same package may be tagged. */
  | { readonly kind: 'elsewhere'; readonly rejected: RejectedRef }
  | { readonly kind: 'refused'; readonly rejected: RejectedRef };

/** What the answer to the push of a tag means for the number that it claims. */
export function claimOf(answer: PushResult): Claim {
  if (answer.ok) return { kind: 'published' };
  const rejected = answer.rejected.find((one) => !wasOvertaken(one));
  if (rejected === undefined) return { kind: 'overtaken' };
  return { kind: rejected.reason === 'workflows' ? 'elsewhere' : 'refused', rejected };
}
