// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WEB_CHANNELS } from '../../channels/web-channels.ts';
import { below, locked } from '../../e2e/packages.ts';
import type { Call } from '../forge-door.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** What a revision has to pass before it joins a channel; the short form is in channels.test.ts. */
let stage: Stage;
let up: StageRepository;

const CANARIES = ['east', 'west'] as const;
const FILE = '.github/portico/channels/web.yaml';
const SPEC = 'branch: main\npublish: { requireApprovals: 0 }';

/** Stable has v1, and v2 where it was promoted. */
function file(promotion: string, members: readonly string[] = ['v1'], more = ''): string {
  return `${WEB_CHANNELS}${promotion === '' ? '' : `  promotion: { from: candidate, ${promotion} }\n`}  members: [${members.join(', ')}]
${more}`;
}

let proposals = 0;

/** Puts the gates on the base branch and proposes v2 for stable. Answers the pull request. */
async function propose(
  promotion: string,
  proposed = file(promotion, ['v1', 'v2']),
  base = file(promotion),
): Promise<number> {
  await up.push('main', { [FILE]: base });
  await stage.idle();
  proposals += 1;
  return (await up.propose(`promote-${proposals}`, { [FILE]: proposed })).number;
}

async function check(number: number): Promise<(string | null | undefined)[]> {
  await stage.look('up');
  const found = (await up.checksOf(number)).get('portico/channels');
  return [found?.conclusion, found?.output.title];
}

async function report(name: string, sha: string, state: 'success' | 'failure' | 'pending'): Promise<void> {
  const { where } = stage.repository(name);
  await stage.as('alice').rest.repos.createCommitStatus({ ...where, sha, state, context: 'flux' });
}

