/** A catalog that was exported offers what the channels offer: every bundle may be upgraded to the same ones. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { graphOf } from '../../src/channels/channel-graph.ts';
import { channelGraphInput } from '../../src/channels/check-channels.ts';
import { exportCatalog, type ExportedRevision } from '../../src/channels/export-catalog.ts';
import { readPackageChannels } from '../../src/channels/read-channels.ts';
import { candidatesOf, installedOf, successorsOf } from '../../src/fbc/successors.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';

const REVISIONS = Array.from({ length: 14 }, (_, at) => at + 1);
const revisions = new Map<number, ExportedRevision>(
  REVISIONS.map((number) => [number, { commit: 'c', objects: [{ kind: 'ConfigMap' }] }]),
);

const members = fc.uniqueArray(
  fc.record({
    revision: fc.constantFrom(...REVISIONS),
    kind: fc.constantFrom('', '', ', waypoint: true', ', withdrawn: {}', ', waypoint: true, withdrawn: {}'),
  }),
  { selector: ({ revision }) => revision, minLength: 1, maxLength: 14 },
);

test('edges of a sequence with waypoints are the successors in the catalog, one for one', () => {
  fc.assert(
    fc.property(members, (all) => {
      const rising = all.toSorted((a, b) => a.revision - b.revision);
      const { channels, problems } = readPackageChannels(
        `apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: a/b\ndefaultChannel: stable\nchannels:\n- name: stable\n  members:\n${rising
          .map(({ revision, kind }) => `  - {revision: v${revision}${kind}}\n`)
          .join('')}`,
      );
      expect(problems).toEqual([]);
      const graph = graphOf(channelGraphInput(channels!.channels[0]!, new Set(REVISIONS)));
      if (graph.head === undefined) return;
      const { catalog } = exportCatalog([{ path: 'a/b', channels: channels!, revisions }]);
      expect(validateCatalog(catalog).errors).toEqual([]);
      const candidates = candidatesOf(catalog.bundles);
      for (const live of graph.live) {
        const name = `a-b.v${live}`;
        const found = successorsOf(installedOf(name, candidates)!, candidates, catalog.channels);
        expect(new Set(found.map((one) => one.name))).toEqual(
          new Set([name, ...graph.after(live).map((one) => `a-b.v${one}`)]),
        );
      }
    }),
    { numRuns: 150 },
  );
});
