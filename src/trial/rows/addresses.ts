import { z } from 'zod';

import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const repository = z.object({ url: z.string(), clone_url: z.string() });
const file = z.object({ commit: z.object({ author: z.object({ email: z.string() }) }) });
const user = z.object({ id: z.number(), login: z.string() });

/** Reads where the forge says that the repository is, and which address it gives the App as an author. */
export const addresses: Row = {
  number: 11,
  belief:
    "Repositories are at the host that serves the pages and the API where Portico looks for it, and the App's noreply address is `<id of its bot>+<slug>[bot]@users.noreply.<that host>`",
  async play({ apiUrl, app, blueprints: { path, url }, gitUrl, rest, name }) {
    const facts = await rest.read(repository, 'GET', path);
    if (facts.clone_url.toLowerCase() !== url.toLowerCase()) {
      return otherwise(`repositories are at ${new URL(facts.clone_url).origin}, not at ${gitUrl}`);
    }
    if (!facts.url.startsWith(`${apiUrl}/`)) {
      return otherwise(`the API names itself ${new URL(facts.url).origin}, not ${apiUrl}`);
    }
    const bot = await rest.read(user, 'GET', `/users/${encodeURIComponent(`${app.slug}[bot]`)}`);
    const body = {
      message: 'An address',
      content: Buffer.from('x\n').toString('base64'),
      branch: 'main',
    };
    const made = await rest.read(file, 'PUT', `${path}/contents/${name('address')}.txt`, body);
    const { email } = made.commit.author;
    const wanted = `${bot.id}+${bot.login}@users.noreply.${new URL(gitUrl).hostname}`;
    return email === wanted
      ? asBelieved(`as expected, ${email}`)
      : otherwise(`${email} instead of ${wanted}`);
  },
};
