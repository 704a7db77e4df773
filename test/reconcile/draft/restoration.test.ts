import { afterAll, beforeAll, describe, expect } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';
import { chartRepository, deployment, type ChartRepository } from '../update/chart-repository.ts';

/** A newer chart that fails where it runs: what was there before is proposed, prepared. */
let stage: Stage;
let charts: ChartRepository;

const SPEC =
  'branch: main\ndeployment: true\nupdates: { follow: latest, automerge: all }\npublish: { requireApprovals: 0 }';
const NAMED = `${SPEC}\nhealth: { statuses: [deploy/*] }`;
const HELD = SPEC.replace('requireApprovals: 0', 'requireApprovals: 1');
const RENDERED = 'web/rendered/deployment_shop_web-web.yaml';

/** As Flux posts it of what it has applied. */
async function report(
  repository: StageRepository,
  state: 'success' | 'failure' | 'pending',
  context: string,
): Promise<void> {
  const sha = await repository.head('main');
  const { rest } = stage.as('alice');
  await rest.repos.createCommitStatus({ ...repository.where, sha, state, context });
  await stage.idle();
}

interface Restoration {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly draft: boolean;
  readonly body: string;
  readonly branch: string;
}

async function restorations(repository: StageRepository): Promise<readonly Restoration[]> {
  const pulls = await repository.pulls('all');
  return pulls
    .filter(({ title }) => title.startsWith('Restore '))
    .map(({ number, title, state, draft = false, body, head }) => {
      return { number, title, state, draft, body: body ?? '', branch: head.ref };
    });
}

