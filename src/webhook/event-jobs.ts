import type { CommentTarget } from '../reconcile/comment-source.ts';
import type { RepositoryRef, Ports } from '../reconcile/ports.ts';
import { affectsUpdates } from '../reconcile/update/variant.ts';
import { routeEvent, type Routed } from './route.ts';

export interface EventReceived {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

/** What an event asks for, as far as it may come to something. */
export function jobsOf(world: Ports, { name, payload }: Pick<EventReceived, 'name' | 'payload'>): Routed {
  const routed = routeEvent(name, payload, world.app.id);
  const jobs = routed.jobs.filter(({ kind, data }) => {
    const { repository, branch } = data as { readonly repository: RepositoryRef; readonly branch?: unknown };
    return kind !== 'variant' || typeof branch !== 'string' || affectsUpdates(world, { repository, branch });
  });
  return { ...routed, jobs };
}

/** The head that the commenter could see: what is pushed between comment and command is not what he meant. */
export async function withHead(
  world: Ports,
  data: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const target = data as unknown as CommentTarget;
  const { forge } = await world.open(target.repository, signal);
  const pull = await forge.getPull(target.number, {}, signal);
  return pull === null ? data : { ...data, headSeen: pull.headSha };
}
