// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { MERGE_QUEUE } from '../../../localforge/test/merge-queue-rule.ts';
import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let main: StageRepository;

beforeAll(async () => {
  stage = await startStage(
    {
      versions: {
        spec: 'branch: main\nversioning: semver\npublish: { requireApprovals: 1 }',
        files: below('web', smallPackage('web')),
      },
      packages: {
        files: Object.fromEntries(
          ['one', 'two', 'three'].flatMap((name) =>
            Object.entries(smallPackage(name)).map(([path, text]) => [`${name}/${path}`, text]),
          ),
        ),
      },
    },
    { watched: true },
  );
  main = stage.repository('packages');
  for (const { where } of [main, stage.repository('versions')]) await demandQueue(where);
});

/** The registered branch takes what comes through a merge queue, and that only with our check. */
async function demandQueue(where: StageRepository['where']): Promise<void> {
  await stage.as('alice').rest.repos.createRepoRuleset({
    ...where,
    name: 'queue',
    enforcement: 'active',
    // The App may merge past it, and does not.
    bypass_actors: [{ actor_id: stage.forge.app.id, actor_type: 'Integration', bypass_mode: 'always' }],
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
    rules: [
      MERGE_QUEUE,
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: 'portico' }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  });
}

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('with a merge queue publish puts the head into it, and what the queue merges is tagged (32)', async () => {
  const numbers: number[] = [];
  for (const name of ['one', 'two']) {
    const { number } = await main.propose(`drafts/${name}/next`, {
      [`${name}/config.yaml`]: configMap(name, { color: 'red' }),
    });
    await main.review(number, 'APPROVE');
    numbers.push(number);
  }
  const before = await main.head('main');
  const said = await Promise.all(numbers.map((number) => main.say(number, '/portico publish')));
  await stage.sweep();
  for (const [index, number] of numbers.entries()) {
    const answer = await main.answerTo(number, said[index]!);
    expect([answer.reaction, answer.reply]).toEqual(['rocket', expect.stringContaining('merge queue')]);
    expect(await main.pull(number)).toMatchObject({ merged: true, state: 'closed' });
  }
  expect([...(await main.tags()).keys()].toSorted()).toEqual(['one/v1', 'two/v1']);
  // Each group's commit is on the branch and carries the check that let it in.
  const merges = (await main.git('rev-list', '--first-parent', `${before}..main`)).split('\n');
  expect(merges).toHaveLength(2);
  for (const sha of merges) {
    expect((await main.checks(sha)).get('portico')).toMatchObject({ conclusion: 'success' });
  }
  expect(await main.git('for-each-ref', 'refs/heads/gh-readonly-queue')).toBe('');
  expect(await stage.writesOf(() => stage.look('packages'))).toEqual([]);
});

test.each([
  // Each alone has one resource of the name; together the package has two.
  ['red', 'one', 1, ['a.yaml', 'b.yaml'], /"conclusion":"failure"/],
  // Nor may two files differ only in case, so that nothing can be rendered.
  ['unreadable', 'three', 0, ['note.md', 'NOTE.md'], /cannot be checked.*only in case/],
] as const)('two that are green apart and %s together: the queue refuses the second', async (...row) => {
  const [, name, newest, [one, other], says] = row;
  const propose = (file: string, branch: string) =>
    main.propose(`drafts/${name}/${branch}`, {
      [`${name}/${file}`]: configMap('twin', { color: 'red' }),
    });
  const first = await propose(one, 'a');
  const second = await propose(other, 'b');
  for (const { number } of [first, second]) await main.review(number, 'APPROVE');
  const said = await Promise.all([first, second].map(({ number }) => main.say(number, '/portico publish')));
  const writes = await stage.writesOf(() => stage.sweep(), 'packages');
  const outcomes = await Promise.all(
    [first, second].map(async ({ number }, index) => ({
      merged: (await main.pull(number)).merged,
      answer: await main.answerTo(number, said[index]!),
    })),
  );
  expect(outcomes.filter(({ merged }) => merged)).toHaveLength(1);
  expect((await main.tags()).has(`${name}/v${newest + 1}`)).toBe(true);
  expect((await main.tags()).has(`${name}/v${newest + 2}`)).toBe(false);
  // Whichever comes first takes it out of the queue: the failed check of its group, or the base that Portico merges into its
  // branch, which then needs approval again.
  const checks = writes.filter(({ what }) => what.endsWith('/check-runs'));
  const rejected = [first, second][outcomes.findIndex(({ merged }) => !merged)]!;
  const left = await main.checks((await main.pull(rejected.number)).head.sha);
  expect([JSON.stringify(checks), `left: ${left.get('portico')?.conclusion}`]).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`${says.source}|^left: action_required$`))]),
  );
});

