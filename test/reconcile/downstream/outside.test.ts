import { mkdtempSync, rmSync } from 'node:fs';
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
import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
const folder = mkdtempSync(join(tmpdir(), 'portico-outside-'));
const PACKAGE = smallPackage('web', { data: { color: 'first', size: 'small' } });

const later = (low: number): [string, unknown] => ['poll', expect.toSatisfy((s: number) => s >= low)];

beforeAll(async () => {
  stage = await startStage({
    // Public, and no business of Portico's: as good as any other place.
    plain: { spec: null, private: false, files: below('web', PACKAGE) },
    down: { spec: 'branch: main\nupdates: { follow: latest }' },
    moved: { private: false, files: below('web', PACKAGE) },
    mapped: { spec: 'branch: main\nupdates: { follow: latest }' },
  });
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
  expect(pull?.title).toBe('Update shop to v2');
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
  expect(await titles()).toEqual(['Update shop to v2']);
  await stage.dashboard('down');
  const { data: issues } = await stage.as('alice').rest.issues.listForRepo(down.where);
  expect(issues.find(({ title }) => title === 'Portico dashboard')?.body).toContain(
    'has moved to another address',
  );
  await down.push('main', {
    '.github/portico.yaml': `${config}  upstreams: { allow: ["${plain.url}", "${moved.url}"] }\n`,
  });
  await stage.idle();
  expect(await titles()).toEqual(['Update shop to v3']);
  await stage.as('alice').rest.repos.update({ ...moved.where, name: 'plain' });
  await stage.as('alice').rest.git.deleteRef({ ...plain.where, ref: 'tags/web/v3' });
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
  expect(pull?.title).toBe('Update shop to v2');
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
