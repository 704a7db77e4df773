import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { treeDigest } from '../../src/package/tree-digest.ts';
import { contentServer, sha256, tgz, type ContentServer } from '../fetching/content-server.ts';
import { startGitServer, type GitServer } from '../git/http-backend.ts';
import { filesOf, sourceHost, syncTexts, type Texts } from './syncing.ts';

let http: ContentServer;
let git: GitServer;

beforeAll(async () => {
  [http, git] = await Promise.all([contentServer(), startGitServer()]);
  git.token = undefined;
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

/** Commits files in a work tree beside the bare repository and pushes them, with tags. */
function commit(bare: string, files: Texts, ...tags: string[]): string {
  const work = `${bare}.work`;
  const run = (...args: string[]): string =>
    execFileSync('git', ['-C', work, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  mkdirSync(work, { recursive: true });
  run('init', '-q', '-b', 'main');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  run('add', '-A');
  run('commit', '-q', '-m', 'a change');
  for (const tag of tags) run('tag', '-a', '-m', tag, tag);
  run('push', '-q', bare, 'main', '--tags');
  return run('rev-parse', 'HEAD');
}

function tree(files: Texts): string {
  return treeDigest(filesOf(files));
}

function chart(version: string): Buffer {
  return tgz({ 'redis/Chart.yaml': `version: ${version}\n`, 'redis/templates/a.yaml': version });
}

/** What a repository says of its charts, laid out as Helm does. */
function index(...versions: string[]): Buffer {
  const listed = versions.map(
    (one) => `  - version: ${one}\n    digest: ${sha256(chart(one))}\n    urls:\n    - redis-${one}.tgz\n`,
  );
  const other = '  other:\n  - version: 9.9.9\n    urls: [other.tgz]\n';
  const zoo = '  zoo:\n  - version: 1.0.0\n    urls: [zoo.tgz]\n';
  return Buffer.from(`apiVersion: v1\nentries:\n${other}  redis:\n${listed.join('')}${zoo}generated: now\n`);
}

describe('syncing sources', () => {
  test('each kind over http and git is pinned, synced, checked and updated', async () => {
    const host = () => sourceHost([http.host, new URL(git.url).host]);
    const shared = host();
    const repo = `${git.url}/blueprints`;
    const bare = git.create('blueprints');
    const files = {
      LICENSE: 'free',
      'config/a.yaml': 'a: 1\n',
      'pkg/db/Kptfile': 'k',
      'pkg/db/db.yaml': 'v: 1\n',
    };
    const first = commit(bare, files, 'v1.0.0', 'pkg/db/v1');
    for (const one of ['7.1.0', '7.2.0', '8.0.0']) http.files.set(`/charts/redis-${one}.tgz`, chart(one));
    http.files.set('/charts/index.yaml', index('7.1.0', '8.0.0'));
    http.files.set('/crds.tgz', tgz({ 'config/crd.yaml': 'crd: 1\n', 'docs/x.md': 'no' }));
    const written = {
      Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\n',
      'overlays/mine.yaml': 'mine: true\n',
      'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: {name: sources}
sources:
- {id: chart, helm: {repository: "${http.url}/charts", chart: redis, version: ">=7 <8"}, destination: upstream/chart}
- {id: crds, http: {url: "${http.url}/crds.tgz"}, destination: upstream/crds, newRoot: config}
- {id: conf, git: {repo: "${repo}", semver: ^1}, newRoot: config}
- {id: db, package: {repo: "${repo}", package: pkg/db}, exclude: [Kptfile]}
- {id: local, manual: true, destination: overlays}
`,
    };
    const made = await syncTexts(written, shared);
    const crds = `${http.url}/crds.tgz@sha256:${sha256(http.files.get('/crds.tgz')!)}`;
    const chart71 = `${http.url}/charts/redis-7.1.0.tgz@sha256:${sha256(chart('7.1.0'))}`;
    const digests = {
      chart: tree({ 'Chart.yaml': 'version: 7.1.0\n', 'templates/a.yaml': '7.1.0' }),
      crds: tree({ 'crd.yaml': 'crd: 1\n' }),
      conf: tree({ 'a.yaml': 'a: 1\n', LICENSE: 'free' }),
      db: tree({ 'db.yaml': 'v: 1\n', LICENSE: 'free' }),
      local: tree({ 'mine.yaml': 'mine: true\n' }),
    };
    expect(
      made.sources.map((one) => [one.id, one.resolved, one.version, one.treeDigest, one.changed]),
    ).toEqual([
      ['chart', chart71, '7.1.0', digests.chart, true],
      ['crds', crds, undefined, digests.crds, true],
      ['conf', `${repo}@${first}`, 'v1.0.0', digests.conf, true],
      ['db', `${repo}@${first}`, 'v1', digests.db, true],
      ['local', null, undefined, digests.local, false],
    ]);
    const state = made.texts;
    expect(Object.keys(state)).toEqual([
      'Kptfile',
      'conf/LICENSE',
      'conf/a.yaml',
      'db/LICENSE',
      'db/db.yaml',
      'overlays/mine.yaml',
      'portico-sources.lock.yaml',
      'portico-sources.yaml',
      'upstream/chart/Chart.yaml',
      'upstream/chart/templates/a.yaml',
      'upstream/crds/crd.yaml',
    ]);

    // Newer ones are there now; nobody asked for them, and nobody is asked.
    http.files.set('/charts/index.yaml', index('7.1.0', '7.2.0', '8.0.0'));
    commit(bare, { 'config/a.yaml': 'a: 2\n' }, 'v1.1.0', 'pkg/db/v2');
    http.requests.length = 0;
    git.requests.length = 0;
    const again = await syncTexts(state, host());
    expect(again.sources.map((one) => one.changed)).toEqual([false, false, false, false, false]);
    expect(again).toMatchObject({ differences: [], texts: state });
    expect([...http.requests, ...git.requests]).toEqual([]);
    expect(await syncTexts(state, host(), { locked: true })).toMatchObject({ differences: [], texts: state });

    const later = host();
    const updated = await syncTexts(state, later, { update: ['chart', 'db'] });
    expect(updated.sources.map((one) => [one.id, one.version, one.changed, one.was])).toEqual([
      ['chart', '7.2.0', true, chart71],
      ['crds', undefined, false, undefined],
      ['conf', 'v1.0.0', false, undefined],
      ['db', 'v2', true, `${repo}@${first}`],
      ['local', undefined, false, undefined],
    ]);
    expect(updated.texts['upstream/chart/templates/a.yaml']).toBe('7.2.0');
    await expect(syncTexts(state, later, { update: ['local'] })).rejects.toMatchObject({
      code: 'SOURCES_UNKNOWN_ID',
    });

    // A check believes neither files nor digests that somebody wrote.
    const lock = state['portico-sources.lock.yaml'] ?? '';
    const mine = {
      ...state,
      'upstream/crds/crd.yaml': 'crd: mine\n',
      'portico-sources.lock.yaml': lock.replace(digests.crds, tree({ 'crd.yaml': 'crd: mine\n' })),
    };
    expect((await syncTexts(mine, shared, { locked: true })).differences).toEqual([
      expect.stringContaining('crds has the digest'),
      expect.stringContaining('upstream/crds is not what'),
    ]);
    // What was taken away comes back as it was pinned.
    const { 'upstream/crds/crd.yaml': _taken, ...gone } = state;
    expect((await syncTexts(gone, shared)).texts).toEqual(state);

    // A change of what is taken is none of where it comes from: the pin stays.
    const narrower =
      state['portico-sources.yaml']?.replace('semver: ^1}', 'semver: ^1}, keepLegal: false') ?? '';
    const taken = await syncTexts({ ...state, 'portico-sources.yaml': narrower }, later);
    expect(taken.sources[2]).toMatchObject({ resolved: `${repo}@${first}`, changed: true });
    expect(taken.texts['conf/LICENSE']).toBeUndefined();
    expect(
      (await syncTexts({ ...state, 'portico-sources.yaml': narrower }, later, { locked: true })).differences,
    ).toEqual([
      'the lock is older than the document',
      'conf has changed in the document since it was locked',
      expect.stringContaining('conf is not what'),
    ]);

    // Other bytes at an address that the lock pins.
    http.files.set('/crds.tgz', tgz({ 'config/crd.yaml': 'crd: evil\n' }));
    await expect(syncTexts(gone, host())).rejects.toMatchObject({
      code: 'SOURCE_CHANGED',
      message: expect.stringContaining(crds.slice(crds.indexOf('@') + 1)),
    });
  });
});
