/** Processes tell each other of which downstreams something new was reported. */
import type { Ports } from '../ports.ts';
import { concernedBy } from './rollouts.ts';
import type { Governed } from './scope.ts';

/**
 * Whoever looked at a rollout before remembers what was said of this downstream then, also in other processes: they have to ask again. They can know so
 * before this look reads what they know. So of two looks at once, each led here by news of one downstream, one at least sees both.
 */
export async function tellReported(ports: Pick<Ports, 'catalog' | 'exchange'>, id: number): Promise<void> {
  const isDownstream = concernedBy(ports.catalog, id).some(
    (governed) => governed.control.ref.id !== id && governed.upstream.ref.id !== id && asksHealth(governed),
  );
  if (!isDownstream) return;
  ports.catalog.tellReported(id);
  await ports.exchange();
}

/** True where a wave waits for what is said of what was published. */
export function asksHealth({ rollout }: Governed): boolean {
  return rollout.waves.some(({ gate }) => gate.statuses.length + gate.deployments.length > 0);
}
