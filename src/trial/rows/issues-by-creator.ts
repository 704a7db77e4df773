import { z } from 'zod';

import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const numbered = z.object({ number: z.number() });
const listed = z.array(numbered.extend({ pull_request: z.unknown().optional() }));

/** Makes an issue and a pull request, and lists what the App made. */
export const issuesByCreator: Row = {
  number: 21,
  belief:
    "Listing a repository's issues by creator finds those of the App under the login `<slug>[bot]`, and its pull requests among them",
  async play({ app, blueprints, rest, name }) {
    const issue = await rest.read(numbered, 'POST', `${blueprints.path}/issues`, { title: name('listed') });
    const branch = name('listed-pull');
    await blueprints.branch(branch, { [`${branch}.txt`]: 'x\n' });
    const pull = await blueprints.open(branch);
    const creator = encodeURIComponent(`${app.slug}[bot]`);
    const found = await rest.read(
      listed,
      'GET',
      `${blueprints.path}/issues?creator=${creator}&state=open&per_page=100`,
    );
    const has = (number: number): boolean => found.some((one) => one.number === number);
    if (!has(issue.number)) return otherwise(`an issue just made is not among the ${found.length} found`);
    return has(pull.number)
      ? asBelieved('the issue and the pull request are both listed')
      : otherwise('the issue is listed, the pull request is not');
  },
};
