import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { startLocalPortico } from '../../src/cli/local-portico.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { castConfig } from '../../src/demo/cast.ts';
import { createNarrator } from '../../src/demo/narrator.ts';
import { findPackages, temporaryFolder } from '../../src/demo/seed.ts';
import { tellStory } from '../../src/demo/story.ts';
import { summarise } from '../../src/demo/summary.ts';
import { recordContract } from '../contract/recorder.ts';

const packages = fileURLToPath(new URL('../../src/demo/packages', import.meta.url));

/**
 * The demo's story, with every request that Portico sends and every reply and webhook that it gets held against
 * GitHub's own description.
 */
test('the story is told, and GitHub would have taken every request of it', async () => {
  const workspace = temporaryFolder();
  await using local = await startLocalPortico({
    dataDir: `${workspace.path}/data`,
    config: castConfig(),
    logLevel: 'error',
  });
  using contract = recordContract(local.forge);
  const told = createNarrator({ ...processTerminal(true), say() {}, progress() {} });
  const plot = { source: packages, packages: findPackages(packages), hero: 'web-app', own: true };
  await tellStory(local, told, { ...plot, workspace: `${workspace.path}/trees` });
  await local.idle();

  const summary = await summarise(local.forge.apiUrl, told.told);
  expect(summary.ok).toBe(true);
  expect(summary.repositories.map(({ name, pulls }) => [name, pulls.map(({ state }) => state)])).toEqual([
    ['blueprints', ['merged']],
    ['deploy-eu', ['merged']],
    ['deploy-us', ['open']],
  ]);

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
  workspace.remove();
});
