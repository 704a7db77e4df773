// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { WEB_CHANNELS } from '../../channels/web-channels.ts';
import { below, locked } from '../../e2e/packages.ts';
import { done } from '../command/commanded.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let up: StageRepository;

const PACKAGE = smallPackage('web', { data: { color: 'v0', size: 'small' } });
const data = (color: string, size = 'small'): string => configMap('web', { color, size });
const FILE = '.github/portico/channels/web.yaml';

const channelFile = (stable: string, more = ''): string => `${WEB_CHANNELS}  members:
${stable
  .trim()
  .split('\n')
  .map((line) => `  - ${line.trim()}\n`)
  .join('')}${more}`;

/** v1 and v2 are in stable, v1 lets nobody in; what candidate has is promoted by Portico itself. */
function promotedFile(how: 'open' | 'merge'): string {
  const text = channelFile(
    'v1\nv2',
    'deprecations:\n- {reference: {schema: revision, name: v1}, message: "leaks", severity: blocking, supersededBy: v2}\n',
  );
  const promotion = `  promotion: { from: candidate, soak: 1s, auto: ${how} }\n`;
  return text.replace('- name: stable\n', `- name: stable\n${promotion}`);
}

function follow(more = ''): { spec: string } {
  return { spec: `branch: main\nupdates: { follow: channel/stable${more} }` };
}

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      shop: follow(),
      far: follow(', onWithdrawn: ignore'),
      kept: follow(),
    },
    { shares: true },
  );
  up = stage.repository('up');
  for (const revision of ['v1', 'v2', 'v3', 'v4']) {
    const commit = await up.push('main', { 'web/config.yaml': data(revision) });
    await up.tag(`web/${revision}`, commit);
  }
  const tags = await up.tags();
  const at = (revision: string): Record<string, string> =>
    below('shop', {
      ...PACKAGE,
      'config.yaml': data(revision, 'large'),
      Kptfile: locked(PACKAGE['Kptfile']!, up.url, 'web', `web/${revision}`, tags.get(`web/${revision}`)!),
    });
  await stage.repository('shop').push('main', at('v1'));
  await stage.repository('far').push('main', at('v3'));
  await stage.repository('kept').push('main', at('v2'));
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function titles(name: string): Promise<string[]> {
  return (await stage.repository(name).pulls()).map(({ title }) => title);
}

test('a channel with a file leads step by step; its tags follow, and go back where somebody moves them', async () => {
  const shop = stage.repository('shop');
  expect(await titles('shop')).toEqual([]);
  await up.push('main', { [FILE]: channelFile('v1\n{revision: v2, waypoint: true}\nv3') });
  await stage.idle();
  let tags = await up.tags();
  expect([tags.get('web/stable'), tags.get('web/candidate')]).toEqual([
    tags.get('web/v3'),
    tags.get('web/v4'),
  ]);
  const [first, ...others] = await shop.pulls();
  expect([first?.title, others]).toEqual(['Update shop to upstream v2', []]);
  expect(first?.body).toContain('Channel `stable`, **step 1 of 2: v1 → v2 → v3.**');

  await up.git('update-ref', 'refs/tags/web/stable', tags.get('web/v1')!);
  await stage.look('up');
  tags = await up.tags();
  expect(tags.get('web/stable')).toBe(tags.get('web/v3'));
  const standing = (await up.checks(await up.head('main'))).get('portico/channels');
  expect([standing?.conclusion, standing?.output.title]).toEqual(['neutral', 'Put right: web/stable']);

  // Whoever may push may write the ledger, too: it takes no revision away, nor another tag (79).
  await up.git('update-ref', 'refs/tags/web/notes', tags.get('web/v1')!, '');
  for (const name of ['v1', 'notes'])
    await up.git('update-ref', `refs/portico/channels/web/${name}`, tags.get('web/v1')!);
  await stage.look('up');
  expect([...(await up.tags()).keys()]).toContain('web/v1');
  expect(await up.git('for-each-ref', 'refs/portico/channels/web/v1')).toBe('');

  await shop.merge(first!.number);
  await stage.idle();
  const [second] = await shop.pulls();
  expect(second?.title).toBe('Update shop to upstream v3');
  expect(second?.body).toContain('Channel `stable`, **step 1 of 1: v2 → v3.**');
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
});

