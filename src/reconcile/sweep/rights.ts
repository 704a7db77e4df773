/** Counts approvals again when a person or a team gets or loses a right. */
import { DONE, nothing, type Reconciler } from '../answer.ts';
import { pullJob, rightsJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { openRegistered } from '../repository/registered.ts';
import { isDecidedOn } from '../review/approvals.ts';
import { sweepPace } from './sweep-pace.ts';

/**
 * After a role, a team or a membership changed: the open proposals of a repository on which someone has decided are checked again. The
 * others do not depend on anyone's rights. A lost event is made good by the sweep.
 */
export function createRightsReconciler(ports: Ports): Reconciler<'rights'> {
  return async ({ repository }, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return nothing(found.reason);
    for (const pull of await access.forge.listOpenPulls(signal)) {
      if (await isDecidedOn({ ports, access, signal }, found.facts.id, pull.number))
        await ports.enqueue(pullJob(repository, pull));
    }
    return DONE;
  };
}

/**
 * A team or an organization may give rights in each of its repositories, and the event names none: all that are registered are looked
 * at, no faster than a sweep does. Jobs that wait for the same repository are one, however many people a directory moves.
 */
export function createOrganizationRightsReconciler(ports: Ports): Reconciler<'organization-rights'> {
  return async ({ installationId }) => {
    const registered = ports.catalog.all().filter(({ ref }) => ref.installationId === installationId);
    const { perMinute } = sweepPace(registered.length, ports.sweepMinutes ?? 15);
    await ports.enqueue(registered.map(({ ref }, at) => rightsJob(ref, Math.floor(at / perMinute) * 60)));
    return DONE;
  };
}
