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
  blocked: 'These are rules of the branch, which Portico never passes by: satisfy them, then ask again.',
  'not-mergeable': 'Update the branch, then ask again.',
  stack:
    'Take it out of its stack and ask again, or merge the stack by the button: whatever is merged is tagged.',
  busy: 'The forge had the same to say each time; ask again in a minute.',
};

/** The forge's own words, and what helps. */
export function whyNotMerged(
  { reason, message }: { readonly reason: Reason; readonly message: string },
  { otherFiles }: Pick<ProposalSnapshot, 'otherFiles'>,
): Words {
  if (reason !== 'forbidden') {
    return { message: `The forge does not merge it: ${foreignSentence(message)}`, hint: HINTS[reason] };
  }
  const workflow = otherFiles.find(({ path }) => path.startsWith('.github/workflows/'));
  const hint =
    workflow === undefined
      ? "Check the App's permissions (contents: read and write), and that a new permission was accepted for the installation; or merge it yourself: what you merge is published all the same."
      : 'It changes workflow files, which an App may merge only with the permission Workflows: merge it yourself, and Portico tags what was merged; or give the App that permission.';
  return { message: `The forge does not let the App merge it: ${foreignSentence(message)}`, hint };
}
