import { expect, test } from 'vitest';

import type { Follow } from '../../../src/channels/plan.ts';
import { followOf } from '../../../src/reconcile/downstream/follow-of.ts';

test.each<[Follow, boolean]>([
  [{ kind: 'latest' }, true],
  [{ kind: 'channel', channel: 'stable' }, true],
  [{ kind: 'range', range: '~1.2' }, false],
  [{ kind: 'pin', revision: 'v1' }, false],
  [{ kind: 'none' }, false],
])(
  'a channel that a Kptfile names, which may come from upstream, where the configuration says %j: %s (79)',
  (configured, counts) => {
    expect(followOf(configured, 'nightly', undefined)).toEqual(
      counts ? { kind: 'channel', channel: 'nightly' } : configured,
    );
  },
);
