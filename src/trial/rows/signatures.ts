import { z } from 'zod';

import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const commit = z.object({
  sha: z.string(),
  tree: z.object({ sha: z.string() }),
  verification: z.object({ verified: z.boolean(), reason: z.string() }),
});

/** Makes a commit through the API as the App, pushes another one, and reads what the forge says of their signatures. */
export const signatures: Row = {
  number: 13,
  belief:
    'A commit that the App makes through the API without naming an author is signed by the forge and verified; a pushed one is not',
  async play({ blueprints, rest, name }) {
    const pushed = await blueprints.branch(name('unsigned'), { 'unsigned.txt': 'x\n' });
    const own = await rest.read(commit, 'GET', `${blueprints.path}/git/commits/${pushed}`);
    const body = { message: 'Through the API', tree: own.tree.sha, parents: [pushed] };
    const made = await rest.read(commit, 'POST', `${blueprints.path}/git/commits`, body);
    const seen = `through the API: ${made.verification.reason}; pushed: ${own.verification.reason}`;
    return made.verification.verified && !own.verification.verified ? asBelieved(seen) : otherwise(seen);
  },
};
