import { describe, expect, test } from 'vitest';

import { judgeChannelFile } from '../../../src/channels/judge-file.ts';
import { parseRepositoryConfig } from '../../../src/config/parse-repository-config.ts';
import { withDocuments } from '../../../src/config/read-content.ts';
import type { RepositoryConfig } from '../../../src/config/repository-config.ts';
import type { Rollout, Wave, WaveGate } from '../../../src/package/rollout/rollout.ts';
import { configurationChanges, gatedChannels } from '../../../src/reconcile/check/configuration-changes.ts';
import { changesText } from '../../../src/reconcile/check/configuration-table.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: ';

const config = (spec: string, ...documents: readonly string[]): RepositoryConfig => {
  const bytes = new TextEncoder().encode(`${HEAD}${spec}\n`);
  const own = parseRepositoryConfig({ file: '.github/portico.yaml', bytes });
  const sources = documents.map((text, at) => ({
    file: `${at}.yaml`,
    bytes: new TextEncoder().encode(text),
  }));
  const { config: read, problems } = withDocuments(own, sources);
  expect(problems).toEqual([]);
  return read!;
};

const exemption = (packages = '["**"]', until = '2027-06-30'): string =>
  `apiVersion: config.portico.dev/v1alpha1
kind: PolicyExemption
metadata: { name: web }
spec: { guardrails: [g], packages: ${packages}, until: "${until}", owner: "@alice", why: "Because it has to be." }`;

const GUARDED = 'guardrails: { validators: [{ name: g, policy: no-privileged-pods }] }';
const TWO =
  '[{ name: a, image: set-labels:v0.2, configMap: { a: b } }, { name: b, image: set-namespace:v0.4, configMap: { namespace: x } }]';
const SWAPPED =
  '[{ name: b, image: set-namespace:v0.4, configMap: { namespace: x } }, { name: a, image: set-labels:v0.2, configMap: { a: b } }]';

/** What is in effect, what is proposed, and the one field that is weaker. */
const WEAKENED: readonly (readonly [string | RepositoryConfig, string | RepositoryConfig, string])[] = [
  ['{}', '{ publish: { requireApprovals: 0 } }', 'publish.requireApprovals'],
  ['{}', '{ publish: { allowSelfApproval: true } }', 'publish.allowSelfApproval'],
  ['{}', '{ publish: { codeOwners: false } }', 'publish.codeOwners'],
  ['{}', '{ publish: { directPushes: publish } }', 'publish.directPushes'],
  ['{}', '{ access: { publish: [read] } }', 'access.publish'],
  ['{}', '{ updates: { automerge: all } }', 'updates.automerge'],
  [`{ ${GUARDED} }`, '{}', 'guardrails.validators[g]'],
  [
    `{ ${GUARDED} }`,
    '{ guardrails: { validators: [{ name: g, policy: no-privileged-pods, mode: warn }] } }',
    'guardrails.validators[g].mode',
  ],
  [config(`{ ${GUARDED} }`), config(`{ ${GUARDED} }`, exemption()), 'exemptions[web]'],
];

test.each(WEAKENED)('a configuration is weaker where it turns %j into %j', (before, after, field) => {
  const changes = changesOf(before, after);
  expect(changes.map((one) => one.field)).toEqual([field]);
  expect(changes[0]).toMatchObject({ weaker: true });
  // The other way it is stronger, and no one is asked.
  expect(changesOf(after, before)).toMatchObject([{ field, weaker: false }]);
});