test('a mistake leaves the last good file in force; a tag that is gone stops the package, and no other', async () => {
  await up.push('main', { [FILE]: channelFile('v3\nv1') });
  await stage.idle();
  let standing = (await up.checks(await up.head('main'))).get('portico/channels');
  expect(standing?.output.title).toBe('Channel files have errors: the last valid versions stay in effect');
  expect(await titles('shop')).toEqual(['Update shop to upstream v3']);
  await up.push('main', { [FILE]: channelFile('v1\n{revision: v2, waypoint: true}\nv3\nv9') });
  await stage.idle();
  standing = (await up.checks(await up.head('main'))).get('portico/channels');
  expect([standing?.conclusion, standing?.output.title]).toEqual(['failure', 'Channels stopped: web']);
  await stage.dashboard('shop');
  const { data: issue } = await stage.as('bob').rest.issues.create({ ...up.where, title: 'What now' });
  expect((await up.command(issue.number, '/portico plan web')).reply).toContain(
    '| `acme/shop:shop` | `web` | `channel/stable` | upstream `v2` | – | The channel file has errors, so the channels of the package are stopped. |',
  );
});

test('what is withdrawn closes the update that would bring it, and leads back whoever is there', async () => {
  const [shop, kept] = [stage.repository('shop'), stage.repository('kept')];
  const [open] = await shop.pulls();
  const [own] = await kept.pulls();
  const commit = async (a: string): Promise<string> => {
    const sha = await kept.push(own!.head.ref, { 'shop/own.yaml': configMap('own', { a }) });
    await stage.idle();
    return sha;
  };
  const channelsOn = async (sha: string): Promise<unknown> => {
    const check = (await kept.checks(sha)).get('portico/channels');
    return [check?.conclusion, check?.output.title];
  };
  const offers = async (members: string): Promise<void> => {
    await up.push('main', { [FILE]: channelFile(members) });
    await stage.idle();
  };
  expect(await channelsOn(await commit('stopped'))).toEqual([
    'neutral',
    'The channel does not offer web v3 (stable offers nothing)',
  ]);
  await offers('v1\nv2\nv3');
  expect(await channelsOn(await commit('offered'))).toEqual([
    'success',
    'The channel offers what this brings',
  ]);
  await offers('v1\nv2');
  const sha = await commit('left out');
  expect(await channelsOn(sha)).toEqual([
    'neutral',
    'The channel does not offer web v3 (stable offers v1, v2)',
  ]);
  const withdrawn = '{revision: v3, withdrawn: {reason: "broken probe"}}';
  await up.push('main', {
    [FILE]: channelFile(
      `v1\n{revision: v2, waypoint: true}\n${withdrawn}`,
      'deprecations:\n- {reference: {schema: revision, name: v2}, message: "old API"}\n',
    ),
  });
  await stage.idle();
  expect((await shop.pull(open!.number)).state).toBe('closed');
  // What people committed is theirs to throw away: it cannot be merged.
  const red = await kept.checks(sha);
  expect([red.get('portico/channels')?.output.title, red.get('portico')?.conclusion]).toEqual([
    'Withdrawn upstream: web v3',
    'failure',
  ]);
  expect(await titles('far')).toEqual([]);
  await stage.repository('far').push('main', {
    '.github/portico.yaml': (await stage.repository('far').read('.github/portico.yaml'))!.replace(
      'ignore',
      'propose',
    ),
  });
  await stage.idle();
  const [back] = await stage.repository('far').pulls();
  expect(back?.title).toBe('Roll back shop to upstream v2 (v3 is withdrawn)');
  expect(back?.body).toContain('Channel `stable`, **back to v2 (v3 withdrawn: broken probe).**');
  // The forge shows what the second revision has beyond the first: the other way round, nothing.
  expect(back?.body).toMatch(/\[upstream changes that this undoes\]\(\S+\/compare\/web\/v2\.\.\.web\/v3\)/);
  expect(back?.body).toMatch(/<summary>Revision after the rollback<\/summary>\n\n- `v2`/);
  expect(back?.body).toContain('| `v2` | warning | old API. |');
});

