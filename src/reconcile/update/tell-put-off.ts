import { AGGREGATE_CHECK } from '../check-names.ts';
import type { RepositoryAccess } from '../ports.ts';

/** Says at the head, where nothing is said of it yet, that its checks take longer than most. */
export async function tellPutOff(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  number: number,
  signal?: AbortSignal,
): Promise<void> {
  const pull = await forge.getPull(number, signal);
  if (pull === null || pull.state === 'closed') return;
  const known = await forge.listChecks(pull.headSha, signal);
  if (known.some(({ name }) => name === AGGREGATE_CHECK)) return;
  await forge.putCheck(
    {
      name: AGGREGATE_CHECK,
      headSha: pull.headSha,
      externalId: '',
      status: 'in_progress',
      title: 'Waiting for its turn',
      summary:
        "Rendering and checking this proposal, or its author's recent ones, takes longer than usual, so it waits in the queue for slow work.",
    },
    signal,
  );
}
