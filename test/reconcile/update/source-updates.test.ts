import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { longTest, STORIES } from '../../long-test.ts';
import { titled } from '../../processors/real-tools.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';
import {
  chartRegistry,
  chartRepository,
  crd,
  deployment,
  HELM,
  tools,
  type ChartRepository,
} from './chart-repository.ts';

/** A chart of one's own, updated by pull requests; the chart repository is a real HTTP server, and Helm the real one. */
let stage: Stage;
let charts: ChartRepository;

const OPEN = 'branch: main\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }';

/** The one open pull request. */
async function only(repository: StageRepository): ReturnType<StageRepository['pull']> {
  const pulls = await repository.pulls();
  expect(pulls.map(({ title }) => title)).toHaveLength(1);
  return pulls[0]!;
}

describe.skipIf(tools === undefined)(titled('updates of sources', tools), () => {
  beforeAll(async () => {
    Object.assign(process.env, HELM);
    charts = await chartRepository();
    charts.publish('1.0.0', { web: deployment('shop:1.0'), crd: crd('carts'), second: crd('orders') });
    stage = await startStage(
      { shop: { spec: OPEN }, hostile: { spec: OPEN }, forged: { spec: OPEN }, people: { spec: OPEN } },
      { environment: { insideHosts: `http://${charts.server.host}`, sourceMinutes: 0.000_01 } },
    );
    const files = below('web', await charts.package('web'));
    for (const name of ['shop', ...(STORIES ? ['hostile', 'forged', 'people'] : [])]) {
      await stage.repository(name).push('main', files);
    }
    await stage.idle();
  });

  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await charts?.[Symbol.asyncDispose]();
  });

  test('a newer chart is proposed once, rendered, checked and merged', async () => {
    const shop = stage.repository('shop');
    charts.publish(
      '1.1.0',
      { web: deployment('shop:1.1'), crd: crd('carts'), second: crd('orders') },
      '- faster, says @alice',
    );
    await stage.look('shop');
    const pull = await only(shop);
    expect(pull.title).toBe('Update web: chart 1.0.0 → 1.1.0');
    expect(pull.body).toMatch(/faster, says @\u200balice/);
    expect(pull.body).toContain('`chart` | helm | `1.0.0` | `1.1.0`');
    expect(pull.body).toContain('shop:1.1');
    expect(await shop.read('web/rendered/deployment_shop_web-web.yaml', pull.head.ref)).toContain('shop:1.1');
    const checks = await shop.checksOf(pull.number);
    expect(checks.get('portico/sources')).toMatchObject({ conclusion: 'success' });
    expect(checks.get('portico')).toMatchObject({ conclusion: 'success' });
    expect(await stage.writesOf(() => stage.look('shop'))).toEqual([]);
    await shop.press(pull.number);
    await stage.idle();
    expect(await shop.read('web/portico-sources.lock.yaml')).toContain('version: 1.1.0');
    expect([...(await shop.tags()).keys()]).toContain('web/v1');
    await stage.look('shop');
    expect(await shop.pulls()).toEqual([]);
  });

  longTest(
    'what takes a definition away fails, until a newer version of the chart has it again',
    async () => {
      const shop = stage.repository('hostile');
      await stage.look('hostile');
      const pull = await only(shop);
      charts.publish('1.2.0', { web: deployment('shop:1.2', 'other'), crd: crd('carts') });
      await stage.look('hostile');
      const newer = await only(shop);
      expect(newer).toMatchObject({ number: pull.number, title: 'Update web: chart 1.0.0 → 1.2.0' });
      expect(newer.body).toMatch(/\| recreated \| `Deployment shop\/web-web` \| .*spec\.selector/);
      const failed = (await shop.checksOf(pull.number)).get('portico/sources');
      expect(failed).toMatchObject({ conclusion: 'failure' });
      expect(failed?.output.title).toMatch(/orders\.example\.com is removed/);

      charts.publish('1.3.0', { web: deployment('shop:1.3'), crd: crd('carts'), second: crd('orders') });
      await stage.look('hostile');
      expect((await shop.checksOf(pull.number)).get('portico')).toMatchObject({ conclusion: 'success' });
    },
  );

  longTest(
    'what is not what the sources and processors make fails, whatever the lock says (85)',
    async () => {
      const shop = stage.repository('forged');
      const chart = 'web/upstream/chart/templates/web.yaml';
      const standing = (await shop.read(chart)) ?? '';
      const evil = standing.replace(/image: .*? }/, 'image: evil }');
      const lock = (await shop.read('web/portico-sources.lock.yaml')) ?? '';
      const rendered = 'web/rendered/deployment_shop_web-web.yaml';
      const cases = {
        rendered: { [rendered]: `${await shop.read(rendered)}# by hand\n` },
        chart: { [chart]: evil },
        // As if the chart had been fetched like that.
        lock: {
          [chart]: evil,
          'web/portico-sources.lock.yaml': lock.replace(
            /treeDigest: .*/,
            `treeDigest: sha256:${'0'.repeat(64)}`,
          ),
        },
        'no-lock': { 'web/portico-sources.lock.yaml': null },
      };
      for (const [name, files] of Object.entries(cases)) {
        const pull = await shop.propose(name, files);
        const check = (await shop.checksOf(pull.number)).get('portico/sources');
        expect(check, name).toMatchObject({ conclusion: 'failure' });
      }
    },
  );

  longTest('people hold an update up, change it, and decline it', async () => {
    const shop = stage.repository('people');
    await stage.look('people');
    const pull = await only(shop);
    await shop.push(pull.head.ref, { 'web/README.md': '# kept\n' });
    await stage.idle();
    charts.publish('1.4.0', { web: deployment('shop:1.4'), crd: crd('carts'), second: crd('orders') });
    await stage.look('people');
    expect(await only(shop)).toMatchObject({ number: pull.number, title: expect.stringContaining('1.4.0') });
    expect(await shop.read('web/README.md', pull.head.ref)).toBe('# kept\n');
    await stage.as('bob').rest.pulls.update({ ...shop.where, pull_number: pull.number, state: 'closed' });
    await stage.idle();
    await stage.look('people');
    expect(await shop.pulls()).toEqual([]);
    const document = (await shop.read('web/portico-sources.yaml')) ?? '';
    charts.publish('1.5.0', { web: deployment('shop:1.5'), crd: crd('carts'), second: crd('orders') });
    await shop.push('main', {
      'web/portico-sources.yaml': document.replace('sources:', 'paused: { reason: freeze }\nsources:'),
    });
    await stage.idle();
    await stage.look('people');
    expect(await shop.pulls()).toEqual([]);
    await shop.push('main', {
      'web/portico-sources.yaml': document.replace(
        'sources:',
        'paused: { reason: freeze, until: 2020-01-01 }\nsources:',
      ),
    });
    await stage.idle();
    await stage.look('people');
    expect(await only(shop)).toMatchObject({ title: 'Update web: chart 1.0.0 → 1.5.0' });
    // A version that does not render leaves the package, and what is open, as it is.
    charts.publish('1.6.0', { web: '{{ fail "not this one" }}' });
    await stage.look('people');
    expect(await only(shop)).toMatchObject({ title: 'Update web: chart 1.0.0 → 1.5.0' });
  });

  longTest('a chart of a registry is updated through three versions by pull requests', async () => {
    await using registry = await chartRegistry();
    const version = (number: string): void =>
      registry.publish(`1.${number}.0`, { web: deployment(`shop:1.${number}`) });
    version('0');
    await using own = await startStage(
      { registry: { spec: OPEN } },
      { environment: { insideHosts: `http://${registry.host}`, sourceMinutes: 0.000_01 } },
    );
    const shop = own.repository('registry');
    await shop.push('main', below('web', await registry.package('web')));
    await own.idle();
    for (const [from, to] of [
      ['0', '1'],
      ['1', '2'],
      ['2', '3'],
    ] as const) {
      version(to);
      await own.look('registry');
      const pull = await only(shop);
      expect(pull.title).toBe(`Update web: chart 1.${from}.0 → 1.${to}.0`);
      const checks = await shop.checksOf(pull.number);
      expect(checks.get('portico/sources')).toMatchObject({ conclusion: 'success' });
      expect(await own.writesOf(() => own.look('registry'))).toEqual([]);
      await shop.press(pull.number);
      await own.idle();
      expect(await shop.read('web/rendered/deployment_shop_web-web.yaml')).toContain(`shop:1.${to}`);
      expect(await shop.read('web/portico-sources.lock.yaml')).toMatch(/charts\/shop@sha256:/);
    }
    expect([...(await shop.tags()).keys()]).toEqual(expect.arrayContaining(['web/v1', 'web/v2', 'web/v3']));
  });
});
