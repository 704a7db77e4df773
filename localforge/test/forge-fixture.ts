import { execFile } from 'node:child_process';
import { createSign } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Octokit } from '@octokit/rest';
import { expect } from 'vitest';

import type { ForgeConfig } from '../src/config.ts';
import { startForge } from '../src/forge.ts';
import type { LocalForge } from '../src/forge.ts';
import type { ContractReport, Finding } from './contract/recorder.ts';
import { recordContract } from './contract/recorder.ts';

/** Two people of different rights, an organization with a team, a private and a public repository, the App on both. */
export const SMALL_CONFIG: ForgeConfig = {
  tokens: { 'alice-token': { login: 'alice' }, 'bob-token': { login: 'bob' }, 'eve-token': { login: 'eve' } },
  users: [{ login: 'alice' }, { login: 'bob', email: 'bob@example.com' }, { login: 'eve' }],
  orgs: [
    {
      login: 'acme',
      members: { alice: 'admin', bob: 'member' },
      teams: [{ slug: 'platform', members: ['alice'] }],
    },
  ],
  repos: [
    { owner: 'acme', name: 'blueprints', private: true },
    { owner: 'acme', name: 'open' },
  ],
  app: { installations: [{ account: 'acme' }] },
};

/** Disposing of it also holds all that was said against GitHub's description. */
export interface TestForge extends AsyncDisposable {
  readonly forge: LocalForge;
  /** A scratch directory that is removed at the end. */
  readonly directory: string;
  /** A client with that token; undefined: anonymous. */
  as(token?: string): Octokit;
  /** A client signed as the App. */
  asApp(): Octokit;
  /** Runs a stock git client in a directory; rejects when it fails. */
  readonly git: (directory: string, ...args: string[]) => Promise<string>;
  /** Like `git`, but answers whatever happens. */
  tryGit(directory: string, ...args: string[]): Promise<{ ok: boolean; output: string }>;
  /** `http://x-access-token:TOKEN@127.0.0.1:PORT/owner/name.git` */
  readonly remote: (token: string, fullName: string) => string;
}

const run = promisify(execFile);
const silent = (): void => {};
export const QUIET = { debug: silent, info: silent, warn: silent, error: silent };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The App's own signature, as every client library makes it; `claims` overrides. */
export function appJwt(forge: LocalForge, claims: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat: now - 30, exp: now + 540, iss: forge.app.id, ...claims })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(forge.app.privateKeyPem, 'base64url')}`;
}

/** `copyOf`: a directory of an earlier one that was closed, from which this one goes on. */
export async function testForge(
  config: ForgeConfig = SMALL_CONFIG,
  copyOf: string | null = null,
): Promise<TestForge> {
  const directory = await mkdtemp(join(tmpdir(), 'forge-'));
  if (copyOf !== null) await cp(copyOf, directory, { recursive: true });
  const forge = await startForge({
    dataDir: join(directory, 'data'),
    config,
    log: (message, detail) => process.stderr.write(`${message} ${JSON.stringify(detail)}\n`),
  });
  const contract = recordContract(forge);
  return {
    forge,
    directory,
    as: (token) =>
      new Octokit({ baseUrl: forge.apiUrl, log: QUIET, ...(token === undefined ? {} : { auth: token }) }),
    asApp: () => new Octokit({ baseUrl: forge.apiUrl, log: QUIET, auth: appJwt(forge) }),
    git,
    tryGit: async (cwd, ...args) => {
      try {
        return { ok: true, output: await git(cwd, ...args) };
      } catch (error) {
        return { ok: false, output: String((error as { stderr?: string }).stderr) };
      }
    },
    remote: (token, fullName) =>
      `${forge.gitUrl.replace('://', `://x-access-token:${token}@`)}/${fullName}.git`,
    [Symbol.asyncDispose]: async () => {
      const findings = surprises(contract.report());
      await forge.close();
      await rm(directory, { recursive: true, force: true });
      expect(findings).toEqual([]);
    },
  };
}

/** Replies and webhooks that GitHub's description does not allow and no reason is known for. */
const surprises = (report: ContractReport): Finding[] =>
  [...report.invalidReplies, ...report.invalidWebhooks].filter(
    (finding) =>
      // What these tests do besides is not in the extract, or taken for another path.
      !finding.problem.includes('in the extract') &&
      finding.operation !== 'GET /user/{account_id}' &&
      // Redirects and malformed JSON are described in prose only.
      !/^status (301|400) is not described$/.test(finding.problem) &&
      // The description of this one list wants a user and an enterprise at once.
      !(finding.operation === 'GET /app/installations' && finding.problem.includes('/account')),
  );

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await run('git', args, { cwd, maxBuffer: 1 << 26 });
  return stdout + stderr;
}
