// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** What cannot be looked at, or may not be done, is told where its author looks. */
let stage: Stage;
let up: StageRepository;
let down: StageRepository;
let side: StageRepository;

const PACKAGE = smallPackage('web');
/** One file on many a disk. */
const TWINS = { 'web/note.md': 'one', 'web/NOTE.md': 'two' };
const TOLD = /file `?"?\w+\.md.* differs from .* only in case.*Rename or remove the file/s;

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE), spec: 'branch: main\npublish: { requireApprovals: 0 }' },
      side: {
        files: { ...below('app', smallPackage('app')), ...below('web', PACKAGE) },
        spec: 'branch: main\npublish: { requireApprovals: 0 }',
      },
      down: { spec: 'branch: main\nupdates: { follow: latest }' },
    },
    { shares: true },
  );
  [up, down, side] = [stage.repository('up'), stage.repository('down'), stage.repository('side')];
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('in a proposal: the check, the comment and every command say why, until it is mended', async () => {
  const { number } = await up.propose('twins', TWINS);
  const check = (await up.checksOf(number)).get('portico');
  expect(check).toMatchObject({ conclusion: 'failure' });
  expect(check?.output.summary).toMatch(TOLD);
  expect(await up.sticky(number)).toMatch(TOLD);
  const { reaction, reply } = await up.command(number, '/portico publish');
  expect(reaction).toBe('confused');
  expect(reply).toContain('It could not be checked');
  expect(await stage.writesOf(() => stage.look('up'))).toEqual([]);

  await up.push('twins', { 'web/NOTE.md': null });
  await stage.idle();
  expect((await up.checksOf(number)).get('portico')?.conclusion).toBe('success');
  expect(await up.sticky(number)).not.toMatch(TOLD);
});

test('in an upstream: the dashboard says why its update does not come, and whoever asks is told', async () => {
  const first = await up.head('main');
  await up.tag('web/v1', first);
  await down.push(
    'main',
    below('shop', { ...PACKAGE, Kptfile: locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', first) }),
  );
  await up.tag('web/v2', await up.push('odd', TWINS));
  await stage.idle();
  expect(await down.pulls()).toEqual([]);
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...down.where, title: 'Please' });
  await down.command(issue.number, '/portico update v2');
  const told = (await down.comments(issue.number)).map(({ body }) => body).join('\n');
  expect(told).toContain('`unreadable`');
  expect(told).toMatch(TOLD);
  await stage.dashboard('down');
  const { data: issues } = await stage.as('alice').rest.issues.listForRepo(down.where);
  expect(issues.find(({ title }) => title === 'Portico dashboard')?.body).toMatch(TOLD);

  const mended = await up.push('odd', {
    'web/NOTE.md': null,
    'web/config.yaml': configMap('web', { color: 'red' }),
  });
  await up.tag('web/v3', mended);
  await stage.idle();
  expect((await down.pulls()).map(({ title }) => title)).toEqual(['Update shop to upstream v3']);
});

test('an update whose branch the forge refuses waits on the dashboard, and comes once it may', async () => {
  const allow = await forbid(down, 'branch', 'refs/heads/portico/**/*');
  await up.tag('web/v4', await up.push('odd', { 'web/config.yaml': configMap('web', { color: 'black' }) }));
  await stage.idle();
  await stage.dashboard('down');
  const { data: all } = await stage.as('alice').rest.issues.listForRepo(down.where);
  expect(all.find(({ title }) => title === 'Portico dashboard')?.body).toMatch(/bypass actor/);
  expect((await down.pulls()).map(({ title }) => title)).toEqual(['Update shop to upstream v3']);

  await allow();
  await stage.look('down');
  expect((await down.pulls()).map(({ title }) => title)).toEqual(['Update shop to upstream v4']);
});

test('merged all the same, by the button: other packages of the repository are published as ever', async () => {
  const { number } = await side.propose('twins', { 'app/note.md': 'one', 'app/NOTE.md': 'two' });
  await side.merge(number);
  await stage.idle();
  const { number: other } = await side.publish('calm', {
    'web/config.yaml': configMap('web', { color: 'red' }),
  });
  expect((await side.tags()).has('web/v1')).toBe(true);
  expect((await side.pull(other)).merged).toBe(true);
  const { data: releases } = await stage.as('alice').rest.repos.listReleases(side.where);
  expect(new Set(releases.map(({ name }) => name))).toEqual(new Set(['app v1', 'web v1']));
  expect(releases.find(({ name }) => name === 'app v1')?.body).toMatch(TOLD);
  expect(await stage.writesOf(() => stage.look('side'))).toEqual([]);
});

test('a tag that the forge refuses is told on the branch, with the remedy, and made once it may be', async () => {
  const allow = await forbid(side, 'tag', 'refs/tags/**/*');
  const { number } = await side.propose('tags', {
    'web/config.yaml': configMap('web', { color: 'white' }),
  });
  await side.merge(number);
  await stage.idle();
  const refused = (await side.checks(await side.head('main'))).get('portico/publication');
  expect(refused).toMatchObject({ conclusion: 'failure', output: { title: 'Not published: web' } });
  expect(refused?.output.summary).toMatch(/web\/v2.*bypass actor/s);

  await allow();
  await stage.look('side');
  expect((await side.tags()).has('web/v2')).toBe(true);
  const made = (await side.checks(await side.head('main'))).get('portico/publication');
  expect(made?.conclusion).toBe('success');
});

test('beside the configuration: what was in force stays in force, and the commit says why', async () => {
  const twins = { '.github/portico/a.md': 'one', '.github/portico/A.md': 'two' };
  const { number } = await up.propose('documents', twins);
  expect((await up.checksOf(number)).get('portico/config')?.conclusion).toBe('failure');
  const head = await up.push('main', twins);
  await stage.idle();
  const told = (await up.checks(head)).get('portico/config')?.output;
  expect(told?.summary).toMatch(/only in case/);
  expect(told?.annotations_count).toBe(1);
  const { number: other } = await up.propose('calm', {
    'web/config.yaml': configMap('web', { color: 'green' }),
  });
  expect((await up.checksOf(other)).get('portico')?.conclusion).toBe('success');
});

test('a mark for deletion that the forge keeps: who rejects it is told, and the revision is not said to stay', async () => {
  const { rest } = stage.as('alice');
  const sha = (await side.tags()).get('app/v1')!;
  await rest.git.createRef({ ...side.where, ref: 'refs/heads/deletionProposed/app/v1', sha });
  await stage.look('side');
  const { data } = await rest.issues.listForRepo({ ...side.where, state: 'all' });
  const { number } = data.find(({ title }) => title === 'Retire app@v1?')!;
  const allow = await forbid(side, 'branch', 'refs/heads/deletionProposed/**/*', ['deletion']);
  const kept = await side.command(number, '/portico reject it is used');
  expect(kept.reaction).toBe('confused');
  expect(kept.reply).toContain('The forge refused the push');

  await allow();
  expect((await side.command(number, '/portico reject it is used')).reaction).toBe('rocket');
  expect(await side.git('for-each-ref', 'refs/heads/deletionProposed')).toBe('');
});

/** A rule that nobody may make, move or remove such refs. Returns what takes it back. */
async function forbid(
  { where }: StageRepository,
  target: 'branch' | 'tag',
  refs: string,
  rules: readonly ('creation' | 'update' | 'deletion')[] = ['creation', 'update'],
): Promise<() => Promise<unknown>> {
  const { repos } = stage.as('alice').rest;
  const { data } = await repos.createRepoRuleset({
    ...where,
    name: target,
    target,
    enforcement: 'active',
    conditions: { ref_name: { include: [refs], exclude: [] } },
    rules: rules.map((type) => ({ type })),
  });
  return () => repos.deleteRepoRuleset({ ...where, ruleset_id: data.id });
}
