// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const PACKAGE = smallPackage('web');
const REF = 'refs/portico/paused/shop/updates';

beforeAll(async () => {
  stage = await startStage(
    { up: { files: below('web', PACKAGE) }, down: {} },
    { shares: true, watched: true },
  );
  const up = stage.repository('up');
  const at = await up.head('main');
  await up.tag('web/v1', at);
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', at);
  await stage.repository('down').push('main', below('shop', { ...PACKAGE, Kptfile }));
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('a pause whose push somebody overtakes is made again, on what the ref holds then', async () => {
  const down = stage.repository('down');
  const issue = await stage
    .as('alice')
    .rest.issues.create({ ...down.where, title: 'Quiet', body: 'We are on holiday.' });
  const other = await down.head('main');
  let [asked, overtaken] = [0, 0];
  const { reaction, reply } = await stage.watching(
    async ({ path }) => {
      // The first question decides the turn of the comment. The next one is after the bot has fetched, and before it pushes.
      if (path.includes('/collaborators/')) asked += 1;
      if (asked < 2 || overtaken > 0) return;
      overtaken += 1;
      await down.git('update-ref', REF, other);
    },
    () => down.command(issue.data.number, '/portico pause shop'),
  );
  expect(overtaken).toBe(1);
  expect([reaction, reply]).toEqual(['rocket', expect.stringContaining('Updates of `shop` are paused.')]);
  expect(stage.log.filter((line) => line.includes('REF_MOVED'))).not.toEqual([]);
  expect(await down.git('cat-file', '-t', REF)).toContain('tag');
  expect(await down.git('cat-file', 'tag', REF)).toContain('Paused-By: alice');
});