/** The rest of the table: both ways it is weaker where the direction is unknown. */
const MORE: readonly (readonly [
  string,
  string,
  string,
  'one way' | 'other way' | 'both ways' | 'neither',
])[] = [
  ['{}', '{ branch: other }', 'branch', 'both ways'],
  ['{}', '{ directory: below }', 'directory', 'both ways'],
  ['{ publish: { requireApprovalBy: [admin] } }', '{}', 'publish.requireApprovalBy', 'one way'],
  [
    '{ publish: { requireApprovalBy: [admin] } }',
    '{ publish: { requireApprovalBy: [admin, write] } }',
    'publish.requireApprovalBy',
    'one way',
  ],
  ['{}', '{ publish: { weakeningApprovalBy: [] } }', 'publish.weakeningApprovalBy', 'one way'],
  ['{}', '{ publish: { weakeningApprovalBy: [maintain] } }', 'publish.weakeningApprovalBy', 'one way'],
  ['{}', '{ publish: { weakeningApprovalBy: ["@bob"] } }', 'publish.weakeningApprovalBy', 'both ways'],
  ['{}', '{ publish: { approvals: { from: [acme/x] } } }', 'publish.approvals.from', 'one way'],
  ['{}', '{ publish: { approvals: { to: [acme/x] } } }', 'publish.approvals.to', 'one way'],
  ['{}', '{ publish: { mergeMethod: squash } }', 'publish.mergeMethod', 'neither'],
  ['{}', '{ publish: { release: false } }', 'publish.release', 'neither'],
  ['{}', '{ access: { approve: [maintain, "@bob"] } }', 'access.approve', 'both ways'],
  ['{ updates: { automerge: patch } }', '{ updates: { automerge: minor } }', 'updates.automerge', 'one way'],
  ['{}', '{ updates: { automergeFrom: [acme/x] } }', 'updates.automergeFrom', 'one way'],
  ['{ updates: { minimumAge: 3d } }', '{ updates: { minimumAge: 1d } }', 'updates.minimumAge', 'one way'],
  ['{ updates: { soak: 3d } }', '{}', 'updates.soak', 'one way'],
  ['{}', '{ updates: { follow: none } }', 'updates.follow', 'neither'],
  [
    '{ updates: { automerge: patch } }',
    '{ updates: { automerge: patch, follow: none } }',
    'updates.follow',
    'other way',
  ],
  ['{}', '{ updates: { maxOpen: 9 } }', 'updates.maxOpen', 'neither'],
  ['{}', '{ sharing: { to: [acme/x] } }', 'sharing.to', 'one way'],
  ['{}', '{ sharing: { from: [acme/x] } }', 'sharing.from', 'one way'],
  ['{}', '{ sharing: { within: organization } }', 'sharing.within', 'one way'],
  ['{}', '{ upstreams: { allow: ["https://x.example/*"] } }', 'upstreams.allow', 'one way'],
  ['{}', '{ organization: { listed: true } }', 'organization.listed', 'one way'],
  ['{}', '{ dashboard: false }', 'dashboard', 'neither'],
  ['{}', '{ inventory: { directory: x } }', 'inventory.directory', 'both ways'],
  ['{}', '{ controlledBy: [acme/other] }', 'controlledBy', 'both ways'],
  ['{}', '{ health: { statuses: [x] } }', 'health.statuses', 'both ways'],
  [
    '{}',
    `{ functions: [{ image: x/y:v1, container: "x/y@sha256:${'a'.repeat(64)}" }] }`,
    'functions[x/y:v1]',
    'one way',
  ],
  [
    '{}',
    '{ guardrails: { mutators: [{ name: m, image: set-labels:v0.2 }] } }',
    'guardrails.mutators[m]',
    'both ways',
  ],
  [
    `{ guardrails: { mutators: ${TWO} } }`,
    `{ guardrails: { mutators: ${SWAPPED} } }`,
    'guardrails.mutators (order)',
    'both ways',
  ],
  [
    '{ guardrails: { validators: [{ name: g, cel: "true" }] } }',
    '{ guardrails: { validators: [{ name: g, cel: "false" }] } }',
    'guardrails.validators[g].cel',
    'both ways',
  ],
  [
    '{ guardrails: { validators: [{ name: g, cel: "true" }] } }',
    '{ guardrails: { validators: [{ name: g, cel: "true", paths: [web] }] } }',
    'guardrails.validators[g].paths',
    'one way',
  ],
  [
    '{ guardrails: { validators: [{ name: g, cel: "true" }] } }',
    '{ guardrails: { validators: [{ name: g, cel: "true", selectors: [{ kind: Pod }] }] } }',
    'guardrails.validators[g].selectors',
    'one way',
  ],
  [
    '{ guardrails: { validators: [{ name: g, cel: "true" }] } }',
    '{ guardrails: { validators: [{ name: g, cel: "true", exclude: [{ kind: Pod }] }] } }',
    'guardrails.validators[g].exclude',
    'one way',
  ],
  [
    '{ guardrails: { validators: [{ name: g, cel: "true" }] } }',
    '{ guardrails: { validators: [{ name: g, cel: "true", labels: { a: b } }] } }',
    'guardrails.validators[g].labels',
    'one way',
  ],
  [
    '{ guardrails: { validators: [{ name: g, cel: "true" }] } }',
    '{ guardrails: { validators: [{ name: g, cel: "true", message: other }] } }',
    'guardrails.validators[g].message',
    'neither',
  ],
];

