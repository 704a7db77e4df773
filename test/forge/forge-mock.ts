import { generateKeyPairSync } from 'node:crypto';

import nock from 'nock';

import type { ForgeCall, ForgeOptions } from '../../src/forge/forge-types.ts';
import { connectForge } from '../../src/forge/forge.ts';

export const API = 'https://forge.test/api/v3';
export const ORIGIN = 'https://forge.test';
const KEY = { id: 5, owner: 'acme', name: 'blueprints' };
export const REPO = '/api/v3/repos/acme/blueprints';

export type Json = Record<string, unknown>;

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const PRIVATE_KEY = keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
export const PUBLIC_KEY = keys.publicKey;

const GRANTED = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'read',
};

/** A forge on nock that hands out `ghs_token1`, `ghs_token2`, … and keeps what was asked. */
export function mockForge(options: Partial<ForgeOptions> = {}) {
  const calls: ForgeCall[] = [];
  const mints: { installation: string; body: Record<string, unknown> }[] = [];
  nock(ORIGIN)
    .persist()
    .get(/\/api\/v3\/app\/installations\/\d+$/)
    .reply(200, {
      id: 7,
      account: { login: 'acme', type: 'Organization' },
      suspended_at: null,
      permissions: GRANTED,
    });
  nock(ORIGIN).persist().get('/api/v3/app').reply(200, { id: 77, slug: 'portico', name: 'Portico' });
  nock(ORIGIN)
    .persist()
    .post(/\/api\/v3\/app\/installations\/\d+\/access_tokens$/)
    .reply(201, async (request: Request) => {
      mints.push({
        installation: new URL(request.url).pathname.split('/')[5] ?? '',
        body: (await request.json()) as Record<string, unknown>,
      });
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      return { token: `ghs_token${mints.length}`, expires_at: expires, permissions: GRANTED };
    });
  const forge = connectForge({
    appId: 77,
    privateKey: PRIVATE_KEY,
    baseUrl: API,
    backoffMs: 1,
    onCall: (call) => calls.push(call),
    ...options,
  });
  return { forge, repository: forge.repository(7, KEY), calls, mints };
}

export function rawComment(fields: Record<string, unknown>) {
  return {
    id: 1,
    node_id: 'IC_1',
    user: { login: 'portico[bot]', type: 'Bot' },
    body: '',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    html_url: 'https://forge.test/acme/blueprints/pull/1#issuecomment-1',
    issue_url: `${API}/repos/acme/blueprints/issues/1`,
    performed_via_github_app: { id: 77 },
    ...fields,
  };
}

export function rawPull(fields: Record<string, unknown>) {
  return {
    number: 1,
    node_id: 'PR_1',
    state: 'open',
    merged_at: null,
    merge_commit_sha: null,
    title: 'A change',
    body: null,
    user: { login: 'alice', type: 'User' },
    labels: [],
    head: { ref: 'drafts/app/next', sha: 'a'.repeat(40), repo: { id: 5 } },
    base: { ref: 'main', sha: 'b'.repeat(40) },
    html_url: 'https://forge.test/acme/blueprints/pull/1',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    closed_at: null,
    ...fields,
  };
}

/** Answers every write with `reply` and keeps what was written. */
export function record(method: 'post' | 'patch', path: string | RegExp, reply: Json): Json[] {
  const bodies: Json[] = [];
  const scope = nock(ORIGIN).persist();
  const write = method === 'post' ? scope.post(path) : scope.patch(path);
  write.reply(200, async (request: Request) => {
    bodies.push((await request.json()) as Json);
    return reply;
  });
  return bodies;
}
