/**
 * What people ordered about a rollout: a sealed tag in the repository of its document, `refs/portico/rollout/<name>`, whose
 * message holds one line for each order. It is fetched with everything else. One that is not sealed orders nothing.
 */
import { NO_ORDERS, type RolloutOrders } from '../../package/rollout/plan.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { ALLOW_RECORDS, pushRefused, refMoved, wasOvertaken } from '../repository/refused-push.ts';
import { readSealedTag, writeSealedTag } from '../seal/sealed-ref.ts';
import type { Governed } from './scope.ts';

/** `hold` and `release` are about one wave; `told`: the operator's webhook was told of what `wave` says. An earlier version passes over what it does not know. */
export type RolloutAction =
  | 'stop'
  | 'resume'
  | 'skip'
  | 'rollback'
  | 'done'
  | 'approve'
  | 'hold'
  | 'release'
  | 'answered'
  | 'told'
  | 'restart';

export interface RolloutOrder {
  readonly action: RolloutAction;
  /** Revision of an upstream package, see `subjectOf`. */
  readonly subject: string;
  /** For `skip`, `approve`, `hold` and `release`. */
  readonly wave?: string;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

const LINE =
  /^Order: (stop|resume|skip|rollback|done|approve|hold|release|answered|told|restart) (\S{1,600}) (\S{1,63}) ([A-Za-z0-9_[\]-]{1,100}) (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/gm;

/** As many orders of people are kept, and as many notes. */
const MAX_ORDERS = 500;

/** What an order is about: the upstream's id stays when its repository is renamed. */
export function subjectOf({ upstream, directory }: Governed, revision: string): string {
  return `${upstream.ref.id}:${encodeURI(directory)}@${revision}`;
}

/** All that was ordered about a rollout. */
export interface Ordered {
  /** The tag that the ref leads to; null where there is none. */
  readonly oid: string | null;
  /** Oldest first. */
  readonly orders: readonly RolloutOrder[];
  /** The ref is not Portico's: nothing in it counts, and no update of the rollout merges itself meanwhile. */
  readonly unsealed: boolean;
}

/** Reads the orders that stand in the repository of the document. */
export async function readOrders(
  { seals }: Pick<Ports, 'seals'>,
  { git, ref: { id } }: Pick<RepositoryAccess, 'git' | 'ref'>,
  name: string,
  signal?: AbortSignal,
): Promise<Ordered> {
  const ref = refOf(name);
  const found = (await git.refs(ref, signal)).get(ref);
  if (found === undefined) return { oid: null, orders: [], unsealed: false };
  const record = readSealedTag(await git.tag(found.oid, signal), { repository: id, ref }, seals);
  if (record === null) return { oid: found.oid, orders: [], unsealed: true };
  const orders = [...record.matchAll(LINE)].map(
    ([, action = '', subject = '', wave = '', by = '', at = '']): RolloutOrder => ({
      action: action as RolloutAction,
      subject,
      ...(wave !== '-' && { wave }),
      by,
      at,
    }),
  );
  return { oid: found.oid, orders, unsealed: false };
}

/** The same as they stand at this moment, whatever the job has fetched before. */
export async function fetchOrders(
  ports: Pick<Ports, 'seals'>,
  access: Pick<RepositoryAccess, 'git' | 'ref'>,
  name: string,
  signal?: AbortSignal,
): Promise<Ordered> {
  await access.git.fetch({ refspecs: [ALL_ORDERS] }, signal);
  return readOrders(ports, access, name, signal);
}

/** A pattern: a ref that does not exist is no failure. */
const ALL_ORDERS = '+refs/portico/rollout/*:refs/portico/rollout/*';

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
        case 'approve':
          return { ...before, approved: new Map([...(before.approved ?? []), [one.wave ?? '', at]]) };
        case 'answered':
          return { ...before, answered: new Map([...(before.answered ?? []), [one.wave ?? '', at]]) };
        case 'hold':
          return { ...before, paused: new Map([...(before.paused ?? []), [one.wave ?? '', one.by]]) };
        case 'release': {
          const paused = new Map(before.paused);
          paused.delete(one.wave ?? '');
          return { ...before, paused };
        }
        case 'told':
          return { ...before, notified: new Set([...(before.notified ?? []), one.wave ?? '']) };
        case 'done':
          return { ...before, done: true, doneAt: at };
        case 'restart': {
          // Waves that people hold stay held.
          const { paused, notified } = before;
          const kept = { ...(paused && { paused }), ...(notified && { notified }) };
          return { ...NO_ORDERS, ...kept, resumedAt: at };
        }
      }
    }, NO_ORDERS);
}

