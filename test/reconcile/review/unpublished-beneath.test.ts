// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { done } from '../command/commanded.ts';
import { configMap, kptfile, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** What a direct push brought, which nobody approved, goes with the next revision: not past two people either. */
let stage: Stage;

const ASKS = 'branch: main\npublish: { requireApprovals: 1 }';
const AUTO = `${ASKS}\nupdates: { automerge: all }`;
const PUSHED = { 'shop/extra.yaml': configMap('extra', { pushed: 'here' }) };
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', smallPackage('web')), private: false },
      waits: { files: {}, private: false, spec: ASKS },
      auto: { files: {}, private: false, spec: AUTO },
      begun: { files: {}, private: false, spec: AUTO },
      ledger: { files: below('web', smallPackage('web')), spec: ASKS },
      first: { files: below('old', smallPackage('old')) },
      beside: { files: { ...below('web', smallPackage('web')), ...below('api', smallPackage('api')) } },
      moved: { files: { ...below('web', smallPackage('web')), ...below('api', smallPackage('api')) } },
    },
    { watched: true },
  );
  const up = stage.repository('up');
  await up.publish('one', change('one'));
  const lock = (await up.tags()).get('web/v1')!;
  const files = smallPackage('web');
  const Kptfile = locked(files['Kptfile']!, up.url, 'web', 'web/v1', lock);
  const shop = below('shop', { ...files, Kptfile, 'config.yaml': configMap('web', { color: 'one' }) });
  for (const name of ['waits', 'auto']) {
    await stage.repository(name).push('main', shop, { as: 'alice' });
    await stage.idle();
    await stage.repository(name).publish('first', { 'shop/own.yaml': configMap('own', { a: 'b' }) });
    await stage.repository(name).push('main', PUSHED, { as: 'bob' });
  }
  await stage.repository('begun').push('main', shop, { as: 'bob' });
  await stage.idle();
  await up.publish('two', change('two'));
  await stage.sweep();
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function updateOf(repo: StageRepository): Promise<number> {
  const open = (await repo.pulls()).filter(({ user }) => user?.type === 'Bot');
  expect(open.map(({ title }) => title)).toEqual(['Update shop to upstream v2']);
  return open[0]!.number;
}

test('an update above a direct push needs one more than the one who pushed (63)', async () => {
  const repo = stage.repository('waits');
  const number = await updateOf(repo);
  await repo.command(number, '/portico approve', 'bob');
  const { reaction, reply } = await repo.command(number, '/portico publish', 'bob');
  expect(reaction).toBe('confused');
  expect(reply).toContain('pushed to the base branch without approval');
  expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
  await repo.command(number, '/portico approve', 'carol');
  expect((await repo.command(number, '/portico publish', 'carol')).reaction).toBe('rocket');
  const sha = (await repo.tags()).get('shop/v2')!;
  expect(await repo.read('shop/extra.yaml', sha)).not.toBeNull();
});

test('a ref of the ledger that anyone can push does not make a revision of a direct push (152)', async () => {
  const repo = stage.repository('ledger');
  await repo.publish('one', change('one'));
  const sha = await repo.push(
    'main',
    { 'web/extra.yaml': configMap('extra', { pushed: 'here' }) },
    { as: 'bob' },
  );
  const ref = 'refs/portico/published/web/v2';
  await stage.as('bob').rest.git.createRef({ ...repo.where, ref, sha });
  await stage.idle();
  const { number } = await repo.propose('next', change('two'));
  await done(repo, number, '/portico approve', 'bob');
  const { reaction, reply } = await repo.command(number, '/portico publish');
  expect(reaction).toBe('confused');
  expect(reply).toContain('pushed to the base branch without approval');
  await done(repo, number, '/portico approve', 'carol');
  await done(repo, number, '/portico publish');
  const { number: after } = await repo.propose('after', change('three'));
  await done(repo, after, '/portico approve', 'bob');
  await done(repo, after, '/portico publish');
  expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v3', 'web/v4']);
});

test.each([
  ['above a revision', 'auto', ['shop/v1']],
  ['where there is none yet', 'begun', []],
])('it does not merge itself %s (63)', async (_where, name, tags) => {
  const repo = stage.repository(name);
  await updateOf(repo);
  await stage.sweep();
  await stage.idle();
  expect([...(await repo.tags()).keys()]).toEqual(tags);
});

