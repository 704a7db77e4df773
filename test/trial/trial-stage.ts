import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { porticoFor } from '../../src/cli/trial.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { createContentPools } from '../../src/isolation/content.ts';
import { startForge } from '../../src/localforge/forge.ts';
import type { LocalForge } from '../../src/localforge/forge.ts';
import { runTrial } from '../../src/trial/run.ts';
import type { RunOptions, TrialReport } from '../../src/trial/run.ts';
import { copyTemplate } from '../queue/engines.ts';

const pools = createContentPools();

/** A forge with an organisation and an App that may do what app.yml asks for, and more. */
export interface TrialForge extends AsyncDisposable {
  readonly forge: LocalForge;
  /** Names of the repositories that are there. */
  names(): string[];
  play(
    more?: Partial<RunOptions>,
    host?: string,
  ): Promise<TrialReport & { readonly said: readonly string[] }>;
}

const RIGHTS = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'read',
  deployments: 'read',
  merge_queues: 'read',
  members: 'read',
} as const;
const EVENTS = [
  'check_run',
  'check_suite',
  'create',
  'delete',
  'issue_comment',
  'issues',
  'pull_request',
  'push',
  'release',
];

export async function startTrialForge(extra: Readonly<Record<string, 'write'>>): Promise<TrialForge> {
  const root = mkdtempSync(join(tmpdir(), 'portico-trial-test-'));
  const forge = await startForge({
    dataDir: join(root, 'forge'),
    manifest: { permissions: { ...RIGHTS, ...extra }, events: EVENTS },
    realistic: { seed: 1, pace: 0.01 },
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }, { login: 'octo_acme' }],
      orgs: [{ login: 'acme', members: { alice: 'admin', octo_acme: 'member' } }],
      repos: ['one', 'other', 'full'].map((name) => ({ owner: 'acme', name, private: true })),
      app: { installations: [{ account: 'acme' }] },
    },
  });
  // Nobody listens there: what was sent is read from the forge.
  forge.setAppWebhookUrl('http://127.0.0.1:9/');
  return {
    forge,
    names: () =>
      forge.context.records.repositories
        .all()
        .map(({ name }) => name)
        .sort(),
    async play(more, host = new URL(forge.url).host) {
      const said: string[] = [];
      const environment = readEnvironment(
        {
          APP_ID: String(forge.app.id),
          PRIVATE_KEY: forge.app.privateKeyPem,
          WEBHOOK_SECRET: 'not used by a trial',
          GHE_HOST: host,
          GHE_PROTOCOL: 'http',
        },
        { read: () => '' },
      );
      const report = await runTrial({
        ...environment,
        organization: 'acme',
        repositories: [],
        signal: AbortSignal.timeout(120_000),
        paceMs: 0,
        program: porticoFor(environment, { contentPools: pools, fill: copyTemplate }),
        say: (text) => said.push(text),
        ...more,
      });
      return { ...report, said };
    },
    async [Symbol.asyncDispose]() {
      await forge.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
