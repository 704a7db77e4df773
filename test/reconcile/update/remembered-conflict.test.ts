import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked, webPackage } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** A field that a downstream keeps, by a line that somebody asked for once. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'blue', size: 'small' } });
const data = (color: string, size = 'small'): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color, size }),
});
/** A package whose setter writes the replicas of its Deployment. */
function replicas(count: number): Record<string, string> {
  return Object.fromEntries(
    Object.entries(webPackage()).map(([path, text]) => [
      path,
      text.replace('replicas: "2"', `replicas: "${count}"`).replace('replicas: 2 #', `replicas: ${count} #`),
    ]),
  );
}

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      down: {},
      setters: { files: below('web', replicas(2)) },
      sized: {},
    },
    { shares: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

longTest('it is written into the package by command, and later updates keep it and say so', async () => {
  const [up, down] = [stage.repository('up'), stage.repository('down')];
  await up.publish('first', data('blue', 'medium'));
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  const mine = configMap('web', { color: 'mine', size: 'medium' });
  await down.push('main', { ...below('shop', { ...PACKAGE, Kptfile }), 'shop/config.yaml': mine });
  await up.publish('second', data('red', 'medium'));
  await stage.idle();
  const [update] = await down.pulls();
  expect((await down.checksOf(update!.number)).get('portico/conflicts')?.output.title).toBe(
    'Open: ConfigMap/web data.color',
  );
  expect(await down.command(update!.number, '/portico resolve 1 upstream --remember')).toMatchObject({
    reaction: 'confused',
    reply: expect.stringContaining('--remember is for what stays local'),
  });
  const settled = await down.command(update!.number, '/portico resolve 1 local --remember');
  expect(settled).toMatchObject({
    reaction: 'rocket',
    reply: expect.stringContaining('`portico-merge.yaml` says now that this package keeps it'),
  });
  const { head } = await down.pull(update!.number);
  expect(await down.read('shop/config.yaml', head.sha)).toBe(mine);
  expect(await down.read('shop/portico-merge.yaml', head.sha)).toMatch(
    /path: data\.color\n +upstream: changes\n +by: alice\n/,
  );
  await down.merge(update!.number);

  await up.publish('third', data('green', 'large'));
  await stage.idle();
  const [next] = await down.pulls();
  expect(next?.title).toBe('Update shop to upstream v3');
  expect((await down.checksOf(next!.number)).get('portico/conflicts')?.conclusion).not.toBe(
    'action_required',
  );
  expect(await down.read('shop/config.yaml', next!.head.sha)).toBe(
    configMap('web', { color: 'mine', size: 'large' }),
  );
  expect(next?.body).toContain(
    'ConfigMap web data.color stays "mine", as portico-merge.yaml says; upstream has "green".',
  );
});

longTest('a field that a remembered setter writes is no conflict in later updates', async () => {
  const [up, down] = [stage.repository('setters'), stage.repository('sized')];
  await up.publish('first', below('web', replicas(3)));
  const lock = (await up.tags()).get('web/v1')!;
  const mine = replicas(7);
  const Kptfile = locked(mine['Kptfile']!, up.url, 'web', 'web/v1', lock);
  await down.push('main', below('shop', { ...mine, Kptfile }));
  await up.publish('second', below('web', replicas(5)));
  await stage.idle();
  const [update] = await down.pulls();
  expect((await down.command(update!.number, '/portico resolve 1 local --remember')).reaction).toBe('rocket');
  await down.merge(update!.number);

  await up.publish('third', below('web', replicas(6)));
  await stage.idle();
  const [next] = await down.pulls();
  expect(next?.title).toBe('Update shop to upstream v3');
  expect(next?.body).toContain(
    'ConfigMap setters data.replicas stays "7", as portico-merge.yaml says; upstream has "6".',
  );
  expect(next?.body).not.toMatch(/\*\*\d+ conflicts?/);
  expect(next?.body).toContain(
    'Each one follows the field that its function reads: `shop/deployment.yaml` `spec.replicas`',
  );
  expect((await down.checksOf(next!.number)).get('portico/conflicts')?.conclusion).not.toBe(
    'action_required',
  );
  expect(await down.read('shop/deployment.yaml', next!.head.sha)).toBe(mine['deployment.yaml']);
});
