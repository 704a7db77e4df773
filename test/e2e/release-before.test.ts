import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge } from '@portico/localforge';
import { expect, test } from 'vitest';

import { ROOT } from '../cli/run-portico.ts';
import { startPostgres } from '../queue/postgres.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { stageRepository } from '../reconcile/stage-repository.ts';
import { quiet, startBotProcess } from './bot-process.ts';
import { eventually } from './eventually.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration } from './packages.ts';
import { freePort, type PorticoProcess } from './portico-process.ts';
import { relayWebhooks } from './webhook-relay.ts';

/**
 * The release before on the schema of this one: beside it, alone after it, and this one again. Needs PORTICO_LONG=1 and the history of the
 * repository: the release before is RELEASE_BEFORE, the newest tag of a release, or what was there before the schema changed last.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const postgres = LONG ? await startPostgres() : null;
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 30 }).trim();

function releaseBefore(): string {
  const named = process.env['RELEASE_BEFORE'];
  if (named !== undefined) return named;
  const [tag] = git('tag', '--list', 'release/*', '--sort=-v:refname').split('\n');
  return tag !== undefined && tag !== ''
    ? tag
    : `${git('log', '-1', '--format=%H', '--', 'src/queue/migrations.ts')}~1`;
}

test(
  'the release before works beside this one, after it, and before it again, on one database',
  { tags: ['campaign', 'postgresql'], timeout: 1_200_000 },
  async () => {
    await using server = postgres!;
    const root = mkdtempSync(join(tmpdir(), 'portico-before-'));
    const checkout = join(root, 'before');
    mkdirSync(checkout);
    execFileSync('sh', ['-c', `git archive "$1" | tar -x -C "$2"`, 'sh', releaseBefore(), checkout], {
      cwd: ROOT,
    });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    await using forge = await startForge({
      dataDir: join(root, 'forge'),
      manifestFile: 'app.yml',
      config: {
        tokens: { 'alice-token': { login: 'alice' } },
        users: [{ login: 'alice' }],
        orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [] }],
        repos: [{ owner: 'acme', name: 'lib', private: true, collaborators: {} }],
        app: { installations: [{ account: 'acme' }] },
      },
    });
    const as = (): ReturnType<typeof octokitAs> => octokitAs(forge.apiUrl, 'alice-token');
    const lib = stageRepository({ forge, as, idle: () => forge.settled(), owner: 'acme', name: 'lib' });
    await lib.seed({
      ...below('web', smallPackage('web', { data: { color: 'red' } })),
      '.github/portico.yaml': configuration('lib', 'branch: main\npublish: { requireApprovals: 0 }'),
    });
    const databaseUrl = await server.createDatabase();
    const running = new Map<string, { readonly bot: PorticoProcess; readonly port: number }>();
    const start = async (name: 'now' | 'before'): Promise<void> => {
      const [data, port] = [join(root, `data-${name}`), await freePort()];
      mkdirSync(data, { recursive: true });
      const program = name === 'before' ? { program: [join(checkout, 'src/portico.js')] } : {};
      const bot = await startBotProcess({ forge, data, port, databaseUrl, ...program });
      running.set(name, { bot, port });
    };
    const end = async (name: 'now' | 'before'): Promise<void> => {
      await running.get(name)?.bot.end('SIGTERM');
      running.delete(name);
    };
    let next = 0;
    await using door = await relayWebhooks((hand) => {
      const all = [...running.values()];
      return hand(all[(next += 1) % all.length]!.port);
    });
    forge.setAppWebhookUrl(`${door.url}/api/github/webhooks`);
    let revisions = 0;
    const publish = async (when: string): Promise<void> => {
      revisions += 1;
      const { number } = await lib.propose(`change-${revisions}`, {
        'web/config.yaml': configMap('web', { color: `c${revisions}` }),
      });
      await eventually(`the check of #${number}, ${when}`, async () => {
        const check = (await lib.checksOf(number)).get('portico');
        return check?.conclusion === 'success';
      });
      const id = await lib.say(number, '/portico publish');
      await eventually(`web/v${revisions}, ${when}`, async () => (await lib.tags()).has(`web/v${revisions}`));
      await quiet(forge, [...running.values()][0]!.port);
      expect((await lib.answerTo(number, id)).replies).toBe(1);
    };
    try {
      await start('now');
      await publish('this release alone');
      await start('before');
      await publish('beside the release before');
      await publish('beside the release before, again');
      await end('now');
      await publish('the release before alone');
      await start('now');
      await end('before');
      await publish('this release again');
      expect((await lib.tags()).size).toBe(5);
    } catch (error) {
      const logs = [...running].map(([name, { bot }]) => `${name}\n${bot.log().slice(-3000)}`);
      throw new Error(logs.join('\n---\n'), { cause: error });
    } finally {
      for (const { bot } of running.values()) await bot.end('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    }
  },
);
