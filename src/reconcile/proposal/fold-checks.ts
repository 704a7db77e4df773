/** Pure: one check in the place of several, where all that they could say is that nothing stands against an update. */
import { AGGREGATE_CHECK, APPROVAL_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';

export interface FoldedBy {
  /** Names that the rules of the base branch require; null where the forge does not tell all of them. */
  readonly required: ReadonlySet<string> | null;
  /** Whether anybody is asked to approve, be it the configuration in people's place: that check is a record as well. */
  readonly asksApproval: boolean;
}

/**
 * The checks of a proposal as they are to be written. Where each of them is green with nothing to show on a line and no
 * button, the aggregate alone is written, with what they said in its text; beside it every name that a rule requires, and the
 * check of approvals where any are asked for. A check that the commit has already goes on being written: nobody is to read
 * what holds no more. So everything is there as before as soon as one of them finds something.
 */
export function foldChecks(
  checks: readonly CheckInput[],
  { required, asksApproval }: FoldedBy,
): CheckInput[] {
  const found = checks.filter(({ name }) => name !== AGGREGATE_CHECK && name !== APPROVAL_CHECK);
  if (required === null || !found.every(isPlain)) return [...checks];
  const folded = checks.filter(
    ({ name }) =>
      name !== AGGREGATE_CHECK && !required.has(name) && !(name === APPROVAL_CHECK && asksApproval),
  );
  if (folded.length === 0) return [...checks];
  return checks.map((check) => {
    if (check.name === AGGREGATE_CHECK) return { ...check, text: folded.map(textOfCheck).join('\n\n') };
    return folded.includes(check) ? { ...check, onlyIfThere: true } : check;
  });
}

/** Green, with nothing on a line and no button. */
function isPlain({ conclusion, annotations = [], actions = [] }: CheckInput): boolean {
  return conclusion === 'success' && annotations.length + actions.length === 0;
}

function textOfCheck({ name, summary, text }: CheckInput): string {
  return [`### ${name}`, summary, ...(text === undefined ? [] : [text])].join('\n\n');
}
