import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge } from '@portico/localforge';
import type { LocalForge } from '@portico/localforge';
import { readManifest } from '@portico/localforge/app-manifest';

import { porticoFor } from '../../src/cli/trial.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { createContentPools } from '../../src/isolation/content.ts';
import { runTrial } from '../../src/trial/run.ts';
import type { RunOptions, TrialReport } from '../../src/trial/run.ts';
import { octokitAs } from '../e2e/octokit-as.ts';
import { copyStarted } from '../queue/store-templates.ts';
import { REALISTIC } from '../realistic.ts';

const pools = createContentPools();

/** A forge with an organisation and an App that may do what app.yml asks for, and more. */
export interface TrialForge extends AsyncDisposable {
  readonly forge: LocalForge;
  /** Names of the repositories that are there. */
  names(): string[];
  /** Puts a file into a repository. */
  fill(name: string): Promise<void>;
  /** Opens an issue there. */
  ask(name: string): Promise<void>;
  refs(name: string): Promise<string[]>;
  /** How many issues (pull requests among them) and releases are open there. */
  open(name: string): Promise<{ issues: number; releases: number }>;
  play(
    more?: Partial<RunOptions>,
    host?: string,
  ): Promise<TrialReport & { readonly said: readonly string[] }>;
}

const MANIFEST = readManifest('app.yml');

export async function startTrialForge(extra: Readonly<Record<string, 'write'>>): Promise<TrialForge> {
  const root = mkdtempSync(join(tmpdir(), 'portico-trial-test-'));
  const forge = await startForge({
    dataDir: join(root, 'forge'),
    manifest: { ...MANIFEST, permissions: { ...MANIFEST.permissions, ...extra } },
    realistic: REALISTIC,
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }, { login: 'octo_acme' }],
      orgs: [{ login: 'acme', members: { alice: 'admin', octo_acme: 'member' } }],
      repos: ['one', 'other', 'full', 'asked'].map((name) => ({ owner: 'acme', name, private: true })),
      app: { installations: [{ account: 'acme' }] },
    },
  });
  const alice = octokitAs(forge.apiUrl, 'alice-token').rest;
  // Nobody listens there: what was sent is read from the forge.
  forge.setAppWebhookUrl('http://127.0.0.1:9/');
  return {
    forge,
    names: () =>
      forge.context.records.repositories
        .all()
        .map(({ name }) => name)
        .sort(),
    async fill(name) {
      const content = Buffer.from('x\n').toString('base64');
      const file = { owner: 'acme', repo: name, path: 'README.md', message: 'Begin', content };
      await alice.repos.createOrUpdateFileContents(file);
    },
    async ask(name) {
      await alice.issues.create({ owner: 'acme', repo: name, title: 'Somebody asks something' });
    },
    async refs(name) {
      const bare = forge.context.git(forge.context.records.repositoryByName('acme', name)!);
      const { stdout } = await bare.run(['for-each-ref', '--format=%(refname)']);
      return stdout
        .toString()
        .split('\n')
        .filter((ref) => ref !== '');
    },
    async open(name) {
      const place = { owner: 'acme', repo: name };
      const issues = (await alice.issues.listForRepo(place)).data.length;
      return { issues, releases: (await alice.repos.listReleases(place)).data.length };
    },
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
        paceMs: 20,
        program: porticoFor(environment, { contentPools: pools, fill: copyStarted }),
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
