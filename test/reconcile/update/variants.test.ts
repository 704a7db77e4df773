import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration, locked } from '../../e2e/packages.ts';
import { STORIES, longTest } from '../../long-test.ts';
import { basePackage, forCluster, variantDocument, VLAN_PACKAGE } from '../cluster-variants.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage, type StageRepositoryOptions } from '../stage.ts';

let stage: Stage;

const KPTFILE = smallPackage('web', { data: { color: 'blue' } })['Kptfile']!;
const TEAM = `apiVersion: example.com/v1
kind: Team
metadata:
  name: team
  annotations: # who
    kpt.dev/config-injection: required
spec:
  code: example # replaced
`;
const UPSTREAM = { Kptfile: KPTFILE, 'config.yaml': configMap('web', { color: 'blue' }), 'team.yaml': TEAM };

const team = (name: string, code: string): string =>
  `apiVersion: example.com/v1\nkind: Team\nmetadata: {name: ${name}, labels: {kind: edge}}\nspec:\n  code: ${code}\n`;

const SET = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: shops}
spec:
  upstream: {repo: up, package: web, revision: -1}
  targets:
  - repositories:
    - name: edge
      packageNames: [one, two]
    template:
      labels: {tier: edge}
      injectors: [{nameExpr: "target.package"}]
      pipeline:
        mutators:
        - image: set-labels:v0.2
          configMap: {keeper: portico}
  - repositories: [{name: nowhere}]
`;
const PORCH_REPOSITORIES = ['up', 'edge'];

const repositoryDocuments = (url: (name: string) => string): string =>
  PORCH_REPOSITORIES.map(
    (name) => `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: ${name}}
