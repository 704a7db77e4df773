import { readFileSync } from 'node:fs';

import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { publishedSchemas } from '../../scripts/published-schema.ts';
import { graphOf } from '../../src/channels/channel-graph.ts';
import { channelGraphInput, checkChannels, type ChannelContext } from '../../src/channels/check-channels.ts';
import { nextRevision } from '../../src/channels/next.ts';
import { readPackageChannels } from '../../src/channels/read-channels.ts';

const GOOD = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: infra/redis
defaultChannel: stable
channels:
- name: candidate
  auto: all
- name: stable
  head: v12
  members:
  - v3
  - {revision: v7, waypoint: true, note: "moves the volume"}
  - v9
  - {revision: v10, withdrawn: {reason: broken probe, at: "2026-08-01"}}
  - v12
  promotion: {from: candidate, soak: 72h, require: [checks], approvers: [sre], auto: open}
- name: lts
  mode: graph
  members:
  - {revision: v3}
  - {revision: v5, replaces: v3, skips: [v4], skipRange: "<5.0.0"}
deprecations:
- reference: {schema: revision, name: v7}
  message: uses PodSecurityPolicy
  severity: warning
  supersededBy: v12
`;
const CONTEXT: ChannelContext = {
  path: 'infra/redis',
  published: new Set([3, 4, 5, 7, 9, 10, 12, 13]),
};

/** Rule and line of everything that is wrong with the good document after these changes. */
function wrong(
  changes: readonly (readonly [string, string])[],
  context: Partial<ChannelContext> = {},
): string[] {
  const text = changes.reduce((now, [from, to]) => {
    expect(now).toContain(from);
    return now.replace(from, to);
  }, GOOD);
  const { channels, problems } = readPackageChannels(text);
  const judged = channels === undefined ? [] : checkChannels(channels, { ...CONTEXT, ...context });
  return [...problems, ...judged].map(
    ({ rule, line, severity }) => `${rule}:${line}${severity === 'warning' ? ' warning' : ''}`,
  );
}

test('a good document has no problem, and says what follows what', () => {
  expect(wrong([])).toEqual([]);
  const { channels } = readPackageChannels(GOOD);
  const [candidate, stable, lts] = (channels?.channels ?? []).map((channel) =>
    graphOf(channelGraphInput(channel, CONTEXT.published)),
  );
  expect([candidate?.head, stable?.head, lts?.head]).toEqual([13, 12, 5]);
  expect(stable && nextRevision(stable, { at: 3 })).toEqual({ kind: 'step', to: 7, path: [7, 12] });
  expect(stable && nextRevision(stable, { at: 10 })).toEqual({ kind: 'back', to: 12, downgrade: false });
});

test.each([
  [[['infra/redis', 'infra/valkey']], ['C01:3']],
  [[['note:', 'notes:']], ['C02:12']],
  [[['name: lts', 'name: stable']], ['C03:17']],
  [[['name: lts', 'name: L_TS']], ['C03:17']],
  [[['name: lts', 'name: v7']], ['C03:17']],
  [[['name: lts', 'name: "4.9"']], ['C03:17']],
  [[['defaultChannel: stable', 'defaultChannel: beta']], ['C04:4']],
  [
    [['  - {revision: v3}\n  - {revision: v5, replaces: v3, skips: [v4], skipRange: "<5.0.0"}\n', '']],
    ['C05:17'],
  ],
  [[['  - v9\n', '  - v8\n']], ['C06:13']],
  [[['  - v9\n', '  - nine\n']], ['C06:13']],
  [[['  - v9\n', '  - v3\n']], ['C07:13']],
  [[['  - v9\n', '  - v4\n']], ['C08:13']],
  [[['head: v12', 'head: v9']], ['C09:9']],
  [[['replaces: v3, skips: [v4]', 'replaces: v4']], ['C10:17', 'C10:21']],
  [[['{revision: v3}\n', '{revision: v3, skips: [v3]}\n']], ['C10:17']],
  [[['"<5.0.0"', '"^5"']], ['C11:21']],
  [[['waypoint: true, note: "moves the volume"', 'waypoint: true, withdrawn: {}']], ['C12:12']],
  [[['name: v7}\n  message', 'name: v8}\n  message']], ['C13:23']],
  [[['message: uses PodSecurityPolicy', 'message: ""']], ['C13:23']],
  [[['schema: revision, name: v7', 'schema: bundle, name: v7']], ['C00:23', 'C13:23', 'C13:23']],
  [[['supersededBy: v12', 'supersededBy: v14']], ['C14:23']],
  [[['supersededBy: v12', 'supersededBy: v3']], ['C14:23']],
  [[['from: candidate', 'from: beta']], ['C15:16']],
  [[['from: candidate', 'from: stable']], ['C15:16']],
  [[['from: candidate', 'from: lts']], ['C16:12', 'C16:13', 'C16:14', 'C16:15']],
  [[['soak: 72h', 'soak: soon']], ['C00:16']],
  [[['require: [checks]', 'require: [checks, rollout], healthy: most']], ['C00:16']],
  [[['require: [checks]', 'require: [checks], healthy: 90%']], ['C00:16']],
  [[['kind: PackageChannels', 'kind: Channels']], ['C00:2']],
  [[['  - v9\n', '  - {revision: [v9]}\n']], ['C06:13']],
  [[['- name: candidate', '- name: candidate\n  name: twice']], ['C00:7']],
] as const)('%j is told by its rule, on its line', (changes, problems) => {
  expect(wrong(changes)).toEqual(problems);
});

test('a member that leaves while it is in use is warned of, and a label allows what the source has not', () => {
  const before = readPackageChannels(GOOD).channels;
  const pinned = new Map([[9, ['acme/shop']]]);
  expect(wrong([['  - v9\n', '']], { ...(before && { before }), pinned })).toEqual(['C17:8 warning']);
  expect(wrong([['from: candidate', 'from: lts']], { hotfix: true })).toEqual([]);
});

test('the JSON Schema is generated, takes what the reader takes, and refuses what it refuses by its shape', () => {
  const file = new URL('../../docs/package-channels.schema.json', import.meta.url);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
  expect(schema, 'node scripts/generate-docs.ts writes it').toEqual(
    publishedSchemas()['package-channels.schema.json'],
  );
  const isValid = new Ajv({ strict: true }).compile(schema);
  expect(isValid(parse(GOOD))).toBe(true);
  for (const [from, to] of [
    ['note:', 'notes:'],
    ['- v9\n', '- nine\n'],
    ['soak: 72h', 'soak: soon'],
    ['schema: revision', 'schema: bundle'],
    ['name: lts', 'name: L_TS'],
    ['name: lts', 'name: v7'],
    ['name: lts', 'name: "4.9"'],
    ['message: uses PodSecurityPolicy', 'message: ""'],
  ] as const) {
    const text = GOOD.replace(from, to);
    expect(isValid(parse(text)), to).toBe(false);
    const { channels, problems } = readPackageChannels(text);
    expect([...problems, ...(channels ? checkChannels(channels, CONTEXT) : [])], to).not.toEqual([]);
  }
  expect(isValid(parse(GOOD.replaceAll('lts', 'stable-v1.2')))).toBe(true);
  expect(wrong([['name: lts', 'name: stable-v1.2']])).toEqual([]);
});
