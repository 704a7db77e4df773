import { doesMerge } from '../../command/table.ts';
import type { CommentSource } from '../comment-source.ts';
import type { CommentTarget } from '../job.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import type { ProposalReconciler } from '../proposal/proposal.ts';
import { loadCommandPlace, type CommandPlace } from './place.ts';

/**
 * What a command is decided on. An approval counts as soon as it is there, while a ruleset that requires the check
 * `portico` counts it when the check says so: before something is published, checks that wait for people are brought up
 * to date.
 */
export async function loadPlaceFor({
  verb,
  ports,
  access,
  look,
  target,
  source,
  signal,
}: {
  readonly verb: string;
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly look: ProposalReconciler;
  readonly target: CommentTarget;
  readonly source: CommentSource;
  readonly signal?: AbortSignal | undefined;
}): Promise<CommandPlace | null> {
  const place = await loadCommandPlace({ ports, access, target, source, signal });
  if (!doesMerge(verb) || place === null || place.snapshot === null) return place;
  const { pull, config } = place.snapshot;
  const waits = (place.state.checks.waiting ?? []).length > 0;
  if (!waits || pull.state !== 'open' || pull.baseRef !== config.branch) return place;
  // Whoever may publish it has asked: a stranger's proposal waits in no other lane.
  const { repository, number } = target;
  await look({ repository, number, author: pull.author }, signal);
  return loadCommandPlace({ ports, access, target, source, signal });
}