spec: {type: git, git: {repo: ${url(name)}.git}}
`,
  ).join('---\n');

/** Documents that name repositories by their own names, without registering them, and the repositories. */
function clusters(): Record<string, StageRepositoryOptions> {
  const documents = [
    { name: 'one-vlan', upstream: 'catalog/vlan', downstream: 'mgmt/one-vlan', more: forCluster('one') },
    {
      name: 'one-base',
      upstream: 'catalog/base',
      downstream: 'mgmt/one-base',
      revision: 'workspaceName: main',
    },
    { name: 'two', upstream: 'distros/sandbox', downstream: 'config-control/two', more: forCluster('two') },
  ];
  const files = documents.map((one) => [`.github/portico/${one.name}.yaml`, variantDocument(one)] as const);
  return {
    catalog: { files: { ...below('vlan', VLAN_PACKAGE), ...below('base', basePackage('base')) } },
    distros: { files: below('sandbox', basePackage('sandbox')) },
    'config-control': {},
    mgmt: {},
    porch: { files: Object.fromEntries(files) },
  };
}

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', UPSTREAM) },
      edge: { spec: 'branch: main\nupdates: { maxOpen: 20 }\norganization: { listed: true }' },
      control: { spec: 'branch: main\norganization: { dashboard: true }' },
      open: { private: false, spec: 'branch: main\norganization: { dashboard: true }' },
      auto: { spec: 'branch: main\nupdates: { follow: channel/stable, automerge: all }' },
      later: { spec: 'branch: main\nupdates: { minimumAge: 2w }' },
      blue: { owner: 'globex' },
      foreign: { owner: 'globex', spec: 'branch: main' },
      ...(STORIES ? clusters() : {}),
    },
    { shares: true },
  );
  await release('web/v1', { 'web/config.yaml': configMap('web', { color: 'first' }) });
  await control({
    'repositories.yaml': repositoryDocuments((name) => stage.repository(name).url),
    'shops.yaml': SET,
    'inventory/teams.yaml': [team('one', 'c1'), team('two', 'c2')].join('---\n'),
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** A revision of the upstream, as somebody makes one who has no bot. */
async function release(tag: string, files: Readonly<Record<string, string>>): Promise<void> {
  const up = stage.repository('up');
  await up.tag(tag, await up.push('main', files));
  await stage.idle();
}

async function control(files: Readonly<Record<string, string | null>>): Promise<void> {
  const paths = Object.entries(files).map(([path, text]) => [`.github/portico/${path}`, text] as const);
  await stage.repository('control').push('main', Object.fromEntries(paths));
  await stage.idle();
}

async function pullFor(repo: StageRepository, title: string): ReturnType<StageRepository['pull']> {
  const found = (await repo.pulls()).filter((pull) => pull.title === title);
  expect((await repo.pulls()).map((pull) => pull.title)).toContain(title);
  return found[0]!;
}

test('each variant gets one pull request that makes its package; a bad target stalls alone', async () => {
  const edge = stage.repository('edge');
  expect((await edge.pulls()).map(({ title }) => title).toSorted()).toEqual([
    'Create one at upstream v1',
    'Create two at upstream v1',
  ]);
  const pull = await pullFor(edge, 'Create one at upstream v1');
  const kptfile = (await edge.read('one/Kptfile', pull.head.sha))!;
  expect(kptfile).toContain('name: one');
  expect(kptfile).toContain('ref: web/v1');
  expect(kptfile).toContain('tier: edge');
  expect(kptfile).toContain('name: PackageVariant.shops-edge-one..0');
  expect(kptfile).toContain('conditionType: config.injection.Team.team');
  const injected = (await edge.read('one/team.yaml', pull.head.sha))!;
  expect(injected).toContain('code: c1 # replaced');
  expect(injected).toContain('kpt.dev/injected-resource: one');
  expect(injected).toContain('keeper: portico');
  expect((await edge.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
  expect(await stage.writesOf(() => stage.look('edge'))).toEqual([]);
});

test('a newer upstream before the first is merged goes on in the same pull request, under what people committed', async () => {
  const edge = stage.repository('edge');
  const before = await pullFor(edge, 'Create one at upstream v1');
  await edge.push(before.head.ref, { 'one/note.md': 'by hand\n' }, { as: 'bob' });
  await release('web/v2', { 'web/config.yaml': configMap('web', { color: 'second' }) });
  const pull = await pullFor(edge, 'Create one at upstream v2');
  expect(pull.number).toBe(before.number);
  expect(await edge.read('one/note.md', pull.head.sha)).toBe('by hand\n');
  expect(await edge.read('one/config.yaml', pull.head.sha)).toContain('second');
  expect(await edge.read('one/Kptfile', pull.head.sha)).toContain('ref: web/v2');
});

test('a change of inventory comes as an update of the package; merging it leaves nothing to do', async () => {
  const edge = stage.repository('edge');
  await edge.merge((await pullFor(edge, 'Create one at upstream v2')).number);
  await edge.merge((await pullFor(edge, 'Create two at upstream v2')).number);
  expect(await edge.pulls()).toEqual([]);
  expect(await stage.writesOf(() => stage.look('edge'))).toEqual([]);
  await control({ 'inventory/teams.yaml': [team('one', 'changed'), team('two', 'c2')].join('---\n') });
  expect((await edge.pulls()).map(({ title }) => title)).toEqual(['Sync one with its variant']);
  const pull = await pullFor(edge, 'Sync one with its variant');
  expect(await edge.read('one/team.yaml', pull.head.sha)).toContain('code: changed # replaced');
  await edge.merge(pull.number);
  expect(await edge.pulls()).toEqual([]);
});

test('an update merges upstream into the package, and what the variant sets is no conflict', async () => {
  const edge = stage.repository('edge');
  await release('web/v3', {
    'web/config.yaml': configMap('web', { color: 'third' }),
    'web/team.yaml': TEAM.replace('code: example', 'code: other'),
  });
  const pull = await pullFor(edge, 'Update one to upstream v3');
  expect(pull.body).not.toContain('conflict');
  expect(await edge.read('one/team.yaml', pull.head.sha)).toContain('code: changed');
  expect(await edge.read('one/config.yaml', pull.head.sha)).toContain('third');
  expect(await edge.read('one/note.md', pull.head.sha)).toBe('by hand\n');
});

longTest(
  'a target that is gone: its pull request is closed, and what is merged is proposed for deletion, though another target is wrong',
  async () => {
    const edge = stage.repository('edge');
    await control({ 'shops.yaml': SET.replace('[one, two]', '[one]') });
    const titles = (await edge.pulls()).map(({ title }) => title).toSorted();
    expect(titles).toEqual(['Delete two', 'Update one to upstream v3']);
    const pull = await pullFor(edge, 'Delete two');
    expect(await edge.read('two/Kptfile', pull.head.sha)).toBeNull();
    expect(await edge.read('one/Kptfile', pull.head.sha)).not.toBeNull();
    expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
    await edge.merge(pull.number);
    expect((await edge.pulls()).map(({ title }) => title)).toEqual(['Update one to upstream v3']);
  },
);

longTest(
  'the open pull request of a document that is wrong stays, and so does that of an orphan whose document is gone',
  async () => {
    const edge = stage.repository('edge');
    const document = mine('adoptNone').replaceAll('mine', 'left');
    await control({ 'left.yaml': document });
    const { number, title } = (await edge.pulls()).find(({ head }) => head.ref.includes('/left/'))!;
    const open = async () => (await edge.pulls()).map((one) => one.title);
    await control({ 'left.yaml': document.replace('repo: up', "repo: ''") });
    expect(await open()).toContain(title);
    await control({ 'left.yaml': document });
    await control({ 'left.yaml': null });
    expect(await open()).toContain(title);
    const told = async (): Promise<string> =>
      (await edge.comments(number)).map(({ body }) => body).join('\n');
    expect(await told()).toContain('**Orphaned.**');
    expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
    expect(await open()).toContain(title);
    // Asked for again, it goes on as it did; without the policy, it is closed with its document.
    await control({ 'left.yaml': document.replace('  deletionPolicy: orphan\n', '') });
    expect(await open()).toContain(title);
    expect(await told()).not.toContain('**Orphaned.**');
    await control({ 'left.yaml': null });
    expect(await open()).not.toContain(title);
  },
);

function mine(policy: string): string {
  return `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: mine}
