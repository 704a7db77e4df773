// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { done } from '../command/commanded.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Two repositories of packages, six downstream at different revisions; the short form is in channels.test.ts. */
let stage: Stage;
let infra: StageRepository;
let apps: StageRepository;

const DOWNSTREAM = ['edge', 'eu', 'us', 'old', 'free', 'own'] as const;
const PACKAGES = { redis: 'infra', web: 'apps' } as const;
const FILE = '.github/portico/channels/redis.yaml';
const SPEC = 'branch: main\npublish: { requireApprovals: 1, directPushes: publish }';

const packageOf = (name: string): Record<string, string> => smallPackage(name, { data: { color: 'v0' } });

function follows(spec: string): { spec: string } {
  return { spec: `branch: main\npublish: { requireApprovals: 0 }\nupdates: ${spec}` };
}

async function titles(name: string): Promise<string[]> {
  return (await stage.repository(name).pulls()).map(({ title }) => title).toSorted();
}

async function at(name: string, path = 'redis'): Promise<string | undefined> {
  const kptfile = await stage.repository(name).read(`${path}/Kptfile`);
  return /upstreamLock:[^]*ref: \w+\/(v\d+)/.exec(kptfile ?? '')?.[1];
}

async function mergeOnly(name: string): Promise<string> {
  const repo = stage.repository(name);
  const [pull, ...others] = await repo.pulls();
  expect(others.map(({ title }) => title)).toEqual([]);
  await repo.press(pull!.number);
  await stage.idle();
  return pull!.title;
}