test('a head that moves just before it goes into the queue does not go in (32)', async () => {
  const files = { 'two/config.yaml': configMap('two', { color: 'green' }) };
  const { number } = await main.propose('drafts/two/late', files);
  await main.review(number, 'APPROVE');
  let pushed = '';
  const answered = await stage.watching(
    async ({ path }) => {
      if (pushed !== '' || !path.endsWith('/graphql')) return;
      pushed = await main.push('drafts/two/late', {
        'two/config.yaml': configMap('two', { color: 'evil' }),
      });
    },
    () => main.command(number, '/portico publish'),
  );
  expect(pushed).not.toBe('');
  expect(answered).toMatchObject({ reaction: 'confused', reply: expect.stringContaining('moved') });
  expect((await main.pull(number)).merged).toBe(false);
  expect((await main.tags()).has('two/v2')).toBe(false);
});

test('what goes through the queue keeps who asked, and which part of the version goes up', async () => {
  const repo = stage.repository('versions');
  for (const [color, bump] of [
    ['red', 'minor'],
    ['green', 'major'],
    ['blue', 'patch'],
  ] as const) {
    const files = { 'web/config.yaml': configMap('web', { color }) };
    const { number } = await repo.propose(`drafts/web/${color}`, files);
    await repo.review(number, 'APPROVE');
    const said = await repo.say(number, `/portico publish ${bump}`, 'carol');
    await stage.sweep();
    expect((await repo.answerTo(number, said)).reaction).toBe('rocket');
  }
  expect([...(await repo.tags()).keys()]).toEqual(['web/v0.1.0', 'web/v1.0.0', 'web/v1.0.1']);
  expect(await repo.tagMessage('web/v1.0.0')).toContain('Requested-by: carol\n');
});

const CHANNELS = '.github/portico/channels/one.yaml';
const channelsOfOne = (members: string): string =>
  `apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: one\ndefaultChannel: stable\nchannels:\n- name: candidate\n  auto: all\n- name: stable\n  members: [${members}]\n`;

test('what it does to channels is checked again as the queue would merge it', async () => {
  const enqueue = async (pull: number): Promise<void> => {
    await main.review(pull, 'APPROVE');
    const { node_id: id } = await main.pull(pull);
    const wish =
      'mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { clientMutationId } }';
    await stage.as('alice').graphql(wish, { id });
    await stage.sweep();
  };
  const { number } = await main.propose('channels', { [CHANNELS]: channelsOfOne('v1') });
  await enqueue(number);
  expect((await main.pull(number)).merged).toBe(true);
  expect((await main.tags()).get('one/stable')).toBe((await main.tags()).get('one/v1'));
  const merged = await main.checks(await main.head('main'));
  expect([
    merged.get('portico/channels')?.output.title,
    merged.get('portico/graph')?.output.title,
    merged.get('portico')?.conclusion,
  ]).toEqual(['1 channel file in order', expect.stringMatching(/^one candidate: /), 'success']);
  // Neutral where it is about something else, so that it may be required.
  const { number: other } = await main.propose('drafts/two/after', {
    'two/config.yaml': configMap('two', { color: 'black' }),
  });
  await enqueue(other);
  const neutral = await main.checks(await main.head('main'));
  expect([
    neutral.get('portico/channels')?.conclusion,
    neutral.get('portico/graph')?.conclusion,
    neutral.get('portico')?.conclusion,
  ]).toEqual(['neutral', 'neutral', 'success']);
});