test('a proposal shows which rules it breaks, which gates are open, and who goes where', async () => {
  const file = channelFile(
    'v1\n{revision: v2, waypoint: true}\n{revision: v3, withdrawn: {reason: "broken probe"}}\nv4',
  ).replace(
    '- name: stable\n',
    '- name: stable\n  promotion: { from: candidate, soak: 1s, require: [checks], approvers: [platform] }\n',
  );
  const { number } = await up.propose('promote', { [FILE]: file.replace('- v4', '- v9') });
  const broken = await up.checksOf(number);
  expect([broken.get('portico/channels')?.conclusion, broken.get('portico/channels')?.output.title]).toEqual([
    'failure',
    'C06: v9 has no tag, or one that was moved',
  ]);
  expect(broken.get('portico')?.conclusion).toBe('failure');
  await up.push('promote', { [FILE]: file });
  await stage.idle();
  const checks = await up.checksOf(number);
  // The base has no gates yet.
  expect(checks.get('portico/channels')?.conclusion).toBe('success');
  const graph = checks.get('portico/graph');
  expect([graph?.conclusion, graph?.output.title]).toEqual(['success', 'web stable: v2 → v4']);
  expect(graph?.output.summary).toContain('```mermaid\ngraph LR');
  expect(graph?.output.summary).toContain('| `acme/shop:shop` | `v2` | step 1 of 1: v2 → v4. |');
  expect(graph?.output.summary).toMatch(/What changes from the one head to the other[^]*\+ data\.color: v4/);
  const planned = await up.command(number, '/portico plan web', 'rita');
  expect(planned.reply).toContain(
    '| `acme/shop:shop` | `web` | `channel/stable` | upstream `v2` | upstream `v4` | step 1 of 1: v2 → v4. |',
  );
  const { data: issue } = await stage.as('bob').rest.issues.create({ ...up.where, title: 'Who gets what' });
  const now = await up.command(issue.number, '/portico plan');
  expect(now.reply).toContain(
    '| `acme/shop:shop` | `web` | `channel/stable` | upstream `v2` | – | it is at v2, the head of stable. |',
  );
  expect((await up.command(issue.number, '/portico plan nope')).reply).toContain('no published revision');
});

test('gates of the base keep a revision out until they are passed', async () => {
  const gated = (await up.read(FILE, 'promote'))!;
  await up.push('main', { [FILE]: gated.replace('  - v4\n', '') });
  await stage.idle();
  const { number } = await up.propose('gated', { [FILE]: gated }, { as: 'bob' });
  const check = async (): Promise<(string | null | undefined)[]> => {
    const found = (await up.checksOf(number)).get('portico/channels');
    return [found?.conclusion, found?.output.title];
  };
  expect(await check()).toEqual([
    'action_required',
    'v4 to stable: no check has reported on its commit yet, and 1 more',
  ]);
  const sha = (await up.tags()).get('web/v4')!;
  await stage
    .as('alice')
    .rest.repos.createCommitStatus({ ...up.where, sha, state: 'success', context: 'ci' });
  await up.review(number, 'APPROVE', undefined, 'alice');
  await stage.idle();
  expect(await check()).toEqual(['success', '1 channel file in order']);
});