describe('the first revision of a package that was pushed to the base branch', () => {
  let repo: StageRepository;

  beforeAll(async () => {
    repo = stage.repository('first');
    const pushed = ['web', 'api', 'app'].map((name) => below(name, smallPackage(name)));
    await repo.push('main', Object.assign({}, ...pushed), { as: 'bob' });
    await repo.push('main', { 'db/more.yaml': configMap('more', { a: 'b' }) }, { as: 'bob' });
    await stage.idle();
  });

  test('is not approved by who pushed it (63)', async () => {
    const { number } = await repo.propose('next', change('red'));
    const own = await repo.command(number, '/portico approve', 'bob');
    expect(own).toMatchObject({ reaction: 'confused' });
    expect(own.reply).toContain('You pushed changes to the base branch that its next revision will publish');
    await repo.review(number, 'APPROVE', undefined, 'bob');
    expect((await repo.command(number, '/portico publish')).reaction).toBe('confused');
    await done(repo, number, '/portico approve', 'carol');
    await done(repo, number, '/portico publish');
    expect(await repo.tagMessage('web/v1')).toContain('Approved-by: carol');
  });

  test("nor where the proposal makes a package of it, while what stood there at the registration is its owners' (63)", async () => {
    const { number } = await repo.propose('made', { 'db/Kptfile': kptfile('db') });
    expect((await repo.command(number, '/portico approve', 'bob')).reaction).toBe('confused');
    const old = await repo.propose('old', { 'old/more.yaml': configMap('more', { a: 'b' }) }, { as: 'bob' });
    await done(repo, old.number, '/portico approve', 'alice');
    await done(repo, old.number, '/portico publish', 'bob');
    expect([...(await repo.tags()).keys()]).toContain('old/v1');
  });

  test('needs one more approval where the forge does not tell who pushed it (63)', async () => {
    const answered = await stage.watching(
      ({ path, query }) => (path.endsWith('/activity') && query.includes('main') ? 403 : undefined),
      async () => {
        // What the forge told once of a commit is not asked for again.
        await repo.push('main', { 'notes.md': 'A commit that nobody has looked at.\n' });
        const { number } = await repo.propose('untold', {
          'api/config.yaml': configMap('api', { a: 'b' }),
        });
        await done(repo, number, '/portico approve', 'carol');
        return repo.command(number, '/portico publish');
      },
    );
    expect(answered.reply).toContain('the forge does not report who pushed part of it');
  });

  test('is not made of a merge by the button that only he approved (63)', async () => {
    const { number } = await repo.propose('button', { 'app/config.yaml': configMap('app', { a: 'b' }) });
    await repo.review(number, 'APPROVE', undefined, 'bob');
    await repo.press(number);
    await stage.sweep();
    expect([...(await repo.tags()).keys()]).not.toContain('app/v1');
    expect(await repo.sticky(number)).toContain('Merged without approval, not published');
  });
});

const move = (name: string): Record<string, string | null> => ({
  [`${name}/Kptfile`]: null,
  [`${name}/config.yaml`]: null,
  ...below(`apps/${name}`, {
    ...smallPackage(name),
    'config.yaml': configMap(name, { color: 'pushed' }),
  }),
});

describe('what was pushed to a package above its revision, and then moved to another place', () => {
  let repo: StageRepository;

  beforeAll(async () => {
    repo = stage.repository('moved');
    for (const name of ['web', 'api']) {
      await repo.publish(name, { [`${name}/config.yaml`]: configMap(name, { color: 'one' }) });
      await repo.push(
        'main',
        { [`${name}/config.yaml`]: configMap(name, { color: 'pushed' }) },
        { as: 'bob' },
      );
    }
    await stage.idle();
  });

  test('is not published at the new place with the approval of who pushed it alone (119)', async () => {
    const { number } = await repo.propose('move', move('web'), { as: 'carol' });
    await repo.review(number, 'APPROVE', undefined, 'bob');
    const { reaction, reply } = await repo.command(number, '/portico publish', 'carol');
    expect(reaction).toBe('confused');
    expect(reply).toContain('pushed to the base branch without approval');
    await repo.review(number, 'APPROVE', undefined, 'alice');
    await done(repo, number, '/portico publish', 'carol');
    expect([...(await repo.tags()).keys()]).toContain('apps/web/v1');
  });

  test('nor where the merge button moved it (119)', async () => {
    const { number } = await repo.propose('press', move('api'), { as: 'carol' });
    await repo.review(number, 'APPROVE', undefined, 'bob');
    await repo.press(number);
    await stage.sweep();
    expect([...(await repo.tags()).keys()]).not.toContain('apps/api/v1');
    expect(await repo.sticky(number)).toContain('Merged without approval, not published');
  });
});

const draftOf = (name: string, color = 'pushed'): string => configMap(`${name}-more`, { color });
const moveDraft = (name: string, color?: string): Record<string, string | null> => ({
  [`drafts/${name}.yaml`]: null,
  [`${name}/${name}.yaml`]: draftOf(name, color),
});

describe('what was pushed beside packages, and then moved into one', () => {
  let repo: StageRepository;
  beforeAll(async () => {
    repo = stage.repository('beside');
    await repo.publish('web', change('one'));
    for (const name of ['web', 'api', 'edited'])
      await repo.push('main', { [`drafts/${name}.yaml`]: draftOf(name) }, { as: 'bob' });
    await stage.idle();
  });

  test.each([
    ['as it was', 'web', {}],
    ['with an edit', 'edited', { 'edited/Kptfile': kptfile('edited') }],
  ])('is not approved by who pushed it, where another moves it %s (134)', async (_how, name, more) => {
    const files = { ...moveDraft(name, name === 'edited' ? 'changed' : undefined), ...more };
    const { number } = await repo.propose(`move-${name}`, files, { as: 'carol' });
    const own = await repo.command(number, '/portico approve', 'bob');
    expect(own).toMatchObject({ reaction: 'confused' });
    expect(own.reply).toContain('You pushed changes to the base branch that its next revision will publish');
    await done(repo, number, '/portico approve', 'alice');
    await done(repo, number, '/portico publish', 'carol');
  });

  test('nor where the merge button moved it (134)', async () => {
    const { number } = await repo.propose('press-beside', moveDraft('api'), { as: 'carol' });
    await repo.review(number, 'APPROVE', undefined, 'bob');
    await repo.press(number);
    await stage.sweep();
    expect([...(await repo.tags()).keys()]).not.toContain('api/v1');
    expect(await repo.sticky(number)).toContain('Merged without approval, not published');
  });

  test('and a file beside packages that only goes names nobody (134)', async () => {
    await repo.push('main', { 'drafts/old.md': 'old\n' }, { as: 'bob' });
    const files = { 'drafts/old.md': null, ...change('two') };
    const { number } = await repo.propose('goes', files, { as: 'carol' });
    await done(repo, number, '/portico approve', 'bob');
  });
});
