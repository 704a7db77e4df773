import { rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Octokit } from '@octokit/rest';
import { expect } from 'vitest';

import type { ForgeConfig } from '../src/config.ts';
import type { LocalForge } from '../src/forge.ts';
import { recordContract } from './contract/recorder.ts';
import type { ContractRecorder } from './contract/recorder.ts';
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
  // Payloads are looked into freely; their shape is held against GitHub's description elsewhere.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly payload: Record<string, any>;
}

export interface Collaboration extends TestForge {
  readonly alice: Octokit;
  readonly bob: Octokit;
  readonly carol: Octokit;
  readonly eve: Octokit;
  readonly contract: ContractRecorder;
  /** The App's installation. */
  readonly app: Octokit;
  /** A clone in which `commit` works. */
  readonly clone: string;
  /** Writes files on a branch (made from `from` when new), pushes, and answers the commit. */
  commit(branch: string, files: Record<string, string>, options?: CommitOptions): Promise<string>;
  /** Every webhook since the last call, oldest first: those of a repository hook, and those that the App alone gets. */
  hooks(): SentHook[];
  /** Presses a button of a check run. */
  pressButton(runId: number, identifier: string, login: string): void;
  /** Asks for a pull request until its mergeability is known. */
  known(number: number): Promise<PullData>;
}

interface CommitOptions {
  readonly from?: string;
  readonly message?: string;
  readonly force?: boolean;
}

type PullData = Awaited<ReturnType<Octokit['rest']['pulls']['get']>>['data'];

let prepared: Promise<string> | undefined;

/** A forge with one repository that has a first commit on main, and clients for everybody. */
export async function collaboration(): Promise<Collaboration> {
  // Made once for a process: the key of the App and the first push take most of a short test.
  const base = await testForge(CONFIG, await (prepared ??= prepare()));
  const { forge } = base;
  const git: TestForge['git'] = (directory, ...args) => base.git(directory, ...args);
  const contract = recordContract(forge);
  const clone = join(base.directory, 'clone');
  const settings = join(clone, '.git/config');
  const url = base.remote('bob-token', 'acme/blueprints');
  await writeFile(
    settings,
    (await readFile(settings, 'utf8')).replace(/(?<=url = ).*/, () => url),
  );

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
  let seen = 0;
  const hooks = (): SentHook[] => {
    const stored = forge.context.records.deliveries.all().filter((delivery) => delivery.id > seen);
    seen = stored.at(-1)?.id ?? seen;
    const wanted = stored.filter(({ hookId, action }) => hookId !== null || ONLY_APP.has(action ?? ''));
    return wanted.map(({ event, action, payload }) => ({
      event,
      action,
      payload: JSON.parse(payload) as SentHook['payload'],
    }));
  };
  const alice = base.as('alice-token');
  hooks();
  return {
    ...base,
    alice,
    bob: base.as('bob-token'),
    carol: base.as('carol-token'),
    eve: base.as('eve-token'),
    app: base.as(await installationToken(base)),
    contract,
    pressButton: (runId, identifier, login) => forge.pressCheckAction(runId, identifier, login),
    clone,
    commit,
    hooks,
    known: async (number) => {
      const get = async () => (await alice.rest.pulls.get({ ...REPO, pull_number: number })).data;
      await get();
      await forge.settled();
      return get();
    },
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  };
}

/** The directory of a forge with its first commit, and of a clone; removed with the process. */
async function prepare(): Promise<string> {
  const { forge, directory, git, remote } = await testForge(CONFIG);
  forge.setAppWebhookUrl('http://127.0.0.1:9/webhooks');
  hookEverything(forge);
  const clone = join(directory, 'clone');
  await mkdir(join(clone, 'app'), { recursive: true });
  await writeFile(join(clone, 'README.md'), lines(20));
  await writeFile(join(clone, 'app/Kptfile'), 'kind: Kptfile\n');
  await git(clone, 'init', '-q', '-b', 'main');
  await git(clone, 'config', 'user.name', 'Bob');
  await git(clone, 'config', 'user.email', 'bob@example.com');
  await git(clone, 'remote', 'add', 'origin', remote('bob-token', 'acme/blueprints'));
  await git(clone, 'add', '-A');
  await git(clone, 'commit', '-q', '-m', 'First');
  await git(clone, 'push', '-q', 'origin', 'main');
  await forge.close();
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Actions that go to the App and to no repository hook. */
const ONLY_APP = new Set(['requested', 'rerequested', 'requested_action']);

/** A repository hook for every event; nobody listens there. */
function hookEverything({ context }: LocalForge): void {
  const { records } = context;
  const now = context.now();
  records.hooks.insert({
    repositoryId: records.repositoryByName('acme', 'blueprints')!.id,
    active: true,
    events: ['*'],
    url: 'http://127.0.0.1:9/hook',
    contentType: 'json',
    insecureSsl: '0',
    secret: 'hook-secret',
    createdAt: now,
    updatedAt: now,
  });
}

/** Closes the forge; everything that passed through it must have been as GitHub describes it. */
export async function closeClean(forge: Collaboration): Promise<void> {
  const { acceptedInvalid, invalidReplies, invalidWebhooks } = forge.contract.report();
  await forge[Symbol.asyncDispose]();
  expect({ acceptedInvalid, invalidReplies, invalidWebhooks }).toEqual({
    acceptedInvalid: [],
    invalidReplies: [],
    invalidWebhooks: [],
  });
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

async function installationToken(base: TestForge): Promise<string> {
  const { rest } = base.asApp();
  const [installation] = (await rest.apps.listInstallations()).data;
  return (await rest.apps.createInstallationAccessToken({ installation_id: installation!.id })).data.token;
}