/** Revisions of a package that orders take back, oldest order first. */
export function rolledBackBy(orders: readonly RolloutOrder[], governed: Governed): readonly string[] {
  const start = subjectOf(governed, '');
  const names = orders.flatMap(({ action, subject }) =>
    action === 'rollback' && subject.startsWith(start) ? [subject.slice(start.length)] : [],
  );
  return [...new Set(names)].filter(
    (name) => ordersFor(orders, subjectOf(governed, name)).rolledBack !== undefined,
  );
}

/**
 * Adds orders behind those that stand, unless they say what is so already. `head` is any commit for the tag to point at.
 * Throws REF_MOVED, to be tried again, where somebody else ordered at the same moment.
 */
export async function addOrders({
  ports,
  access,
  name,
  head,
  added,
  keepsForeign = false,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: Pick<RepositoryAccess, 'git' | 'ref'>;
  readonly name: string;
  readonly head: string;
  readonly added: readonly RolloutOrder[];
  /** A ref that is not Portico's stays until a person orders something: what nobody asked for is not written over it. */
  readonly keepsForeign?: boolean;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const { oid, orders, unsealed } = await readOrders(ports, access, name, signal);
  if (unsealed && keepsForeign) return;
  const news = added.filter(({ action, subject, wave, at }) => {
    const before = orders.findLast((one) => one.subject === subject && one.wave === wave);
    return before === undefined || before.action !== action || (before.at < at && action === 'resume');
  });
  if (news.length === 0) return;
  const lines = keptOrders([...orders, ...news]).map(
    ({ action, subject, wave = '-', by, at }) => `Order: ${action} ${subject} ${wave} ${by} ${at}`,
  );
  const ref = refOf(name);
  const text = `Orders about the rollout ${name}\n\n${lines.join('\n')}`;
  const record = { ref, text, object: head, date: new Date(news.at(-1)?.at ?? 0) };
  const tag = await writeSealedTag(ports, access, record, signal);
  const answer = await access.git.push([{ ref, to: tag, expect: oid }], signal);
  if (answer.ok) return;
  const [rejected] = answer.rejected;
  if (rejected !== undefined && !wasOvertaken(rejected)) {
    throw pushRefused(ref, rejected, ALLOW_RECORDS);
  }
  throw refMoved(ref);
}

/** Portico's own notes: what is forgotten of these is told, asked or noted once more. */
const NOTES: readonly RolloutAction[] = ['told', 'answered', 'done'];

/**
 * Pure: those that are kept, oldest first. However many notes there are, and whoever causes them, nothing that a person stopped,
 * held or took back goes on because of them.
 */
export function keptOrders(orders: readonly RolloutOrder[]): readonly RolloutOrder[] {
  const isNote = ({ action }: RolloutOrder): boolean => NOTES.includes(action);
  const left = new Set([
    ...orders.filter(isNote).slice(-MAX_ORDERS),
    ...orders.filter((one) => !isNote(one)).slice(-MAX_ORDERS),
  ]);
  return orders.filter((one) => left.has(one));
}

function refOf(name: string): string {
  return `refs/portico/rollout/${name}`;
}
