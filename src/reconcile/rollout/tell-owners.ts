/** Tells the owners of a rollout, and the operator's webhook, that it does not go on, or waits for them: once for each time. Owners are told in an issue of its own beside the document. */
import { repositoryName } from '../../catalog/catalog.ts';
import { digestOf } from '../../revision/digest.ts';
import type { Notice } from '../job.ts';
import { noticeJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { correctNews, tellPeople, type News } from '../repository/tell-people.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { code } from '../text/markdown-blocks.ts';
import { packageOf } from './alarm-key.ts';
import { alarmsOf, type Alarm } from './alarm.ts';
import { addOrders, ordersFor, readOrders, subjectOf, type RolloutOrder } from './orders.ts';
import { isSuperseded, outdatedBody } from './outdated.ts';
import type { RolloutLook } from './rollouts.ts';
import { newestOf } from './scope.ts';

/** Rollouts whose comments are known to be true, and of what state. */
const MAX_REMEMBERED = 5_000;
const createCorrected = (): Map<string, string> => new Map();

/** May run twice: the comment is found again, and written only where it says something else; a notice has an id. */
export async function tellOwners(ports: Ports, look: RolloutLook, signal?: AbortSignal): Promise<void> {
  const { governed, revision, plan } = look;
  const { control, rollout } = governed;
  const isNewest = revision === newestOf(governed);
  const all = alarmsOf(look, ports.now().getTime());
  const alarms = isNewest ? all : all.filter((alarm) => !isSuperseded(alarm));
  const corrected = ports.memories.of(createCorrected);
  const place = `${control.ref.id} ${rollout.name} ${packageOf(look)} ${revision}`;
  const state = JSON.stringify([isNewest, plan.state, alarms.map(({ key }) => key)]);
  const isCorrect = (rollout.owners ?? []).length === 0 || corrected.get(place) === state;
  if (alarms.length === 0 && isCorrect) return;
  // Looks for several of its repositories may end at once, and each would find that nobody was told.
  await ports.runExclusive(`rollout alarm ${control.ref.id}`, async () => {
    for (const alarm of alarms) await notify(ports, look, alarm, signal);
    const { owners = [], name } = rollout;
    if (owners.length === 0) return;
    const issue = {
      title: `Rollout ${name}`,
      body: `Portico writes here when the rollout ${code(name)} stops, waits for an answer or goes back. Commands about it work here, too: \`/portico help\`.`,
    };
    const news = alarms.map(({ key, body }): News => ({ key, kind: 'rollout', people: owners, text: body }));
    const access = await ports.open(control.ref, signal);
    await tellPeople({ ports, access, signal }, control, issue, news);
    if (isCorrect) return;
    await correctNews({ ports, access, signal }, issue.title, (comment) =>
      outdatedBody(look, { alarms, isNewest, comment }),
    );
    keepNewest(corrected, place, state, MAX_REMEMBERED);
  });
}

/** The order that it was told stands beside those of people, so that a restart tells nothing again. */
async function notify(
  ports: Ports,
  { governed, revision, orders }: RolloutLook,
  alarm: Alarm,
  signal: AbortSignal | undefined,
): Promise<void> {
  const what = alarm.told;
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
    repository: repositoryName(control),
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
