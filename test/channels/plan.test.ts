import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { runVerb } from '../fbc/run-verb.ts';
import { commitFiles, git, initRepository, kptfile, tag } from './git-fixture.ts';

const CHANNELS = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: infra/redis
defaultChannel: stable
channels:
- name: candidate
  auto: all
- name: stable
  head: v5
  members:
  - v1
  - {revision: v3, waypoint: true}
  - {revision: v4, withdrawn: {reason: broken probe}}
  - v5
- name: lts
  mode: graph
  members:
  - {revision: v1}
  - {revision: v3, replaces: v1}
deprecations:
- reference: {schema: revision, name: v1}
  message: old
  supersededBy: v3
`;
const URL = 'https://forge.example/acme/blueprints.git';

const follows = (what: string): string =>
  `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { updates: { follow: ${what} } }\n`;

interface World {
  readonly upstream: string;
  readonly downstreams: string;
  readonly commits: readonly string[];
  /** A commit of the package that is no revision. */
  readonly loose: string;
}

let world: World;

beforeAll(() => {
  const top = mkdtempSync(join(tmpdir(), 'portico-index-'));
  const upstream = initRepository(join(top, 'origin'));
  const commits = [1, 2, 3, 4, 5].map((number) => {
    const files = { 'infra/redis/Kptfile': kptfile('redis'), 'infra/redis/a.yaml': `n: ${number}\n` };
    return commitFiles(upstream, files, number);
  });
  for (const [at, commit] of commits.entries()) tag(upstream, `infra/redis/v${at + 1}`, commit, 100 + at);
  git(upstream, ['tag', 'infra/redis/nightly', commits[1]!]);
  const loose = commitFiles(upstream, { 'infra/redis/a.yaml': 'n: loose\n' }, 50);
  commitFiles(upstream, { '.github/portico/channels/infra/redis.yaml': CHANNELS }, 51);

  const downstreams = join(top, 'clones');
  const lock = (at: number, ref = `infra/redis/v${at}`): string =>
    kptfile('r', { repo: URL, directory: '/infra/redis', ref, commit: commits[at - 1]! });
  const downstream = (name: string, follow: string, kptfiles: Record<string, string>): void => {
    const files = Object.entries(kptfiles).map(([path, text]) => [`${path}/Kptfile`, text]);
    const directory = initRepository(join(downstreams, name));
    commitFiles(directory, { '.github/portico.yaml': follows(follow), ...Object.fromEntries(files) });
    git(directory, ['remote', 'add', 'origin', `git@forge.example:teams/${name}.git`]);
  };
  downstream('shop', 'channel/stable', { first: lock(1), broken: lock(4), head: lock(5), second: lock(2) });
  downstream('desk', 'channel/lts', { two: lock(2), five: lock(5) });
  // kpt writes the id of the tag object.
  const object = git(upstream, ['rev-parse', 'refs/tags/infra/redis/v3']);
  const pinned = {
    repo: 'git@forge.example:acme/blueprints',
    directory: 'infra/redis',
    ref: 'v3',
    commit: object,
  };
  const drifted = { repo: URL, directory: '/infra/redis', ref: 'main', commit: loose };
  downstream('cafe', 'latest', { peeled: kptfile('p', pinned), drifted: kptfile('d', drifted) });
  downstream('dock', 'channel/beta', { any: lock(3), alone: kptfile('alone') });
  downstream('mill', 'channel/nightly', { back: lock(3) });
  world = { upstream, downstreams, commits, loose };
});

/** Tags made one by one in this order, so that neither files nor packed refs agree in theirs. */
function cloneWithTags(name: string, order: readonly number[]): string {
  const directory = join(world.upstream, '..', name);
  git(world.upstream, ['clone', '--quiet', '--no-tags', world.upstream, directory]);
  git(directory, ['remote', 'set-url', 'origin', URL]);
  for (const number of order) {
    tag(directory, `infra/redis/v${number}`, world.commits[number - 1]!, 99 + number);
    if (number === 2) git(directory, ['pack-refs', '--all']);
  }
  git(directory, ['tag', 'infra/redis/nightly', world.commits[1]!]);
  return directory;
}

test('the plan is the same bytes in every clone, and says where each follower is, what is behind, and why', async () => {
  const [one, two] = [cloneWithTags('one', [1, 2, 3, 4, 5]), cloneWithTags('two', [5, 3, 1, 4, 2])];
  const ran = await runVerb('catalog', 'plan', one, '--in', world.downstreams, '--json');
  expect(ran).toMatchObject({ exit: 0, stderr: '' });
  expect(await runVerb('catalog', 'plan', two, '--in', world.downstreams, '--json')).toEqual(ran);
  const { downstreams } = JSON.parse(ran.stdout) as {
    downstreams: { downstream: string; code: string; to?: string; behind: boolean }[];
  };
  expect(
    downstreams.map(({ downstream, code, to = '-', behind }) => `${downstream} ${code} ${to} ${behind}`),
  ).toEqual([
    'teams/cafe:drifted drifted - true',
    'teams/cafe:peeled step v5 true',
    'teams/desk:five ahead - false',
    'teams/desk:two unreachable - true',
    'teams/dock:any no-channel - false',
    'teams/mill:back step v2 true',
    'teams/shop:broken withdrawn v5 true',
    'teams/shop:first step v3 true',
    'teams/shop:head current - false',
    'teams/shop:second step v3 true',
  ]);
});

test('the plan has the hop and the whole way of every downstream, or why there is none', async () => {
  const clone = join(world.upstream, '..', 'one');
  const ran = await runVerb('catalog', 'plan', clone, '--in', world.downstreams, '--json');
  const { downstreams } = JSON.parse(ran.stdout) as { downstreams: { downstream: string }[] };
  const row = (name: string): object | undefined => downstreams.find(({ downstream }) => downstream === name);
  expect(row('teams/shop:first')).toMatchObject({
    package: 'infra/redis',
    follow: 'channel/stable',
    at: 'v1',
    code: 'step',
    to: 'v3',
    path: ['v3', 'v5'],
    message: 'step 1 of 2: v1 → v3 → v5',
    deprecations: [
      { schema: 'revision', name: 'v1', message: 'old', severity: 'warning', supersededBy: 'v3' },
    ],
  });
  expect(row('teams/shop:broken')).toMatchObject({
    code: 'withdrawn',
    path: ['v5'],
    message: 'on to v5 (v4 withdrawn: broken probe)',
  });
  expect(row('teams/desk:two')).toMatchObject({ code: 'unreachable', nearest: 'v1', path: [] });
  expect(row('teams/cafe:drifted')).toMatchObject({ code: 'drifted', at: world.loose, nearest: 'v5' });
  expect(row('teams/dock:any')).toMatchObject({
    code: 'no-channel',
    message: 'the upstream has no channel beta; it has candidate, lts, nightly, stable',
  });
  expect(row('teams/mill:back')).toMatchObject({ code: 'step', to: 'v2', downgrade: true });

  const shown = await runVerb('catalog', 'plan', clone, '--in', join(world.downstreams, 'shop'));
  expect(shown.stdout.split('\n')[2]).toMatch(
    /^teams\/shop:first +infra\/redis +channel\/stable +v1 +v3 +step +step 1 of 2: v1 → v3 → v5; v1 is deprecated: old, superseded by v3$/,
  );
  const none = await runVerb('catalog', 'plan', clone, '--package', 'infra/other');
  expect(none.stdout).toBe('No downstream follows a package of this repository.\n');
});
