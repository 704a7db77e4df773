import { expect, test } from 'vitest';

import { createCatalog } from '../../../src/catalog/catalog.ts';
import { heldByWave } from '../../../src/reconcile/rollout/rollouts.ts';

test('no update passes a wave before every repository was looked at: its rollout may not be known yet', async () => {
  const catalog = createCatalog();
  catalog.expect([1, 2]);
  const ports = { catalog } as never;
  const down = { upstream: { access: { ref: { id: 1 } }, directory: 'web' } } as never;
  await expect(heldByWave(ports, down, 'v2')).rejects.toMatchObject({ code: 'INDEX_INCOMPLETE' });
  for (const id of [1, 2]) catalog.confirm(id);
  expect(await heldByWave(ports, down, 'v2')).toBeNull();
});
