import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { longTest, STORIES } from '../../long-test.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';
import { chartRegistry, chartRepository, crd, deployment, type ChartRepository } from './chart-repository.ts';

/** A chart of one's own, updated by pull requests; the chart repository is a real HTTP server, and Helm the real one. */
let stage: Stage;
let charts: ChartRepository;

const OPEN = 'branch: main\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }';

const TOGETHER = 'updates: { follow: latest, group: [{ name: front, packages: ["apps/**"] }] }';

/** The one open pull request. */
async function only(repository: StageRepository): ReturnType<StageRepository['pull']> {
  const pulls = await repository.pulls();
  expect(pulls.map(({ title }) => title)).toHaveLength(1);
  return pulls[0]!;
}

const ROLE = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: {{ .Release.Name }}-reader }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: {{ .Release.Name }}-reader }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ .Release.Name }}-reader }
subjects: [{ kind: ServiceAccount, name: default, namespace: shop }]
`;

function publish(version: string, more = ''): void {
  const templates = { web: deployment(`shop:${version}`) + more, crd: crd('carts'), second: crd('orders') };
  charts.publish(version, templates);
}

describe('updates of sources', { tags: ['helm', 'bubblewrap'] }, () => {
  beforeAll(async () => {
    charts = await chartRepository();
    charts.publish('1.0.0', { web: deployment('shop:1.0'), crd: crd('carts'), second: crd('orders') });
    stage = await startStage(
      {
        shop: { spec: OPEN },
        hostile: { spec: OPEN },
        forged: { spec: OPEN },
        people: { spec: OPEN },
        together: { spec: OPEN.replace(/updates: .*/, TOGETHER) },
        asked: { spec: OPEN.replace('latest }', 'latest, schedule: "0 0 29 2 *" }') },
      },
      { environment: { insideHosts: `http://${charts.server.host}`, sourceMinutes: 0.000_01 } },
    );
    const files = below('web', await charts.package('web'));
    for (const name of ['shop', ...(STORIES ? ['hostile', 'forged', 'people'] : [])]) {
      await stage.repository(name).push('main', files);
    }
    if (STORIES) {
      const [one, two] = [await charts.package('one'), await charts.package('two')];
      await stage.repository('together').push('main', { ...below('apps/a', one), ...below('apps/b', two) });
      await stage.repository('asked').push('main', files);
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
    // A version of a chart is no revision of an upstream.
    expect(pull.body).toContain('After the merge, `web`: `chart@1.1.0`, here `v1`.');
    expect(await shop.sticky(pull.number)).toContain('shop:1.1');
    expect(await shop.read('web/rendered/deployment_shop_web-web.yaml', pull.head.ref)).toContain('shop:1.1');
    const checks = await shop.checksOf(pull.number);
    expect(checks.get('portico')?.conclusion).toBe('success');
    // No revision has what the package may do, so that each check is written.
    expect(checks.get('portico/power')?.conclusion).toBe('neutral');
    expect(checks.get('portico/sources')?.conclusion).toBe('success');
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
      const failed = (await shop.checksOf(pull.number)).get('portico/sources');
      expect(failed).toMatchObject({ conclusion: 'failure' });
      expect(failed?.output.title).toMatch(/orders\.example\.com is removed/);
      expect(failed?.output.summary).toMatch(
        /\| recreated \| `Deployment shop\/web-web` \| .*spec\.selector/,
      );

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

    // What they change of the values is processed again, and so is the next version with it.
    const rendered = 'web/rendered/deployment_shop_web-web.yaml';
    const values = 'replicas: 5 # ours, and more\n';
    await shop.push(pull.head.ref, { 'web/values.yaml': values });
    await stage.idle();
    expect(await shop.read(rendered, pull.head.ref)).toMatch(/replicas: 5[^]*shop:1\.4/);
    expect((await shop.checksOf(pull.number)).get('portico/sources')).toMatchObject({
      conclusion: 'success',
    });
    charts.publish('1.4.1', { web: deployment('shop:1.4.1'), crd: crd('carts'), second: crd('orders') });
    await stage.look('people');
    expect(await shop.read('web/values.yaml', pull.head.ref)).toBe(values);
    expect(await shop.read(rendered, pull.head.ref)).toMatch(/replicas: 5[^]*shop:1\.4\.1/);
    expect((await shop.checksOf(pull.number)).get('portico/sources')).toMatchObject({
      conclusion: 'success',
    });
    expect(await stage.writesOf(() => stage.look('people'))).toEqual([]);
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
    // What they change of what is made stays as well, and fails.
    const { number } = await only(shop);
    const byHand = (await shop.read(rendered, pull.head.ref))?.replace('replicas: 5', 'replicas: 7') ?? '';
    expect(byHand).toContain('replicas: 7');
    await shop.push(pull.head.ref, { [rendered]: byHand });
    await stage.idle();
    expect(await shop.read(rendered, pull.head.ref)).toBe(byHand);
    expect((await shop.checksOf(number)).get('portico/sources')).toMatchObject({ conclusion: 'failure' });
  });

  longTest('packages of a group are updated by one pull request', async () => {
    const shop = stage.repository('together');
    publish('1.7.0', ROLE);
    await stage.look('together');
    const pull = await only(shop);
    expect(pull.title).toBe('Update 2 packages to chart@1.7.0 (group front)');
    expect(pull.body).toMatch(
      /`chart` \| helm \| `1.0.0` \| `1.7.0`[^]*`chart` \| helm \| `1.0.0` \| `1.7.0`/,
    );
    expect(await shop.sticky(pull.number)).toMatch(/▲[^]*secrets/);
    for (const [path, release] of Object.entries({ 'apps/a': 'one', 'apps/b': 'two' })) {
      const file = `${path}/rendered/deployment_shop_${release}-web.yaml`;
      expect(await shop.read(file, pull.head.ref)).toContain('shop:1.7.0');
    }
    expect((await shop.checksOf(pull.number)).get('portico')).toMatchObject({ conclusion: 'success' });
    expect(await stage.writesOf(() => stage.look('together'))).toEqual([]);
    publish('1.8.0');
    await stage.look('together');
    expect(await only(shop)).toMatchObject({
      number: pull.number,
      title: 'Update 2 packages to chart@1.8.0 (group front)',
    });
    await shop.press(pull.number);
    await stage.idle();
    expect([...(await shop.tags()).keys()]).toEqual(expect.arrayContaining(['apps/a/v1', 'apps/b/v1']));
    await stage.look('together');
    expect(await shop.pulls()).toEqual([]);
  });

  longTest('who asks for a version gets it, out of schedule too, and it stays that', async () => {
    const shop = stage.repository('asked');
    await stage.look('asked');
    expect(await shop.pulls()).toEqual([]);
    const issue = await stage.as('alice').rest.issues.create({ ...shop.where, title: 'Update' });
    const ask = async (line: string): Promise<void> => {
      await shop.command(issue.data.number, line);
      await stage.idle();
    };
    await ask('/portico update web 1.4.0');
    expect((await only(shop)).title).toBe('Update web: chart 1.0.0 → 1.4.0');
    await stage.look('asked');
    expect((await only(shop)).title).toBe('Update web: chart 1.0.0 → 1.4.0');
    await ask('/portico update chart@1.5.0');
    expect((await only(shop)).title).toBe('Update web: chart 1.0.0 → 1.5.0');
    await ask('/portico update web 2.0.0');
    const told = (await shop.comments(issue.data.number)).map(({ body }) => body).join('\n');
    expect(told).toMatch(/`web` is not updated to `2.0.0` \(`no-such-revision`\)/);
    expect((await only(shop)).title).toBe('Update web: chart 1.0.0 → 1.5.0');
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
      expect(checks.get('portico')?.conclusion).toBe('success');
      // The first check tells of each: no revision has what the package may do.
      const told = checks.get('portico/sources')?.output.title ?? checks.get('portico')?.output.text;
      expect(told).toMatch(/### portico\/sources|as locked/);
      expect(await own.writesOf(() => own.look('registry'))).toEqual([]);
      await shop.press(pull.number);
      await own.idle();
      expect(await shop.read('web/rendered/deployment_shop_web-web.yaml')).toContain(`shop:1.${to}`);
      expect(await shop.read('web/portico-sources.lock.yaml')).toMatch(/charts\/shop@sha256:/);
    }
    expect([...(await shop.tags()).keys()]).toEqual(expect.arrayContaining(['web/v1', 'web/v2', 'web/v3']));
  });
});
