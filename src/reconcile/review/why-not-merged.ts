/** What a person is told where the forge does not merge. */
import type { MergeAnswer } from '../forge/merging.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';

interface Words {
  readonly message: string;
  readonly hint: string;
}

type Reason = Exclude<Extract<MergeAnswer, { ok: false }>['reason'], 'moved' | 'queue'>;

const HINTS: Readonly<Record<Exclude<Reason, 'forbidden'>, string>> = {
  blocked: 'These are rules of the branch, which Portico never bypasses. Satisfy them, then try again.',
  'not-mergeable': 'Update the branch, then try again.',
  stack:
    'Take it out of its stack and try again, or merge the stack with the button: whatever is merged is tagged.',
  busy: 'The forge gave the same answer each time. Try again in a minute.',
};

/** "Commits must have verified signatures." (github/gh-aw#29301): Portico's own have one, so that it is about those of people. */
const UNSIGNED = /must have verified signatures/i;
const SIGN =
  'The branch takes commits with a verified signature alone, and some here have none. Sign them with a key that your account has and push them again ' +
  '(`git rebase --exec "git commit --amend --no-edit -S" BASE`), or squash them with the button: the forge signs what it squashes, and what you merge is published as well.';

/** The forge's own words, and what helps. */
export function whyNotMerged(
  { reason, message }: { readonly reason: Reason; readonly message: string },
  { otherFiles }: Pick<ProposalSnapshot, 'otherFiles'>,
): Words {
  if (reason !== 'forbidden') {
    const hint = reason === 'blocked' && UNSIGNED.test(message) ? SIGN : HINTS[reason];
    return { message: `The forge refused to merge it: ${foreignSentence(message)}`, hint };
  }
  const workflow = otherFiles.find(({ path }) => path.startsWith('.github/workflows/'));
  const hint =
    workflow === undefined
      ? 'Check that the App has the permission `Contents: read and write` and that the installation accepted any new permission. Or merge it yourself: what you merge is published as well.'
      : 'It changes workflow files, and an App may merge those only with the permission Workflows. Merge it yourself, and Portico tags what was merged; or give the App that permission.';
  return { message: `The forge does not let the App merge it: ${foreignSentence(message)}`, hint };
}