spec:
  upstream: {repo: up, package: web, revision: v3}
  downstream: {repo: edge, package: mine}
  adoptionPolicy: ${policy}
  deletionPolicy: orphan
`;
}

longTest(
  'a package that is there is adopted only when asked; another upstream keeps the ancestor',
  async () => {
    const edge = stage.repository('edge');
    const other = {
      Kptfile: KPTFILE.replace('name: web', 'name: web-ng'),
      'config.yaml': configMap('web', { color: 'ng' }),
    };
    await release('web-ng/v1', below('web-ng', other));
    await edge.push('main', below('mine', UPSTREAM));
    await control({ 'mine.yaml': mine('adoptNone') });
    expect((await edge.pulls()).map(({ title }) => title)).toEqual(['Update one to upstream v3']);
    // Nobody can tell what it was made from.
    await control({ 'mine.yaml': mine('adoptExisting') });
    expect((await edge.pulls()).map(({ title }) => title)).toEqual(['Update one to upstream v3']);

    const one = await pullFor(edge, 'Update one to upstream v3');
    await edge.merge(one.number);
    await control({
      'shops.yaml': SET.replace('[one, two]', '[one]').replace('package: web,', 'package: web-ng,'),
    });
    const pull = await pullFor(edge, 'Update one to upstream v1');
    const kptfile = (await edge.read('one/Kptfile', pull.head.sha))!;
    expect(kptfile).toContain('directory: web-ng');
    expect(kptfile).toContain('ref: web-ng/v1');
    expect(await edge.read('one/config.yaml', pull.head.sha)).toContain('ng');
    expect(await edge.read('one/note.md', pull.head.sha)).toBe('by hand\n');
  },
);

test('content of a private repository does not flow into a public one by a variant', async () => {
  await control({
    'open.yaml': `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: leak}
spec:
  upstream: {repo: up, package: web}
  downstream: {repo: open, package: leak}
`,
  });
  expect(await stage.repository('open').pulls('all')).toEqual([]);
  expect(await stage.repository('open').git('for-each-ref', 'refs/heads/portico')).toBe('');
});

test('nor by the lock of a package that a variant makes from something else: a lock may be forged', async () => {
  const [up, blue, repo] = [stage.repository('up'), stage.repository('blue'), stage.repository('foreign')];
  const at = (await up.tags()).get('web/v1')!;
  const theirs = {
    Kptfile: KPTFILE,
    'config.yaml': configMap('web', { color: 'theirs' }),
  };
  await blue.tag('web/v1', await blue.push('main', below('web', theirs)));
  await repo.push('main', {
    ...below('mine', {
      Kptfile: locked(KPTFILE, `${up.url}.git`, 'web', 'web/v1', at),
      'config.yaml': configMap('web', { color: 'ours' }),
    }),
    '.github/portico/mine.yaml': `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: mine}
spec:
  upstream: {repo: blue, package: web, revision: v1}
  downstream: {repo: foreign, package: mine}
  adoptionPolicy: adoptExisting
