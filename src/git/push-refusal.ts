import type { RejectedRef } from '../reconcile/git-port.ts';

/** What the other end said of one ref of a push. */
export interface PushAnswer {
  /** `[remote rejected] (…)`, as git sums it up. */
  readonly summary: string;
  /** The forge's own lines, in one. */
  readonly explanation: string;
  /** The ref was not to be there. */
  readonly created: boolean;
}

/** Why a ref did not move, by what git and the forge said of it. */
export function rejectionOf(answer: PushAnswer): Pick<RejectedRef, 'reason' | 'message' | 'hint'> {
  const { summary, explanation } = answer;
  const reason = reasonOf(answer);
  const words =
    /remote rejected/.test(summary) && explanation !== '' ? `${summary}: ${explanation}` : summary;
  if (reason === 'workflows') return { reason, ...workflowWords(words) };
  if (reason === 'signatures') return { reason, ...SIGNATURES };
  return { reason, message: words };
}

/**
 * "is at X but expected Y", "reference already exists", "unable to resolve reference": somebody else was faster, after
 * the leases were compared; or it was this very push, sent again by git because the answer was lost.
 */
const OVERTAKEN =
  /but expected|incorrect old value|reference already exists|failed to update ref|fetch first|unable to resolve reference/i;

/**
 * "refusing to allow a GitHub App to create or update workflow `…` without `workflows` permission", and what GitHub says where
 * finding that out took it too long (erigontech/erigon#22562).
 */
const WORKFLOWS =
  /without [`']?workflows?[`']? (?:permission|scope)|[`']?workflows?[`']? scope may be required/i;

/** "Commits must have verified signatures." (github/gh-aw#29301, vercel/sandbox#169) */
const SIGNATURES_DEMANDED = /must have (?:a )?verified signatures?/i;

function reasonOf({ summary, explanation, created }: PushAnswer): RejectedRef['reason'] {
  const moved = created ? 'exists' : 'stale';
  if (/already exists/i.test(summary)) return 'exists';
  if (/stale info|fetch first|non-fast-forward|remote ref does not exist/i.test(summary)) return moved;
  const all = `${summary}\n${explanation}`;
  if (WORKFLOWS.test(all)) return 'workflows';
  if (SIGNATURES_DEMANDED.test(all)) return 'signatures';
  if (/permission|denied|not allowed|not authori[sz]ed/i.test(all)) return 'denied';
  if (/protected|rule violation|GH006|GH013|hook declined|prohibited|deny/i.test(all)) return 'protected';
  return OVERTAKEN.test(all) ? moved : 'other';
}

function workflowWords(words: string): Pick<RejectedRef, 'message' | 'hint'> {
  const file = /workflow [`']?([^\s`']+)[`']? without/i.exec(words)?.[1] ?? '.github/workflows';
  return {
    message: `no branch holds the workflow files that it would bring (${file}), and the App may not write workflows`,
    hint: 'Merge the registered branch into this one by hand, and Portico continues from there; or give the App the permission Workflows (read and write).',
  };
}

const SIGNATURES: Pick<RejectedRef, 'message' | 'hint'> = {
  message: 'a rule of the repository demands that commits have verified signatures, and this one has none',
  hint: 'Give Portico a key to sign with (SIGNING_KEY), or take the rule off the branches that Portico writes.',
};