test.each(MORE)('from %j to %j, %s is weaker: %s', (before, after, field, direction) => {
  const ways = [changesOf(before, after), changesOf(after, before)];
  expect(ways.map((way) => way.map((one) => one.field))).toEqual([[field], [field]]);
  const [there, back] = ways.map(([one]) => one?.weaker);
  expect([there, back]).toEqual(
    {
      'one way': [true, false],
      'other way': [false, true],
      'both ways': [true, true],
      neither: [false, false],
    }[direction],
  );
});

test('a longer exemption is weaker, and a narrower one is not', () => {
  const now = config(`{ ${GUARDED} }`, exemption('[web]'));
  const changes = (other: string) => changesOf(now, config(`{ ${GUARDED} }`, other));
  expect(changes(exemption('[web]', '2027-07-31'))).toMatchObject([
    { field: 'exemptions[web].until', weaker: true },
  ]);
  expect(changes(exemption('[web]', '2027-05-31'))).toMatchObject([{ weaker: false }]);
  expect(changes(exemption('[web, db]'))).toMatchObject([
    { field: 'exemptions[web].packages', weaker: true },
  ]);
});

test('a field without a rule is weaker whenever it changes', () => {
  const now = config('{}');
  expect(changesOf(now, { ...now, fancy: 1 } as RepositoryConfig)).toEqual([
    { field: 'fancy', before: 'not set', after: '1', weaker: true },
  ]);
  expect(changesOf({ ...now, fancy: { deep: 1 } } as RepositoryConfig, now)).toMatchObject([
    { field: 'fancy', weaker: true },
  ]);
});

const shares = (to: readonly string[]): string => `{ sharing: { to: [${to.join(', ')}] } }`;
const guard = (end: string): string =>
  `{ guardrails: { validators: [{ name: g, cel: "${'true && '.repeat(50)}${end}" }] } }`;

test('what is added to a long list, or changed at the end of a long text, is shown', () => {
  const many = Array.from({ length: 100 }, (_one, at) => `acme/repository-${at}`);
  const [added] = changesOf(shares(many), shares([...many, 'evil/sink']));
  expect(added).toMatchObject({ before: '100 that stay', after: 'evil/sink, 100 that stay' });
  const changes = changesOf(guard("object.kind != 'Pod'"), guard("object.kind != 'Job'"));
  const row = changesText({ changes }, 10)
    .split('\n')
    .find((line) => line.startsWith('| **'));
  expect(row).toMatch(/\|.*`….*'Pod'`.*\|.*`….*'Job'`/);
});

test('CODEOWNERS is weaker wherever a line changes, and a file that is new is not', () => {
  const now = config('{}');
  const change = (before: readonly string[], after: readonly string[], of = now) =>
    configurationChanges(
      { config: of, rollouts: [], owners: before },
      { config: of, rollouts: [], owners: after },
    );
  expect(change(['* @alice'], ['* @alice', '/web @bob'])).toMatchObject([
    { field: 'CODEOWNERS', weaker: true },
  ]);
  expect(change([], ['* @alice'])).toMatchObject([{ weaker: false }]);
  expect(change(['* @alice'], [], config('{ publish: { codeOwners: false } }'))).toEqual([]);
});

