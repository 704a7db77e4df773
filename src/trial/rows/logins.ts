import { z } from 'zod';

import { asBelieved, notSeen, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const members = z.array(z.object({ login: z.string() }));

/** What Portico reads as a login: letters, digits, hyphens, and `_` before the short code of an enterprise. */
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/;

/** Reads the logins of the organisation's members. */
export const logins: Row = {
  number: 8,
  belief: 'Logins are letters, digits and hyphens; those of enterprise-managed users have `_` too',
  async play({ rest, organization }) {
    const answer = await rest.ask('GET', `/orgs/${organization}/members?per_page=100`);
    if (answer.status === 404) return notSeen('the account is no organisation, or shows no members');
    const known = members.safeParse(answer.body);
    if (!known.success || known.data.length === 0) return notSeen('the organisation shows no members');
    const all = known.data.map(({ login }) => login);
    const strange = all.filter((login) => !LOGIN.test(login)).length;
    // Nobody's login goes into a table that is made public.
    if (strange > 0) return otherwise(`${strange} of ${all.length} logins are of another form`);
    const managed = all.filter((login) => login.includes('_')).length;
    return asBelieved(`${all.length} logins, ${managed} of them with an underscore`);
  },
};
