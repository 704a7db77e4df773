import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { Octokit } from '@octokit/rest';
import { expect } from 'vitest';

import type { ForgeConfig } from '../../src/localforge/config.ts';
import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

/** alice owns acme, bob may write, eve may read, carol may write too; the App has acme. */
const CONFIG: ForgeConfig = {
  tokens: {
    'alice-token': { login: 'alice' },
    'bob-token': { login: 'bob' },
    'carol-token': { login: 'carol' },
    'eve-token': { login: 'eve' },
  },
  users: [{ login: 'alice' }, { login: 'bob' }, { login: 'carol' }, { login: 'eve' }],
  orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [{ slug: 'platform', members: ['alice'] }] }],
  repos: [
    {
      owner: 'acme',
      name: 'blueprints',
      private: true,
      collaborators: { bob: 'write', carol: 'write', eve: 'read' },
    },
  ],
  app: { installations: [{ account: 'acme' }] },
};

export const REPO = { owner: 'acme', repo: 'blueprints' } as const;

/** A webhook as it went out. */
export interface SentHook {
  readonly event: string;
  readonly action: string | null;
  readonly payload: Record<string, any>;
}

export interface Collaboration extends TestForge {
  readonly alice: Octokit;
  readonly bob: Octokit;
  readonly carol: Octokit;
  readonly eve: Octokit;
  /** The App's installation. */
  readonly app: Octokit;
  /** A clone in which `commit` works. */
  readonly clone: string;
  /** Writes files on a branch (made from `from` when new), pushes, and answers the commit. */
  commit(branch: string, files: Record<string, string>, options?: CommitOptions): Promise<string>;
  /** `event.action` of every webhook stored since the last call, oldest first. */
  hooks(): SentHook[];
  /** Asks for a pull request until its mergeability is known. */
  known(number: number): Promise<PullData>;
}

export interface CommitOptions {
  readonly from?: string;
  readonly message?: string;
  readonly force?: boolean;
}

type PullData = Awaited<ReturnType<Octokit['rest']['pulls']['get']>>['data'];

/** A forge with one repository that has a first commit on main, and clients for everybody. */
export async function collaboration(): Promise<Collaboration> {
  const base = await testForge(CONFIG);
  const { forge, git } = base;
  forge.setAppWebhookUrl('http://127.0.0.1:9/webhooks');
  const clone = join(base.directory, 'clone');
  await mkdir(clone);
  await git(clone, 'init', '-q', '-b', 'main');
  await git(clone, 'config', 'user.name', 'Bob');
  await git(clone, 'config', 'user.email', 'bob@example.com');
  await git(clone, 'remote', 'add', 'origin', base.remote('bob-token', 'acme/blueprints'));

  const commit: Collaboration['commit'] = async (branch, files, options = {}) => {
    const known = await base.tryGit(clone, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    if (known.ok && options.from === undefined) await git(clone, 'checkout', '-q', branch);
    else await git(clone, 'checkout', '-q', '-B', branch, ...(options.from ? [options.from] : []));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(clone, path)), { recursive: true });
      await writeFile(join(clone, path), text);
    }
    await git(clone, 'add', '-A');
    await git(clone, 'commit', '-q', '--allow-empty', '-m', options.message ?? `Change ${branch}`);
    await git(clone, 'push', '-q', ...(options.force === true ? ['--force'] : []), 'origin', branch);
    return (await git(clone, 'rev-parse', 'HEAD')).trim();
  };
  await commit('main', { 'README.md': lines(20), 'app/Kptfile': 'kind: Kptfile\n' }, { message: 'First' });

  let seen = 0;
  const hooks = (): SentHook[] => {
    const stored = forge.context.records.deliveries.all().filter((delivery) => delivery.id > seen);
    seen = stored.at(-1)?.id ?? seen;
    return stored.map(({ event, action, payload }) => ({
      event,
      action,
      payload: JSON.parse(payload) as Record<string, any>,
    }));
  };
  const alice = base.as('alice-token');
  const known: Collaboration['known'] = (number) =>
    expect
      .poll(async () => (await alice.rest.pulls.get({ ...REPO, pull_number: number })).data, { interval: 5 })
      .toSatisfy((pull: PullData) => pull.mergeable !== null) as unknown as Promise<PullData>;
  hooks();
  return {
    ...base,
    alice,
    bob: base.as('bob-token'),
    carol: base.as('carol-token'),
    eve: base.as('eve-token'),
    app: base.as(installationToken(base)),
    clone,
    commit,
    hooks,
    known: async (number) => {
      await known(number);
      return (await alice.rest.pulls.get({ ...REPO, pull_number: number })).data;
    },
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  };
}

/** `event.action`, as the tests write it. */
export const names = (hooks: readonly SentHook[]): string[] =>
  hooks.map((hook) => (hook.action === null ? hook.event : `${hook.event}.${hook.action}`));

/** The status of the refusal that a call gets. */
export async function refused(call: Promise<unknown>): Promise<{ status: number; text: string }> {
  try {
    await call;
  } catch (error) {
    const { status, response } = error as { status: number; response?: { data: unknown } };
    return { status, text: JSON.stringify(response?.data) };
  }
  throw new Error('the call was not refused');
}

/** `line 1` … */
export const lines = (count: number, change: Record<number, string> = {}): string =>
  Array.from({ length: count }, (_, index) => change[index + 1] ?? `line ${index + 1}`).join('\n') + '\n';

function installationToken(base: TestForge): string {
  const { records } = base.forge.context;
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  records.tokens.insert({
    hash: createHash('sha256').update(token).digest('hex'),
    userId: null,
    installationId: records.installations.all()[0]!.id,
    repositoryIds: null,
    permissions: null,
    expiresAt: null,
  });
  return token;
}