`,
  });
  await stage.idle();
  await stage.look('foreign');
  expect(await repo.pulls('all')).toEqual([]);
  expect(await repo.git('for-each-ref', 'refs/heads/portico')).toBe('');
});

test('a document with a mistake is refused with its line, in a proposal and on the branch', async () => {
  const repo = stage.repository('control');
  const wrong = {
    '.github/portico/wrong.yaml':
      'apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: wrong}\nspec:\n  upstream: {repo: up}\n  downstream: {repo: edge, package: x}\n',
  };
  const pull = await repo.propose('wrong', wrong);
  const check = (await repo.checksOf(pull.number)).get('portico/config');
  expect(check?.conclusion).toBe('failure');
  expect(check?.output.summary).toContain('wrong.yaml:5');
  expect(check?.output.summary).toContain('missing required field spec.upstream.package');
});

longTest('variants that name repositories without registering them make their packages', async () => {
  for (const [name, path] of [
    ['catalog', 'vlan'],
    ['catalog', 'base'],
    ['distros', 'sandbox'],
  ] as const) {
    const repo = stage.repository(name);
    await repo.tag(`${path}/v1`, await repo.head('main'));
  }
  await stage.idle();
  const made = await Promise.all(
    ['mgmt', 'config-control'].map(async (name) => {
      const repo = stage.repository(name);
      const pulls = await repo.pulls();
      return pulls.map(({ title, head }) => ({ repo, title, sha: head.sha }));
    }),
  );
  const titles = made.flat().map(({ title }) => title);
  expect(titles.toSorted()).toEqual([
    'Create one-base at upstream v1',
    'Create one-vlan at upstream v1',
    'Create two at upstream v1',
  ]);
  for (const { repo, title, sha } of made.flat()) {
    const path = title.split(' ')[1]!;
    const kptfile = (await repo.read(`${path}/Kptfile`, sha))!;
    expect(kptfile).toContain('upstreamLock:');
    expect(kptfile.includes(`PackageVariant.${path}.`)).toBe(path !== 'one-base');
  }
});

longTest(
  'a channel is followed, forth and back; forth an update merges itself unless somebody edited it, back never',
  async () => {
    const [up, auto, later] = ['up', 'auto', 'later'].map((name) => stage.repository(name)) as [
      StageRepository,
      StageRepository,
      StageRepository,
    ];
    const tags = await up.tags();
    const first = configMap('web', { color: 'first' });
    const shop = {
      ...UPSTREAM,
      'config.yaml': first,
      Kptfile: locked(KPTFILE, up.url, 'web', 'web/v1', tags.get('web/v1')!),
    };
    // What was only pushed there, no update publishes by itself.
    await auto.publish('first', below('shop', shop));
    await later.push('main', below('shop', shop));
    await stage.idle();
    expect(await auto.pulls()).toEqual([]);
    await up.tag('web/stable', tags.get('web/v2')!);
    await stage.idle();
    expect(await auto.pulls()).toEqual([]);
    expect(await auto.read('shop/Kptfile')).toContain('ref: web/v2');
    expect(await auto.read('shop/config.yaml')).toContain('second');
    const [merged] = await auto.pulls('all');
    expect(merged?.merged_by?.login).toBe('portico[bot]');

    await up.git('update-ref', 'refs/tags/web/stable', tags.get('web/v1')!);
    await auto.push('blocked', { 'x.txt': 'x' });
    await stage.look('auto');
    const [back, ...none] = await auto.pulls();
    expect([back?.title, none]).toEqual(['Roll back shop to upstream v1', []]);
    // Nothing is wrong with it: it only waits for people.
    expect((await auto.checksOf(back!.number)).get('portico')?.conclusion).toBe('action_required');
    await auto.merge(back!.number);
    expect(await auto.read('shop/Kptfile')).toContain('ref: web/v1');

    // Somebody commits on its branch, and a newer revision comes on top: who edited it merges it.
    const policy = (more: string): Promise<string> =>
      auto.push('main', {
        '.github/portico.yaml': configuration(
          'auto',
          `branch: main\nupdates: { follow: channel/stable${more} }`,
        ),
      });
    await policy('');
    await up.git('update-ref', 'refs/tags/web/stable', tags.get('web/v2')!);
    await stage.look('auto');
    const [open] = await auto.pulls();
    await auto.push(open!.head.ref, { 'shop/own.yaml': configMap('own', { a: 'b' }) });
    await stage.idle();
    await up.git('update-ref', 'refs/tags/web/stable', tags.get('web/v3')!);
    await policy(', automerge: all');
    await stage.look('auto');
    expect((await auto.pulls()).map(({ title }) => title)).toEqual(['Update shop to upstream v3']);
    expect(await auto.read('shop/own.yaml', open!.head.ref)).toContain('a: b');

    // Of the newest revision nobody hears before it is two weeks old.
    expect(await later.pulls('all')).toEqual([]);
  },
);

longTest(
  'one dashboard a repository: written when it changed, and its boxes act for those who may',
  async () => {
    const later = stage.repository('later');
    const board = async (): Promise<{ number: number; body: string } | undefined> => {
      const { data } = await stage.as('alice').rest.issues.listForRepo({ ...later.where, state: 'all' });
      const found = data.find(({ title }) => title === 'Portico dashboard');
      return found && { number: found.number, body: found.body ?? '' };
    };
    expect(await board()).toBeUndefined();
    await stage.dashboard('later');
    const first = (await board())!;
    expect(first.body).toMatch(/\| `shop` \| upstream `v1` → `v3` \| `too-young` \|/);
    expect(first.body).toContain('- [ ] update now `shop`');
    expect(await stage.writesOf(() => stage.dashboard('later'), 'later')).toEqual([]);

    const tick = async (login: 'alice' | 'rita'): Promise<void> => {
      const body = first.body.replace('- [ ]', '- [x]');
      await stage.as(login).rest.issues.update({ ...later.where, issue_number: first.number, body });
      await stage.idle();
    };
    await expect(tick('rita')).rejects.toThrow();
    await tick('alice');
    expect((await later.pulls()).map(({ title }) => title)).toEqual(['Update shop to upstream v3']);
    await stage.dashboard('later');
    expect((await board())?.body).toMatch(/\| `shop` \| upstream `v1` → `v3` \| #\d+ \|/);

    await stage.dashboard('control');
    const { data } = await stage.as('alice').rest.issues.listForRepo(stage.repository('control').where);
    const variants = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
    expect(variants).toContain('| `default/mine` | `acme/edge:mine` | not Ready: base-missing |');
    expect(variants).toContain('`default/shops-edge-one`');
  },
);

longTest('one dashboard for the organisation, which names nobody whom its readers may not see', async () => {
  const board = async (name: string): Promise<string> => {
    const { data } = await stage.as('alice').rest.issues.listForRepo(stage.repository(name).where);
    return data.find(({ title }) => title === 'Portico dashboard of the organisation')?.body ?? '';
  };
  await stage.dashboard('control', 'organization');
  await stage.dashboard('open', 'organization');
  // Private repositories: the one that agreed is named, the others are counted.
  const inner = await board('control');
  expect(inner).toMatch(/^3 repositories, .*Updates: .* `proposed`/m);
  expect(inner).toMatch(/\d+ more are not listed here/);
  expect(inner).toMatch(/\| `acme\/edge:one` \| upstream `v1` \| proposed in `#\d+` \|/);
  expect(inner).toContain('[`acme/open`](');
  expect(inner).not.toMatch(/acme\/(?:up|later|auto)\b/);
  // The public one says nothing of any of them, not even how many there are.
  const open = await board('open');
  expect(open).toMatch(/^1 repository, /m);
  expect(open).not.toMatch(/acme\/(?!open\b)|edge|more are|leak/);
  expect(await stage.writesOf(() => stage.dashboard('open', 'organization'))).toEqual([]);

  // What stops being listed is not named after the next look, whatever else there is to tell.
  await stage.repository('edge').push('main', {
    '.github/portico.yaml': configuration('edge', 'branch: main\nupdates: { maxOpen: 20 }'),
  });
  await stage.idle();
  expect(await board('control')).not.toContain('acme/edge');
});

longTest(
  'what went while the bot was down is let go of after it came back, and not before all is known',
  async () => {
    const edge = stage.repository('edge');
    expect((await edge.pulls()).map(({ title }) => title)).toEqual(['Update one to upstream v1']);
    await stage.stopBot();
    await control({ 'shops.yaml': null });
    await stage.startBot();
    await stage.sweep();
    expect((await edge.pulls()).map(({ title }) => title)).toEqual(['Delete one']);
  },
);
