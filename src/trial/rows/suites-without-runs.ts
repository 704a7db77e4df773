import { z } from 'zod';

import { asBelieved, notSeen, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const suites = z.object({
  check_suites: z.array(
    z.object({
      status: z.string().nullable(),
      latest_check_runs_count: z.number(),
      app: z.object({ slug: z.string().optional() }).nullable(),
    }),
  ),
});
const run = z.object({ id: z.number() });

/** Pushes a commit, reads its check suites before and after the App makes a check on it. */
export const suitesWithoutRuns: Row = {
  number: 6,
  belief:
    'A check suite in which no check was made yet has no runs and is not completed, and one with a check that goes on is not either: so whoever waits for CI waits for suites that have runs',
  async play({ blueprints, rest, name, app }) {
    const head_sha = await blueprints.branch(name('suites'), { 'suites.txt': 'x\n' });
    const path = `${blueprints.path}/commits/${head_sha}/check-suites`;
    const early = (await rest.read(suites, 'GET', path)).check_suites;
    const odd = early.find((suite) => suite.latest_check_runs_count === 0 && suite.status === 'completed');
    if (odd !== undefined) {
      return otherwise(`a suite of ${odd.app?.slug ?? 'nobody'} without runs is completed`);
    }
    const body = { name: 'trial', head_sha, status: 'in_progress' };
    await rest.read(run, 'POST', `${blueprints.path}/check-runs`, body);
    const late = (await rest.read(suites, 'GET', path)).check_suites;
    const own = late.find((suite) => suite.app?.slug === app.slug);
    if (own === undefined) return otherwise('a check was made and no suite of this App is there');
    if (own.latest_check_runs_count !== 1 || own.status === 'completed') {
      const { latest_check_runs_count: runs, status } = own;
      return otherwise(`with one check in progress the suite has ${runs} runs and is ${status}`);
    }
    if (early.length === 0)
      return asBelieved('no suite after the push; one with a run once a check was made');
    const apps = early.map((suite) => suite.app?.slug ?? 'nobody').join(', ');
    return early.every((suite) => suite.latest_check_runs_count === 0)
      ? asBelieved(`after the push suites of ${apps} without runs`)
      : notSeen(`CI of ${apps} was as fast as this trial`);
  },
};
