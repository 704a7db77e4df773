import { AGGREGATE_CHECK } from '../check-names.ts';
import type { PullStepContext } from '../draft/step-context.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';

/** Stops what is being done about a pull request, and says so in its check. */
export async function cancelWork({
  ports,
  access: { forge, ref },
  snapshot: { pull, head },
  step: { login },
  signal,
}: PullStepContext<'cancel-work'>): Promise<StepOutcome> {
  if (!(await ports.cancel(ref, pull.number))) {
    return {
      kind: 'refused',
      message: 'Portico is not working on this pull request.',
      hint: 'To end it, close it, or make it a draft again with /portico reject.',
    };
  }
  await forge.putCheck(
    {
      name: AGGREGATE_CHECK,
      headSha: head.oid,
      externalId: '',
      status: 'completed',
      conclusion: 'action_required',
      title: `Cancelled by ${login}`,
      summary: 'To start again, push or comment `/portico render`.',
    },
    signal,
  );
  return {
    kind: 'done',
    reply: `Stopped at ${code(head.oid.slice(0, 7))}. To start again, push or comment \`/portico render\`.`,
  };
}
