import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge } from '@portico/localforge';
import { expect, test } from 'vitest';

import { startPostgres } from '../queue/postgres.ts';
import { REALISTIC } from '../realistic.ts';
import { eventually } from './eventually.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, webPackage, writeFiles } from './packages.ts';
import { freePort, startPortico, type PorticoProcess } from './portico-process.ts';
import { relayWebhooks } from './webhook-relay.ts';

/**
 * Two processes of the bot on one PostgreSQL, which both get every webhook: in each round two proposals of one package
 * are merged at the same instant. Each becomes one revision, and no number is skipped. Starting all that takes long, so it is
 * tried with PORTICO_LONG=1 (200 rounds), or with as many rounds as PUBLISH_ROUNDS says.
 */
const ROUNDS = Number(process.env['PUBLISH_ROUNDS'] ?? (process.env['PORTICO_LONG'] === '1' ? 200 : 0));
const where = { owner: 'acme', repo: 'blueprints' };

const postgres = ROUNDS === 0 ? null : await startPostgres();

test(
  `${ROUNDS} times two publications at the same instant from two processes`,
  { tags: ['campaign', 'postgresql'], timeout: ROUNDS > 3 ? 4 * 3_600_000 : 120_000 },
  async () => {
    await using server = postgres!;
    const root = mkdtempSync(join(tmpdir(), 'portico-two-'));
    const seed = join(root, 'seed');
    writeFiles(seed, {
      ...below('web', webPackage()),
      '.github/portico.yaml': configuration('blueprints', 'branch: main\npublish: { release: false }'),
    });
    await using forge = await startForge({
      dataDir: join(root, 'forge'),
      manifestFile: 'app.yml',
      realistic: REALISTIC,
      config: {
        tokens: { 'alice-token': { login: 'alice' } },
        users: [{ login: 'alice' }],
        orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [] }],
        repos: [{ owner: 'acme', name: 'blueprints', private: true, collaborators: {}, from: seed }],
        app: { installations: [{ account: 'acme', repositories: 'all' }] },
      },
    });
    const databaseUrl = await server.createDatabase();
    const start = async (name: string): Promise<{ bot: PorticoProcess; port: number }> => {
      const port = await freePort();
      const key = join(root, `${name}.pem`);
      writeFileSync(key, forge.app.privateKeyPem);
      const bot = startPortico(['serve'], {
        APP_ID: String(forge.app.id),
        PRIVATE_KEY_PATH: key,
        WEBHOOK_SECRET: forge.app.webhookSecret,
        GHE_HOST: new URL(forge.url).host,
        GHE_PROTOCOL: 'http',
        HOST: '127.0.0.1',
        PORT: String(port),
        PORTICO_DATA: join(root, name),
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: 'info',
      });
      await eventually(
        `the process ${name}`,
        async () => {
          if (bot.child.exitCode !== null) throw new Error(bot.log());
          return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
        },
        ROUNDS > 3 ? 200 : 60,
      );
      return { bot, port };
    };
    const [a, b] = [await start('a'), await start('b')];
    await using both = await forwardTo([a.port, b.port]);
    forge.setAppWebhookUrl(`${both.url}/api/github/webhooks`);
    const { rest } = octokitAs(forge.apiUrl, 'alice-token');
    const refs = async (prefix: string): Promise<{ ref: string; sha: string }[]> => {
      const bare = forge.context.git(forge.context.records.repositoryByName('acme', 'blueprints')!);
      const { stdout } = await bare.run(['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
      return stdout
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => ({ ref: line.split(' ')[0]!, sha: line.split(' ')[1]! }));
    };
    const propose = async (name: string): Promise<number> => {
      const base = (await rest.git.getRef({ ...where, ref: 'heads/main' })).data.object.sha;
      const file = {
        path: `web/${name}.txt`,
        mode: '100644' as const,
        type: 'blob' as const,
        content: `${name}\n`,
      };
      const tree = await rest.git.createTree({ ...where, base_tree: base, tree: [file] });
      const commit = await rest.git.createCommit({
        ...where,
        message: name,
        tree: tree.data.sha,
        parents: [base],
      });
      await rest.git.createRef({ ...where, ref: `refs/heads/${name}`, sha: commit.data.sha });
      return (await rest.pulls.create({ ...where, title: name, head: name, base: 'main' })).data.number;
    };
    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const pulls = [await propose(`left-${round}`), await propose(`right-${round}`)];
        await Promise.all(
          pulls.map((pull_number) =>
            eventually(`the merge of #${pull_number}`, async () => {
              const { data } = await rest.pulls.get({ ...where, pull_number });
              if (data.merged) return true;
              return (await rest.pulls.merge({ ...where, pull_number })).data.merged;
            }),
          ),
        );
        await eventually(
          `two revisions in round ${round}`,
          async () => (await refs('refs/tags/web')).length >= 2 * round,
          ROUNDS > 3 ? 200 : 60,
        );
      }
      await forge.settled();
      const tags = await refs('refs/tags/web');
      const ledger = await refs('refs/portico/published/web');
      const names = Array.from({ length: 2 * ROUNDS }, (_, at) => `web/v${at + 1}`).sort();
      expect(tags.map(({ ref }) => ref.slice('refs/tags/'.length)).sort()).toEqual(names);
      expect(ledger.map(({ sha }) => sha).sort()).toEqual(tags.map(({ sha }) => sha).sort());
      const published = [a, b].map(({ bot }) => bot.log().split('"published"').length - 1);
      if (ROUNDS > 3) process.stderr.write(`published by each process: ${published.join(' and ')}\n`);
    } catch (error) {
      throw new Error(`${a.bot.log().slice(-3000)}\n---\n${b.bot.log().slice(-3000)}`, { cause: error });
    } finally {
      await Promise.all([a.bot.end('SIGTERM'), b.bot.end('SIGTERM')]);
      rmSync(root, { recursive: true, force: true });
    }
  },
);

/** A door that hands every webhook to each of them, as it came. */
const forwardTo = (ports: readonly number[]): ReturnType<typeof relayWebhooks> =>
  relayWebhooks(async (hand) => Math.min(...(await Promise.all(ports.map(hand)))));
