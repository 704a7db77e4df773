import { afterAll, beforeAll, expect } from 'vitest';

import { portico, scratch } from '../../cli/run-portico.ts';
import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** From a Porch server's objects to Portico at work: `portico migrate`, its pull requests merged, and what goes on. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'blue' } });

beforeAll(async () => {
  stage = await startStage({
    blueprints: { spec: null, private: false, files: below('web', PACKAGE) },
    'edge-1': { spec: null, private: false, files: below('db', smallPackage('db')) },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const repository = (name: string, url: string): string => `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: { name: ${name} }
spec: { type: git, deployment: ${name !== 'blueprints'}, git: { repo: "${url}", branch: main, directory: / } }
---
`;

longTest(
  'repositories are registered by one pull request each, and drafts, variants and locks go on',
  async () => {
    const [up, edge] = [stage.repository('blueprints'), stage.repository('edge-1')];
    await up.tag('web/v1', await up.head('main'));
    const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', await up.head('main'));
    await edge.push('main', below('web', { ...PACKAGE, Kptfile }));
    await edge.push(
      'proposed/db/v1',
      { 'db/config.yaml': configMap('db', { color: 'red' }) },
      { from: 'main' },
    );
    await stage.idle();
    using dir = scratch();
    dir.write({
      'porch.yaml': `${repository('blueprints', up.url)}${repository('edge-1', edge.url)}apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: shop }
spec: { upstream: { repo: blueprints, package: web, revision: 1 }, downstream: { repo: edge-1, package: shop } }
`,
    });
    const { origin, host } = new URL(up.url);
    const env = {
      FORGE_TOKEN: 'alice-token',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.http://alice:alice-token@${host}/.insteadOf`,
      GIT_CONFIG_VALUE_0: `${origin}/`,
    };
    const args = ['migrate', '--from-porch', dir.path('porch.yaml'), '--control', 'blueprints'];
    const { code, stdout, stderr } = await portico([...args, '--push', '--api', stage.forge.apiUrl], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${edge.url.replace(/\.git$/, '')}/pull/`);
    await stage.idle();
    for (const one of [edge, up]) {
      const pull = (await one.pulls()).find(({ head }) => head.ref === 'portico/migration');
      expect(pull?.title).toBe('Register with Portico');
      await one.merge(pull!.number);
    }
    await stage.idle();
    const pulls = await edge.pulls();
    expect(pulls.map(({ head }) => head.ref)).toContain('proposed/db/v1');
    const variant = pulls.find(({ head }) => head.ref.startsWith('portico/update/'));
    expect(await edge.read('shop/Kptfile', variant!.head.sha)).toContain('/default/shop');
    // What was locked by kpt or Porch gets its updates.
    await up.publish('next', { 'web/config.yaml': configMap('web', { color: 'green' }) });
    await stage.idle();
    expect((await edge.pulls()).map(({ title }) => title)).toContain('Update web to upstream v2');
  },
);
