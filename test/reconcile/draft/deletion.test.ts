// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
/** The pull request that became `web@v2`. */
let two: number;

const PACKAGE = smallPackage('web');
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

async function issue(repo: string, by: 'alice' | 'bob' = 'alice'): Promise<number> {
  const { data } = await stage.as(by).rest.issues.create({ owner: 'acme', repo, title: 'Clean up' });
  return data.number;
}

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', PACKAGE), ...below('db', smallPackage('db')) } },
      down: { files: {} },
    },
    { shares: true },
  );
  const up = stage.repository('up');
  await up.publish('one', change('one'));
  two = (await up.publish('two', change('two'))).number;
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  await stage.repository('down').push('main', below('shop', { ...PACKAGE, Kptfile }));
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('one revision', () => {
  test('asked for in an issue, blocked by who is locked to it, approved by somebody else, never used again', async () => {
    const repo = stage.repository('up');
    const number = await issue('up', 'bob');
    expect(await repo.command(number, '/portico delete web@v1', 'bob')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('These packages are locked to it: `acme/down:shop`.'),
    });
    expect(await repo.command(number, '/portico approve', 'alice')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('only after its deletion was proposed'),
    });
    expect((await repo.command(number, '/portico delete web@v7', 'bob')).reply).toContain(
      '`web` has no revision `v7`. It has `v2`, `v1`.',
    );

    expect((await repo.command(number, '/portico delete web@v2', 'bob')).reaction).toBe('rocket');
    const ours = async (): Promise<string> =>
      (await repo.comments(number))
        .map(({ body }) => body ?? '')
        .find((body) => body.includes('portico:retirement'))!;
    expect(await ours()).toContain('`bob` requested the retirement of `web@v2`');
    expect((await repo.command(number, '/portico approve', 'bob')).reply).toContain('requested it yourself');
    expect((await repo.command(number, '/portico approve', 'rita')).reply).toContain('your role is read');
    const asking = (await repo.comments(number)).find(({ body }) => body?.includes('portico:retirement'))!;
    expect((await repo.command(number, '/portico reject still used', 'carol')).reaction).toBe('rocket');
    expect((await repo.tags()).has('web/v2')).toBe(true);
    expect(await repo.command(number, '/portico approve', 'alice')).toMatchObject({ reaction: 'confused' });
    // What our comment said before has its seal, and whoever maintains the repository can put it back (67).
    const { id: comment_id, body } = asking;
    await stage.as('alice').rest.issues.updateComment({ ...repo.where, comment_id, body: body! });
    expect(await repo.command(number, '/portico approve', 'alice')).toMatchObject({ reaction: 'confused' });
    expect((await repo.tags()).has('web/v2')).toBe(true);

    const object = await repo.git('rev-parse', 'refs/tags/web/v2');
    await repo.command(number, '/portico delete web@v2', 'bob');
    expect((await repo.command(number, '/portico approve web@v2', 'alice')).reaction).toBe('rocket');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    expect(await repo.releases()).toEqual(['web/v1']);
    expect(await repo.git('rev-parse', 'refs/portico/published/web/v2')).toBe(object);
    expect((await repo.comments(number)).filter(({ body }) => body?.includes('is retired:'))).toHaveLength(1);
    expect(await repo.sticky(two)).toContain('`web@v2` was retired');
    expect(await repo.command(number, '/portico delete web@v2', 'bob')).toMatchObject({
      reply: expect.stringContaining('is already retired'),
    });
    await repo.publish('three', change('three'));
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v3']);
  });
});

describe('a package', () => {
  test('is removed by a proposal, blocked with the list while somebody uses it; a rejected one changes nothing', async () => {
    const repo = stage.repository('up');
    const number = await issue('up');
    expect(await repo.command(number, '/portico delete nothing')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('There is no package `nothing`'),
    });
    expect(await repo.command(number, '/portico delete web')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('`acme/down:shop`'),
    });

    const by = await repo.propose('by-hand', { 'web/Kptfile': null, 'web/config.yaml': null });
    const check = (await repo.checksOf(by.number)).get('portico/deletion');
    expect(check).toMatchObject({
      conclusion: 'failure',
      output: { title: expect.stringContaining('1 package depends on') },
    });
    expect((await repo.command(by.number, '/portico explain')).reply).toContain(
      '**Proposed deletion** of `web`',
    );

    const left = await repo.propose('kptfile-alone', { 'db/Kptfile': null });
    expect((await repo.checksOf(left.number)).get('portico/deletion')).toMatchObject({
      conclusion: 'failure',
      output: {
        title: 'Files remain where a package is removed',
        summary: expect.stringContaining('db/config.yaml'),
      },
    });
    expect((await repo.checksOf(left.number)).get('portico')).toMatchObject({ conclusion: 'failure' });

    const before = await repo.head('main');
    const { reaction, reply } = await repo.command(number, '/portico delete db');
    expect(reaction).toBe('rocket');
    const [first] = (await repo.pulls()).filter(({ title }) => title === 'Delete db');
    expect(reply).toContain(`proposed in #${first!.number}`);
    expect(first!.draft).toBe(false);
    expect(await repo.sticky(first!.number)).toContain('### Proposal of a deletion: needs approval');
    expect((await repo.command(number, '/portico delete db')).reply).toContain('already proposed: #');
    await stage.as('alice').rest.pulls.update({ ...repo.where, pull_number: first!.number, state: 'closed' });
    await stage.idle();
    expect(await repo.head('main')).toBe(before);

    await repo.command(number, '/portico delete db');
    const second = (await repo.pulls()).find(({ title }) => title === 'Delete db')!;
    await repo.review(second.number, 'APPROVE');
    expect((await repo.command(second.number, '/portico publish')).reaction).toBe('rocket');
    expect(await repo.read('db/Kptfile')).toBeNull();
    expect(await repo.read('web/Kptfile')).not.toBeNull();
    expect(await repo.sticky(second.number)).toContain('### Deleted');
  });
});
