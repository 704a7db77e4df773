/** Tells the owners of a rollout, and the operator's webhook, that it does not go on: once for each time. Owners are told in an issue of its own beside the document. */
import { digestOf } from '../../revision/digest.ts';
import type { Notice } from '../job.ts';
import { noticeJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { findIssue, hasNoIssues, openIssue } from '../repository/kept-issue.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { code } from '../text/markdown-blocks.ts';
import { alarmOf, type Alarm } from './alarm.ts';
import { mentionsOf } from './mentions.ts';
import { addOrders, ordersFor, readOrders, subjectOf, type RolloutOrder } from './orders.ts';
import type { RolloutLook } from './rollouts.ts';

/** Comments that are known to be written: one for each rollout that does not go on. */
const MAX_REMEMBERED = 5_000;

/** What each was told last; without it the forge is asked. */
const createToldAlarms = (): Map<string, string> => new Map();

/** May run twice: the comment is found again, and written only where it says something else; a notice has an id. */
export async function tellOwners(ports: Ports, look: RolloutLook, signal?: AbortSignal): Promise<void> {
  const alarm = alarmOf(look, ports.now().getTime());
  if (alarm === null) return;
  // Looks for several of its repositories may end at once, and each would find that nobody was told.
  await ports.runExclusive(`rollout alarm ${look.governed.control.ref.id}`, async () => {
    await notify(ports, look, alarm, signal);
    const { key, body } = alarm;
    if (body !== null) await comment(ports, look, { key, body }, signal);
  });
}

/** The order that it was told stands beside those of people, so that a restart tells nothing again. */
async function notify(
  ports: Ports,
  { governed, revision, orders }: RolloutLook,
  alarm: Alarm,
  signal: AbortSignal | undefined,
): Promise<void> {
  const what = `${alarm.type}-${orders.resumedAt ?? 0}`;
  if (ports.notify === undefined || orders.notified?.has(what) === true) return;
  const { control, rollout } = governed;
  const access = await ports.open(control.ref, signal);
  await access.git.fetch({}, signal);
  const now = await readOrders(ports, access, rollout.name, signal);
  // Of what cannot be recorded it would be told again with each look.
  if (now.unsealed) return;
  const subject = subjectOf(governed, revision);
  if (ordersFor(now.orders, subject).notified?.has(what) === true) return;
  const at = ports.now().toISOString();
  const notice: Notice = {
    id: digestOf('portico notice 1', [control.ref.id, alarm.key, alarm.type]).slice(-32),
    type: alarm.type,
    at,
    rollout: rollout.name,
    repository: `${control.ref.owner}/${control.ref.name}`,
    ...(alarm.package !== undefined && { package: alarm.package, revision }),
    message: alarm.message,
  };
  await ports.enqueue(noticeJob(notice));
  const order: RolloutOrder = {
    action: 'told',
    subject,
    wave: what,
    by: ports.app.botLogin,
    at,
  };
  await addOrders({ ports, access, name: rollout.name, head: control.commit, added: [order], signal });
}

async function comment(
  ports: Ports,
  { governed: { control, rollout } }: RolloutLook,
  alarm: { readonly key: string; readonly body: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const known = ports.memories.of(createToldAlarms);
  const key = `${control.ref.id} ${alarm.key}`;
  const digest = digestOf('portico alarm 1', [alarm.body]);
  if (known.get(key) === digest) return;
  const access = await ports.open(control.ref, signal);
  const title = `Rollout ${rollout.name}`;
  try {
    const found = await findIssue(ports, access, title, signal);
    const body = `Portico writes here when the rollout ${code(rollout.name)} stops, waits too long or goes back. Commands about it work here, too: \`/portico help\`.`;
    const number = found?.number ?? (await openIssue(ports, access, { title, body }, signal));
    const marker = `<!-- portico:rollout ${digestOf('portico alarm key 1', [alarm.key]).slice(-16)} -->`;
    const mentions = await mentionsOf(access.forge, control, rollout.owners ?? [], signal);
    await access.forge.upsertSticky(number, marker, `${mentions.join(' ')} ${alarm.body}`, signal);
  } catch (error) {
    if (!hasNoIssues(error)) throw error;
    ports.log.info(
      { repository: `${control.ref.owner}/${control.ref.name}` },
      'owners of a rollout are not notified: issues are disabled',
    );
  }
  keepNewest(known, key, digest, MAX_REMEMBERED);
}
