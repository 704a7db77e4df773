/** Pure: the check that says whether the people who must approve a proposal have done so. */
import type { ApprovalState } from '../../command/approval-state.ts';
import { shortDigest } from '../../revision/digest.ts';
import { APPROVAL_CHECK } from '../check-names.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import type { CheckContent } from './check-content.ts';

const CONCLUSIONS = { 'not-asked': 'neutral', given: 'success', missing: 'action_required' } as const;

const HOW =
  'An approving review, or `/portico approve`, approves exactly this content. A push that changes the content needs a new approval; a rebase that leaves it unchanged does not.';

/**
 * The external id of the check: of which content it speaks, what the proposal makes that of, its merge base, and how many
 * approvals of the same change elsewhere it counts.
 */
export function approvalOf(digest: string, mergeBase: string, accepted = 0): string {
  return `${shortDigest(digest)}:${mergeBase}${accepted === 0 ? '' : `+${accepted}`}`;
}

/** Whether an external id speaks of this content; those of earlier versions name no merge base. */
export function isApprovalOf(externalId: string, digest: string): boolean {
  return externalId.split(':')[0] === shortDigest(digest);
}

const EXTERNAL_ID = /^[0-9a-f]{12}:([0-9a-f]{40,64})(?:\+(\d{1,3}))?$/;

/** The merge base that an external id names. */
export function mergeBaseIn(externalId: string | undefined): string | undefined {
  return EXTERNAL_ID.exec(externalId ?? '')?.[1];
}

/** How many approvals of the same change elsewhere an external id counts. */
export function acceptedIn(externalId: string | undefined): number {
  return Number(EXTERNAL_ID.exec(externalId ?? '')?.[2] ?? 0);
}

/**
 * Waits (`action_required`, which a ruleset does not let pass) until the approvals are there. A draft waits too: "Ready
 * for review" makes it a proposal before anybody looks again.
 */
export function approvalCheck({ kind, sentence, notes }: ApprovalState): CheckContent {
  return {
    name: APPROVAL_CHECK,
    conclusion: CONCLUSIONS[kind],
    title: sentence,
    summary: [
      foreignSentence(sentence),
      ...notes.map((note) => `- ${foreignSentence(note)}`),
      ...(kind === 'missing' ? [HOW] : []),
    ].join('\n\n'),
  };
}
