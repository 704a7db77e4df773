import { expect, test } from 'vitest';

import { PorticoError } from '../../../src/error.ts';
import { mentionsOf } from '../../../src/reconcile/repository/mentions.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

const ROLES: Readonly<Record<string, string>> = { bob: 'write', rita: 'read', eve: 'none' };

const mentions = (visibility: 'public' | 'private', ...owners: string[]): Promise<readonly string[]> =>
  mentionsOf(
    {
      member: async (login) => {
        const role = ROLES[login];
        if (role === undefined) throw new PorticoError('FORGE_UNAVAILABLE', 'no answer', { blame: 'forge' });
        return { role, id: 1 };
      },
    },
    bareRepository(1, 'acme/fleet', { visibility }),
    owners,
  );

test('a document has nobody notified who has nothing to do with its repository', async () => {
  expect(
    await mentions('private', '@acme/platform', '@rival/all', '@bob', '@rita', '@eve', '@ghost'),
  ).toEqual(['@acme/platform', '`@rival/all`', '@bob', '@rita', '`@eve`', '`@ghost`']);
  // There anyone may read.
  expect(await mentions('public', '@Acme/platform', '@bob', '@rita')).toEqual([
    '@Acme/platform',
    '@bob',
    '`@rita`',
  ]);
});