describe('restorations', { tags: ['helm', 'bubblewrap'] }, () => {
  beforeAll(async () => {
    charts = await chartRepository();
    charts.publish('1.0.0', { web: deployment('shop:1.0') });
    stage = await startStage(
      { shop: { spec: SPEC }, paused: { spec: SPEC }, held: { spec: HELD }, mended: { spec: NAMED } },
      { environment: { insideHosts: `http://${charts.server.host}`, sourceMinutes: 0.000_01 } },
    );
    const files = below('web', await charts.package('web'));
    for (const name of ['shop', 'paused', 'held', 'mended']) {
      const repository = stage.repository(name);
      await repository.tag('web/v1', await repository.push('main', files));
    }
    await stage.idle();
    charts.publish('1.1.0', { web: deployment('shop:1.1') });
  });

  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await charts?.[Symbol.asyncDispose]();
  });

  longTest('a revision that fails where it runs is proposed to be restored, once', async () => {
    const shop = stage.repository('shop');
    await report(shop, 'success', 'kustomization/apps/1');
    await report(shop, 'failure', 'kustomization/other/1');
    await stage.look('shop');
    expect([...(await shop.tags()).keys()]).toContain('web/v2');
    expect(await shop.read(RENDERED)).toContain('shop:1.1');
    // Tests of the branch, and what failed before, say nothing of the revision.
    await report(shop, 'failure', 'ci/tests');
    await report(shop, 'failure', 'kustomization/other/1');
    expect(await restorations(shop)).toEqual([]);

    await report(shop, 'failure', 'kustomization/apps/1');
    const [pull, ...others] = await restorations(shop);
    expect(others).toEqual([]);
    expect(pull).toMatchObject({
      title: 'Restore web to v1: v2 fails where it runs',
      draft: false,
      state: 'open',
    });
    expect(pull?.body).toMatch(/status kustomization\/apps\/1/);
    expect(await shop.read(RENDERED, pull!.branch)).toContain('shop:1.0');
    expect(await shop.read('web/portico-sources.lock.yaml', pull!.branch)).toContain('version: 1.0.0');
    const checks = await shop.checksOf(pull!.number);
    expect(checks.get('portico/sources')).toMatchObject({ conclusion: 'success' });
    expect(checks.get('portico')).toMatchObject({ conclusion: 'success' });
    // It is told again and again, and nothing merges by itself.
    expect(await stage.writesOf(() => stage.look('shop'))).toEqual([]);
    expect(await shop.read(RENDERED)).toContain('shop:1.1');

    await shop.press(pull!.number);
    await stage.idle();
    expect(await shop.tagMessage('web/v3')).toContain('Restored-From: v1');
    // What failed does not come back by the next look.
    await stage.look('shop');
    expect(await shop.pulls()).toEqual([]);
    expect(await shop.read(RENDERED)).toContain('shop:1.0');
    charts.publish('1.2.0', { web: deployment('shop:1.2') });
    await stage.look('shop');
    expect(await shop.pulls()).toMatchObject([{ title: 'Update web: chart 1.0.0 → 1.2.0' }]);
  });

  longTest('not of a package that is paused; and what somebody closes stays closed', async () => {
    const paused = stage.repository('paused');
    await stage.look('paused');
    const issue = await stage.as('alice').rest.issues.create({ ...paused.where, title: 'Freeze' });
    const pause = await paused.command(issue.data.number, '/portico pause web');
    expect(pause.reaction).toBe('rocket');
    await report(paused, 'failure', 'kustomization/apps/1');
    expect(await restorations(paused)).toEqual([]);
    await paused.command(issue.data.number, '/portico resume web');
    // The failure was told while nobody heard: the sweep finds it.
    await stage.look('paused');
    const [pull] = await restorations(paused);
    expect(pull).toMatchObject({ state: 'open' });
    const { rest } = stage.as('bob');
    await rest.issues.createComment({ ...paused.where, issue_number: pull!.number, body: 'Wait.' });
    await report(paused, 'success', 'kustomization/apps/1');
    await stage.look('paused');
    expect((await restorations(paused)).map(({ state }) => state)).toEqual(['open']);
    await rest.pulls.update({ ...paused.where, pull_number: pull!.number, state: 'closed' });
    await paused.git('update-ref', '-d', `refs/heads/${pull!.branch}`);
    await report(paused, 'failure', 'kustomization/apps/1');
    await stage.look('paused');
    expect((await restorations(paused)).map(({ state }) => state)).toEqual(['closed']);
  });

  longTest('it is closed when the revision is healthy again, unless somebody has touched it', async () => {
    const mended = stage.repository('mended');
    await stage.look('mended');
    // Neither tool is among what the configuration names.
    await report(mended, 'failure', 'kustomization/apps/1');
    expect(await restorations(mended)).toEqual([]);
    await report(mended, 'failure', 'deploy/eu');
    const [{ number }] = (await restorations(mended)) as readonly [Restoration];
    const said = async (): Promise<string> =>
      (await mended.comments(number)).map(({ body }) => body ?? '').join('\n');
    const state = async (): Promise<readonly string[]> =>
      (await restorations(mended)).map((one) => one.state);

    // What is under way says nothing.
    await report(mended, 'pending', 'deploy/eu');
    await stage.look('mended');
    expect(await state()).toEqual(['open']);
    await report(mended, 'success', 'deploy/eu');
    await stage.look('mended');
    expect(await state()).toEqual(['closed']);
    expect(await said()).toContain('**Closed.** `web@v2` is healthy again');
    expect(await stage.writesOf(() => stage.look('mended'), 'mended')).toEqual([]);

    await report(mended, 'failure', 'deploy/eu');
    expect(await state()).toEqual(['open']);
    expect(await said()).toContain('fails again');
    await report(mended, 'success', 'deploy/eu');
    await stage.look('mended');
    expect(await state()).toEqual(['closed']);

    // Whoever opens or closes it has decided, whatever Portico said there before.
    const { pulls } = stage.as('bob').rest;
    await pulls.update({ ...mended.where, pull_number: number, state: 'open' });
    await stage.look('mended');
    expect(await state()).toEqual(['open']);
    expect(await said()).toContain('stays open because people have worked on it');
    await pulls.update({ ...mended.where, pull_number: number, state: 'closed' });
    await report(mended, 'failure', 'deploy/eu');
    expect(await state()).toEqual(['closed']);
  });

  longTest(
    'whoever says that a revision fails does not have it taken back alone, nor by a branch of his own (90)',
    async () => {
      const held = stage.repository('held');
      await stage.look('held');
      const branch = 'drafts/web/restore-v1-after-v2';
      await held.push(branch, { 'web/own.yaml': 'apiVersion: v1\nkind: ConfigMap\n' }, { as: 'bob' });
      await report(held, 'failure', 'kustomization/apps/1');
      expect(await restorations(held)).toEqual([]);
      await held.git('update-ref', '-d', `refs/heads/${branch}`);
      await stage.look('held');
      const [pull] = await restorations(held);
      expect(pull).toMatchObject({ state: 'open', branch });
      const { rest } = stage.as('bob');
      await rest.pulls.createReview({ ...held.where, pull_number: pull!.number, event: 'APPROVE' });
      await stage.idle();
      expect(await held.sticky(pull!.number)).toContain('Needs 1 more approval (given by bob)');
    },
  );
});
