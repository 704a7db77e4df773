/**
 * What one upstream revision costs on its way into many repositories, until each has published it: calls, hours at GitHub's limits, memory.
 *
 *   npm run simulate -- [--repos 10000] [--packages 1] [--installations 1] [--replicas 1] [--no-waves]
 *     [--content-per-hour 500] [--content-per-minute 80] [--rest-per-hour 5000] [--graphql-per-hour 5000] [--merge-minutes 0] [--releases] [--direct] [--json]
 */

import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { Share, Wave } from '../src/package/rollout/rollout.ts';
import { CALLS_OF_DIRECT, CALLS_OF_RELEASE, CALLS_OF_UPDATE, inAll, type Calls } from './simulate/calls.ts';
import { simulateFanOut } from './simulate/fan-out.ts';

const { values } = parseArgs({
  options: {
    repos: { type: 'string', default: '10000' },
    packages: { type: 'string', default: '1' },
    installations: { type: 'string', default: '1' },
    replicas: { type: 'string', default: '1' },
    'no-waves': { type: 'boolean', default: false },
    'content-per-minute': { type: 'string', default: '80' },
    'content-per-hour': { type: 'string', default: '500' },
    'rest-per-hour': { type: 'string', default: '5000' },
    // GitHub gives an installation as many points as calls.
    'graphql-per-hour': { type: 'string' },
    'merge-minutes': { type: 'string', default: '0' },
    releases: { type: 'boolean', default: false },
    // Every update comes without a pull request.
    direct: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const NONE: Calls = { content: 0, writes: 0, reads: 0, graphql: 0 };
const { opening, approval, publishing } = values.direct
  ? { opening: CALLS_OF_DIRECT, approval: NONE, publishing: NONE }
  : CALLS_OF_UPDATE;
/** Deployment repositories make none, unless they say so. */
const release = values.releases ? CALLS_OF_RELEASE : NONE;
/** Seconds of one update in one of the four workers of a process. */
const WORK_SECONDS = 0.2;
const WORKERS = 4;

const number = (name: keyof typeof values): number => {
  const read = Number(values[name]);
  if (!Number.isSafeInteger(read) || read < 0) throw new Error(`--${name} must be a whole number`);
  return read;
};

const ALL: Share = { kind: 'percent', percent: 100 };
const wave = (name: string, percent?: number): Wave => ({
  name,
  select: {},
  ...(percent !== undefined && { size: { kind: 'percent', percent } }),
  gate: { published: ALL, statuses: [], deployments: [], onFailure: 'stop' },
  pauseAfter: 0,
});

// Only so can the heap be measured.
setFlagsFromString('--expose-gc');
globalThis.gc = runInNewContext('gc') as typeof globalThis.gc;

const result = simulateFanOut({
  repositories: number('repos'),
  packages: number('packages'),
  installations: Math.max(1, number('installations')),
  waves: values['no-waves'] ? [wave('all')] : [wave('canary', 1), wave('some', 10), wave('all')],
  contentPerMinute: number('content-per-minute'),
  contentPerHour: number('content-per-hour'),
  restPerHour: number('rest-per-hour'),
  graphqlPerHour: number(values['graphql-per-hour'] === undefined ? 'rest-per-hour' : 'graphql-per-hour'),
  opening: { content: opening.content, rest: inAll(opening), graphql: opening.graphql },
  publishing: {
    content: approval.content + publishing.content + release.content,
    rest: inAll(approval) + inAll(publishing) + inAll(release),
    graphql: approval.graphql + publishing.graphql + release.graphql,
  },
  workSeconds: WORK_SECONDS,
  workers: WORKERS * Math.max(1, number('replicas')),
  mergeSeconds: 60 * number('merge-minutes'),
});

if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
else {
  const lines: [string, string][] = [
    ['update pull requests', String(result.updates)],
    ['calls that create content', String(result.contentCalls)],
    ['calls in all, by REST', String(result.restCalls)],
    ['points of GraphQL', String(result.graphqlPoints)],
    ['the last pull request is open after', `${result.openHours.toFixed(1)} h`],
    ['all are published after', `${result.doneHours.toFixed(1)} h`],
    [
      'a repository has its first after',
      `${result.firstHours.median.toFixed(1)} h (median), ${result.firstHours.last.toFixed(1)} h (last)`,
    ],
    ...result.waves.map(({ name, updates, hours }): [string, string] => [
      `wave ${name}`,
      `${updates} pull requests, all open after ${hours.toFixed(1)} h`,
    ]),
    ['planning (real)', `${result.planMs.toFixed(0)} ms in ${result.plans} plans`],
    ['memory of the index (real)', `${(result.indexBytes / 2 ** 20).toFixed(1)} MiB`],
  ];
  process.stdout.write(`${lines.map(([what, figure]) => `${what.padEnd(40)} ${figure}`).join('\n')}\n`);
}
