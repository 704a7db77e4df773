// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hurryBackground } from '../src/background.ts';
import type { ForgeContext } from '../src/context.ts';
import { drawDelay } from '../src/realism/chances.ts';
import { realismOf } from '../src/realism/settings.ts';
import type { Behaviours } from '../src/realism/settings.ts';
import { closeClean, collaboration, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;
let opened = 0;

const always = (ms: number): { share: number; ms: number } => ({ share: 1, ms });

/** While that goes on, the forge behaves so, and only so. */
async function behaving<T>(behaviours: Partial<Behaviours>, work: () => Promise<T>): Promise<T> {
  Object.assign(forge.forge.knobs.realism, behaviours);
  try {
    return await work();
  } finally {
    Object.assign(forge.forge.knobs.realism, realismOf(false));
  }
}

async function openPull(files: Record<string, string> = { 'a.yaml': 'a: 1\n' }): Promise<number> {
  opened += 1;
  const head = `topic-${opened}`;
  await forge.commit(head, { ...files, [`${head}.yaml`]: `n: ${opened}\n` }, { from: 'origin/main' });
  const { data } = await forge.bob.rest.pulls.create({ ...REPO, title: head, head, base: 'main' });
  return data.number;
}

/** What is late comes now. */
async function settledNow(): Promise<void> {
  hurryBackground(forge.forge.context);
  await forge.forge.settled();
}

const pullRef = async (number: number): Promise<string> =>
  (await forge.tryGit(forge.clone, 'ls-remote', 'origin', `refs/pull/${number}/head`)).output.slice(0, 40);

/** The lags of 50 pushes. */
function lags(seed: number, off: Partial<Behaviours> = {}): number[] {
  const realism = { ...realismOf(seed), ...off };
  const context = { knobs: { realism } } as unknown as ForgeContext;
  return Array.from({ length: 50 }, () => {
    drawDelay(context, 'checkSuiteLag');
    return drawDelay(context, 'pullRefLag');
  });
}

beforeAll(async () => {
  forge = await collaboration();
});

afterAll(async () => closeClean(forge));

describe('the realistic mode', () => {
  test('refs/pull/N/head follows a push later; its commit can be fetched by id at once', async () => {
    const number = await openPull();
    const before = await pullRef(number);
    await behaving({ pullRefLag: always(60_000) }, async () => {
      const head = await forge.commit(`topic-${opened}`, { 'a.yaml': 'a: 2\n' });
      expect((await forge.alice.rest.pulls.get({ ...REPO, pull_number: number })).data.head.sha).toBe(head);
      expect(await pullRef(number)).toBe(before);
      const fetched = await forge.tryGit(
        forge.clone,
        'fetch',
        forge.remote('alice-token', 'acme/blueprints'),
        head,
      );
      expect(fetched).toMatchObject({ ok: true });
      await settledNow();
      expect(await pullRef(number)).toBe(head);
    });
  });

  test('mergeable is null until the lag is over', async () => {
    await behaving({ mergeabilityLag: always(60_000) }, async () => {
      const number = await openPull();
      const get = async () => (await forge.alice.rest.pulls.get({ ...REPO, pull_number: number })).data;
      await get();
      expect((await get()).mergeable).toBe(null);
      await settledNow();
      expect((await get()).mergeable).toBe(true);
    });
  });

  test('check suites come after the push was told of', async () => {
    await behaving({ checkSuiteLag: always(60_000) }, async () => {
      forge.hooks();
      const head = await forge.commit(
        `late-${(opened += 1)}`,
        { 'b.yaml': 'b: 1\n' },
        { from: 'origin/main' },
      );
      const { data } = await forge.app.rest.checks.listSuitesForRef({ ...REPO, ref: head });
      expect([data.total_count, names(forge.hooks())]).toEqual([0, ['create', 'push']]);
      await settledNow();
      expect(names(forge.hooks())).toEqual(['check_suite.requested']);
    });
  });

  test('a new installation token is refused for a moment, with 401 or 403, by REST and by git', async () => {
    await behaving({ freshTokens: always(60_000) }, async () => {
      const seen = new Set<number>();
      for (let tries = 0; tries < 20 && seen.size < 2; tries += 1) {
        const app = forge.asApp().rest.apps;
        const [installation] = (await app.listInstallations()).data;
        const { data } = await app.createInstallationAccessToken({ installation_id: installation!.id });
        seen.add((await refused(forge.as(data.token).rest.repos.get(REPO))).status);
        const git = await forge.tryGit(forge.clone, 'ls-remote', forge.remote(data.token, 'acme/blueprints'));
        expect(git.ok).toBe(false);
      }
      expect(seen).toEqual(new Set([401, 403]));
    });
  });

  test('a merge by the App is refused with 405 at most twice, in both words, and then done', async () => {
    const words = new Set<string>();
    await behaving({ transientMerges: { share: 1 } }, async () => {
      for (let tries = 0; tries < 10 && words.size < 2; tries += 1) {
        const pull_number = await openPull();
        const merge = () => forge.app.rest.pulls.merge({ ...REPO, pull_number });
        for (const _turn of [1, 2]) {
          const { status, text } = await refused(merge());
          expect(status).toBe(405);
          words.add((JSON.parse(text) as { message: string }).message);
          const { data } = await forge.app.rest.pulls.get({ ...REPO, pull_number });
          expect(data.mergeable).toBe(null);
        }
        expect((await merge()).data.merged).toBe(true);
      }
    });
    expect(words).toEqual(
      new Set(['Base branch was modified. Review and try the merge again.', 'Pull Request is not mergeable']),
    );
  });

  test('a comment that nobody edited was updated a second after it was made', async () => {
    await behaving({ movedTimes: { share: 1 } }, async () => {
      const issue_number = await openPull();
      const { data } = await forge.bob.rest.issues.createComment({ ...REPO, issue_number, body: 'hello' });
      expect(Date.parse(data.updated_at) - Date.parse(data.created_at)).toBe(1_000);
    });
  });

  test('nullable fields of webhooks are null', async () => {
    await behaving({ nulls: { share: 1 } }, async () => {
      const ref = 'main';
      forge.hooks();
      const { data } = await forge.alice.rest.repos.createDeployment({ ...REPO, ref, required_contexts: [] });
      if (!('id' in data)) throw new Error('no deployment');
      const status = { ...REPO, deployment_id: data.id, state: 'success' as const };
      await forge.alice.rest.repos.createDeploymentStatus(status);
      const told = forge.hooks().find(({ event }) => event === 'deployment_status');
      expect(told?.payload).toMatchObject({ check_run: null, workflow: null, workflow_run: null });
    });
  });

  test('the same seed draws the same; a behaviour that is off changes nothing for the others', () => {
    const seen = lags(7);
    expect(lags(7, { checkSuiteLag: null })).toEqual(seen);
    expect(lags(8)).not.toEqual(seen);
    expect(seen.filter((ms) => ms === 0).length).toBeGreaterThan(0);
    expect(new Set(seen).size).toBeGreaterThan(10);
  });
});

test('the App may not merge what changes a workflow; a person may', async () => {
  const pull_number = await openPull({ '.github/workflows/ci.yaml': 'on: push\n' });
  const { status, text } = await refused(forge.app.rest.pulls.merge({ ...REPO, pull_number }));
  expect([status, text]).toEqual([
    403,
    expect.stringContaining('`.github/workflows/ci.yaml` without `workflows`'),
  ]);
  expect((await forge.alice.rest.pulls.merge({ ...REPO, pull_number })).data.merged).toBe(true);
});
