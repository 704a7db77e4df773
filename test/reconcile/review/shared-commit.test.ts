import { setTimeout } from 'node:timers/promises';

import { expect } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** `b` stands on a commit of `a`, which brings a file, and takes that back: so far that is no difference. */
async function twoThatShare(
  stage: Stage,
): Promise<{ readonly web: StageRepository } & Record<'a' | 'b', { readonly number: number }>> {
  const web = stage.repository('web');
  await web.push('a', { 'web/extra.yaml': configMap('extra', { kept: 'here' }) });
  const a = await web.open('a');
  await web.push(
    'b',
    { 'web/extra.yaml': null, 'web/config.yaml': configMap('web', { color: 'red' }) },
    { from: 'a' },
  );
  return { web, a, b: await web.open('b') };
}

longTest(
  'a file that came by another proposal is not removed by an approval that never showed it (64)',
  async () => {
    await using stage = await startStage({ web: { files: below('web', smallPackage('web')) } });
    const { web, a, b } = await twoThatShare(stage);
    await web.review(b.number, 'APPROVE');
    await web.review(a.number, 'APPROVE');
    expect(await web.command(a.number, '/portico publish')).toMatchObject({ reaction: 'rocket' });

    const refused = await web.command(b.number, '/portico publish');
    expect(refused).toMatchObject({ reaction: 'confused' });
    expect(refused.reply).toContain('Needs 1 approval');
    expect(await web.read('web/extra.yaml')).toContain('kept');

    // The forge tells times by the second: what she could see has to be older than her words.
    await setTimeout(1_050);
    await web.review(b.number, 'APPROVE', 'I see that it goes.', 'carol');
    expect(await web.command(b.number, '/portico publish')).toMatchObject({ reaction: 'rocket' });
    expect(await web.read('web/extra.yaml')).toBeNull();
  },
);

longTest('nor by the button, while nobody looked (64)', async () => {
  await using stage = await startStage({ web: { files: below('web', smallPackage('web')) } });
  const { web, a, b } = await twoThatShare(stage);
  await web.review(b.number, 'APPROVE', undefined, 'carol');
  await web.review(a.number, 'APPROVE', undefined, 'carol');
  await stage.stopBot();
  await web.press(a.number);
  await web.press(b.number);
  await stage.startBot();
  await stage.sweep();
  // What the first brought is published; that the second takes it away nobody was shown.
  expect([...(await web.tags()).keys()]).toEqual(['web/v1']);
  expect(await web.read('web/extra.yaml', (await web.tags()).get('web/v1'))).toContain('kept');
  expect(await web.sticky(b.number)).toContain('Merged without approval, not published');
});
