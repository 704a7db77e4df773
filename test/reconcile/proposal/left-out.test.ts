import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const DEPLOYMENT = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cache\n';

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', smallPackage('web')) },
      free: { spec: 'branch: main\npublish: { requireApprovals: 0 }\nupdates: { follow: latest }' },
    },
    { shares: true, environment: { dashboardSeconds: 0 } },
  );
  const up = stage.repository('up');
  await up.publish('first', { 'web/config.yaml': configMap('web', { a: 'b' }) });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('a proposal names files that belong to no package, and those that nobody builds', async () => {
  const up = stage.repository('up');
  const pull = await up.propose('more', {
    'cache/deploy.yaml': DEPLOYMENT,
    'docs/notes.yaml': 'just: notes\n',
    'web/config.yaml': configMap('web', { a: 'c' }),
    'web/kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [config.yaml]\n',
  });
  const comment = await up.sticky(pull.number);
  expect(comment).toContain(
    '**1 file belongs to no package:** `cache/deploy.yaml`; Portico neither renders nor checks it.',
  );
  expect(comment).toContain('**Not built:** `web/kustomization.yaml`.');
  expect(comment).not.toContain('notes.yaml');
  expect(comment).toContain('| `web` | here `v1` → `v2` |');
  await stage.idle();
  const { data } = await stage.as('alice').rest.issues.listForRepo(up.where);
  const board = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
  // The branch is not named for a package, and the title gets no full stop.
  expect(board).toMatch(
    new RegExp(`\\| #${pull.number} \\| \`web\` \\| Proposed, \\S.* \\| ${pull.title} \\|`),
  );
});

test('a revision without a changed resource names the files that make it', async () => {
  const up = stage.repository('up');
  const pull = await up.propose('stray', { 'web/config.yaml.bak': 'old\n' });
  expect(await up.sticky(pull.number)).toContain(
    '**No resource of `web` changes**, and it still becomes `v2`, because of `web/config.yaml.bak`. If `web/config.yaml.bak` does not belong to the package, remove it with `git rm`.',
  );
});

test('a published file that changes without its resources is not to be removed', async () => {
  const up = stage.repository('up');
  const pull = await up.propose('comment', { 'web/config.yaml': `# why\n${configMap('web', { a: 'b' })}` });
  const comment = await up.sticky(pull.number);
  expect(comment).toContain('and it still becomes `v2`, because of `web/config.yaml`.');
  expect(comment).not.toContain('git rm');
});

test('of a file that cannot be read, no one says that its resources stay', async () => {
  const up = stage.repository('up');
  const mixed = `${configMap('web', { a: 'x' })}---\nfoo: bar\n`;
  const pull = await up.propose('mixed', { 'web/config.yaml': mixed });
  const comment = await up.sticky(pull.number);
  expect(comment).toContain('| 1 file unread |');
  expect(comment).not.toMatch(/none changed|No resource of/);
});

test('a changed Kptfile explains the revision', async () => {
  const up = stage.repository('up');
  const kptfile = `${await up.read('web/Kptfile')}info: { description: Serves the shop }\n`;
  const pull = await up.propose('described', { 'web/Kptfile': kptfile });
  const comment = await up.sticky(pull.number);
  expect(comment).toContain('| `web` | here `v1` → `v2` | none changed; 1 package file changed |');
  expect(comment).not.toContain('**No resource of');
});

test('a mistake in a document has its line in the comment', async () => {
  const up = stage.repository('up');
  const pull = await up.propose('rollout', {
    '.github/portico/slow.yaml':
      'apiVersion: config.portico.dev/v1alpha1\nkind: Rollout\nmetadata: { name: slow }\nspec:\n  upstreams: [{ packages: [web] }]\n  waves: [{ name: a, select: { repository: [x] } }]\n',
  });
  const comment = await up.sticky(pull.number);
  expect(comment).toContain('**Mistakes in the configuration**');
  expect(comment).toMatch(/\| `\.github\/portico\/slow\.yaml:6` \| .*repository/);
});

test('a promotion says what moves, and publish says what to do', async () => {
  const up = stage.repository('up');
  const pull = await up.propose('channel', {
    '.github/portico/channels/web.yaml':
      'apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: web\ndefaultChannel: stable\nchannels:\n- name: stable\n  members: [v1]\n',
  });
  expect(await up.sticky(pull.number)).toContain('| `web` | `stable` | nothing → v1 | none |');
  const { reply } = await up.command(pull.number, '/portico publish', 'bob');
  expect(reply).toContain('press the merge button of this pull request');
});

test('an update that needs no approval does not wait for a review', async () => {
  const [up, free] = [stage.repository('up'), stage.repository('free')];
  const commit = (await up.tags()).get('web/v1')!;
  const { Kptfile = '', ...files } = smallPackage('web');
  await free.push(
    'main',
    below('shop', { ...files, Kptfile: locked(Kptfile, up.url, 'web', 'web/v1', commit) }),
  );
  await stage.idle();
  await up.publish('second', { 'web/config.yaml': configMap('web', { a: 'd' }) });
  await stage.idle();
  const { data } = await stage.as('alice').rest.issues.listForRepo(free.where);
  const board = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
  expect(board).toContain('| `shop` | upstream `v1` → `v2` |');
  expect(board).toContain('Needs no approval. Merge it.');
  expect(board).not.toContain('Waits for a review');
});