/** A command in an issue of infra; its pull request is approved by carol and merged. */
async function byCommand(line: string): Promise<string> {
  const { data } = await stage.as('bob').rest.issues.create({ ...infra.where, title: line });
  const reply = await done(infra, data.number, `/portico ${line}`, 'bob');
  const number = Number(/\[#(\d+)\]/.exec(reply)?.[1]);
  await infra.merge(number);
  await stage.idle();
  return reply;
}

beforeAll(async () => {
  stage = await startStage(
    {
      infra: { spec: SPEC, files: below('redis', packageOf('redis')) },
      apps: { spec: SPEC, files: below('web', packageOf('web')) },
      edge: follows('{ follow: channel/candidate, automerge: all }'),
      eu: follows('{ follow: channel/stable }'),
      us: follows('{ follow: channel/stable, soak: 1h }'),
      old: follows('{ follow: channel/stable }'),
      free: follows('{ follow: latest }'),
      own: follows('{ follow: channel/stable, onWithdrawn: ignore }'),
    },
    { shares: true },
  );
  [infra, apps] = [stage.repository('infra'), stage.repository('apps')];
  await stage.idle();
  for (const revision of ['v2', 'v3']) {
    await infra.push('main', { 'redis/config.yaml': configMap('redis', { color: revision }) });
    await stage.idle();
  }
  await apps.push('main', { 'web/config.yaml': configMap('web', { color: 'v2' }) });
  await stage.idle();
  for (const name of DOWNSTREAM) {
    const revision = { edge: 'v3', eu: 'v2', us: 'v1', old: 'v1', free: 'v3', own: 'v2' }[name];
    const clones = await Promise.all(
      Object.entries(PACKAGES).map(async ([path, from]) => {
        const up = stage.repository(from);
        const ref = path === 'redis' ? revision : 'v1';
        const commit = (await up.tags()).get(`${path}/${ref}`)!;
        const files = {
          ...packageOf(path),
          'config.yaml': (await up.read(`${path}/config.yaml`, commit))!,
          Kptfile: locked(packageOf(path)['Kptfile']!, up.url, path, `${path}/${ref}`, commit),
        };
        return below(path, files);
      }),
    );
    await stage.repository(name).push('main', Object.assign({}, ...clones));
  }
  await stage.idle();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('candidate to stable, with a soak, a waypoint, a withdrawal, a deprecation and the way back', () => {
  test('a package without channels is not followed by them, and the first promotion makes the file', async () => {
    expect([...(await infra.tags()).keys()].filter((tag) => tag.startsWith('redis/'))).toEqual([
      'redis/v1',
      'redis/v2',
      'redis/v3',
    ]);
    await stage.dashboard('eu');
    expect(await byCommand('channel create redis candidate')).toContain(
      'offers every published revision, and later ones as they are published. The default channel becomes candidate, because redis has no other.',
    );
    expect(await byCommand('channel create redis stable v1')).toMatch(
      /proposes it\. The channel stable offers v1 alone\.$/,
    );
    await byCommand('channel default redis stable');
    const tags = await infra.tags();
    expect([tags.get('redis/candidate'), tags.get('redis/stable')]).toEqual([
      tags.get('redis/v3'),
      tags.get('redis/v1'),
    ]);
    // eu is ahead of stable, and waits; edge is at the head.
    expect([await titles('eu'), await titles('us')]).toEqual([[], []]);
  }, 600_000);

  test('a promotion waits for its soak, and everybody goes to the next waypoint first', async () => {
    await byCommand('promote redis@v2 to stable');
    expect([await titles('old'), await titles('us')]).toEqual([['Update redis to upstream v2'], []]);
    const file = (await infra.read(FILE))!;
    await infra.push('main', {
      [FILE]: file
        .replace(/( *)- v2\n/, '$1- {revision: v2, waypoint: true}\n')
        .replace(
          /( *)- name: stable\n( *)/,
          '$1- name: stable\n$2promotion: { from: candidate, soak: 1h, approvers: [platform] }\n$2',
        ),
    });
    await stage.idle();
    const { data } = await stage.as('bob').rest.issues.create({ ...infra.where, title: 'v4' });
    await infra.push('main', { 'redis/config.yaml': configMap('redis', { color: 'v4' }) });
    await stage.idle();
    expect(await at('edge')).toBe('v4');
    const reply = await done(infra, data.number, '/portico promote redis@v4 to stable', 'bob');
    const number = Number(/\[#(\d+)\]/.exec(reply)?.[1]);
    const waiting = (await infra.checksOf(number)).get('portico/channels');
    expect([waiting?.conclusion, waiting?.output.title]).toEqual([
      'action_required',
      expect.stringMatching(/^v4 to stable: it soaks for 1h, until .*, and 1 more$/),
    ]);
    await infra.review(number, 'APPROVE', undefined, 'alice');
    const now = (await infra.read(FILE))!;
    await infra.push('main', { [FILE]: now.replace('soak: 1h', 'soak: 20s') });
    // The end of the soak is looked at without anybody's asking.
    await expect
      .poll(
        async () => {
          await stage.idle();
          return (await infra.checksOf(number)).get('portico/channels')?.conclusion;
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe('success');
    await infra.merge(number, 'merge', 'alice');
    await stage.idle();
    const [old] = await stage.repository('old').pulls();
    expect(old?.title).toBe('Update redis to upstream v2');
    expect(old?.body).toContain('**step 1 of 2: v1 → v2 → v4.**');
    expect(await titles('eu')).toEqual(['Update redis to upstream v4']);
    expect(await mergeOnly('old')).toBe('Update redis to upstream v2');
    expect(await titles('old')).toEqual(['Update redis to upstream v4']);
    // Where what was brought has to be seen at work first, the next step waits.
    expect(await titles('us')).toEqual([]);
    await stage.dashboard('us');
    const { data: issues } = await stage.as('alice').rest.issues.listForRepo(stage.repository('us').where);
    expect(issues.find(({ title }) => title === 'Portico dashboard')?.body).toContain('`soaking`');
  }, 600_000);

  test('a withdrawal takes back what is open, leads back whoever has it, and the candidate goes on', async () => {
    expect(await mergeOnly('eu')).toBe('Update redis to upstream v4');
    expect(await mergeOnly('own')).toBe('Update redis to upstream v4');
    await byCommand('withdraw redis@v4 "broken probe"');
    expect(await titles('old')).toEqual([]);
    expect(await titles('eu')).toEqual(['Roll back redis to upstream v2 (v4 is withdrawn)']);
    expect(await titles('own')).toEqual([]);
    await stage.dashboard('own');
    const { data: issues } = await stage.as('alice').rest.issues.listForRepo(stage.repository('own').where);
    expect(issues.find(({ title }) => title === 'Portico dashboard')?.body).toContain('`withdrawn`');
    // The candidate lost it too, and edge goes back by people alone.
    expect(await titles('edge')).toEqual(['Roll back redis to upstream v3 (v4 is withdrawn)']);
    expect(await mergeOnly('eu')).toBe('Roll back redis to upstream v2 (v4 is withdrawn)');
    const tags = await infra.tags();
    expect(tags.get('redis/stable')).toBe(tags.get('redis/v2'));
    // Who follows what is newest has it still.
    expect(await titles('free')).toContain('Update redis to upstream v4');
  }, 600_000);

  test('what is mended comes as the next revision, deprecations stand in its updates, and a restart changes nothing', async () => {
    await infra.push('main', { 'redis/config.yaml': configMap('redis', { color: 'v5' }) });
    await stage.idle();
    await byCommand('deprecate redis@v2 "old API" --superseded-by=v5');
    const { data } = await stage.as('bob').rest.issues.create({ ...infra.where, title: 'v5' });
    const reply = await done(infra, data.number, '/portico promote redis@v5 to stable', 'bob');
    const number = Number(/\[#(\d+)\]/.exec(reply)?.[1]);
    await infra.review(number, 'APPROVE', undefined, 'alice');
    await expect
      .poll(
        async () => {
          await stage.idle();
          return (await infra.checksOf(number)).get('portico/channels')?.conclusion;
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe('success');
    await infra.merge(number, 'merge', 'alice');
    await stage.idle();
    const [pull] = await stage.repository('eu').pulls();
    expect(pull?.title).toBe('Update redis to upstream v5');
    expect(pull?.body).toContain('| `v2` | warning | old API. | `v5` |');
    // It stayed where it was, and goes on from there.
    expect(await titles('own')).toEqual(['Update redis to upstream v5 (v4 is withdrawn)']);
    await stage.stopBot();
    await stage.startBot();
    const writes = await stage.writesOf(() => stage.sweep());
    expect(
      writes.map(({ repo, what, detail }) => [repo, what, JSON.stringify(detail).slice(0, 900)]),
    ).toEqual([]);
    // Nobody here ever heard of channels of web.
    expect(await titles('free')).toEqual(['Update redis to upstream v5', 'Update web to upstream v2']);
  }, 600_000);
});