beforeAll(async () => {
  const web = smallPackage('web', { data: { color: 'v0' } });
  const follows = { spec: `${SPEC}\nupdates: { follow: channel/candidate }` };
  stage = await startStage(
    { up: { spec: SPEC, files: below('web', web) }, east: follows, west: follows },
    { shares: true, watched: true },
  );
  up = stage.repository('up');
  for (const revision of ['v1', 'v2']) {
    const commit = await up.push('main', { 'web/config.yaml': configMap('web', { color: revision }) });
    await up.tag(`web/${revision}`, commit);
  }
  await up.push('main', { [FILE]: file('') });
  const commit = (await up.tags()).get('web/v2')!;
  for (const name of CANARIES) {
    const Kptfile = locked(web['Kptfile']!, up.url, 'web', 'web/v2', commit);
    const files = { ...web, 'config.yaml': configMap('web', { color: 'v2' }), Kptfile };
    await stage.repository(name).push('main', below('shop', files));
  }
  await stage.idle();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('gates of a channel', () => {
  test('soak: a revision waits until it has been published for so long', async () => {
    const waits = await propose('soak: 9d');
    expect(await check(waits)).toEqual([
      'action_required',
      expect.stringMatching(/^v2 to stable: it soaks for 9d, until /),
    ]);
    expect(await check(await propose('soak: 1s'))).toEqual(['success', '1 channel file in order']);
  });

  test('checks: what others say of its commit holds', async () => {
    const number = await propose('require: [checks]');
    const sha = (await up.tags()).get('web/v2')!;
    expect(await check(number)).toEqual([
      'action_required',
      'v2 to stable: no check has reported on its commit yet',
    ]);
    await report('up', sha, 'pending');
    expect(await check(number)).toEqual([
      'action_required',
      'v2 to stable: checks of its commit are still running: flux',
    ]);
    await report('up', sha, 'failure');
    expect(await check(number)).toEqual(['failure', 'v2 to stable: checks of its commit failed: flux']);
    await report('up', sha, 'success');
    expect(await check(number)).toEqual(['success', '1 channel file in order']);
  });

  test('rollout: all downstreams of the channel before it are healthy with it', async () => {
    const number = await propose('require: [rollout]');
    expect(await check(number)).toEqual([
      'action_required',
      'v2 to stable: 0 of 2 downstreams that have it are healthy',
    ]);
    const heads = await Promise.all(CANARIES.map((name) => stage.repository(name).head('main')));
    await report('east', heads[0]!, 'success');
    expect(await check(number)).toEqual([
      'action_required',
      'v2 to stable: 1 of 2 downstreams that have it are healthy',
    ]);
    await report('west', heads[1]!, 'failure');
    expect(await check(number)).toEqual([
      'failure',
      'v2 to stable: 1 of 2 downstreams that have it are healthy; it fails in acme/west:shop',
    ]);
    await report('west', heads[1]!, 'success');
    expect(await check(number)).toEqual(['success', '1 channel file in order']);
    // Nobody has v1, so nobody can say that it is healthy.
    const promotion = 'require: [rollout]';
    const none = await propose(promotion, file(promotion, ['v1', 'v2']), file(promotion, ['v2']));
    expect(await check(none)).toEqual([
      'action_required',
      'v1 to stable: no downstream of its source channel has it yet',
    ]);
  });

  test('approvers: somebody of each that are named has approved this content', async () => {
    const number = await propose('approvers: [platform, "@carol", maintain]');
    expect(await check(number)).toEqual([
      'action_required',
      'v2 to stable: an approval of this content is missing by the team `acme/platform` and by `carol` and by the role maintain or higher',
    ]);
    await up.review(number, 'APPROVE', undefined, 'carol');
    expect((await check(number))[1]).toMatch(/missing by the team `acme\/platform` and by the role maintain/);
    // alice proposed it, and does not approve it; the next is bob's.
    await up.review(number, 'APPROVE', undefined, 'bob');
    expect((await check(number))[0]).toBe('action_required');
    await up.push('by-bob', { [FILE]: file('', ['v1', 'v2']) }, { as: 'bob' });
    const bobs = await up.open('by-bob', { as: 'bob' });
    await up.review(bobs.number, 'APPROVE', undefined, 'alice');
    await up.review(bobs.number, 'APPROVE', undefined, 'carol');
    expect(await check(bobs.number)).toEqual(['success', '1 channel file in order']);
  });

  test('a gate that nobody knows keeps it out', async () => {
    const text = file('approvers: ["what is this"]');
    await up.push('main', { [FILE]: text });
    await stage.idle();
    expect(await check(await propose('approvers: ["what is this"]'))).toEqual([
      'failure',
      'v2 to stable: "what is this" is unknown: use a role, a team or @login',
    ]);
  });
});

describe('what the proposal says of gates does not count', () => {
  test('where the file of the base cannot be read, the last valid version decides', async () => {
    await up.push('main', { [FILE]: file('soak: 9d') });
    await up.push('main', { [FILE]: 'channels: [' });
    await stage.idle();
    const { number } = await up.propose('repaired', { [FILE]: file('soak: 1s', ['v1', 'v2']) });
    expect(await check(number)).toEqual([
      'action_required',
      expect.stringMatching(/^v2 to stable: it soaks for 9d/),
    ]);
  });

  test('where no version was ever valid, whoever keeps the repository approves', async () => {
    const other = '.github/portico/channels/other.yaml';
    await up.push('main', { [FILE]: file(''), [other]: 'channels: [' });
    await stage.idle();
    const text = file('', ['v1', 'v2'])
      .replace('package: web', 'package: other')
      .replace(/auto: all/, 'members: [v1, v2]');
    const commit = (await up.tags()).get('web/v1')!;
    for (const revision of ['v1', 'v2']) await up.git('update-ref', `refs/tags/other/${revision}`, commit);
    await up.push('first', { [other]: text }, { as: 'bob' });
    const { number } = await up.open('first', { as: 'bob' });
    const found = (await up.checksOf(number)).get('portico/channels');
    expect(found?.conclusion).toBe('action_required');
    expect(found?.output.summary).toContain(
      "the base branch's channel file cannot be read, so what it asks for is unknown: an approval of this content is missing by the role maintain or higher",
    );
    await up.review(number, 'APPROVE', undefined, 'carol');
    expect((await check(number))[0]).toBe('action_required');
    await up.review(number, 'APPROVE', undefined, 'alice');
    expect((await check(number))[0]).toBe('success');
    await up.push('main', { [other]: null });
  });
});

/** Ten channels with a gate. */
const rows = (members: string): string =>
  Array.from(
    { length: 10 },
    (_, at) =>
      `- name: gated${at}\n  promotion: { from: candidate, require: [rollout] }\n  members: [${members}]\n`,
  ).join('');

describe('what a proposal may ask of the forge is bounded', () => {
  const health = /^\/repos\/acme\/(?:east|west|up)\/commits\/[0-9a-f]+\/(?:status|check-runs|statuses)$/;

  async function questions(work: () => Promise<unknown>): Promise<Call[]> {
    const calls: Call[] = [];
    await stage.watching((call) => void (health.test(call.path) && calls.push(call)), work);
    return calls;
  }

  test('channels that it makes cost nothing: the base asks nothing of them yet', async () => {
    await up.push('main', { [FILE]: file('') });
    await stage.idle();
    const made = Array.from(
      { length: 20 },
      (_, at) =>
        `- name: new${at}\n  promotion: { from: candidate, require: [checks, rollout] }\n  members: [v1, v2]\n`,
    );
    await up.push('many', { [FILE]: file('', ['v1'], made.join('')) });
    let number = 0;
    const asked = await questions(async () => {
      ({ number } = await up.open('many'));
    });
    expect(asked.filter(({ path }) => path.includes('/east/') || path.includes('/west/'))).toEqual([]);
    expect(await check(number)).toEqual(['success', '1 channel file in order']);
  });

  test('who is asked for its health is asked once in a look, for however many channels', async () => {
    await up.push('main', { [FILE]: file('', ['v1'], rows('v1')) });
    await stage.idle();
    await up.push('all', { [FILE]: file('', ['v1'], rows('v1, v2')) });
    const asked = await questions(() => up.open('all'));
    const east = asked.filter(({ path }) => path.includes('/east/'));
    expect(east.length).toBeGreaterThan(0);
    // Two commits at most, and few lists of each.
    expect(east.length).toBeLessThan(10);
  });

  test('more than 50 revisions at once are refused, and so are more than 100 files', async () => {
    const commit = (await up.tags()).get('web/v2')!;
    const all = Array.from({ length: 51 }, (_, at) => `v${at + 3}`);
    for (const revision of all) await up.git('update-ref', `refs/tags/web/${revision}`, commit);
    const number = await propose('soak: 1s', file('soak: 1s', ['v1', ...all]));
    expect(await check(number)).toEqual([
      'failure',
      'C00: more than 50 revisions join channels with a promotion at once: split the proposal',
    ]);
    const files = Array.from({ length: 101 }, (_, at) => [
      `.github/portico/channels/many/p${String(at).padStart(3, '0')}.yaml`,
      file('', ['v1']).replace('package: web', `package: many/p${String(at).padStart(3, '0')}`),
    ]);
    const { number: wide } = await up.propose('wide', Object.fromEntries(files));
    const found = (await up.checksOf(wide)).get('portico/channels');
    expect(found?.conclusion).toBe('failure');
    expect(found?.output.summary).toContain('more than 100 channel files change at once');
    for (const revision of all) await up.git('update-ref', '-d', `refs/tags/web/${revision}`);
  });
});
