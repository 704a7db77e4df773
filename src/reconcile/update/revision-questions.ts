import type { Downstream } from '../downstream/downstream.ts';
import { lockedPosition } from '../downstream/locked-position.ts';
import type { Ports } from '../ports.ts';
import { pauseOf } from '../repository/pause.ts';
import { heldByWave } from '../rollout/rollouts.ts';
import { rolledBackTo } from '../rollout/way-back.ts';
import type { RevisionQuestions } from './decision.ts';
import type { IsUpToDate } from './up-to-date.ts';

/** Answers what `decideRevision` asks about a package, from git, the index and the forge. */
export function revisionQuestions(
  ports: Ports,
  down: Downstream,
  inStep: IsUpToDate,
  signal?: AbortSignal,
): RevisionQuestions {
  return {
    pausedBy: async () => (await pauseOf(ports, down.access, down.directory, signal))?.by ?? null,
    rolledBackTo: () => rolledBackTo(ports, down, signal),
    position: () => lockedPosition(down.upstream, signal),
    isInStep: (revision) => inStep(ports, down, revision, signal),
    heldByWave: (revision) => heldByWave(ports, down, revision, signal),
  };
}
