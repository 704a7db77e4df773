// @module-tag story
import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hurryBackground } from '../../../localforge/src/background.ts';
import { eventually } from '../../e2e/eventually.ts';
import { assemble } from '../../function/wasm/wat.ts';
import { forkOf } from '../fork-of.ts';
import { kptfile, smallPackage, step } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let main: StageRepository;
/** rita may only read; the fork is hers. */
let fork: StageRepository;

const under = (directory: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]));

/** A function that gives back what it gets; its bytes are all ASCII, so that a text can hold them. */
const ECHO = Buffer.from(
  assemble(`(module
    (import "wasi_snapshot_preview1" "fd_read" (func (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func (export "_start") (loop
      (i32.store (i32.const 0) (i32.const 16))
      (i32.store (i32.const 4) (i32.const 63))
      (drop (call 0 (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 4)))
      (drop (call 1 (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
      (br_if 0 (i32.load (i32.const 4))))))`),
).toString('ascii');

const SPEC = `branch: main
publish: { requireApprovals: 1 }
functions:
- image: example.com/mine:v1
  wasm: functions/echo.wasm
  sha256: ${createHash('sha256').update(ECHO).digest('hex')}`;

beforeAll(async () => {
  stage = await startStage({
    packages: {
      spec: SPEC,
      files: {
        'functions/echo.wasm': ECHO,
        ...under(
          'one',
          smallPackage('one', { mutators: [step('set-namespace:v0.4.1', { namespace: 'shop' })] }),
        ),
      },
    },
  });
  main = stage.repository('packages');
  const { data } = await stage.as('rita').rest.repos.createFork(main.where);
  expect(data).toMatchObject({
    full_name: 'rita/packages',
    fork: true,
    parent: { full_name: 'acme/packages' },
  });
  fork = forkOf(stage, 'rita', 'packages');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function pullRef(number: number): Promise<string> {
  return main.git('for-each-ref', '--format=%(objectname)', `refs/pull/${number}/head`);
}

async function proposeFromFork(branch: string, files: Readonly<Record<string, string>>): Promise<number> {
  await fork.push(branch, files);
  const { data } = await stage
    .as('rita')
    .rest.pulls.create({ ...main.where, title: branch, head: `rita:${branch}`, base: 'main' });
  await main.command(data.number, 'nothing for a bot', 'rita');
  return data.number;
}

const withStep = (image: string): Record<string, string> => ({
  'one/Kptfile': kptfile('one', [
    step('set-namespace:v0.4.1', { namespace: 'shop' }),
    `    - image: ${image}\n`,
  ]),
});

describe('a proposal from a fork', () => {
  test('is looked at while refs/pull/N/head is behind: its head is fetched by its id', async () => {
    const { realism } = stage.forge.knobs;
    const usual = realism.pullRefLag;
    // Longer than any test: the ref does not come by itself.
    realism.pullRefLag = { share: 1, ms: 600_000 };
    try {
      await fork.push('late', { 'notes.txt': 'one\n' });
      const opening = { ...main.where, title: 'late', head: 'rita:late', base: 'main' };
      const { data } = await stage.as('rita').rest.pulls.create(opening);
      const looked = async (sha: string): Promise<boolean> => (await main.checks(sha)).has('portico');
      await eventually('the first look', () => looked(data.head.sha));
      expect(await pullRef(data.number)).toBe('');
      const second = await fork.push('late', { 'notes.txt': 'two\n' });
      await eventually('the second look', async () => {
        await main.say(data.number, 'pushed', 'rita');
        return looked(second);
      });
      expect(await pullRef(data.number)).toBe('');
      await main.pull(data.number);
      await stage.as('rita').rest.pulls.update({ ...main.where, pull_number: data.number, state: 'closed' });
    } finally {
      realism.pullRefLag = usual;
      hurryBackground(stage.forge.context);
    }
    await stage.idle();
  });

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
    expect((await main.checksOf(number)).get('portico')).toMatchObject({ conclusion: 'action_required' });
  });

  test('is published by those who may, at the commit that was approved; its author may not', async () => {
    const [pull] = await main.pulls();
    const refused = await main.command(pull!.number, '/portico publish', 'rita');
    expect(refused.reaction).toBe('confused');
    await main.review(pull!.number, 'APPROVE');
    // Nobody tells Portico who pushed to a private fork.
    await main.review(pull!.number, 'APPROVE', undefined, 'carol');
    const { reaction } = await main.command(pull!.number, '/portico publish', 'alice');
    expect(reaction).toBe('rocket');
    expect([...(await main.tags()).keys()]).toEqual(['one/v1']);
    expect((await main.pull(pull!.number)).merged).toBe(true);
    expect(await fork.head('red')).toBe(pull!.head.sha);
  });

  test('runs built-in functions alone, and says so; from a branch the allowed ones run too', async () => {
    const number = await proposeFromFork('foreign', withStep('example.com/mine:v1'));
    const { number: own } = await main.propose('own', withStep('example.com/mine:v1'));
    const { number: other } = await main.propose('other', {
      ...withStep('example.com/other:v1'),
      '.github/portico.yaml': (await main.read('.github/portico.yaml'))!.replace('mine:v1', 'other:v1'),
    });
    const said = async (pull: number): Promise<[string | null, string]> => {
      const { conclusion, output } = (await main.checksOf(pull)).get('portico/render')!;
      return [conclusion, `${output.summary} ${output.text}`];
    };
    expect(await said(number)).toEqual([
      'failure',
      expect.stringContaining('mine:v1 was not run: the proposal comes from a fork'),
    ]);
    expect(await said(own)).toEqual(['success', expect.stringContaining('mine:v1')]);
    // What the proposal itself would allow counts for nothing.
    expect(await said(other)).toEqual(['failure', expect.stringContaining('other:v1 cannot run here')]);
  });

  test('whose fork is deleted stays as it is', async () => {
    const pull = (await main.pulls()).find(({ title }) => title === 'foreign');
    await stage.as('rita').rest.repos.delete(fork.where);
    await stage.look('packages');
    expect(await main.pull(pull!.number)).toMatchObject({
      state: 'open',
      head: { repo: null, sha: pull!.head.sha },
    });
    expect((await main.checksOf(pull!.number)).get('portico')).toMatchObject({ conclusion: 'failure' });
  });
});
