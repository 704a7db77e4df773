import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect } from 'vitest';
import { stringify } from 'yaml';

import { longTest } from '../long-test.ts';
import { eventually } from './eventually.ts';
import { cloneAs, type GitClient } from './git-client.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, locked, webPackage, writeFiles } from './packages.ts';
import { startDev, type PorticoProcess, type Ready } from './portico-process.ts';

/**
 * The whole story as two people with different rights play it: the stock git client and the stock REST client against
 * `portico dev`, which runs as a process of its own. The forge is prompt: `--realistic` lags as long as GitHub, and the demo's test
 * plays such a story with short lags. Rita may only read; Alice maintains.
 */
const owner = 'acme';
const blueprints = { owner, repo: 'blueprints' };
const deploy = { owner, repo: 'deploy' };
const root = mkdtempSync(join(tmpdir(), 'portico-story-'));
const config = join(root, 'forge.yaml');

let dev: PorticoProcess & { readonly ready: Ready };
let alice: Octokit;
let rita: Octokit;
let git: GitClient;
const work = join(root, 'work');

beforeAll(async () => {
  const seed = join(root, 'seed');
  writeFiles(seed, {
    ...below('apps/web', webPackage()),
    '.github/portico.yaml': configuration(
      'blueprints',
      'branch: main\npublish: { requireApprovals: 1 }\nsharing: { within: organization }',
    ),
  });
  writeFileSync(
    config,
    stringify({
      tokens: {
        'alice-token': { login: 'alice' },
        'rita-token': { login: 'rita' },
        'bob-token': { login: 'bob' },
      },
      users: [{ login: 'alice' }, { login: 'bob' }, { login: 'rita' }],
      orgs: [{ login: owner, members: { alice: 'admin' } }],
      repos: [
        {
          owner,
          name: 'blueprints',
          private: true,
          collaborators: { rita: 'read', bob: 'write' },
          from: './seed',
        },
        { owner, name: 'deploy', private: true, collaborators: { bob: 'maintain' } },
      ],
      app: { installations: [{ account: owner, repositories: 'all' }] },
    }),
  );
  dev = await startDev({ data: join(root, 'data'), config });
  const client = (auth: string): Octokit => octokitAs(dev.ready.api, auth);
  alice = client('alice-token');
  rita = client('rita-token');
  git = await cloneAs(`${dev.ready.git}/${owner}/blueprints.git`, 'alice-token', work);
  await git('tag', '-a', 'apps/web/v1', '-m', 'apps/web v1');
  await git('push', '-q', 'origin', 'apps/web/v1');
  await seedDownstream();
});

