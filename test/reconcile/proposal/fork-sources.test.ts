// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { digestOfWritten } from '../../../src/package/sources/source-digest.ts';
import { below } from '../../e2e/packages.ts';
import { contentServer, sha256, tgz, type ContentServer } from '../../fetching/content-server.ts';
import { sourceHost, syncTexts } from '../../sources/syncing.ts';
import { forkOf } from '../fork-of.ts';
import { kptfile } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let main: StageRepository;
/** rita may only read; the fork is hers. */
let fork: StageRepository;
let charts: ContentServer;
let elsewhere: ContentServer;

const LOCK = 'portico-sources.lock.yaml';

const documentOf = (repository: string, version: string): string => `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources, annotations: { config.kubernetes.io/local-config: "true" } }
sources:
- { id: chart, helm: { repository: "${repository}", chart: shop, version: "${version}" }, destination: upstream }
`;

beforeAll(async () => {
  [charts, elsewhere] = await Promise.all([contentServer(), contentServer()]);
  const chart = tgz({ 'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' });
  charts.files.set('/shop.tgz', chart);
  const entry = `  - { version: 1.0.0, digest: ${sha256(chart)}, urls: [shop.tgz] }\n`;
  charts.files.set('/index.yaml', Buffer.from(`apiVersion: v1\nentries:\n  shop:\n${entry}`));
  const { texts } = await syncTexts(
    {
      Kptfile: kptfile('web'),
      '.krmignore': 'upstream\n',
      'portico-sources.yaml': documentOf(charts.url, '1.0.0'),
    },
    sourceHost([charts.host]),
  );
  stage = await startStage(
    { packages: { spec: 'branch: main\npublish: { requireApprovals: 1 }', files: below('web', texts) } },
    { environment: { insideHosts: `http://${charts.host}, http://${elsewhere.host}` } },
  );
  main = stage.repository('packages');
  await stage.as('rita').rest.repos.createFork(main.where);
  fork = forkOf(stage, 'rita', 'packages');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await Promise.all([charts?.[Symbol.asyncDispose](), elsewhere?.[Symbol.asyncDispose]()]);
});

async function checkOf(branch: string, files: Readonly<Record<string, string>>) {
  await fork.push(branch, files);
  const opening = { ...main.where, title: branch, head: `rita:${branch}`, base: 'main' };
  const { data } = await stage.as('rita').rest.pulls.create(opening);
  await main.command(data.number, 'nothing for a bot', 'rita');
  return (await main.checksOf(data.number)).get('portico/sources');
}

test('nothing is asked of an address that a fork names, though it leaves what is pinned as it is (85)', async () => {
  const lock = (await main.read(`web/${LOCK}`)) ?? '';
  const place = { kind: 'helm', repository: elsewhere.url, chart: 'shop', version: '1.0.0' };
  const check = await checkOf('led-away', {
    'web/portico-sources.yaml': documentOf(elsewhere.url, '1.0.0'),
    [`web/${LOCK}`]: lock.replace(/placeDigest: .*/, `placeDigest: ${digestOfWritten(place)}`),
  });
  expect(elsewhere.requests).toEqual([]);
  expect(check).toMatchObject({ conclusion: 'failure' });
  expect(check?.output.summary).toContain('by a proposal from a fork');
  const kept = await checkOf('kept', { 'web/notes.md': 'hello\n' });
  expect(kept).toMatchObject({ conclusion: 'success' });
});