test('commands open pull requests about channels, and what meets another is made anew and told', async () => {
  await up.push('main', { [FILE]: channelFile('v1\n{revision: v2, waypoint: true}') });
  const { data: issue } = await stage.as('bob').rest.issues.create({ ...up.where, title: 'Channels' });
  expect(await done(up, issue.number, '/portico promote web@v4 to stable', 'bob')).toMatch(
    /\nPromote web v4 to stable: \[#\d+\]\(\S+\) proposes it\.$/,
  );
  const [pull] = await up.pulls().then((all) => all.filter(({ title }) => title.startsWith('Promote')));
  expect([pull?.title, pull?.user?.login]).toEqual(['Promote web v4 to stable', 'portico[bot]']);
  expect(await up.read(FILE, pull!.head.ref)).toBe(channelFile('v1\n{revision: v2, waypoint: true}\nv4'));
  // What is urgent does not wait for it.
  const urgent = await done(up, issue.number, '/portico withdraw web@v1 "it leaks"', 'bob');
  expect(urgent).not.toContain('with its other changes');
  const own = (await up.pulls()).find(({ title }) => title.startsWith('Withdraw web v1'));
  expect(await up.read(FILE, own!.head.ref)).not.toContain('v4');
  await stage.as('alice').rest.pulls.update({ ...up.where, pull_number: own!.number, state: 'closed' });
  // Said in it, the next comes along.
  await done(up, pull!.number, '/portico deprecate web@v1 "old @carol" --superseded-by=v4', 'carol');
  const both = await up.pull(pull!.number);
  expect(both.title).toBe('Promote web v4 to stable, and 1 more');
  expect(both.body).toContain('- `Deprecate web v1`: old');
  expect(both.body).not.toContain(' @carol');
  const said = await up.command(issue.number, '/portico promote web@v9 to stable');
  expect([said.reaction, said.reply]).toEqual([
    'confused',
    expect.stringContaining('v9 is not published, or has lost its tag'),
  ]);
  expect((await up.command(issue.number, '/portico promote wed@v3 to stable')).reply).toContain(
    'There is no package wed with a published revision',
  );
  expect((await up.command(issue.number, '/portico promote web@v3 to stable', 'rita')).reaction).toBe(
    'confused',
  );

  // Whoever asked for it does not approve it.
  const approval = (await up.checksOf(pull!.number)).get('portico/approval');
  expect(approval?.conclusion).toBe('action_required');
  await up.review(pull!.number, 'APPROVE', undefined, 'bob');
  await stage.idle();
  expect((await up.checksOf(pull!.number)).get('portico/approval')?.conclusion).toBe('action_required');

  await up.push('main', { [FILE]: channelFile('v1\n{revision: v2, waypoint: true}\nv3') });
  await stage.idle();
  expect(await up.read(FILE, pull!.head.ref)).toMatch(/ {2}- v3\n {2}- v4\ndeprecations:/);
  expect((await up.comments(pull!.number)).map(({ body }) => body).join('\n')).toContain(
    '`main` changed the same channels in the meantime: these changes were repeated on top of it.',
  );
  expect((await up.checksOf(pull!.number)).get('portico/channels')?.conclusion).toBe('success');
  await up.merge(pull!.number, 'merge', 'alice');
  await stage.idle();
  const tags = await up.tags();
  expect(tags.get('web/stable')).toBe(tags.get('web/v4'));
});

test('promotion.auto proposes what its gates let pass, and merges it where the base says so; blocking deprecations let nobody in', async () => {
  await up.push('main', { [FILE]: promotedFile('open') });
  await stage.idle();
  const [pull, ...others] = (await up.pulls()).filter(({ title }) => title.startsWith('Promote'));
  expect([pull?.title, others]).toEqual(['Promote web v4 to stable', []]);
  expect(pull?.body).toContain('(its gates have opened)');
  expect(await stage.writesOf(() => stage.look('up'))).toEqual([]);
  await up.review(pull!.number, 'APPROVE', undefined, 'bob');
  await stage.idle();
  expect((await up.checksOf(pull!.number)).get('portico')?.conclusion).toBe('success');
  // The comment and the command say the same: a promotion makes no revision, so there is nothing to publish.
  expect(await up.sticky(pull!.number)).toContain(
    '**Next:** press the merge button; the channels then offer',
  );
  expect((await up.command(pull!.number, '/portico publish', 'bob')).reply).toContain(
    'press the merge button',
  );
  expect((await up.pull(pull!.number)).state).toBe('open');
  await up.push('main', { [FILE]: promotedFile('merge') });
  await stage.idle();
  expect((await up.pull(pull!.number)).merged).toBe(true);
  expect((await up.tags()).get('web/stable')).toBe((await up.tags()).get('web/v4'));

  const shop = stage.repository('shop');
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...shop.where, title: 'New' });
  const said = await shop.command(issue.number, `/portico clone acme/up:web@v1 second`);
  expect([said.reaction, said.reply]).toEqual([
    'confused',
    expect.stringContaining('no new package can be made from it: leaks'),
  ]);
});
