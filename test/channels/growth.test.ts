/** Members, bundles and tags take time in proportion: told by processor time, see test/growth. */

import { expect, test } from 'vitest';

import { offerOf } from '../../src/channels/offer.ts';
import { planUpdate } from '../../src/channels/plan.ts';
import { readPackageChannels } from '../../src/channels/read-channels.ts';
import type { Catalog } from '../../src/fbc/catalog.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { documentsOf, filesOf } from '../fbc/catalog-text.ts';
import { LINEAR, exponentOf, growsAtMost } from '../growth/growth.ts';
import { MemoryRepository } from './memory-repository.ts';

const MAX_MEMBERS = 1 << 13;

const channelText = (mode: string, member: (number: number) => string) => (size: number) =>
  `apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: p\ndefaultChannel: s\nchannels:\n- name: s\n  mode: ${mode}\n  members:\n${Array.from({ length: size }, (_, at) => `  - ${member(at + 1)}\n`).join('')}`;

const chain = (size: number): Catalog =>
  readCatalog(
    filesOf(
      documentsOf({
        stable: Array.from({ length: size }, (_, at) => ({
          name: `p.v1.${at}.0`,
          ...(at > 0 && { replaces: `p.v1.${at - 1}.0`, skips: [`p.v0.${at}.0`] }),
          skipRange: `>=1.0.0 <1.${at}.0`,
        })),
      }),
    ),
  );

/** Reads a channel file, and gives the plans of downstreams at its ends. */
function answers(text: string): void {
  const { channels } = readPackageChannels(text);
  const revisions = channels!.channels[0]!.members.map(({ revision }) => `v${revision}`);
  const offer = offerOf('p', revisions, channels);
  const far = ['v1', 'v2', revisions.at(-1)!, `v${revisions.length + 1}`];
  for (const revision of far)
    planUpdate(offer, {
      at: { kind: 'revision', revision },
      follow: { kind: 'channel', channel: 's' },
      newestInRange: () => undefined,
    });
}

test.each([
  ['a sequence', channelText('sequence', (number) => `v${number}`)],
  ['a sequence of waypoints', channelText('sequence', (number) => `{revision: v${number}, waypoint: true}`)],
  [
    'a chain',
    channelText('graph', (number) => `{revision: v${number}, replaces: v${Math.max(number - 1, 1)}}`),
  ],
  ['ranges', channelText('graph', (number) => `{revision: v${number}, skipRange: "<${number}.0.0"}`)],
] as const)('channel files and their plans: %s', (_what, make) => {
  expect(growsAtMost(LINEAR, () => exponentOf(make, answers, MAX_MEMBERS))).toBeLessThan(LINEAR);
});

const roundTrip = (catalog: Catalog): void => {
  const repository = new MemoryRepository();
  expect(repository.import([catalog])).toBeUndefined();
  repository.export();
};

test('imports and exports', () => {
  expect(growsAtMost(LINEAR, () => exponentOf(chain, roundTrip, MAX_MEMBERS))).toBeLessThan(LINEAR);
});
