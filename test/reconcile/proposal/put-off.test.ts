import { afterAll, beforeAll, expect } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { manyFunctions } from '../../isolation/hostile-packages.ts';
import { longTest } from '../../long-test.ts';
import { forkOf } from '../fork-of.ts';
import { smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage, type Write } from '../stage.ts';

let stage: Stage;
let main: StageRepository;
/** rita may only read; the fork is hers. */
let fork: StageRepository;

/** Seconds of processor time: more than a proposal from a fork gets before it is put off. */
const LONG = manyFunctions(40);

beforeAll(async () => {
  stage = await startStage({
    packages: { private: false, spec: 'branch: main\npublish: { requireApprovals: 0 }' },
  });
  main = stage.repository('packages');
  await stage.as('rita').rest.repos.createFork(main.where);
  fork = forkOf(stage, 'rita', 'packages');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** Proposes from the fork; the numbers and what was written until all was done. */
async function propose(
  branch: string,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly number: number; readonly writes: readonly Write[] }> {
  await fork.push(branch, below(branch, files));
  let number = 0;
  const writes = await stage.writesOf(async () => {
    const asked = { ...main.where, title: branch, head: `rita:${branch}`, base: 'main' };
    number = (await stage.as('rita').rest.pulls.create(asked)).data.number;
  }, 'packages');
  return { number, writes };
}

const waits = (writes: readonly Write[]): number =>
  writes.filter(({ detail }) => JSON.stringify(detail).includes('Waiting for its turn')).length;

longTest(
  'a proposal of a fork that takes longer than its turn says that it waits, once, and has its answer later (61)',
  async () => {
    const { number, writes } = await propose('long', LONG);
    expect(waits(writes)).toBe(1);
    const check = (await main.checksOf(number)).get('portico');
    expect(check?.conclusion).toMatch(/success|failure/);
    expect(waits(await stage.writesOf(() => stage.look('packages'), 'packages'))).toBe(0);
  },
);

longTest(
  'whose proposals take long waits with others that do, until the next answers come (61)',
  async () => {
    await propose('long-too', { ...LONG, 'note.txt': 'another' });
    const { number, writes } = await propose('short', smallPackage('short'));
    expect(waits(writes)).toBe(1);
    expect((await main.checksOf(number)).get('portico')?.conclusion).toBe('success');
  },
);
