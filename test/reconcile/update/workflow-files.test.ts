import { afterAll, beforeAll, expect } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { STORIES, longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Without the permission for workflows the forge takes from an App only commits whose workflow files some branch has. */
let stage: Stage;

const CI = '.github/workflows/ci.yml';
const workflow = (top: string, bottom: string): string =>
  `# ${top}\non: push\n# 1\n# 2\n# 3\n# 4\n# ${bottom}\n`;
const web = (color: string, size = 'small'): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color, a: 'a', b: 'b', c: 'c', d: 'd', size }),
});

beforeAll(async () => {
  stage = await startStage({
    ...(STORIES && { tagged: { files: { ...below('web', smallPackage('web')), [CI]: workflow('a', 'a') } } }),
    asked: { files: { ...below('web', smallPackage('web')), [CI]: workflow('a', 'a') } },
    merged: {
      files: {
        ...below('web', smallPackage('web')),
        ...web('blue'),
        [CI]: workflow('a', 'a'),
      },
    },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

longTest(
  'a merge whose workflow files are those of neither side is left to a person, and says why',
  async () => {
    const repo = stage.repository('merged');
    const first = await repo.propose('one', web('red'));
    const second = await repo.propose('two', {
      ...web('blue', 'large'),
      [CI]: workflow('a', 'mine'),
    });
    await repo.push('main', { [CI]: workflow('theirs', 'a') });
    await repo.review(first.number, 'APPROVE');
    expect((await repo.command(first.number, '/portico publish')).reaction).toBe('rocket');
    expect((await repo.pull(second.number)).head.sha).toBe(second.head.sha);
    const check = (await repo.checksOf(second.number)).get('portico/conflicts');
    expect(check?.conclusion).not.toBe('success');
    const said = `${check?.output.summary} ${await repo.sticky(second.number)}`;
    expect(said).toMatch(
      /no branch holds the workflow files that it would bring \(\.github\/workflows\/ci\.yml\)/,
    );
    expect(said).toMatch(/Merge the registered branch into this one by hand/);

    // A person may, and Portico goes on from there.
    await stage.as('alice').rest.repos.merge({ ...repo.where, base: 'two', head: 'main' });
    await stage.idle();
    expect((await repo.checksOf(second.number)).get('portico/conflicts')?.conclusion).toBe('success');
  },
);

longTest(
  'a merge before a workflow change is tagged: later, where the package is the same, or where a branch holds it',
  async () => {
    const repo = stage.repository('tagged');
    // A branch that stays holds the workflow files that it has.
    await stage.as('alice').rest.repos.update({ ...repo.where, delete_branch_on_merge: true });
    const first = await repo.propose('one', web('red'));
    await repo.review(first.number, 'APPROVE');

    // Nobody tags while the bot is away.
    await stage.stopBot();
    await repo.press(first.number);
    const moved = await repo.push('main', { [CI]: workflow('b', 'a') });
    await stage.startBot();
    await stage.sweep();
    expect((await repo.tags()).get('web/v1')).toBe(moved);
    expect(await repo.tagMessage('web/v1')).toContain(`Proposal: #${first.number}`);
    expect(await repo.releases()).toEqual(['web/v1']);

    const second = await repo.propose('two', below('db', smallPackage('db')));
    await repo.review(second.number, 'APPROVE');

    // Where no later commit holds the same package, a person is told what helps.
    await stage.stopBot();
    const merge = await repo.press(second.number);
    await repo.push('main', {
      [CI]: workflow('c', 'a'),
      'db/config.yaml': configMap('db', { color: 'green' }),
    });
    await stage.startBot();
    await stage.sweep();
    expect((await repo.tags()).has('db/v1')).toBe(false);
    const told = (await repo.checks(await repo.head('main'))).get('portico/publication');
    expect(`${told?.output.title} ${told?.output.summary}`).toMatch(
      /no branch holds the workflow files of .*git push origin [0-9a-f]{40}:refs\/heads\/tag-me.*permission Workflows/s,
    );
    await stage.as('alice').rest.git.createRef({ ...repo.where, ref: 'refs/heads/tag-me', sha: merge });
    await stage.sweep();
    expect((await repo.tags()).get('db/v1')).toBe(merge);

    // An App that was given the permission uses it.
    const third = await repo.propose('three', below('api', smallPackage('api')));
    await repo.review(third.number, 'APPROVE');
    await stage.stopBot();
    const last = await repo.press(third.number);
    await repo.push('main', {
      [CI]: workflow('d', 'a'),
      'api/config.yaml': configMap('api', { color: 'green' }),
    });
    const { installations } = stage.forge.context.records;
    const before = installations.all();
    for (const { id, permissions } of before) {
      installations.update(id, { permissions: { ...permissions, workflows: 'write' } });
    }
    await stage.startBot();
    await stage.sweep();
    expect((await repo.tags()).get('api/v1')).toBe(last);
    for (const { id, permissions } of before) installations.update(id, { permissions });
    // What it was granted is remembered for a while.
    await stage.stopBot();
    await stage.startBot();
  },
);

longTest(
  'what changes a workflow is not merged by the App: whoever asks is told why, and a merge by hand is tagged',
  async () => {
    const repo = stage.repository('asked');
    const { number } = await repo.propose('three', { ...web('red'), [CI]: workflow('b', 'b') });
    await repo.review(number, 'APPROVE');
    const { reaction, reply } = await repo.command(number, '/portico publish');
    expect(reaction).toBe('confused');
    expect(reply).toMatch(
      /does not let the App merge it: refusing .*`?\.github\/workflows\/ci\.yml.*permission Workflows\. Merge it yourself/s,
    );
    await repo.merge(number);
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
  },
);
