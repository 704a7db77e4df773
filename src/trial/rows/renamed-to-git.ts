import { z } from 'zod';

import { answerText } from '../rest.ts';
import { asBelieved, notSeen, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { NO_ADMINISTRATION } from './rules-of-main.ts';

const named = z.object({ name: z.string() });
const minted = z.object({ token: z.string() });

/** Renames the second repository, asks git's address of the former name, and renames it back. */
export const renamedToGit: Row = {
  number: 12,
  belief: 'Git asked for the former name of a repository is led to the new one on the same host by 301',
  async play(stage) {
    const extra = await stage.with('administration');
    if (extra === null) return NO_ADMINISTRATION;
    const { deployments, signal } = stage;
    const token = minted.safeParse((await stage.freshToken()).body);
    if (!token.success) return notSeen('no token was made for git');
    const renamed = `${deployments.name}-renamed`;
    const answer = await extra.rest.ask('PATCH', deployments.path, { body: { name: renamed } });
    if (!named.safeParse(answer.body).success) return notSeen(answerText(answer));
    try {
      const basic = Buffer.from(`x-access-token:${token.data.token}`).toString('base64');
      const asked = await fetch(`${deployments.url}/info/refs?service=git-upload-pack`, {
        redirect: 'manual',
        headers: { authorization: `Basic ${basic}`, 'user-agent': 'git/2.50 (portico-trial)' },
        signal,
      });
      await asked.body?.cancel();
      const location = asked.headers.get('location') ?? '';
      const seen = `${asked.status}${location === '' ? '' : ` to ${new URL(location, deployments.url).origin}`}`;
      const isLed =
        asked.status === 301 && new URL(location, deployments.url).host === new URL(deployments.url).host;
      return isLed ? asBelieved(seen) : otherwise(seen);
    } finally {
      await extra.rest.ask('PATCH', deployments.path.replace(/[^/]+$/, renamed), {
        body: { name: deployments.name },
      });
    }
  },
};
