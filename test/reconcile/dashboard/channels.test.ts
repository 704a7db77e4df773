import { expect, test } from 'vitest';

import type { CatalogRepository } from '../../../src/catalog/catalog.ts';
import type { Standing } from '../../../src/catalog/last-looks.ts';
import { readPackageChannels } from '../../../src/channels/read-channels.ts';
import { channelsPart, type ChannelFollower } from '../../../src/reconcile/dashboard/channels.ts';
import { repositoryDirectory, TOP } from '../../../src/revision/package-path.ts';

const FILE = '.github/portico/channels/infra/redis.yaml';
const DOCUMENT = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: infra/redis
defaultChannel: stable
channels:
- name: candidate
  auto: all
- name: stable
  members:
  - v3
  - {revision: v7, waypoint: true}
  - {revision: v9, waypoint: true}
  - {revision: v10, withdrawn: {reason: broken probe}}
  - v12
  promotion: {from: candidate}
- name: lts
  mode: graph
  members:
  - {revision: v3}
  - {revision: v5, replaces: v3}
deprecations:
- {reference: {schema: revision, name: v12}, message: uses PodSecurityPolicy}
- {reference: {schema: channel, name: lts}, message: ends}
`;

const REDIS = repositoryDirectory('infra/redis');

function repository(text: string | null, mistakes = 0): CatalogRepository {
  const document = text === null ? undefined : readPackageChannels(text).channels;
  return {
    ref: { installationId: 1, id: 1, owner: 'acme', name: 'infra' },
    directory: TOP,
    urls: [],
    commit: 'a'.repeat(40),
    packages: [],
    revisions: new Map([[REDIS, Array.from({ length: 13 }, (_, at) => `v${at + 1}`)]]),
    channelFiles: new Map([[REDIS, { file: FILE, mistakes, ...(document && { document }) }]]),
    visibility: 'private',
    labels: {},
    automerge: false,
    documents: [],
    inventory: [],
  };
}

const follower = (
  name: string,
  at: string | undefined,
  standing?: Partial<Standing>,
  channel = 'stable',
): ChannelFollower => ({
  name: `acme/${name}:redis`,
  channel,
  at,
  rolledBack: [],
  standing: standing === undefined ? undefined : { reason: 'up-to-date', message: '', ...standing },
});

function lines(followers: readonly ChannelFollower[], from = repository(DOCUMENT)): string[] {
  const text = channelsPart({ repository: from, channelFollowers: new Map([[REDIS, followers]]) });
  return text.split('\n').filter((line) => line.startsWith('| `'));
}

test('each channel has its head, what it offers, how many are there, and what there is to know of it', () => {
  const all = [
    follower('a', 'v13', undefined, 'candidate'),
    follower('b', 'v3', undefined, 'lts'),
    follower('c', 'v5', undefined, 'lts'),
  ];
  expect(lines(all)).toEqual([
    '| `infra/redis` | `candidate` | `v13` | 13 | 1 of 1 |  |',
    '| `infra/redis` | `lts` | `v5` | 2 | 1 of 2 | deprecated |',
    '| `infra/redis` | `stable` | `v12` | 4 |  | the default; promoted from `candidate`; waypoint `v7`, `v9`; withdrawn `v10`; deprecated `v12` |',
    '| `acme/b:redis` | `infra/redis/lts` | `v3` | `step` | step 1 of 1: v3 → v5. |',
  ]);
});

test.each([
  ['v3', undefined, 'step', 'step 1 of 3: v3 → v7 → v9 → v12.'],
  ['v3', { reason: 'proposed', to: 'v7', pull: 4 }, 'proposed', 'step 1 of 3: v3 → v7 → v9 → v12.'],
  ['v7', { reason: 'soaking' }, 'soaking', 'step 1 of 2: v7 → v9 → v12.'],
  ['v10', undefined, 'withdrawn', 'on to v12 (v10 withdrawn: broken probe).'],
  ['v13', undefined, 'ahead', 'it is at v13, above v12, the head of stable, and waits.'],
  [
    'v12',
    undefined,
    'deprecated',
    'it is at v12, the head of stable; v12 is deprecated: uses PodSecurityPolicy.',
  ],
  [undefined, { reason: 'drifted' }, 'drifted', 'it is locked to a commit that is not a revision.'],
  ['main', undefined, 'drifted', 'it is locked to a commit that is not a revision.'],
] as const)('who is at %s and %o is told as it is', (at, standing, state, why) => {
  expect(lines([follower('eu', at, standing)]).at(-1)).toBe(
    `| \`acme/eu:redis\` | \`infra/redis/stable\` | ${at === undefined ? '' : `\`${at}\``} | \`${state}\` | ${why} |`,
  );
});

function whyOf(one: Partial<ChannelFollower>, at: string): string {
  return lines([{ ...follower('eu', at), ...one }])
    .at(-1)!
    .split(' | ')
    .at(-1)!;
}

test('what a rollout rolled back, or its configuration ignores, is not said to come', () => {
  expect(whyOf({ rolledBack: ['v7'] }, 'v3')).toBe('nothing: the rollout of the package rolled back v7. |');
  expect(whyOf({ rolledBack: ['v9'] }, 'v9')).toBe(
    'step 1 of 1: v9 → v12; the rollout of the package rolled back v9. |',
  );
  const down = repository(DOCUMENT.replace('  - v12\n', '').replace('name: v12', 'name: v9'));
  const [ignoring, other] = [{ onWithdrawn: 'ignore' as const }, {}].map((one) =>
    lines([{ ...follower('eu', 'v10'), ...one }], down).at(-1),
  );
  expect(ignoring).toContain('nothing: v10 is withdrawn, and updates.onWithdrawn there is ignore.');
  expect(other).toContain('back to v9 (v10 withdrawn: broken probe).');
});

test('what cannot be reached, and what is stopped, say so', () => {
  expect(lines([follower('eu', 'v2', undefined, 'lts')]).at(-1)).toBe(
    '| `acme/eu:redis` | `infra/redis/lts` | `v2` | `unreachable` | nothing leads from v2 to v5, the head of lts; the nearest that does is v3. |',
  );
  expect(lines([follower('eu', 'v3', undefined, 'gone')]).at(-1)).toContain('| `no-channel` |');
  expect(lines([follower('eu', 'v3')], repository(null, 1))).toEqual([
    `| \`infra/redis\` |  |  |  |  | stopped: \`${FILE}\` is invalid, so no update follows its channels |`,
    '| `acme/eu:redis` | `infra/redis/stable` | `v3` | `channel-stopped` | the channels are stopped. |',
  ]);
  expect(lines([], repository(DOCUMENT, 2))[0]).toContain('the last valid version is in force');
  expect(
    channelsPart({
      repository: { ...repository(null), channelFiles: new Map() },
      channelFollowers: new Map(),
    }),
  ).toBe('');
});
