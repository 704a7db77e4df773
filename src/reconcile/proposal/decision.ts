/** Pure: what a look at a pull request is to do, and what follows from what was found of it. */
import type { ApprovalCount } from '../../command/approval-count.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Job, JobData } from '../job.ts';
import { proposalJob, recheckJob, strangerJob, updateBranchJob } from '../jobs.ts';
import type { OpenConflicts } from '../merge/open-conflicts.ts';
import type { ProposalSnapshot, SnapshotResult } from '../repository/proposal-snapshot.ts';
import type { LeftOut } from '../review/left-out.ts';
import { mayMergeItself } from '../review/proposal-approval.ts';
import type { PackageChange } from '../review/proposal-changes.ts';
import { isGreen, proposalChecks, type ProposalFacts } from './checks.ts';
import { foldChecks, type FoldedBy } from './fold-checks.ts';
import { summaryOf } from './summary.ts';

/** What a look at a pull request does. */
export type ProposalLook =
  /** The forge told of it and does not show it yet. */
  | { readonly do: 'wait' }
  | { readonly do: 'nothing'; readonly reason: Extract<SnapshotResult, { kind: 'none' }>['reason'] }
  /** It goes into another branch: only a change of the configuration is checked. */
  | { readonly do: 'check-configuration' }
  /** It offers to register the repository: the configuration that it brings is checked, and nothing else. */
  | { readonly do: 'check-offer'; readonly offer: Pull }
  /** It is merged or closed: its comment says what came of it. */
  | { readonly do: 'sum-up'; readonly snapshot: ProposalSnapshot }
  /** It comes from a fork: it waits where strangers do. */
  | { readonly do: 'pass-on'; readonly job: Job }
  | { readonly do: 'check'; readonly snapshot: ProposalSnapshot };

/** After this what the forge does not show is not there. */
const SHOWN_AFTER_MS = 60_000;

/** What to do about a pull request as it was read. `now`: as the target's `at`, in milliseconds since 1970. */
export function decideLook(
  loaded: SnapshotResult,
  { repository, number, again, author, at = 0 }: JobData<'proposal'>,
  now: number,
): ProposalLook {
  if (loaded.kind === 'none') {
    const { reason, offer } = loaded;
    if (offer?.state === 'open') return { do: 'check-offer', offer };
    // A forge may tell of a pull request before it shows it.
    if (reason === 'absent' && now - at < SHOWN_AFTER_MS) return { do: 'wait' };
    return reason === 'other-branch' ? { do: 'check-configuration' } : { do: 'nothing', reason };
  }
  const { snapshot } = loaded;
  if (snapshot.pull.state === 'closed') return { do: 'sum-up', snapshot };
  if (snapshot.writable || author !== undefined) return { do: 'check', snapshot };
  const job = again === undefined ? proposalJob(repository, number) : recheckJob(repository, number, again);
  return { do: 'pass-on', job: strangerJob(job, snapshot.pull.author) };
}

/** What was found of an open proposal whose branch holds the rendered packages. */
export interface ProposalFindings {
  readonly snapshot: ProposalSnapshot;
  /** What its checks are made of. */
  readonly facts: ProposalFacts;
  readonly changes: readonly PackageChange[];
  /** Changed files that Portico neither renders nor checks. */
  readonly leftOut?: LeftOut;
  readonly approvals: ApprovalCount;
  readonly open: OpenConflicts;
  /** Commit of ours at the head of a branch of someone else; null if the head is not ours. */
  readonly pushed: string | null;
  /** Which checks are written where all is well; null: each of them. */
  readonly fold: FoldedBy | null;
}

/** What is to be on the forge, in the order in which it is written. */
export interface ProposalPlan {
  readonly checks: readonly CheckInput[];
  readonly jobs: readonly Job[];
  /** The comment that sums it up, without its marker. */
  readonly summary: string;
}

/** What follows from what was found. Checks that somebody asked for once more are made anew, even where they say the same. */
export function planProposal(
  { snapshot, facts, changes, approvals, open, fold, pushed, leftOut: left }: ProposalFindings,
  { repository, again, at = 0 }: JobData<'proposal'>,
): ProposalPlan {
  const { pull, config, otherFiles } = snapshot;
  const checks = proposalChecks(facts);
  const isAnew = (name: string): boolean => again !== undefined && (again.check ?? name) === name;
  return {
    checks: (fold === null ? checks : foldChecks(checks, fold)).map((check) =>
      isAnew(check.name) ? { ...check, notBefore: new Date(at).toISOString() } : check,
    ),
    jobs: mayMergeItself(config, pull) && isGreen(checks) ? [updateBranchJob(repository, pull.headRef)] : [],
    summary: summaryOf({
      pull,
      digest: facts.digest,
      packages: changes,
      rendered: facts.rendered,
      checks,
      approvals,
      approval: facts.approval.state,
      // An update lists its own in its description.
      conflicts: parseBranch(pull.headRef)?.kind === 'update' ? [] : open.conflicts,
      mergeNotes: open.notes,
      ...(pushed !== null && { pushed }),
      isEmpty: changes.length + otherFiles.length === 0,
      configuration: facts.proposedConfig ?? null,
      ...(left && { leftOut: left }),
      moves: facts.channels?.moves ?? [],
      ...(facts.hold && { hold: facts.hold }),
    }),
  };
}
