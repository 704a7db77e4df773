import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { changeChannelFile, changeEffects, type ChannelChange } from '../../src/channels/change-file.ts';
import { graphOf } from '../../src/channels/channel-graph.ts';
import { channelGraphInput, checkChannels } from '../../src/channels/check-channels.ts';
import { readPackageChannels } from '../../src/channels/read-channels.ts';
import { WEB_CHANNELS } from './web-channels.ts';

const FILE = `# Who gets what.
${WEB_CHANNELS}  head: v5   # said twice
  members:
  - v1
  - {revision: v3, waypoint: true}  # the volume moves
  - v5
- name: lts
  mode: graph
  members:
  - {revision: v1}
`;
const FACTS = { published: [1, 2, 3, 4, 5, 6], day: '2026-08-01' };

function changed(change: ChannelChange, text: string | undefined = FILE): string {
  const answer = changeChannelFile(text, change, FACTS);
  if (!answer.ok) throw new Error(`${answer.message}. ${answer.hint}`);
  expect(readPackageChannels(answer.text).problems).toEqual([]);
  return answer.text;
}

const promote = (revision: number, channel = 'stable'): ChannelChange => ({
  do: 'promote',
  package: 'web',
  revision,
  channel,
});

test('a promotion is one line, and the head where the file says it', () => {
  expect(changed(promote(6))).toBe(
    FILE.replace('head: v5', 'head: v6').replace('  - v5\n', '  - v5\n  - v6\n'),
  );
  expect(changed(promote(4))).toBe(FILE.replace('  - v5\n', '  - v4\n  - v5\n'));
  expect(changed(promote(2, 'lts'))).toContain('  - {revision: v1}\n  - revision: v2\n    replaces: v1\n');
});

test('the first promotion makes the file', () => {
  const answer = changeChannelFile(undefined, promote(2), FACTS);
  expect(answer).toEqual({
    ok: true,
    text: 'apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: web\ndefaultChannel: stable\nchannels:\n  - name: stable\n    members:\n      - v2\n',
  });
});

test('a withdrawal marks the member in every channel that offers it, and the head falls', () => {
  const text = changed({ do: 'withdraw', package: 'web', revision: 5, reason: 'broken probe' });
  expect(text).toContain('head: v3   # said twice');
  expect(
    readPackageChannels(text).channels?.channels.map(({ members }) => members.at(-1)?.withdrawn),
  ).toEqual([
    { reason: 'broken probe', at: '2026-08-01' },
    { reason: 'broken probe', at: '2026-08-01' },
    undefined,
  ]);
  expect(text).toContain('  - {revision: v3, waypoint: true}  # the volume moves\n');
});

const GRAPH = `${WEB_CHANNELS.slice(0, WEB_CHANNELS.indexOf('channels:'))}channels:
- name: stable
  mode: graph
  members:
  - v1
  - {revision: v2, replaces: v1}  # the first that anybody had
  - {revision: v3, replaces: v1, skips: [v2]}
  - {revision: v4, replaces: v3}
  - {revision: v5, replaces: v4, skips: [v2]}
`;

test.each([
  ['the head', 5, '{revision: v4, replaces: v3, skips: [v2]}', 4],
  ['the middle', 4, '{revision: v5, replaces: v3, skips: [v2, v4]}', 5],
  ['what is skipped below', 3, '{revision: v4, replaces: v1, skips: [v3, v2]}', 5],
  ['the first', 1, '{revision: v2, skips: [v1]}', 5],
])('in a graph, whoever followed %s follows what it followed', (_where, revision, line, head) => {
  const text = changed({ do: 'withdraw', package: 'web', revision }, GRAPH);
  expect(text.replace(/\[ ?(.*?) ?\]/g, '[$1]')).toContain(line);
  expect(headOf(text)).toBe(head);
});