afterAll(async () => {
  await dev?.end('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

longTest('a draft is pushed, rendered by the bot, and pulled again', async () => {
  await git('switch', '-q', '-c', 'drafts/apps/web/next');
  writeFiles(work, { 'apps/web/setters.yaml': webPackage('1.1.0')['setters.yaml']! });
  await git('commit', '-qam', 'Web 1.1.0');
  await git('push', '-q', 'origin', 'HEAD');
  const pushed = await git('rev-parse', 'HEAD');
  await alice.rest.pulls.create({
    ...blueprints,
    title: 'Web 1.1.0',
    head: 'drafts/apps/web/next',
    base: 'main',
    draft: true,
  });

  await eventually('the checks', () => aggregate(blueprints, 1));
  await git('pull', '-q', 'origin', 'drafts/apps/web/next');
  expect(await git('rev-parse', 'HEAD^')).toBe(pushed);
  expect(await git('diff', '--stat', '--format=', 'HEAD^', 'HEAD')).toContain('apps/web/deployment.yaml');
  expect(readFileSync(join(work, 'apps/web/deployment.yaml'), 'utf8')).toBe(
    webPackage()['deployment.yaml']!.replace('example/web:1.0.0', 'example/web:1.1.0'),
  );
});

longTest('who may only read is refused, and the proposal stays a draft', async () => {
  const { data } = await rita.rest.issues.createComment({
    ...blueprints,
    issue_number: 1,
    body: '/portico propose',
  });
  expect(await reaction(data.id)).toBe('confused');
  expect((await alice.rest.pulls.get({ ...blueprints, pull_number: 1 })).data.draft).toBe(true);
  const reply = await botComments(blueprints, 1);
  expect(reply.filter((body) => body.includes(`portico:reply ${data.id}`))).toHaveLength(1);
});

longTest(
  'the author proposes, cannot approve alone, and publishes once a colleague has approved',
  async () => {
    expect(await command('/portico propose')).toBe('rocket');
    expect((await alice.rest.pulls.get({ ...blueprints, pull_number: 1 })).data.draft).toBe(false);
    expect(await command('/portico approve')).toBe('confused');
    expect(await command('/portico publish')).toBe('confused');

    const bob = octokitAs(dev.ready.api, 'bob-token');
    await bob.rest.pulls.createReview({ ...blueprints, pull_number: 1, event: 'APPROVE' });
    expect(await command('/portico publish')).toBe('rocket');

    const { data: pull } = await alice.rest.pulls.get({ ...blueprints, pull_number: 1 });
    expect(pull.merged).toBe(true);
    await eventually('the release', () =>
      alice.rest.repos.getReleaseByTag({ ...blueprints, tag: 'apps/web/v2' }),
    );
    await git('fetch', '-q', '--tags', 'origin');
    expect(await git('rev-parse', 'apps/web/v2^{commit}')).toBe(pull.merge_commit_sha);
    const message = await git('for-each-ref', '--format=%(contents)', 'refs/tags/apps/web/v2');
    expect(message).toContain('Package: apps/web');
    expect(message).toContain('Approved-by: bob');
    expect(message).toContain('Proposal: #1');
  },
);

longTest('the downstream repository gets one update pull request, with its own change kept', async () => {
  const update = await eventually('the update', async () => {
    const { data } = await alice.rest.pulls.list({ ...deploy, state: 'open' });
    return data[0];
  });
  expect(update.title).toBe('Update shop to upstream v2');
  await eventually('its checks', () => aggregate(deploy, update.number));
  const { data } = await alice.rest.repos.getContent({
    ...deploy,
    path: 'shop/deployment.yaml',
    ref: update.head.sha,
    mediaType: { format: 'raw' },
  });
  const text = data as unknown as string;
  expect(text).toContain('image: example/web:1.1.0');
  expect(text).toContain('replicas: 7');
});

longTest('stopped and started again it goes on where it was', async () => {
  expect(await dev.end('SIGTERM')).toBe(0);
  const port = Number(new URL(dev.ready.api).port);
  dev = await startDev({ data: join(root, 'data'), config, port });
  const { data: pulls } = await alice.rest.pulls.list({ ...deploy, state: 'all' });
  expect(pulls).toHaveLength(1);
  const number = pulls[0]!.number;
  const bob = octokitAs(dev.ready.api, 'bob-token');
  const { data } = await bob.rest.issues.createComment({
    ...deploy,
    issue_number: number,
    body: '/portico help',
  });
  await eventually('an answer', async () =>
    (await botComments(deploy, number)).find((body) => body.includes(`portico:reply ${data.id}`)),
  );
});

async function seedDownstream(): Promise<void> {
  const folder = join(root, 'deploy');
  const downstream = await cloneAs(`${dev.ready.git}/${owner}/deploy.git`, 'alice-token', folder);
  await downstream('switch', '-q', '-C', 'main');
  const files = webPackage();
  const commit = await git('rev-parse', 'apps/web/v1^{commit}');
  writeFiles(folder, {
    ...below('shop', files),
    'shop/Kptfile': locked(
      files['Kptfile']!,
      `${dev.ready.git}/${owner}/blueprints`,
      'apps/web',
      'apps/web/v1',
      commit,
    ),
    'shop/deployment.yaml': files['deployment.yaml']!.replace('replicas: 2 #', 'replicas: 7 #'),
    'shop/setters.yaml': files['setters.yaml']!.replace('replicas: "2"', 'replicas: "7"'),
    '.github/portico.yaml': configuration(
      'deploy',
      'branch: main\ndeployment: true\nupdates: { follow: latest }\nsharing: { within: organization }',
    ),
  });
  await downstream('add', '-A');
  await downstream('commit', '-qm', 'The shop');
  await downstream('push', '-q', 'origin', 'main');
}

async function command(body: string): Promise<string> {
  const { data } = await alice.rest.issues.createComment({ ...blueprints, issue_number: 1, body });
  return reaction(data.id);
}

async function reaction(comment_id: number): Promise<string> {
  return eventually('a reaction', async () => {
    const { data } = await alice.rest.reactions.listForIssueComment({ ...blueprints, comment_id });
    return data.find(({ content }) => content !== 'eyes')?.content;
  });
}

async function aggregate(
  where: { owner: string; repo: string },
  pull_number: number,
): Promise<string | null | undefined> {
  const { data: pull } = await alice.rest.pulls.get({ ...where, pull_number });
  const { data } = await alice.rest.checks.listForRef({
    ...where,
    ref: pull.head.sha,
    check_name: 'portico',
  });
  return data.check_runs[0]?.conclusion;
}

async function botComments(where: { owner: string; repo: string }, issue_number: number): Promise<string[]> {
  const { data } = await alice.rest.issues.listComments({ ...where, issue_number });
  return data.filter(({ user }) => user?.type === 'Bot').map(({ body }) => body ?? '');
}
