import { windowAt } from '../../config/schedule.ts';
import type { Downstream } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { tagOf } from '../repository/package-revisions.ts';

/** Why an update that nobody asked for has to wait: outside of the schedule, or too young a revision. */
export async function tooEarly(
  ports: Pick<Ports, 'now'>,
  { config: { updates }, upstream, planned }: Downstream,
  revision: string,
  signal?: AbortSignal,
): Promise<Withheld | null> {
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
  const { minimumAge = 0 } = updates;
  if (minimumAge === 0 || planned?.revision !== undefined) return null;
  const tag = tagOf(upstream.refs, upstream.directory, revision);
  if (tag === undefined) return null;
  const { git } = upstream.access;
  const told = (await git.tag(tag.oid, signal))?.tagger?.date;
  const at = Date.parse(told ?? (await git.commit(tag.commit, signal)).committer.date);
  const due = at + minimumAge * 1_000;
  return due <= now.getTime()
    ? null
    : withheld('too-young', `${revision} may come at ${new Date(due).toISOString()}: updates.minimumAge.`);
}
