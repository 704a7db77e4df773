// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Two drafts of one package: the second is brought what the first published, and nothing is lost on the way. */
let stage: Stage;

const data = (of: Record<string, string>): Record<string, string> => ({
  'web/config.yaml': configMap('web', of),
});
const FILES = {
  ...below('web', smallPackage('web', { data: { color: 'blue', size: 'small', shape: 'round' } })),
  ...below('other', smallPackage('other')),
};

beforeAll(async () => {
  stage = await startStage({
    clean: { files: FILES },
    meet: { files: FILES },
    gone: { files: FILES },
    button: { files: FILES },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('the base moved for the same package', () => {
  test('changes that do not meet are merged into the branch, and what was approved is asked again', async () => {
    const repo = stage.repository('clean');
    const first = await repo.propose('one', data({ color: 'red', size: 'small', shape: 'round' }));
    const second = await repo.propose('two', data({ color: 'blue', size: 'large', shape: 'round' }));
    await repo.review(first.number, 'APPROVE');
    await repo.review(second.number, 'APPROVE');
    expect((await repo.command(first.number, '/portico publish')).reaction).toBe('rocket');

    const after = await repo.pull(second.number);
    expect(after.head.sha).not.toBe(second.head.sha);
    const parents = await repo.git('log', '-1', '--format=%P', after.head.sha);
    expect(parents).toBe(`${second.head.sha} ${await repo.head('main')}`);
    expect(await repo.read('web/config.yaml', after.head.sha)).toBe(
      data({ color: 'red', size: 'large', shape: 'round' })['web/config.yaml'],
    );
    const checks = await repo.checksOf(second.number);
    expect(checks.get('portico/conflicts')?.conclusion).toBe('success');
    expect(checks.get('portico')?.conclusion).toBe('action_required');
    expect(await repo.command(second.number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('`bob` (it was given for other content)'),
    });
    expect(await stage.writesOf(() => stage.look('clean'), 'clean')).toEqual([]);
    await repo.review(second.number, 'APPROVE');
    expect((await repo.command(second.number, '/portico publish')).reaction).toBe('rocket');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v2']);
  });

  test('what meets is listed, never lost, and settled by command or by a commit to the field', async () => {
    const repo = stage.repository('meet');
    const mine = { color: 'green', size: 'large', shape: 'square' };
    const second = await repo.propose('two', data(mine));
    await repo.publish('one', data({ color: 'red', size: 'tiny', shape: 'flat' }));

    // What the proposal is for stays to be seen in it.
    const merged = await repo.pull(second.number);
    const taken = mine;
    expect(await repo.read('web/config.yaml', merged.head.sha)).toBe(data(taken)['web/config.yaml']);
    expect(merged.changed_files).toBe(1);
    const check = (await repo.checksOf(second.number)).get('portico/conflicts');
    expect(check).toMatchObject({
      conclusion: 'action_required',
      output: { title: 'Open: ConfigMap/web data.color, and 2 more' },
    });
    const row = '| 1 | `config.yaml` | `ConfigMap/web data.color` | `blue` | `red` | `green` | local |';
    expect(check?.output.summary).toContain(row);
    const told = await repo.sticky(second.number);
    expect(told).toContain(
      '`main`, or the upstream of the package, changed the same fields or lines as this proposal.',
    );
    expect(told).toContain(row);
    expect(await repo.command(second.number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('3 merge conflicts are not settled'),
    });
    const explained = (await repo.command(second.number, '/portico explain', 'rita')).reply;
    expect(explained).toContain('❌ 3 merge conflicts are not settled.');
    expect(explained).toContain('Who can: the role write or higher.');

    // A person edits another line of the file: nothing is settled by that.
    await repo.push('two', data({ ...taken, more: 'much' }));
    await stage.idle();
    expect((await repo.checksOf(second.number)).get('portico/conflicts')?.output.title).toBe(
      'Open: ConfigMap/web data.color, and 2 more',
    );

    // The registered branch moves once more, elsewhere in the package: the conflicts stay.
    await repo.push('main', { 'web/extra.yaml': configMap('extra', { a: 'b' }) });
    await stage.idle();
    expect((await repo.checksOf(second.number)).get('portico/conflicts')?.output.title).toBe(
      'Open: ConfigMap/web data.color, and 2 more',
    );

    expect(await repo.command(second.number, '/portico resolve 9 local')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('Open: 1, 2, 3.'),
    });
    expect((await repo.command(second.number, '/portico resolve 1 local', 'rita')).reaction).toBe('confused');
    const two = await repo.command(
      second.number,
      '/portico resolve 1 local\n/portico resolve 2 upstream\n/portico resolve 2 upstream',
    );
    expect(two.reaction).toBe('rocket');
    expect(await repo.read('web/config.yaml', (await repo.pull(second.number)).head.sha)).toBe(
      data({ ...taken, size: 'tiny', more: 'much' })['web/config.yaml'],
    );
    expect((await repo.checksOf(second.number)).get('portico/conflicts')?.output.title).toBe(
      'Open: ConfigMap/web data.shape',
    );
    await repo.push('two', data({ ...taken, size: 'tiny', shape: 'oval', more: 'much' }));
    await stage.idle();
    expect((await repo.checksOf(second.number)).get('portico')?.conclusion).toBe('action_required');
    await repo.review(second.number, 'APPROVE');
    await repo.review(second.number, 'APPROVE', undefined, 'carol');
    expect((await repo.command(second.number, '/portico publish')).reaction).toBe('rocket');
    expect(await repo.read('web/config.yaml', 'web/v2')).toContain(
      'color: green\n  size: tiny\n  shape: oval',
    );
    expect(await repo.read('web/extra.yaml', 'web/v2')).not.toBeNull();

    // Merged by the button with an open conflict, it would take back what was published before.
    const third = await repo.propose('three', data({ color: 'third' }));
    await repo.publish('four', data({ color: 'fourth' }), '/portico publish', ['bob', 'carol']);
    await repo.review(third.number, 'APPROVE');
    await repo.press(third.number);
    await stage.idle();
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v2', 'web/v3']);

    const same = await repo.propose('same', data({ color: 'same' }));
    await repo.push('same', { 'web/config.yaml': await repo.read('web/config.yaml', 'main') });
    await stage.idle();
    expect(await repo.sticky(same.number)).toContain('Nothing differs from `main`');
  });

  test('merged by the button before that, it is not what was approved: flagged, and published with the next', async () => {
    const repo = stage.repository('button');
    const first = await repo.propose('one', data({ color: 'red' }));
    const second = await repo.propose('two', { 'web/extra.yaml': configMap('extra', { a: 'b' }) });
    for (const { number } of [first, second]) await repo.review(number, 'APPROVE');
    expect(await repo.sticky(second.number)).toContain('Approved for this content by bob.');
    await stage.stopBot();
    await repo.press(first.number);
    const sha = await repo.press(second.number);
    await stage.startBot();
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    const check = (await repo.checks(sha)).get('portico/publication');
    expect(check?.output.summary).toContain(`#${second.number}, merged without the required approvals`);
    const third = { 'web/third.yaml': configMap('third', { a: 'b' }) };
    await repo.publish('three', third, '/portico publish', ['bob', 'carol']);
    expect(await repo.read('web/extra.yaml', 'web/v2')).not.toBeNull();
  });

  test('a package that one side removed is left to people', async () => {
    const repo = stage.repository('gone');
    const removal = await repo.propose('remove', { 'web/Kptfile': null, 'web/config.yaml': null });
    const other = await repo.propose('both', { ...data({ color: 'red' }), 'other/config.yaml': 'x: y\n' });
    await repo.push('main', { 'web/config.yaml': configMap('web', { color: 'new' }) });
    await stage.idle();
    const check = (await repo.checksOf(removal.number)).get('portico/conflicts');
    expect(check?.conclusion).toBe('failure');
    expect(check?.output.summary).toContain('The proposal removes `web`');
    expect((await repo.pull(removal.number)).head.sha).toBe(removal.head.sha);
    expect((await repo.pull(other.number)).head.sha).not.toBe(other.head.sha);
  });
});