test('in a graph, the next revision skips a withdrawn head, from which nothing else leads', () => {
  const text = changed({ do: 'withdraw', package: 'web', revision: 5 }, GRAPH);
  const next = changed(promote(6), text).replace(/\[ ?(.*?) ?\]/g, '[$1]');
  expect(next).toMatch(/ {2}- revision: v6\n {4}replaces: v4\n {4}skips:\s+(?:- |\[)v5/);
  expect(changed(promote(6), GRAPH)).not.toMatch(/revision: v6\n {4}replaces: v5\n {4}skips/);
});

function headOf(text: string): number | undefined {
  const [channel] = readPackageChannels(text).channels!.channels;
  return graphOf(channelGraphInput(channel!, new Set())).head;
}

const member = (revision: number): fc.Arbitrary<{ replaces?: number; skips: number[] }> =>
  fc.record(
    {
      replaces: fc.integer({ min: 1, max: revision - 1 }),
      skips: fc.uniqueArray(fc.integer({ min: 1, max: revision - 1 }), { maxLength: 3 }),
    },
    { requiredKeys: ['skips'] },
  );

test('a graph that is in order stays in order, whatever is withdrawn from it, one after the other', () => {
  const graphs = fc
    .integer({ min: 3, max: 9 })
    .chain((size) => fc.tuple(...Array.from({ length: size - 1 }, (_, at) => member(at + 2))));
  let judged = 0;
  fc.assert(
    fc.property(graphs, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (members, withdrawn) => {
      const lines = members.map(({ replaces, skips }, at) => {
        const from = replaces === undefined ? '' : `, replaces: v${replaces}`;
        return `  - {revision: v${at + 2}${from}, skips: [${skips.map((one) => `v${one}`).join(', ')}]}`;
      });
      let text = `${GRAPH.slice(0, GRAPH.indexOf('  - {revision: v2'))}${lines.join('\n')}\n`;
      const published = Array.from({ length: members.length + 1 }, (_, at) => at + 1);
      if (faultsOf(text, published).length > 0) return;
      judged += 1;
      for (const pick of withdrawn) {
        const revision = (pick % published.length) + 1;
        const answer = changeChannelFile(
          text,
          { do: 'withdraw', package: 'web', revision },
          { ...FACTS, published },
        );
        if (!answer.ok) continue;
        text = answer.text;
        expect(faultsOf(text, published), text).toEqual([]);
      }
    }),
    { numRuns: 3_000, seed: 1 },
  );
  expect(judged).toBeGreaterThan(300);
});

function faultsOf(text: string, published: readonly number[]): unknown[] {
  const { channels, problems } = readPackageChannels(text);
  const found = checkChannels(channels!, { path: 'web', published: new Set(published) });
  return [...problems, ...found.filter(({ severity }) => severity === 'error')];
}

test('deprecations, new channels, channels that go, and the default', () => {
  const text = changed({
    do: 'deprecate',
    package: 'web',
    revision: 3,
    message: 'old API',
    severity: 'blocking',
    supersededBy: 5,
  });
  expect(readPackageChannels(text).channels?.deprecations).toMatchObject([
    { schema: 'revision', name: 'v3', message: 'old API', severity: 'blocking', supersededBy: 5 },
  ]);
  const again = changed({ do: 'deprecate', package: 'web', revision: 3, message: 'older' }, text);
  expect(readPackageChannels(again).channels?.deprecations).toHaveLength(1);
  const made = changed({ do: 'create', package: 'web', channel: 'edge', revision: 6 });
  expect(readPackageChannels(made).channels?.channels.map(({ name }) => name)).toEqual([
    'candidate',
    'stable',
    'lts',
    'edge',
  ]);
  expect(changed({ do: 'delete', package: 'web', channel: 'edge' }, made)).toBe(FILE);
  expect(changed({ do: 'default', package: 'web', channel: 'lts' })).toBe(
    FILE.replace('Channel: stable', 'Channel: lts'),
  );
});

test.each([
  [promote(9), 'v9 is not published'],
  [promote(5), 'stable offers v5 already'],
  [promote(5, 'candidate'), 'every published revision is in candidate'],
  [promote(5, 'nope'), 'web has no channel nope; it has candidate, stable, lts'],
  [{ do: 'withdraw', package: 'web', revision: 1, channel: 'lts' }, 'lts would offer nothing without v1'],
  [{ do: 'withdraw', package: 'web', revision: 2, channel: 'stable' }, 'no channel of web offers v2'],
  [{ do: 'create', package: 'web', channel: 'v3' }, 'is the name of a revision'],
  [{ do: 'create', package: 'web', channel: 'lts' }, 'there is a channel lts already'],
  [{ do: 'delete', package: 'web', channel: 'stable' }, 'stable is the default channel'],
  [{ do: 'default', package: 'web', channel: 'stable' }, 'stable is the default channel already'],
] satisfies [ChannelChange, string][])('%j is refused', (change, message) => {
  const answer = changeChannelFile(FILE, change, FACTS);
  expect(answer.ok ? answer.text : answer.message).toContain(message);
});

test('a file with a mistake is not changed', () => {
  const answer = changeChannelFile(FILE.replace('auto: all', 'auto: some'), promote(6), FACTS);
  expect(answer.ok ? answer.text : answer.message).toMatch(/^the channel file has a mistake \(line 8: /);
});

test.each([
  [
    { do: 'create', channel: 'all' },
    false,
    'The channel all offers every published revision, and later ones as they are published.',
  ],
  [
    { do: 'create', channel: 'stable', revision: 3 },
    true,
    'The channel stable offers v3 alone. The default channel becomes stable, because web has no other.',
  ],
  [
    { do: 'promote', channel: 'stable', revision: 3 },
    true,
    'It also creates the channel stable. The default channel becomes stable, because web has no other.',
  ],
  [{ do: 'promote', channel: 'stable', revision: 3 }, false, ''],
  [{ do: 'delete', channel: 'stable' }, false, ''],
] as const)('%o, first: %s, does more than its title says', (change, isFirst, said) => {
  expect(changeEffects({ package: 'web', ...change }, isFirst)).toBe(said);
});