const following = (follow: string): string => `{ updates: { automerge: all, follow: ${follow} } }`;
const wave = (name: string, gate: Partial<WaveGate>): Wave => ({
  name,
  select: {},
  pauseAfter: 60,
  gate: {
    published: { kind: 'percent', percent: 100 },
    statuses: [],
    deployments: [],
    onFailure: 'stop',
    ...gate,
  },
});
const rollout = (...waves: readonly Wave[]): readonly Rollout[] => [
  { name: 'web', upstreams: [{ packages: ['web'] }], waves },
];

test('other updates that merge automatically need an approval', () => {
  expect(changesOf(following('channel/stable'), following('channel/edge'))).toMatchObject([
    { field: 'updates.follow', weaker: true },
  ]);
});

describe('rollouts', () => {
  const canary = wave('canary', { manual: true });
  const rest = wave('rest', {});
  const before = rollout(canary, rest);
  const small: Wave = { ...canary, size: { kind: 'count', count: 1 } };
  const at = 'rollouts[web].waves';

  test.each<[string, readonly Rollout[], string]>([
    ['is removed', [], 'rollouts[web]'],
    ['governs fewer packages', [{ ...before[0]!, upstreams: [] }], 'rollouts[web].upstreams'],
    ['loses a wave', rollout(canary), `${at}[rest]`],
    ['gets a wave', rollout(wave('all', {}), canary, rest), `${at}[all]`],
    ['brings a later wave earlier', rollout(rest, canary), `${at} (order)`],
    ['selects others', rollout({ ...canary, select: { topics: ['x'] } }, rest), `${at}[canary].select`],
    ['takes another share', rollout(small, rest), `${at}[canary].size`],
    ['asks for no approval', rollout(wave('canary', {}), rest), `${at}[canary].gate.manual`],
    ['pauses for less', rollout({ ...canary, pauseAfter: 0 }, rest), `${at}[canary].pauseAfter`],
  ])('one that %s is weaker', (_how, after, field) => {
    expect(changesBetween(before, after)).toMatchObject([{ field, weaker: true }]);
  });

  test('one that is new, pauses for longer, or has other owners is not weaker', () => {
    const stricter = [{ ...rollout({ ...canary, pauseAfter: 90 }, rest)[0]!, owners: ['@alice'] }];
    expect(changesBetween([], before)).toMatchObject([{ field: 'rollouts[web]', weaker: false }]);
    expect(changesBetween(before, stricter).map(({ weaker }) => weaker)).toEqual([false, false]);
  });

  const quick: Rollout = { name: 'quick', upstreams: [{ packages: ['web'] }], waves: [rest] };
  const elsewhere = { ...quick, upstreams: [{ packages: ['other'] }] };
  const taken = { field: 'rollouts[web].taken by', after: 'quick', weaker: true };
  test.each<[string, readonly Rollout[], readonly Rollout[]]>([
    ['is added before it', before, [quick, ...before]],
    ['means all packages', before, [{ ...quick, upstreams: [{ packages: ['**'] }] }, ...before]],
    [
      'names the repository',
      before,
      [{ ...quick, upstreams: [{ repo: 'up', packages: ['w*'] }] }, ...before],
    ],
    ['comes to stand before it', [...before, quick], [quick, ...before]],
    ['gets its package', [elsewhere, ...before], [quick, ...before]],
    ['has no mistake any more', [{ ...quick, mistake: 'x' }, ...before], [quick, ...before]],
  ])('one loses its packages to another that %s (141)', (_how, old, now) => {
    expect(changesBetween(old, now)).toContainEqual(expect.objectContaining(taken));
  });

  test.each<[string, readonly Rollout[], readonly Rollout[]]>([
    ['stands after it', before, [...before, quick]],
    ['stood before it', [quick, ...before], [quick, ...before]],
    ['has other packages', before, [elsewhere, ...before]],
    [
      'has packages of another repository',
      before.map((one) => ({ ...one, upstreams: [{ repo: 'a', packages: ['web'] }] })),
      [
        { ...quick, upstreams: [{ repo: 'b', packages: ['web'] }] },
        ...before.map((one) => ({ ...one, upstreams: [{ repo: 'a', packages: ['web'] }] })),
      ],
    ],
    ['has a mistake', before, [{ ...quick, mistake: 'x' }, ...before]],
  ])('one keeps its packages where another %s', (_how, old, now) => {
    expect(changesBetween(old, now).filter(({ weaker }) => weaker)).toEqual([]);
  });

  test('of two with one name the first counts', () => {
    const [own] = before;
    const lax = { ...own!, waves: [wave('canary', {}), rest] };
    const manual = { field: `${at}[canary].gate.manual`, weaker: true };
    expect(changesBetween(before, [lax, own!])).toMatchObject([manual]);
    expect(changesBetween(before, [own!, lax])).toEqual([]);
  });

  test('so many globs that nobody can compare them take packages', () => {
    const packages = Array.from({ length: 600 }, (_, n) => `p${n}`);
    const other = (name: string): Rollout => ({ ...quick, name, upstreams: [{ packages }] });
    const many = [{ ...before[0]!, upstreams: [{ packages: packages.map((one) => `x${one}`) }] }];
    expect(changesBetween(many, [other('quick'), ...many]).filter(({ weaker }) => weaker)).toMatchObject([
      taken,
    ]);
  });

  test('the row shows both orders', () => {
    expect(changesBetween(before, rollout(rest, canary))).toMatchObject([
      { before: 'canary, rest', after: 'rest, canary' },
    ]);
  });
});

