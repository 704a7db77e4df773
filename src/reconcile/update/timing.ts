import { windowAt } from '../../config/schedule.ts';
import { fileIn } from '../../revision/package-path.ts';
import type { Downstream } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { publishedAt, tagOf } from '../repository/package-revisions.ts';
import type { Member } from './plan.ts';

/** Why an update that nobody asked for has to wait: outside of the schedule, or too young a revision. */
export async function tooEarly(
  ports: Pick<Ports, 'now'>,
  down: Downstream,
  { to: revision, way }: Pick<Member, 'to' | 'way'>,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  const { updates } = down.config;
  const { upstream, planned } = down;
  const now = ports.now();
  if (updates.schedule !== undefined) {
    const timeZone = updates.timeZone ?? 'UTC';
    const window = windowAt(updates.schedule, timeZone, now);
    if (!window.open) {
      const next = window.next === null ? '' : ` It opens again at ${window.next.toISOString()}.`;
      return withheld(
        'not-scheduled',
        `${revision} waits for the schedule ${updates.schedule} (${timeZone}).${next}`,
      );
    }
  }
  const soaking =
    way?.text === undefined || way.withdrawn !== undefined ? null : await soaks(down, revision, now, signal);
  if (soaking !== null) return soaking;
  const { minimumAge = 0 } = updates;
  if (minimumAge === 0 || planned?.revision !== undefined) return null;
  const tag = tagOf(upstream.refs, upstream.directory, revision);
  if (tag === undefined) return null;
  const { git } = upstream.access;
  const at = await publishedAt(git, tag, signal);
  const due = at + minimumAge * 1_000;
  return due <= now.getTime()
    ? null
    : withheld('too-young', `${revision} may come at ${new Date(due).toISOString()}: updates.minimumAge.`);
}

/** After a step in a channel the next waits, so that what was brought is seen at work. */
async function soaks(
  { access: { git }, base, directory, upstream, config: { updates }, exists }: Downstream,
  revision: string,
  now: Date,
  signal: AbortSignal | undefined,
): Promise<Withheld | null> {
  const { soak = 0 } = updates;
  if (soak === 0 || !exists) return null;
  const path = fileIn(directory, 'Kptfile');
  const [brought] = await git.log({ to: base.oid }, { path, limit: 1, firstParent: true }, signal);
  const due = brought === undefined ? 0 : Date.parse(brought.committer.date) + soak * 1_000;
  if (due <= now.getTime()) return null;
  const since = `${upstream.current ?? 'what is here'} was updated at ${brought?.committer.date ?? ''}`;
  return withheld(
    'soaking',
    `${revision} may come at ${new Date(due).toISOString()}: ${since} (updates.soak).`,
  );
}
