// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const change = (name: string): Record<string, string> => ({
  [`${name}/config.yaml`]: configMap(name, { color: 'red' }),
});

const PACKAGE = smallPackage('web');

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      many: {
        files: {
          ...below('a', smallPackage('a')),
          ...below('b', smallPackage('b')),
          ...below('c/d', smallPackage('d')),
        },
      },
    },
    { watched: true, shares: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('a plan first, then by the same person, each with its own rights; broken off, it goes on', async () => {
  const repo = stage.repository('many');
  const { data } = await stage.as('bob').rest.issues.create({ ...repo.where, title: 'All at once' });
  const issue = data.number;
  const plan = async (): Promise<string> =>
    (await repo.comments(issue))
      .map(({ body }) => body ?? '')
      .findLast((body) => body.startsWith('<!-- portico:bulk'))!;
  const [a, b, d] = [
    await repo.propose('one', change('a')),
    await repo.propose('two', change('b'), { as: 'bob' }),
    await repo.propose('three', change('c/d'), { draft: true }),
  ];

  expect((await repo.command(issue, '/portico confirm', 'bob')).reply).toContain('You have no plan');
  const dry = await repo.command(issue, "/portico bulk approve '--match=*' --dry-run", 'bob');
  expect(dry.reply).toContain('This is a dry run');
  expect((await repo.command(issue, '/portico bulk approve --match=x/*', 'bob')).reaction).toBe('confused');
  expect((await repo.command(issue, "/portico bulk approve '--match=*'", 'rita')).reaction).toBe('confused');

  expect((await repo.command(issue, "/portico bulk approve '--match=*'", 'bob')).reaction).toBe('rocket');
  expect(await plan()).toContain(`| 1 | \`#${b.number}: b\` | \`approve\` |  |  |`);
  expect(await plan()).not.toContain(`#${d.number}`);
  expect((await repo.command(issue, '/portico confirm', 'carol')).reply).toContain('You have no plan');
  expect(await repo.sticky(a.number)).toContain('Needs 1 approval: anyone with write access');

  // The forge fails after the first item.
  let calls = 0;
  const answered = await stage.watching(
    async ({ path, method }) => {
      if (method === 'GET' && path.endsWith(`/pulls/${a.number}`) && ++calls === 1) return 502;
      return undefined;
    },
    () => repo.command(issue, '/portico confirm', 'bob'),
  );
  expect(calls).toBeGreaterThan(1);
  expect(answered.reaction).toBe('rocket');
  expect(answered.reply).toContain('1 of 2 items could not be done');
  const done = await plan();
  expect(done).toContain('**1 of 2 items are done, 1 could not be done.**');
  // The whole reason, up to the end of the row.
  expect(done).toContain('| 😕 | You opened this pull request.');
  expect(done).not.toContain('…');
  expect(await repo.sticky(a.number)).toContain('Approved for this content by bob.');
  expect(await repo.sticky(b.number)).toContain('Needs 1 approval: anyone with write access');
  expect((await repo.comments(a.number)).filter(({ body }) => body?.includes('portico:record'))).toHaveLength(
    1,
  );

  await repo.command(issue, "/portico bulk close '--match=**'", 'bob');
  await repo.command(issue, '/portico confirm', 'bob');
  expect(await repo.pulls()).toEqual([]);
});

test('updates and rollbacks are for packages', async () => {
  const up = stage.repository('up');
  await up.publish('v1', { 'web/config.yaml': configMap('web', { color: 'one' }) });
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  const many = stage.repository('many');
  await many.push('main', { ...below('e', { ...PACKAGE, Kptfile }), ...below('f', { ...PACKAGE, Kptfile }) });
  await stage.idle();
  await up.publish('v2', { 'web/config.yaml': configMap('web', { color: 'two' }) });
  const { data } = await stage.as('bob').rest.issues.create({ ...many.where, title: 'Update all' });
  await many.command(data.number, "/portico bulk update '--match=*' --upstream=acme/up", 'bob');
  const plans = (await many.comments(data.number)).map(({ body }) => body ?? '').join('\n');
  expect(plans).toContain('`e: upstream v1 → latest of acme/up/web`');
  expect((await many.command(data.number, '/portico confirm', 'bob')).reaction).toBe('rocket');
  expect((await many.pulls()).map(({ title }) => title).sort()).toEqual([
    'Update e to upstream v2',
    'Update f to upstream v2',
  ]);

  const issue = (await stage.as('bob').rest.issues.create({ ...up.where, title: 'Back' })).data.number;
  await up.command(issue, '/portico bulk rollback --match=web --to=v1', 'bob');
  expect((await up.command(issue, '/portico confirm', 'bob')).reaction).toBe('rocket');
  expect((await up.pulls()).map(({ draft }) => draft)).toEqual([true]);
});
