import { afterAll, beforeAll, expect } from 'vitest';

import { branchRuleset } from '../../../src/config/ruleset.ts';
import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Updates where a ruleset requires `portico` and approvals are asked for: of people, or of the configuration. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'blue' } });
const color = (name: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color: name }),
});

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      alone: { spec: 'branch: main\nupdates: { follow: latest, automerge: all }' },
      people: { spec: 'branch: main\nupdates: { follow: latest }' },
    },
    { shares: true },
  );
  const up = stage.repository('up');
  await up.publish('one', color('first'));
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  for (const name of ['alone', 'people']) {
    const repo = stage.repository(name);
    await repo.publish(
      'start',
      below('shop', { ...PACKAGE, 'config.yaml': color('first')['web/config.yaml']!, Kptfile }),
    );
    await stage
      .as('alice')
      .rest.repos.createRepoRuleset({ ...repo.where, ...branchRuleset('main', stage.forge.app.id) });
  }
  await stage.idle();
  await up.publish('two', color('second'));
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** What its only update is. */
async function updateOf(
  repo: StageRepository,
): Promise<Awaited<ReturnType<StageRepository['pulls']>>[number] | undefined> {
  return (await repo.pulls('all')).find(({ head }) => head.ref.startsWith('portico/update/'));
}

longTest(
  'automerge: the configuration has approved it, the check says so, and the ruleset lets it pass',
  async () => {
    const repo = stage.repository('alone');
    const update = await updateOf(repo);
    expect(update).toMatchObject({ merged: true, merged_by: { login: 'portico[bot]' } });
    const checks = await repo.checks(update!.head.sha);
    expect(checks.get('portico/approval')).toMatchObject({
      conclusion: 'neutral',
      output: { title: 'No approval is required: updates.automerge lets this update merge automatically.' },
    });
    expect(checks.get('portico')?.conclusion).toBe('success');
    expect([...(await repo.tags()).keys()]).toEqual(['shop/v1', 'shop/v2']);
    expect(await repo.tagMessage('shop/v2')).not.toContain('Approved-by');
  },
);

longTest('without it the update waits for a person', async () => {
  const repo = stage.repository('people');
  const update = await updateOf(repo);
  expect(update?.merged).toBe(false);
  expect((await repo.checks(update!.head.sha)).get('portico/approval')).toMatchObject({
    conclusion: 'action_required',
    output: { title: 'Needs 1 approval: anyone with write access.' },
  });
  expect(await stage.writesOf(() => stage.look('people'), 'people')).toEqual([]);
});