const channel = (promotion: string): string =>
  `apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: web\nchannels:\n- name: stable\n${promotion}`;
const gates = (text: string): string => channel(`  promotion: { from: candidate, ${text} }\n`);
const gateChanges = (before: string, after: string) => {
  const side = { config: config('{}'), rollouts: [], owners: [] };
  return configurationChanges(
    { ...side, channels: channelsIn(before) },
    { ...side, channels: channelsIn(after) },
  );
};

describe('gates of a channel', () => {
  const all = gates('soak: 9d, require: [checks, rollout], healthy: 90%, approvers: [platform, sre]');

  test.each<[string, string, string]>([
    ['are all removed', channel(''), ''],
    ['soak for less', all.replace('9d', '215h'), '.soak'],
    ['require less', all.replace('[checks, rollout]', '[rollout]'), '.require'],
    ['need fewer that are healthy', all.replace('90%', '89%'), '.healthy'],
    ['need fewer approvers', all.replace(', sre', ''), '.approvers'],
    ['need other approvers', all.replace('sre', 'read'), '.approvers'],
    ['take from another channel', all.replace('candidate', 'edge'), '.from'],
    ['are merged by Portico', all.replace('soak', 'auto: merge, soak'), '.promotion'],
    ['let everything pass', `${all}  auto: all\n`, '.auto'],
  ])('that %s are weaker', (_how, after, field) => {
    expect(gateChanges(all, after)).toMatchObject([{ field: `channels[web/stable]${field}`, weaker: true }]);
  });

  test('that are new, or ask for more, are not weaker', () => {
    const more = all.replace('9d', '10d').replace('sre', 'sre, admin').replace('90%', '95%');
    for (const [before, after] of [
      [channel(''), all],
      [all, more],
    ] as const)
      expect(gateChanges(before, after).map(({ weaker }) => weaker)).not.toContain(true);
  });
});

function channelsIn(text: string) {
  return gatedChannels('web', judgeChannelFile(text, { path: 'web', published: [] }).channels!);
}

function changesBetween(old: readonly Rollout[], now: readonly Rollout[]) {
  return configurationChanges(
    { config: config('{}'), rollouts: old, owners: [] },
    { config: config('{}'), rollouts: now, owners: [] },
  );
}

function read(one: string | RepositoryConfig): RepositoryConfig {
  return typeof one === 'string' ? config(one) : one;
}

function changesOf(before: string | RepositoryConfig, after: string | RepositoryConfig) {
  return configurationChanges(
    { config: read(before), rollouts: [], owners: [] },
    { config: read(after), rollouts: [], owners: [] },
  );
}
