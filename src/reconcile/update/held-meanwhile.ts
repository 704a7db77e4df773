/** What people ordered since an update was decided, asked for right before it comes to the registered branch. */
import type { Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { fetchPauses, pauseOf } from '../repository/pause.ts';
import { heldByOrders } from '../rollout/rollouts.ts';
import { isByCommandAlone, pausedUpdates } from './decision.ts';
import type { Member } from './plan.ts';

/** Why one of them may not come any more, as `decideRevision` would say it; null where all may. */
export async function heldMeanwhile(
  ports: Ports,
  members: readonly (Pick<Member, 'down' | 'to'> & Partial<Pick<Member, 'asked'>>)[],
  signal: AbortSignal | undefined,
): Promise<Withheld | null> {
  const [first] = members;
  if (first !== undefined) await fetchPauses(first.down.access, signal);
  for (const { down, to, asked = false } of members) {
    // Whoever asked for it by command passes both.
    if (asked) continue;
    const pause = await pauseOf(ports, down.access, down.directory, signal);
    if (pause !== null && pause.by !== null) return pausedUpdates(down, pause.by);
    if (down.renewal !== undefined || isByCommandAlone(down)) continue;
    const held = await heldByOrders(ports, down, to, signal);
    if (held !== null) return held;
  }
  return null;
}
