import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { kptfile, smallPackage, step } from './small-package.ts';
import { stageRepository, type StageRepository } from './stage-repository.ts';
import { startStage, type Stage } from './stage.ts';

let stage: Stage;
let main: StageRepository;
/** rita may only read; the fork is hers. */
let fork: StageRepository;

const under = (directory: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]));

beforeAll(async () => {
  stage = await startStage({
    packages: {
      files: under(
        'one',
        smallPackage('one', { mutators: [step('set-namespace:v0.4.1', { namespace: 'shop' })] }),
      ),
    },
  });
  main = stage.repository('packages');
  const { data } = await stage.as('rita').rest.repos.createFork(main.where);
  expect(data).toMatchObject({
    full_name: 'rita/packages',
    fork: true,
    parent: { full_name: 'acme/packages' },
  });
  fork = stageRepository({
    forge: stage.forge,
    as: () => stage.as('rita'),
    idle: () => stage.forge.settled(),
    owner: 'rita',
    name: 'packages',
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function proposeFromFork(branch: string, files: Readonly<Record<string, string>>): Promise<number> {
  await fork.push(branch, files);
  const { data } = await stage
    .as('rita')
    .rest.pulls.create({ ...main.where, title: branch, head: `rita:${branch}`, base: 'main' });
  await main.command(data.number, 'nothing for a bot', 'rita');
  return data.number;
}

describe('a proposal from a fork', () => {
  test('is checked; nothing is written there, and the rendering is shown as a patch', async () => {
    let number = 0;
    const before = {
      'one/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  color: red\n',
    };
    const writes = await stage.writesOf(async () => {
      number = await proposeFromFork('red', before);
    });
    expect(await fork.read('one/config.yaml', 'red')).toBe(before['one/config.yaml']);
    expect(writes.filter(({ what }) => what.includes('git-receive-pack'))).toEqual([]);
    const pull = await main.pull(number);
    expect(pull.head).toMatchObject({ label: 'rita:red', repo: { full_name: 'rita/packages' } });
    const checks = await main.checksOf(number);
    expect(checks.get('portico/render')).toMatchObject({ conclusion: 'failure' });
    expect(checks.get('portico/render')!.output.text).toContain('+  namespace: shop');
    expect(checks.get('portico')).toMatchObject({ conclusion: 'failure' });

    await fork.push('red', {
      'one/config.yaml': before['one/config.yaml'].replace('name: one\n', 'name: one\n  namespace: shop\n'),
    });
    await main.command(number, 'pushed', 'rita');
    expect((await main.checksOf(number)).get('portico')).toMatchObject({ conclusion: 'success' });
  });

  test('is published by those who may, at the commit that was approved; its author may not', async () => {
    const [pull] = await main.pulls();
    const refused = await main.command(pull!.number, '/portico publish', 'rita');
    expect(refused.reaction).toBe('confused');
    await main.review(pull!.number, 'APPROVE');
    const { reaction } = await main.command(pull!.number, '/portico publish', 'alice');
    expect(reaction).toBe('rocket');
    expect([...(await main.tags()).keys()]).toEqual(['one/v1']);
    expect((await main.pull(pull!.number)).merged).toBe(true);
    expect(await fork.head('red')).toBe(pull!.head.sha);
  });

  test('runs built-in functions alone, and says so', async () => {
    const number = await proposeFromFork('foreign', {
      'one/Kptfile': kptfile('one', [
        step('set-namespace:v0.4.1', { namespace: 'shop' }),
        '    - image: example.com/mine:v1\n',
      ]),
    });
    const check = (await main.checksOf(number)).get('portico/render');
    expect(check).toMatchObject({ conclusion: 'failure' });
    expect(`${check!.output.summary}${check!.output.text}`).toContain('example.com/mine:v1');
  });

  test('whose fork is deleted stays as it is', async () => {
    const [pull] = await main.pulls();
    await stage.as('rita').rest.repos.delete(fork.where);
    await stage.look('packages');
    expect(await main.pull(pull!.number)).toMatchObject({
      state: 'open',
      head: { repo: null, sha: pull!.head.sha },
    });
    expect((await main.checksOf(pull!.number)).get('portico')).toMatchObject({ conclusion: 'failure' });
  });
});
