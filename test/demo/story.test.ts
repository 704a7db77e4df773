import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { recordContract } from '../../localforge/test/contract/recorder.ts';
import type { ContractRecorder } from '../../localforge/test/contract/recorder.ts';
import { launchChromium } from '../../localforge/test/web/chromium.ts';
import { startLocalPortico } from '../../src/cli/local-portico.ts';
import type { LocalPortico } from '../../src/cli/local-portico.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { castConfig, ORGANISATION, UPSTREAM } from '../../src/demo/cast.ts';
import { playDemo } from '../../src/demo/demo.ts';
import { findPackages, temporaryFolder } from '../../src/demo/seed.ts';
import { summarise } from '../../src/demo/summary.ts';
import { octokitAs } from '../e2e/octokit-as.ts';
import { longTest } from '../long-test.ts';
import { REALISTIC, RETRY_MS } from '../realistic.ts';
import { playSentences, runCommands, thingsOf } from './play-invitation.ts';

const packages = fileURLToPath(new URL('../../src/demo/packages', import.meta.url));

const run = promisify(execFile);
const workspace = temporaryFolder();
const ctrlC = new AbortController();
let local: LocalPortico;
let contract: ContractRecorder;
let ended: Promise<number>;
let printed = '';

/** The demo as it is, with every request that Portico sends and every reply and webhook held against GitHub's description. */
beforeAll(async () => {
  local = await startLocalPortico({
    dataDir: `${workspace.path}/data`,
    config: castConfig(),
    realistic: REALISTIC,
    retryMs: RETRY_MS,
    logLevel: 'error',
  });
  contract = recordContract(local.forge);
  const invited = Promise.withResolvers<void>();
  const print = (text: string): void => {
    printed += `${text}\n`;
    if (text.startsWith('Ctrl+C')) invited.resolve();
  };
  const terminal = { ...processTerminal(false), print, progress() {} };
  const plot = { source: packages, packages: findPackages(packages), hero: 'web-app', own: true };
  ended = playDemo(
    local,
    { ...plot, workspace: `${workspace.path}/trees` },
    { terminal, signal: ctrlC.signal, once: false },
  );
  await Promise.race([invited.promise, ended]);
}, 600_000);
afterAll(async () => {
  contract[Symbol.dispose]();
  await local.stop();
  workspace.remove();
});

function expectContract(): void {
  const report = contract.report();
  console.info(
    `contract: ${report.requests} requests (${report.invalidRequests.length} invalid), ` +
      `${report.replies} replies (${report.invalidReplies.length} invalid), ` +
      `${report.webhooks} webhooks (${report.invalidWebhooks.length} invalid), ${report.excused} excused, ` +
      `${report.operations.length} operations`,
  );
  expect(report.invalidRequests).toEqual([]);
  expect(report.invalidReplies).toEqual([]);
  expect(report.invalidWebhooks).toEqual([]);
  expect(report.requests).toBeGreaterThan(100);
}

longTest('the story is told, and GitHub would have taken every request of it', async () => {
  expect(printed).not.toContain('✗');
  const summary = await summarise(local.forge.apiUrl, []);
  expect(summary.repositories.map(({ name, pulls }) => [name, pulls.map(({ state }) => state)])).toEqual([
    ['blueprints', ['merged']],
    ['deploy-eu', ['merged']],
    ['deploy-us', ['open']],
  ]);
  expectContract();
});

longTest('CI has run on the proposal, and Flux and Argo CD have told of what they deployed', async () => {
  const alice = octokitAs(local.forge.apiUrl, 'alice-token').rest;
  const owner = ORGANISATION;
  const { data: pulls } = await alice.pulls.list({ owner, repo: UPSTREAM, state: 'all' });
  const { data: checks } = await alice.checks.listForRef({ owner, repo: UPSTREAM, ref: pulls[0]!.head.sha });
  expect(checks.check_runs.find(({ name }) => name === 'lint')).toMatchObject({ conclusion: 'success' });
  const { data: statuses } = await alice.repos.listCommitStatusesForRef({
    owner,
    repo: 'deploy-eu',
    ref: 'main',
  });
  expect(statuses).toEqual([
    expect.objectContaining({
      context: expect.stringMatching(/^kustomization\/web-app\/[0-9a-f]{8}$/),
      state: 'success',
    }),
  ]);
  const { data: deployments } = await alice.repos.listDeployments({ owner, repo: 'deploy-us' });
  expect(deployments.map(({ environment }) => environment)).toEqual(['production']);
});

const PLAYED = { tags: ['story', 'chromium'] };
test('what it invites to works exactly as printed, in a terminal and in a browser', PLAYED, async () => {
  const things = thingsOf(printed);
  expect(things).toHaveLength(3);
  await using browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  let done = 0;
  for (const thing of things) {
    done += await runCommands(thing, workspace.path);
    done += await playSentences(thing, page);
    // A person takes longer than the bot from one thing to the next.
    await local.idle();
  }
  expect(done).toBe(35);
  expect(complaints).toEqual([]);
  // A file that a step leaves behind would be in the next proposal of a person who adds everything.
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: `${workspace.path}/${UPSTREAM}` });
  expect(stdout).toBe('');

  const { repositories } = await summarise(local.forge.apiUrl, []);
  const tags = Object.fromEntries(repositories.map(({ name, tags }) => [name, tags]));
  expect(tags['blueprints']).toContain('web-app/v3');
  expect(tags['deploy-us']).toEqual(['web-app/v1']);
  expectContract();
});

longTest('it ends by Ctrl+C', async () => {
  ctrlC.abort();
  expect(await ended).toBe(0);
});
