import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startForge, type LocalForge } from '../../src/localforge/forge.ts';
import { eventually } from './eventually.ts';
import { cloneAs } from './git-client.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, locked, webPackage, writeFiles } from './packages.ts';
import { freePort, startPortico, type PorticoProcess } from './portico-process.ts';

/**
 * The bot is a process of its own and is killed with SIGKILL just after an effect of the publish path reached the
 * forge and before it was told so. Started again, it must come to the same end: one merge, one tag, one release, one
 * comment, one update downstream.
 */
const owner = 'acme';
const blueprints = { owner, repo: 'blueprints' };
const deploy = { owner, repo: 'deploy' };
const root = mkdtempSync(join(tmpdir(), 'portico-crash-'));
const tokens = { alice: 'alice-token', bob: 'bob-token' };

/** The state in which the proposal is approved and green: every kill starts from a copy of it. */
const prepared = join(root, 'prepared');
let forgePort: number;
let botPort: number;

interface Stage {
  readonly data: string;
  readonly forge: LocalForge;
  readonly alice: Octokit;
}

beforeAll(async () => {
  [forgePort, botPort] = [await freePort(), await freePort()];
  const stage = await openStage(prepared, join(root, 'seed'));
  await using bot = await startBot(stage);
  const folder = join(root, 'work');
  const git = await cloneAs(`${stage.forge.gitUrl}/${owner}/blueprints.git`, tokens.alice, folder);
  await git('tag', '-a', 'web/v1', '-m', 'web v1');
  await git('push', '-q', 'origin', 'web/v1');
  await seedDownstream(stage, await git('rev-parse', 'HEAD'));
  await git('switch', '-q', '-c', 'drafts/web/next');
  writeFiles(folder, { 'web/setters.yaml': webPackage('1.1.0')['setters.yaml']! });
  await git('commit', '-qam', 'Web 1.1.0');
  await git('push', '-q', 'origin', 'HEAD');
  await stage.alice.rest.pulls.create({
    ...blueprints,
    title: 'Web 1.1.0',
    head: 'drafts/web/next',
    base: 'main',
  });
  await eventually('green checks', async () => (await aggregate(stage)) === 'success');
  const bob = octokitAs(stage.forge.apiUrl, tokens.bob);
  await bob.rest.pulls.createReview({ ...blueprints, pull_number: 1, event: 'APPROVE' });
  await eventually('the approval in the summary', async () =>
    (await botComments(stage)).some((body) => body.includes('1 of 1')),
  );
  await stage.forge.settled();
  expect(await bot.end('SIGTERM'), bot.log()).toBe(0);
  await stage.forge.close();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The effects of the bot between the command and the end, in the order in which an undisturbed run makes them. */
const POINTS = [
  'eyes on the comment',
  'the merge',
  'the tag and its ledger ref',
  'the release',
  'the rocket on the comment',
  'the eyes taken back',
  'the summary comment',
  'the update branch downstream',
  'the update pull request',
  'the first check of the update',
] as const;

/** Two points in `npm test`; `npm run faults` kills at all ten. */
const SHORT: readonly string[] = ['the merge', 'the tag and its ledger ref'];
const chosen = POINTS.filter((point) => process.env['PORTICO_LONG'] === '1' || SHORT.includes(point));

describe('killed after', () => {
  test.each(chosen)('%s', async (point) => {
    const data = join(root, point.replaceAll(' ', '-'));
    cpSync(prepared, data, { recursive: true });
    const stage = await openStage(data);
    try {
      const killed = await publishAndKill(stage, point);
      expect(killed, `${point} was never seen`).toBe(true);
      await using bot = await startBot(stage);
      await wantedEnd(stage, bot);
    } finally {
      await stage.forge.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});

/** Asks for the publication and kills the bot the moment the effect has happened. */
async function publishAndKill(stage: Stage, point: (typeof POINTS)[number]): Promise<boolean> {
  const bot = await startBot(stage);
  let killed = false;
  const stop = stage.forge.onEffect(async (effect) => {
    if (killed || pointOf(effect) !== point) return;
    killed = true;
    await bot.end('SIGKILL');
  });
  try {
    await stage.alice.rest.issues.createComment({ ...blueprints, issue_number: 1, body: '/portico publish' });
    await eventually(point, async () => killed);
  } finally {
    stop();
    await bot.end('SIGKILL');
  }
  return killed;
}

function pointOf(effect: {
  kind: string;
  method: string;
  route: string;
  repo: string;
  detail: object;
}): string | undefined {
  const text = JSON.stringify(effect.detail);
  const what = `${effect.method} ${effect.route}`;
  const down = effect.repo.endsWith('/deploy');
  if (effect.kind === 'push') {
    if (down) return 'the update branch downstream';
    return text.includes('refs/portico/published/') ? 'the tag and its ledger ref' : undefined;
  }
  if (/POST .*\/comments\/.*\/reactions$/.test(what)) {
    if (text.includes('"eyes"')) return 'eyes on the comment';
    return text.includes('"rocket"') ? 'the rocket on the comment' : undefined;
  }
  if (/DELETE .*\/reactions\//.test(what)) return 'the eyes taken back';
  if (/PUT .*\/merge$/.test(what)) return 'the merge';
  if (/POST .*\/releases$/.test(what)) return 'the release';
  if (/PATCH .*\/issues\/comments\//.test(what) && !down) return 'the summary comment';
  if (/POST .*\/pulls$/.test(what) && down) return 'the update pull request';
  if (/POST .*\/check-runs$/.test(what) && down) return 'the first check of the update';
  return undefined;
}

/** One of each, and nothing more even when everything has been looked at once again. */
async function wantedEnd(stage: Stage, bot: PorticoProcess): Promise<void> {
  const { alice } = stage;
  const whole = eventually('the wanted end', async () => {
    const state = await endState(stage);
    return (
      state.merged &&
      state.release &&
      state.published &&
      state.updates === 1 &&
      state.updateChecks > 0 &&
      state.rocket
    );
  });
  await whole.catch(async (error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(await endState(stage))}\n${bot.log().slice(-4000)}`);
  });
  await stage.forge.settled();
  expect(await bot.end('SIGTERM'), bot.log()).toBe(0);

  const { data: tags } = await alice.rest.git.listMatchingRefs({ ...blueprints, ref: 'tags/web/' });
  expect(tags.map(({ ref }) => ref)).toEqual(['refs/tags/web/v1', 'refs/tags/web/v2']);
  const { data: releases } = await alice.rest.repos.listReleases(blueprints);
  expect(releases.map(({ tag_name }) => tag_name)).toEqual(['web/v2']);
  const { data: log } = await alice.rest.repos.listCommits({ ...blueprints, sha: 'main' });
  expect(log.filter(({ parents }) => parents.length === 2)).toHaveLength(1);
  expect((await botComments(stage)).filter((body) => body.includes('portico:summary'))).toHaveLength(1);
  const { data: updates } = await alice.rest.pulls.list({ ...deploy, state: 'all' });
  expect(updates.map(({ title }) => title)).toEqual(['Update shop to v2']);
}

async function endState(
  stage: Stage,
): Promise<
  Record<'merged' | 'release' | 'published' | 'rocket', boolean> & Record<'updates' | 'updateChecks', number>
> {
  const { alice } = stage;
  const { data: pull } = await alice.rest.pulls.get({ ...blueprints, pull_number: 1 });
  const { data: releases } = await alice.rest.repos.listReleases(blueprints);
  const { data: updates } = await alice.rest.pulls.list({ ...deploy, state: 'open' });
  const { data: comments } = await alice.rest.issues.listComments({ ...blueprints, issue_number: 1 });
  const asked = comments.find(({ body }) => body === '/portico publish');
  const { data: reactions } = await alice.rest.reactions.listForIssueComment({
    ...blueprints,
    comment_id: asked?.id ?? 0,
  });
  const [update] = updates;
  const checks =
    update &&
    (await alice.rest.checks.listForRef({ ...deploy, ref: update.head.sha, check_name: 'portico' }));
  return {
    merged: pull.merged,
    release: releases.length > 0,
    published: comments.some(({ body }) => body?.includes('Published `web@v2`') === true),
    updates: updates.length,
    updateChecks: checks?.data.total_count ?? 0,
    rocket: reactions.length === 1 && reactions[0]?.content === 'rocket',
  };
}

async function openStage(data: string, seed?: string): Promise<Stage> {
  if (seed !== undefined) {
    writeFiles(seed, {
      ...below('web', webPackage()),
      '.github/portico.yaml': configuration('blueprints', 'branch: main'),
    });
  }
  const forge = await startForge({
    dataDir: join(data, 'forge'),
    port: forgePort,
    ...(seed !== undefined && {
      config: {
        tokens: { [tokens.alice]: { login: 'alice' }, [tokens.bob]: { login: 'bob' } },
        users: [{ login: 'alice' }, { login: 'bob' }],
        orgs: [{ login: owner, members: { alice: 'admin' as const }, teams: [] }],
        repos: [
          { owner, name: 'blueprints', private: true, collaborators: { bob: 'write' as const }, from: seed },
          { owner, name: 'deploy', private: true, collaborators: {} },
        ],
        app: { installations: [{ account: owner, repositories: 'all' as const }] },
      },
    }),
  });
  forge.setAppWebhookUrl(`http://127.0.0.1:${botPort}/api/github/webhooks`);
  return { data, forge, alice: octokitAs(forge.apiUrl, tokens.alice) };
}

async function startBot({ data, forge }: Stage): Promise<PorticoProcess> {
  const keyFile = join(data, 'key.pem');
  writeFileSync(keyFile, forge.app.privateKeyPem);
  const bot = startPortico(['serve'], {
    APP_ID: String(forge.app.id),
    PRIVATE_KEY_PATH: keyFile,
    WEBHOOK_SECRET: forge.app.webhookSecret,
    GHE_HOST: new URL(forge.url).host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: String(botPort),
    PORTICO_DATA: join(data, 'bot'),
    LOG_LEVEL: 'info',
  });
  await eventually('the bot', async () => {
    if (bot.child.exitCode !== null) throw new Error(bot.log());
    return (await fetch(`http://127.0.0.1:${botPort}/readyz`)).ok;
  });
  return bot;
}

async function seedDownstream({ forge }: Stage, commit: string): Promise<void> {
  const folder = join(root, 'downstream');
  const git = await cloneAs(`${forge.gitUrl}/${owner}/deploy.git`, tokens.alice, folder);
  await git('switch', '-q', '-C', 'main');
  const files = webPackage();
  writeFiles(folder, {
    ...below('shop', files),
    'shop/Kptfile': locked(
      files['Kptfile']!,
      `${forge.gitUrl}/${owner}/blueprints.git`,
      'web',
      'web/v1',
      commit,
    ),
    '.github/portico.yaml': configuration('deploy', 'branch: main'),
  });
  await git('add', '-A');
  await git('commit', '-qm', 'The shop');
  await git('push', '-q', 'origin', 'main');
}

async function aggregate({ alice }: Stage): Promise<string | null | undefined> {
  const { data: pull } = await alice.rest.pulls.get({ ...blueprints, pull_number: 1 });
  const { data } = await alice.rest.checks.listForRef({
    ...blueprints,
    ref: pull.head.sha,
    check_name: 'portico',
  });
  return data.check_runs[0]?.conclusion;
}

async function botComments({ alice }: Stage): Promise<string[]> {
  const { data } = await alice.rest.issues.listComments({ ...blueprints, issue_number: 1 });
  return data.filter(({ user }) => user?.type === 'Bot').map(({ body }) => body ?? '');
}
