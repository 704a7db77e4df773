// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Nothing is agreed but what a test agrees: documents, commands, locks and refs in one repository about others. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'first' } });
const SECOND = configMap('web', { color: 'second' });
/** The time that the schedule names is years away. */
const NEVER = '0 0 29 2 *';

const rollout = (name: string, repo: string): string =>
  `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: ${name} }
spec: { upstreams: [{ repo: ${repo}, packages: ['**'] }], waves: [{ name: all }] }
`;

const variant = (name: string, upstream: string, downstream: string): string =>
  `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: ${name} }
spec:
  upstream: { repo: ${upstream}, package: web }
  downstream: { repo: ${downstream}, package: made }
`;

const upSays = (to: readonly string[], more = ''): string =>
  `branch: main\nsharing: { to: [${to.join(', ')}] }${more}`;
const autoSays = (updates: string, more = '\ncontrolledBy: [acme/fleet]'): string =>
  `branch: main\ndeployment: true\npublish: { requireApprovals: 0 }\nsharing: { from: [acme/up] }\nupdates: { follow: latest, automerge: patch${updates} }${more}`;
const SHARED_WITH = ['acme/auto', 'acme/fleet', 'acme/kept'];

beforeAll(async () => {
  stage = await startStage({
    up: { files: below('web', PACKAGE), spec: upSays(SHARED_WITH) },
    auto: { spec: autoSays('', '') },
    taker: { spec: 'branch: main\nupdates: { follow: latest }' },
    open: {
      private: false,
      files: {
        '.github/portico/rollouts.yaml': [rollout('loot', 'up'), rollout('air', 'absent')].join('---\n'),
        '.github/portico/variants.yaml': [
          variant('from-up', 'up', 'open'),
          variant('from-absent', 'absent', 'open'),
          variant('into-auto', 'open', 'auto'),
          variant('into-absent', 'open', 'absent'),
        ].join('---\n'),
      },
    },
    fleet: { spec: 'branch: main\nsharing: { from: [acme/up] }' },
    kept: { spec: 'branch: main\nsharing: { from: [acme/up] }' },
  });
  const up = stage.repository('up');
  const before = await up.head('main');
  await up.tag('web/v4.2.0', before);
  const commit = await up.push('main', { 'web/config.yaml': SECOND });
  await up.tag('web/v4.2.1', commit);
  await stage.idle();
  const at = (repo: string, revision: string, made: string): string =>
    locked(PACKAGE['Kptfile']!, repo, 'web', `web/${revision}`, made);
  // What it was at before is where a rollback leads.
  await stage
    .repository('auto')
    .push('main', below('shop', { ...PACKAGE, Kptfile: at(up.url, 'v4.2.0', before) }));
  await stage
    .repository('auto')
    .push(
      'main',
      below('shop', { ...PACKAGE, 'config.yaml': SECOND, Kptfile: at(up.url, 'v4.2.1', commit) }),
    );
  const absent = up.url.replace(/up$/, 'absent');
  await stage.repository('taker').push('main', {
    ...below('one', { ...PACKAGE, Kptfile: at(up.url, 'v4.2.0', before) }),
    ...below('two', { ...PACKAGE, Kptfile: at(absent, 'v4.2.0', before) }),
  });
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function boardOf(name: string): Promise<string> {
  await stage.dashboard(name);
  const { where } = stage.repository(name);
  const { data } = await stage.as('alice').rest.issues.listForRepo({ ...where, state: 'all' });
  return data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
}

async function issueIn(name: string): Promise<number> {
  const { where } = stage.repository(name);
  return (await stage.as('alice').rest.issues.create({ ...where, title: 'Please' })).data.number;
}

const titlesIn = async (name: string): Promise<string[]> => {
  await stage.look(name);
  return (await stage.repository(name).pulls()).map(({ title }) => title);
};

async function says(name: string, spec: string): Promise<void> {
  await stage.repository(name).push('main', { '.github/portico.yaml': configuration(name, spec) });
  await stage.idle();
}

/** An annotated tag as anybody with git makes one, at any ref. */
async function byHand(name: string, ref: string, message: string): Promise<void> {
  const repo = stage.repository(name);
  const object = await repo.head('main');
  const tag = { ...repo.where, tag: 'x', message, object, type: 'commit' as const };
  const { data } = await stage.as('carol').rest.git.createTag(tag);
  await repo.git('update-ref', ref, data.sha);
  await stage.look(name);
}

/** A row without what the documents themselves say. */
const plain = (row: string): string =>
  row.replaceAll(/loot|air|from-up|from-absent|into-auto|into-absent|"\w+"|yaml:\d+/g, '…');

test('documents in a public repository tell nothing of private ones, not that they are there (73)', async () => {
  const board = await boardOf('open');
  for (const [real, absent] of [
    ['loot', 'air'],
    ['from-up', 'from-absent'],
    ['into-auto', 'into-absent'],
  ] as const) {
    const rowOf = (name: string): string =>
      board.split('\n').find((line) => line.includes(`/${name}\``)) ?? '';
    const [known, unknown] = [rowOf(real), rowOf(absent)];
    expect(known).toContain('is not a repository of acme');
    expect(plain(known)).toBe(plain(unknown));
  }
  expect(board).not.toMatch(/acme\/(?:up|auto)|web|shop|v4/);
});

test('a rollout that no base configuration of the upstream names orders nothing (62)', async () => {
  const issue = await issueIn('open');
  const open = stage.repository('open');
  const answers = [];
  for (const name of ['loot', 'air']) {
    const { reaction, reply = '' } = await open.command(issue, `/portico rollout rollback ${name}`, 'carol');
    expect(reaction).toBe('confused');
    answers.push(
      reply
        .replace(/portico:reply \d+/, '')
        .replaceAll(name, '…')
        .replaceAll(/"\w+"/g, '…'),
    );
  }
  expect(answers[0]).toBe(answers[1]);
  expect(await open.git('for-each-ref', 'refs/portico/rollout')).toBe('');
  expect(await titlesIn('auto')).toEqual([]);
  expect(await stage.repository('auto').read('shop/Kptfile')).toContain('ref: web/v4.2.1');
});

test('a command finds a private repository only where both agree, and else says what it says of none (65)', async () => {
  const issue = await issueIn('taker');
  const taker = stage.repository('taker');
  const answers = [];
  const asked = ['acme/up:web', 'acme/absent:web', 'acme/UP:web', 'acme/up/web', 'acme/absent/web'];
  for (const what of [...asked, 'up', 'absent'].map((one) =>
    one.includes('/') ? one : `${taker.url.replace(/taker$/, one)}.git/web`,
  )) {
    const { reaction, reply = '' } = await taker.command(issue, `/portico clone ${what}@v4.2.1 here`);
    expect(reaction, what).toBe('confused');
    answers.push(reply.replace(/portico:reply \d+/, '').replaceAll(/acme\/(?:up|UP|absent)/g, 'acme/…'));
  }
  const [first, ...more] = answers;
  expect(first).toContain('sharing: { to: [acme/taker] }');
  expect(more.slice(0, 2)).toEqual([first, first]);
  expect(more[2]).toBe(more[3]);
  expect(more[4]).toBe(more[5]);
});

test('private content comes into another private repository only while both base branches agree (65)', async () => {
  expect(await titlesIn('taker')).toEqual([]);
  const rows = (await boardOf('taker'))
    .split('\n')
    .filter((line) => /^\| `(?:one|two)` \|.*blocked/.test(line));
  expect(rows).toHaveLength(2);
  expect(rows[0]!.replace('one', 'two')).toBe(rows[1]);
  expect(rows[0]).not.toContain('acme/up');
  expect(rows[0]).toContain('sharing: { to: [acme/taker] }');

  await says('taker', 'branch: main\nupdates: { follow: latest }\nsharing: { from: [acme/up] }');
  expect(await titlesIn('taker')).toEqual([]);
  await says('up', upSays([...SHARED_WITH, 'acme/taker']));
  expect(await titlesIn('taker')).toEqual(['Update one to upstream v4.2.1']);
  await says('up', upSays(SHARED_WITH));
  expect(await titlesIn('taker')).toEqual([]);
});

test('what another repository orders waits for schedule and people, and never merges itself (62)', async () => {
  const fleet = stage.repository('fleet');
  await fleet.push('main', { '.github/portico/rollout.yaml': rollout('careful', 'up') });
  await stage.idle();
  const issue = await issueIn('fleet');
  expect(await boardOf('fleet')).toContain('does not accept documents from acme/fleet');
  expect((await fleet.command(issue, '/portico rollout rollback careful')).reaction).toBe('confused');

  await says('up', upSays(SHARED_WITH, '\ncontrolledBy: [acme/fleet]'));
  expect((await fleet.command(issue, '/portico rollout rollback careful')).reaction).toBe('rocket');
  expect(await titlesIn('auto')).toEqual([]);
  expect(await boardOf('auto')).toContain('spec.controlledBy does not name the repository of the rollout');
  await says('auto', autoSays(`, schedule: "${NEVER}"`));
  expect(await titlesIn('auto')).toEqual([]);
  expect(await boardOf('auto')).toContain('`not-scheduled`');
  await says('auto', autoSays(', maxOpen: 0'));
  expect(await titlesIn('auto')).toEqual([]);
  expect(await boardOf('auto')).toContain('`limit`');

  await says('auto', autoSays(''));
  expect(await titlesIn('auto')).toEqual(['Roll back shop to upstream v4.2.0 (v4.2.1 is withdrawn)']);
  const auto = stage.repository('auto');
  const [back] = await auto.pulls();
  expect((await auto.checksOf(back!.number)).get('portico')?.conclusion).toBe('success');
  await stage.look('auto');
  expect((await auto.pull(back!.number)).state).toBe('open');
  expect((await fleet.command(issue, '/portico rollout resume careful')).reaction).toBe('rocket');
  expect(await titlesIn('auto')).toEqual([]);
});

test('a ref that Portico has not written orders nothing (71)', async () => {
  const fleet = stage.repository('fleet');
  const ref = 'refs/portico/rollout/careful';
  const sealed = await fleet.git('cat-file', 'tag', ref);
  const subject = /Order: rollback (\S+) /.exec(sealed)![1]!;
  const order = `Orders about the rollout careful\n\nOrder: rollback ${subject} - carol 2026-01-01T00:00:00.000Z\n`;
  const words = sealed.slice(sealed.indexOf('Orders about'));
  // As it was before seals, with a seal of something else, and with a sealed one that was changed.
  for (const message of [
    order,
    `${order}Portico-Seal: ${'0'.repeat(64)}\n`,
    words.replace('resume', 'rollback'),
  ]) {
    await byHand('fleet', ref, message);
    expect(await titlesIn('auto')).toEqual([]);
    expect(await boardOf('fleet')).toContain(`\`${ref}\``);
  }
  // Somebody who may says it again, and it counts.
  const issue = await issueIn('fleet');
  expect((await fleet.command(issue, '/portico rollout rollback careful')).reaction).toBe('rocket');
  expect(await titlesIn('auto')).toEqual(['Roll back shop to upstream v4.2.0 (v4.2.1 is withdrawn)']);
  expect(await boardOf('fleet')).not.toContain('Ignored refs');
  await fleet.command(issue, '/portico rollout resume careful');
});

test('a pause that Portico has not written pauses nothing, and nothing merges itself meanwhile (71)', async () => {
  const auto = stage.repository('auto');
  const ref = 'refs/portico/paused/shop/updates';
  await byHand('auto', ref, 'Updates of shop are paused\n\nPaused-By: alice\nRequested-In: #1\n');
  const up = stage.repository('up');
  await up.tag(
    'web/v4.2.2',
    await up.push('main', { 'web/config.yaml': configMap('web', { color: 'third' }) }),
  );
  await stage.idle();
  expect(await titlesIn('auto')).toEqual(['Update shop to upstream v4.2.2']);
  expect(await boardOf('auto')).toContain(`\`${ref}\``);
  const issue = await issueIn('auto');
  expect((await auto.command(issue, '/portico pause shop')).reply).toContain('Updates of `shop` are paused.');
  expect(await boardOf('auto')).not.toContain('Ignored refs');
  // What is sealed for one package is nothing for another.
  const [sealed] = (await auto.git('for-each-ref', '--format=%(objectname)', ref)).split('\n');
  await auto.git('update-ref', 'refs/portico/paused/other/updates', sealed!);
  await stage.look('auto');
  expect(await boardOf('auto')).toContain('`refs/portico/paused/other/updates`');
  await auto.git('update-ref', '-d', 'refs/portico/paused/other/updates');
  expect((await auto.command(issue, '/portico resume shop')).reaction).toBe('rocket');
  // Nothing that nobody vouches for stands there any more: the step forward merges itself.
  expect(await titlesIn('auto')).toEqual([]);
  expect(await auto.read('shop/Kptfile')).toContain('ref: web/v4.2.2');
});

test('a variant of another repository makes and deletes only where the base configuration names that one, and merges nothing (62)', async () => {
  const [fleet, kept] = [stage.repository('fleet'), stage.repository('kept')];
  const file = '.github/portico/kept.yaml';
  const plain =
    'branch: main\nsharing: { from: [acme/up] }\npublish: { requireApprovals: 0 }\nupdates: { automerge: all }';
  const document = { [file]: variant('kept', 'up', 'kept') };
  await says('kept', `${plain}\ncontrolledBy: [acme/fleet]`);
  await fleet.propose('wish', document);
  expect(await titlesIn('kept')).toEqual([]);
  await says('kept', plain);
  await fleet.push('main', document);
  await stage.idle();
  expect(await titlesIn('kept')).toEqual([]);
  expect(await boardOf('fleet')).not.toContain('acme/kept');

  await says('kept', `${plain}\ncontrolledBy: [acme/fleet]`);
  expect(await titlesIn('kept')).toEqual([expect.stringMatching(/^Create made at upstream v4\.2\.\d$/)]);
  const { number } = (await kept.pulls())[0]!;
  expect((await kept.checksOf(number)).get('portico')?.conclusion).toBe('success');
  await stage.look('kept');
  expect((await kept.pull(number)).state).toBe('open');
  await kept.merge(number);
  await says('kept', plain);
  await fleet.push('main', { [file]: null });
  await stage.idle();
  expect(await titlesIn('kept')).toEqual([]);
  expect(await boardOf('kept')).toContain('whose documents do not apply here');
  await says('kept', `${plain}\ncontrolledBy: [acme/fleet]`);
  expect(await titlesIn('kept')).toEqual(['Delete made']);
});
