// @module-tag story
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { boundTo } from '../../../src/bot/bound-git.ts';
import { createMirrors } from '../../../src/bot/mirrors.ts';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { gitReach } from '../../../src/network/git-reach.ts';
import { createOutsideFetch } from '../../../src/network/outside-fetch.ts';
import type { Job } from '../../../src/reconcile/job.ts';
import { createMemories } from '../../../src/reconcile/memories.ts';
import type { Ports } from '../../../src/reconcile/ports.ts';
import { createPollReconciler, waitAfter } from '../../../src/reconcile/repository/outside-upstream.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';
import { below, configuration, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
const folder = mkdtempSync(join(tmpdir(), 'portico-outside-'));
const PACKAGE = smallPackage('web', { data: { color: 'first', size: 'small' } });

const CREDENTIALS = {
  name: 'credentials.yaml',
  bytes: Buffer.from(`credentials:
- { name: vault, hosts: [127.0.0.1/acme/vault], organizations: [acme], username: alice, password: alice-token }
- { name: elsewhere, hosts: [127.0.0.1/acme/other], organizations: [acme], password: alice-token }
- { name: stale, hosts: [127.0.0.1], organizations: [acme], username: alice, password: revoked-token }
- { name: theirs, hosts: [127.0.0.1], organizations: [others], username: alice, password: alice-token }
`),
};

const later = (low: number): [string, unknown] => ['poll', expect.toSatisfy((s: number) => s >= low)];

beforeAll(async () => {
  stage = await startStage(
    {
      // Public, and no business of Portico's: as good as any other place.
      plain: { spec: null, private: false, files: below('web', PACKAGE) },
      down: { spec: 'branch: main\nupdates: { follow: latest }' },
      moved: { private: false, files: below('web', PACKAGE) },
      // Portico is not asked to know it either, and it answers to those alone who may read it.
      vault: { spec: null, files: below('web', PACKAGE) },
      guest: { spec: 'branch: main' },
      mapped: { spec: 'branch: main\nupdates: { follow: latest }' },
    },
    { environment: { credentialsFile: CREDENTIALS } },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('an upstream outside of the installations is followed where the repository allows its address', async () => {
  const [plain, down] = [stage.repository('plain'), stage.repository('down')];
  const first = await plain.head('main');
  await plain.tag('web/v1', first);
  const second = await plain.push('main', {
    'web/config.yaml': configMap('web', { color: 'second', size: 'small' }),
  });
  await plain.tag('web/v2', second);
  await down.push(
    'main',
    below('shop', {
      ...PACKAGE,
      'config.yaml': configMap('web', { color: 'first', size: 'large' }),
      Kptfile: locked(PACKAGE['Kptfile']!, plain.url, 'web', 'web/v1', first),
    }),
  );
  await stage.idle();
  expect(await down.pulls()).toEqual([]);

  const config = (await down.read('.github/portico.yaml'))!;
  await down.push('main', {
    '.github/portico.yaml': `${config}  upstreams: { allow: ["${plain.url}"] }\n`,
  });
  await stage.idle();
  const [pull] = await down.pulls();
  expect(pull?.title).toBe('Update shop to upstream v2');
  expect(await down.read('shop/config.yaml', pull!.head.sha)).toBe(
    configMap('web', { color: 'second', size: 'large' }),
  );
  expect(await stage.writesOf(() => stage.sweep(), 'down')).toEqual([]);

  // It is renamed: git is answered 301 at the address that the packages are locked to.
  await stage.as('alice').rest.repos.update({ ...plain.where, name: 'plainer' });
  const moved = stage.repository('plainer');
  await moved.tag(
    'web/v3',
    await moved.push('main', { 'web/config.yaml': configMap('web', { color: 'third', size: 'small' }) }),
  );
  await stage.stopBot();
  await stage.startBot();
  await stage.sweep();
  const titles = async (): Promise<string[]> => (await down.pulls()).map(({ title }) => title);
  // The new address is judged as the old one was.
  expect(await titles()).toEqual(['Update shop to upstream v2']);
  await stage.dashboard('down');
  const { data: issues } = await stage.as('alice').rest.issues.listForRepo(down.where);
  expect(issues.find(({ title }) => title === 'Portico dashboard')?.body).toContain(
    'has moved to another address',
  );
  await down.push('main', {
    '.github/portico.yaml': `${config}  upstreams: { allow: ["${plain.url}", "${moved.url}"] }\n`,
  });
  await stage.idle();
  expect(await titles()).toEqual(['Update shop to upstream v3']);
  await stage.as('alice').rest.repos.update({ ...moved.where, name: 'plain' });
  await stage.as('alice').rest.git.deleteRef({ ...plain.where, ref: 'tags/web/v3' });
});

test('an upstream outside that requires a credential is read with the one that is named, where its owner may use it', async () => {
  const [vault, guest] = [stage.repository('vault'), stage.repository('guest')];
  const first = await vault.head('main');
  await vault.tag('web/v1', first);
  const second = configMap('web', { color: 'second', size: 'small' });
  await vault.tag('web/v2', await vault.push('main', { 'web/config.yaml': second }));
  const named = async (credentials: string): Promise<void> => {
    await guest.push('main', {
      '.github/portico.yaml': configuration(
        'guest',
        `branch: main\nupdates: { follow: latest }\nupstreams: { allow: [{ address: "${vault.url}"${credentials} }] }`,
      ),
    });
    await stage.idle();
  };
  const board = async (): Promise<string> => {
    await stage.dashboard('guest');
    const { data: issues } = await stage.as('alice').rest.issues.listForRepo(guest.where);
    return issues.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
  };
  await guest.push(
    'main',
    below('shop', { ...PACKAGE, Kptfile: locked(PACKAGE['Kptfile']!, vault.url, 'web', 'web/v1', first) }),
  );
  const refusals = [
    [', credentials: theirs', 'The credential theirs is not configured'],
    ['', 'the configuration names none for its address'],
    [', credentials: elsewhere', 'The credential elsewhere is not for 127.0.0.1'],
    [', credentials: stale', 'rejected the credential stale'],
  ] as const;
  for (const [credentials, why] of refusals) {
    await named(credentials);
    const told = await board();
    expect(told).toContain('`upstream-credentials`');
    expect(told).toContain(why);
  }
  expect(await guest.pulls()).toEqual([]);

  await named(', credentials: vault');
  const [pull] = await guest.pulls();
  expect(pull?.title).toBe('Update shop to upstream v2');
  expect(await guest.read('shop/config.yaml', pull!.head.sha)).toBe(second);
  const opened = await stage.as('alice').rest.issues.create({ ...guest.where, title: 'Clone' });
  const clone = (name: string): string => `/portico clone ${vault.url}.git/web@v1 ${name}`;
  expect((await guest.command(opened.data.number, clone('one'))).reaction).toBe('rocket');

  // What one name was given is for no other.
  await named('');
  const { reply } = await guest.command(opened.data.number, clone('two'));
  expect(reply).toContain('the configuration names none for its address');
  // Anybody could read it there.
  await named(', credentials: vault');
  await stage.as('alice').rest.repos.update({ ...guest.where, private: false });
  const { reply: open } = await guest.command(opened.data.number, clone('three'));
  expect(open).toContain('this repository is public, and what the credential vault reads is not');
  expect(stage.log.join('\n')).not.toMatch(/alice-token|revoked-token/);
  const kept = readdirSync(stage.dataDirectory, { recursive: true, withFileTypes: true });
  for (const entry of kept.filter((one) => one.isFile() && one.name === 'config')) {
    expect(readFileSync(join(entry.parentPath, entry.name), 'utf8')).not.toMatch(/token|extraheader/i);
  }
});

test('a package that is locked to a forge that nobody knows says so, and follows it to where the configuration says it is', async () => {
  const [moved, mapped] = [stage.repository('moved'), stage.repository('mapped')];
  const first = await moved.head('main');
  await moved.tag('web/v1', first);
  const second = configMap('web', { color: 'second', size: 'small' });
  await moved.tag('web/v2', await moved.push('main', { 'web/config.yaml': second }));
  await mapped.push(
    'main',
    below('shop', {
      ...PACKAGE,
      Kptfile: locked(PACKAGE['Kptfile']!, 'git@gitea.example.com:old/moved.git', 'web', 'web/v1', first),
    }),
  );
  await stage.idle();
  expect(await mapped.pulls()).toEqual([]);
  await stage.dashboard('mapped');
  const { data: issues } = await stage.as('alice').rest.issues.listForRepo(mapped.where);
  const board = issues.find(({ title }) => title === 'Portico dashboard')?.body;
  expect(board).toContain('`upstream-unknown`');
  expect(board).toContain('name its new address in spec.upstreams.map');

  const config = (await mapped.read('.github/portico.yaml'))!;
  const to = moved.url.replace(/moved$/, '*');
  await mapped.push('main', {
    '.github/portico.yaml': `${config}  upstreams: { map: [{ from: "https://gitea.example.com/old/*", to: "${to}" }] }\n`,
  });
  await stage.idle();
  const [pull] = await mapped.pulls();
  expect(pull?.title).toBe('Update shop to upstream v2');
  // The address is written as it is now.
  const kptfile = await mapped.read('shop/Kptfile', pull!.head.sha);
  expect(kptfile).not.toContain('gitea.example.com');
  expect(kptfile).toContain(`repo: ${moved.url}`);
});

test('it is asked when its time has come, once for all; news make every follower due, failures wait longer', async () => {
  const plain = stage.repository('plain');
  const mirrors = createMirrors({
    maxOutside: 1_000_000,
    directory: folder,
    gitUrl: stage.forge.gitUrl,
    reach: gitReach(createOutsideFetch(), {}),
    tokenFor: () => Promise.resolve(''),
    credentialsOf: () => () => ({ username: 'robot', password: 'secret' }),
  });
  const catalog = createCatalog();
  const addresses = { good: plain.url, gone: plain.url.replace(/plain$/, 'gone') };
  for (const [id, repo] of [addresses.good, addresses.good, addresses.gone].entries()) {
    const lock = { repo: `${repo}.git`, directory: repositoryDirectory('web'), ref: 'web/v1', commit: '' };
    catalog.put(
      bareRepository(id, `acme/d${id}`, {
        packages: [{ directory: repositoryDirectory('shop'), tree: '', lock }],
      }),
    );
  }
  let now = Date.parse('2026-01-01T00:00:00Z');
  const jobs: Job[] = [];
  const world = {
    catalog,
    memories: createMemories(),
    openAddress: async (url: string) => boundTo(0, await mirrors.openAddress(url)),
    enqueue: (job: Job | readonly Job[]) => Promise.resolve(void jobs.push(...[job].flat())),
    now: () => new Date(now),
    log: { info() {}, warn() {}, error() {}, debug() {} },
  } as Partial<Ports> as Ports;
  const poll = createPollReconciler(world);
  const lookAt = async (address: string): Promise<[string, number][]> => {
    jobs.length = 0;
    await poll({ address });
    return jobs.map(({ kind, startAfterSeconds = 0 }) => [kind, startAfterSeconds]);
  };

  expect(await lookAt(addresses.good)).toEqual([later(720)]);
  await plain.tag('web/v3', await plain.head('main'));
  expect(await lookAt(addresses.good)).toEqual([later(720)]);
  now += 1_200_000;
  expect(await lookAt(addresses.good)).toEqual([['variant', 0], ['variant', 0], later(720)]);
  now += 1_200_000;
  expect(await lookAt(addresses.good)).toEqual([later(720)]);
  expect(await lookAt(addresses.gone)).toEqual([later(1_440)]);
  now += 3_600_000;
  expect(await lookAt(addresses.gone)).toEqual([later(2_880)]);
  catalog.remove(2);
  expect(await lookAt(addresses.gone)).toEqual([]);
  expect(waitAfter(50, 1)).toBeLessThan(110_000);
  await mirrors.close();
});
