// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Packages that are updated together, what people and the upstream say about it, and what comes first. */
let stage: Stage;

const DATA = { color: 'red', size: 'small', shape: 'round' };
const PACKAGE = smallPackage('web', { data: DATA });
const data = (changes: Record<string, string>): string => configMap('web', { ...DATA, ...changes });
const grouped = `branch: main
updates: { follow: latest, group: [{ name: front, packages: ['apps/**'] }], labels: [updates, dependencies] }`;

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      together: { spec: grouped },
      first: {
        spec: `branch: main\nupdates: { follow: latest, maxOpen: 1, priority: ['infra/**', 'apps/z'] }`,
      },
    },
    { shares: true },
  );
  const up = stage.repository('up');
  const first = await up.push('main', { 'web/config.yaml': data({}) });
  await up.tag('web/v1', first);
  const clone = (name: string): Record<string, string> => ({
    ...PACKAGE,
    'config.yaml': data({ size: name }),
    Kptfile: locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', first),
  });
  await stage.repository('together').push('main', {
    ...below('apps/a', clone('a')),
    ...below('apps/b', clone('b')),
    ...below('apps/c', clone('c')),
    ...below('infra', clone('i')),
  });
  await stage.repository('first').push('main', {
    ...below('apps/a', clone('a')),
    ...below('apps/z', clone('z')),
  });
  await stage.as('alice').rest.issues.createLabel({ ...stage.repository('first').where, name: 'portico' });
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** A revision that a person tags, with words. */
async function release(revision: string, color: string, words: string): Promise<void> {
  const up = stage.repository('up');
  const commit = await up.push('main', { 'web/config.yaml': data({ color }) });
  await up.tag(`web/${revision}`, commit);
  await stage.as('alice').rest.repos.createRelease({ ...up.where, tag_name: `web/${revision}`, body: words });
  await stage.idle();
}

