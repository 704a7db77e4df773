import { z } from 'zod';

import { asBelieved, notSeen, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const deliveries = z.array(
  z.object({ id: z.number(), event: z.string(), action: z.string().nullable(), delivered_at: z.string() }),
);
const delivery = z.object({ request: z.object({ payload: z.unknown() }) });

/** Enough of each kind; every one is a call. */
const MAX_COUNT = 40;
/** The forge sends them in its own time. */
const WAITS = 5;

/** Reads the webhooks of this trial, of each event and action the newest, as the server would. */
export const deliveriesRead: Row = {
  number: 14,
  belief: 'Every webhook can be read, whatever in it is null or absent',
  async play({ asApp, readsPayload, startedAt, wait }) {
    const list = async () => {
      const answer = await asApp.ask('GET', '/app/hook/deliveries?per_page=100');
      const known = deliveries.safeParse(answer.body);
      // The forge's clock may be behind by a little.
      const since = startedAt.getTime() - 60_000;
      return (known.success ? known.data : []).filter((one) => Date.parse(one.delivered_at) >= since);
    };
    let found = await list();
    for (let waited = 0; found.length === 0 && waited < WAITS; waited += 1) {
      await wait(1_000);
      found = await list();
    }
    if (found.length === 0) {
      return notSeen('the App sent no webhook: is its webhook active? Any address will do for this row');
    }
    const kinds = new Map(found.map((one) => [`${one.event}.${one.action ?? ''}`, one]));
    const unread: string[] = [];
    for (const [kind, { id, event }] of [...kinds].slice(0, MAX_COUNT)) {
      const { request } = await asApp.read(delivery, 'GET', `/app/hook/deliveries/${id}`);
      if (!readsPayload(event, request.payload)) unread.push(kind.replace(/\.$/, ''));
    }
    const count = `${Math.min(kinds.size, MAX_COUNT)} kinds of webhooks`;
    return unread.length === 0
      ? asBelieved(`${count}, all read`)
      : otherwise(`of ${count} cannot be read: ${unread.join(', ')}`);
  },
};
