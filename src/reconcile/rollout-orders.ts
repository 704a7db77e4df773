/**
 * What people ordered about a rollout: an annotated tag in the repository of its document,
 * `refs/portico/rollout/<name>`, whose message holds one line for each order. It is fetched with everything else, and
 * nobody without write access can make one.
 */
import { PorticoError } from '../error.ts';
import { NO_ORDERS, type RolloutOrders } from '../package/rollout/plan.ts';
import type { Git } from './git-port.ts';
import { refPath } from './package-revisions.ts';
import type { World } from './ports.ts';
import { botPerson } from './render-commit.ts';
import type { Governed } from './rollout-governs.ts';

export type RolloutAction = 'stop' | 'resume' | 'skip' | 'rollback' | 'done';

export interface RolloutOrder {
  readonly action: RolloutAction;
  /** Revision of an upstream package, see `subjectOf`. */
  readonly subject: string;
  /** For `skip`. */
  readonly wave?: string;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

const LINE =
  /^Order: (stop|resume|skip|rollback|done) (\S{1,600}) (\S{1,63}) ([A-Za-z0-9_[\]-]{1,100}) (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/gm;

/** As many orders are kept: those about revisions that are not the newest any more go first. */
const MOST_ORDERS = 500;

/** What an order is about: the upstream's id stays when its repository is renamed. */
export function subjectOf({ upstream, directory }: Governed, revision: string): string {
  return `${upstream.ref.id}:${encodeURI(refPath(directory))}@${revision}`;
}

/** All orders about a rollout, oldest first, and what the ref is now. */
export async function readOrders(
  git: Git,
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly oid: string | null; readonly orders: readonly RolloutOrder[] }> {
  const ref = refOf(name);
  const found = (await git.refs(ref, signal)).get(ref);
  if (found === undefined) return { oid: null, orders: [] };
  const said = (await git.tag(found.oid, signal))?.message ?? '';
  const orders = [...said.matchAll(LINE)].map(
    ([, action = '', subject = '', wave = '', by = '', at = '']): RolloutOrder => ({
      action: action as RolloutAction,
      subject,
      ...(wave !== '-' && { wave }),
      by,
      at,
    }),
  );
  return { oid: found.oid, orders };
}

/** Pure: what they come to for one revision. The newest counts where two disagree. */
export function ordersFor(orders: readonly RolloutOrder[], subject: string): RolloutOrders {
  return orders
    .filter((one) => one.subject === subject)
    .reduce((before, one): RolloutOrders => {
      const { stopped: _stopped, rolledBack: _rolledBack, ...rest } = before;
      const at = Date.parse(one.at);
      switch (one.action) {
        case 'stop':
          return { ...rest, stopped: one.by };
        case 'rollback':
          return { ...rest, rolledBack: one.by };
        case 'resume':
          return { ...rest, resumedAt: at };
        case 'skip':
          return { ...before, skipped: new Map([...before.skipped, [one.wave ?? '', at]]) };
        case 'done':
          return { ...before, done: true };
      }
    }, NO_ORDERS);
}

/**
 * Adds orders behind those that stand, unless they say what is so already. `head` is any commit for the tag to point at.
 * Throws REF_MOVED, to be tried again, where somebody else ordered at the same moment.
 */
export async function addOrders(
  world: Pick<World, 'app'>,
  git: Git,
  { name, head }: { readonly name: string; readonly head: string },
  added: readonly RolloutOrder[],
  signal?: AbortSignal,
): Promise<void> {
  const { oid, orders } = await readOrders(git, name, signal);
  const news = added.filter(({ action, subject, wave, at }) => {
    const before = orders.findLast((one) => one.subject === subject && one.wave === wave);
    return before === undefined || before.action !== action || (before.at < at && action === 'resume');
  });
  if (news.length === 0) return;
  const lines = [...orders, ...news]
    .slice(-MOST_ORDERS)
    .map(({ action, subject, wave = '-', by, at }) => `Order: ${action} ${subject} ${wave} ${by} ${at}`);
  const ref = refOf(name);
  const tag = await git.writeTag(
    {
      name: ref.slice('refs/'.length),
      object: head,
      message: `Orders about the rollout ${name}\n\n${lines.join('\n')}\n`,
      tagger: botPerson(world.app),
      date: new Date(news.at(-1)?.at ?? 0),
    },
    signal,
  );
  const answer = await git.push([{ ref, to: tag, expect: oid }], signal);
  if (answer.ok) return;
  throw new PorticoError('REF_MOVED', `${ref} moved while an order was added`, {
    blame: 'forge',
    retryAfter: 1,
    hint: 'Let the App write refs below refs/portico/.',
  });
}

function refOf(name: string): string {
  return `refs/portico/rollout/${name}`;
}