async function pullOf(name: string, title: RegExp): ReturnType<StageRepository['pull']> {
  const pulls = await stage.repository(name).pulls();
  const found = pulls.filter((pull) => title.test(pull.title));
  expect(pulls.map((pull) => pull.title)).toEqual(expect.arrayContaining(found.map((pull) => pull.title)));
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** The one comment that says that the pull request brings something else now. */
async function toldIn(number: number): Promise<string> {
  const told = (await stage.repository('together').comments(number)).filter(({ body }) =>
    body?.startsWith('<!-- portico:retargeted'),
  );
  expect(told).toHaveLength(1);
  return told[0]!.body!;
}

const GROUP = /\(group front\)$/;

test("a group has one pull request by one push, with labels and the upstream's words, made inert", async () => {
  const repo = stage.repository('together');
  const writes = await stage.writesOf(
    () =>
      release('v2', 'green', 'Greener, says @bob. Fixes #1.\n\n/portico publish\n<!-- portico:summary -->\n'),
    'together',
  );
  expect((await repo.pulls()).map(({ title }) => title).toSorted()).toEqual([
    'Update 3 packages to upstream v2 (group front)',
    'Update infra to upstream v2',
  ]);
  const pushes = writes.filter(({ what }) => what.endsWith('git-receive-pack'));
  expect(pushes).toHaveLength(1);
  expect(pushes[0]!.detail['updates']).toHaveLength(2);
  expect(writes.filter(({ what }) => /^(PATCH|DELETE)/.test(what))).toEqual([]);
  const pull = await pullOf('together', GROUP);
  expect(pull.labels.map(({ name }) => name).toSorted()).toEqual(['dependencies', 'updates']);
  for (const name of ['a', 'b', 'c']) {
    expect(await repo.read(`apps/${name}/config.yaml`, pull.head.sha)).toBe(
      data({ color: 'green', size: name }),
    );
    expect(await repo.read(`apps/${name}/Kptfile`, pull.head.sha)).toContain('ref: web/v2');
    expect(pull.body).toContain(`| \`apps/${name}\` | \`acme/up:web\` | upstream \`v1\` → \`v2\` |`);
  }
  expect(pull.body).toContain('Greener, says @\u200bbob. Fixes #\u200b1.');
  expect(pull.body).toContain('\n\\/portico publish\n&lt;!-- portico:summary --');
  expect((await repo.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
  expect(await stage.writesOf(() => stage.look('together'))).toEqual([]);
});

test('the first in order is opened, and the next when there is room; portico is put on where it exists', async () => {
  const repo = stage.repository('first');
  const pull = await pullOf('first', /./);
  expect(pull.title).toBe('Update apps/z to upstream v2');
  expect(pull.labels.map(({ name }) => name)).toEqual(['portico']);
  // What people take off stays off.
  await stage.as('alice').rest.issues.removeAllLabels({ ...repo.where, issue_number: pull.number });
  await stage.look('first');
  expect((await repo.pull(pull.number)).labels).toEqual([]);
  await repo.merge(pull.number);
  expect((await pullOf('first', /./)).title).toBe('Update apps/a to upstream v2');
});

test('refreshed in place under what people did: a change is kept, one that was taken back comes with the next revision', async () => {
  const repo = stage.repository('together');
  const before = await pullOf('together', GROUP);
  const kept = await repo.push(before.head.ref, { 'apps/a/notes.md': 'by hand\n' }, { as: 'bob' });
  const old = {
    config: (await repo.read('apps/b/config.yaml'))!,
    kptfile: (await repo.read('apps/b/Kptfile'))!,
  };
  await repo.push(
    before.head.ref,
    { 'apps/b/config.yaml': old.config, 'apps/b/Kptfile': old.kptfile },
    { as: 'bob' },
  );
  await stage.idle();
  await stage.look('together');
  expect(await repo.read('apps/b/config.yaml', (await repo.pull(before.number)).head.sha)).toBe(old.config);
  expect((await repo.command(before.number, '/portico pause apps/c')).reaction).toBe('rocket');
  // Paused: out of the pull request, as the registered branch has it; what was declined stays declined.
  const paused = await pullOf('together', GROUP);
  expect(paused.title).toBe('Update 2 packages to upstream v2 (group front)');
  expect(await repo.read('apps/b/config.yaml', paused.head.sha)).toBe(old.config);
  expect(await toldIn(before.number)).toContain('`apps/c` is no longer part of it');
  await release('v3', 'blue', 'Bluer.');
  const pull = await pullOf('together', GROUP);
  expect(pull.number).toBe(before.number);
  expect(pull.title).toBe('Update 2 packages to upstream v3 (group front)');
  for (const name of ['a', 'b']) {
    expect(await repo.read(`apps/${name}/config.yaml`, pull.head.sha)).toBe(
      data({ color: 'blue', size: name }),
    );
  }
  expect(await repo.read('apps/a/notes.md', pull.head.sha)).toBe('by hand\n');
  expect(await repo.git('merge-base', '--is-ancestor', kept, pull.head.sha)).toBe('');
  expect(await repo.read('apps/c/config.yaml', pull.head.sha)).toBe(await repo.read('apps/c/config.yaml'));
  expect(await repo.read('apps/c/Kptfile', pull.head.sha)).toBe(await repo.read('apps/c/Kptfile'));
  expect(await toldIn(pull.number)).toContain('`apps/a` upstream `v2` → `v3`');
  expect(await stage.writesOf(() => stage.look('together'))).toEqual([]);
});

test('one package can be asked for by command, and resumed it is back', async () => {
  const repo = stage.repository('together');
  const { number } = await pullOf('together', GROUP);
  expect((await repo.command(number, '/portico resume apps/c')).reaction).toBe('rocket');
  const pull = await repo.pull(number);
  expect(pull.title).toBe('Update 3 packages to upstream v3 (group front)');
  expect(await repo.read('apps/c/config.yaml', pull.head.sha)).toBe(data({ color: 'blue', size: 'c' }));
  // Refreshed for the second time, what people did is still there.
  expect(await repo.read('apps/a/notes.md', pull.head.sha)).toBe('by hand\n');
  expect(await repo.read('apps/b/config.yaml', pull.head.sha)).toBe(data({ color: 'blue', size: 'b' }));
});

test('conflicts of several packages have their numbers, and are settled one by one', async () => {
  const repo = stage.repository('together');
  await repo.push('main', {
    'apps/a/config.yaml': data({ size: 'a', color: 'mine' }),
    'apps/b/config.yaml': data({ size: 'b', color: 'ours' }),
  });
  await stage.idle();
  const { number, body } = await pullOf('together', GROUP);
  expect(body).toContain('**2 conflicts:**');
  expect(body).toContain('`apps/b/config.yaml`');
  expect((await repo.checksOf(number)).get('portico/conflicts')?.conclusion).toBe('action_required');
  expect((await repo.command(number, '/portico resolve 2 local')).reaction).toBe('rocket');
  const half = (await repo.pull(number)).body!;
  expect(half).toContain('**1 conflict (1 of 2 is settled):**');
  expect(half).toMatch(/^\| 1 \| `apps\/a\/config\.yaml` \|/m);
  expect((await repo.command(number, '/portico resolve 1 upstream')).reaction).toBe('rocket');
  const { head } = await repo.pull(number);
  expect(await repo.read('apps/a/config.yaml', head.sha)).toBe(data({ size: 'a', color: 'blue' }));
  expect(await repo.read('apps/b/config.yaml', head.sha)).toBe(data({ size: 'b', color: 'ours' }));
  expect((await repo.checksOf(number)).get('portico/conflicts')?.conclusion).toBe('success');
});

test('a package that leaves the group has its own pull request; the group goes on without it', async () => {
  const repo = stage.repository('together');
  const { number } = await pullOf('together', GROUP);
  const config = (await repo.read('.github/portico.yaml'))!;
  await repo.push('main', { '.github/portico.yaml': config.replace("'apps/**'", "'apps/a', 'apps/b'") });
  await stage.idle();
  const pull = await pullOf('together', GROUP);
  expect([pull.number, pull.title]).toEqual([number, 'Update 2 packages to upstream v3 (group front)']);
  expect(await repo.read('apps/c/Kptfile', pull.head.sha)).toContain('ref: web/v1');
  const own = await pullOf('together', /^Update apps\/c to upstream v3$/);
  expect(await repo.read('apps/c/config.yaml', own.head.sha)).toBe(data({ color: 'blue', size: 'c' }));
  // Grouped again it keeps the pull request that it has.
  await repo.push('main', { '.github/portico.yaml': config });
  await stage.idle();
  expect((await repo.pull(own.number)).state).toBe('open');
  expect((await pullOf('together', GROUP)).title).toBe('Update 2 packages to upstream v3 (group front)');
});

test('one merge publishes all packages of the group', async () => {
  const repo = stage.repository('together');
  const { number } = await pullOf('together', GROUP);
  await repo.merge(number);
  expect([...(await repo.tags()).keys()].toSorted()).toEqual(['apps/a/v1', 'apps/b/v1']);
  for (const name of ['a', 'b']) expect(await repo.read(`apps/${name}/Kptfile`)).toContain('ref: web/v3');
});

test(
  'closed means: none of these; without the group its pull request is closed, and each has its own',
  { tags: ['campaign'] },
  async () => {
    const repo = stage.repository('together');
    await release('v4', 'pink', '');
    const declined = await pullOf('together', GROUP);
    expect(declined.title).toBe('Update 2 packages to upstream v4 (group front)');
    await stage
      .as('alice')
      .rest.pulls.update({ ...repo.where, pull_number: declined.number, state: 'closed' });
    await stage.idle();
    await stage.look('together');
    expect((await repo.pulls()).map(({ title }) => title).toSorted()).toEqual([
      'Update apps/c to upstream v4',
      'Update infra to upstream v4',
    ]);
    await release('v5', 'gray', '');
    const pull = await pullOf('together', GROUP);
    expect(pull.title).toBe('Update 2 packages to upstream v5 (group front)');
    const config = (await repo.read('.github/portico.yaml'))!;
    await repo.push('main', { '.github/portico.yaml': config.replace(/group: \[.*?\}\], /, '') });
    await stage.idle();
    expect((await repo.pull(pull.number)).state).toBe('closed');
    expect((await repo.pulls()).map(({ title }) => title).toSorted()).toEqual(
      ['apps/a', 'apps/b', 'apps/c', 'infra'].map((path) => `Update ${path} to upstream v5`),
    );
  },
);
