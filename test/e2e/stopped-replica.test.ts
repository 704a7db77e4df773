import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge } from '@portico/localforge';
import { expect, test } from 'vitest';

import { startPostgres } from '../queue/postgres.ts';
import { REALISTIC } from '../realistic.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { stageRepository, type StageRepository } from '../reconcile/stage-repository.ts';
import { quiet, startBotProcess } from './bot-process.ts';
import { eventually } from './eventually.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, locked } from './packages.ts';
import { freePort, type PorticoProcess } from './portico-process.ts';
import { relayWebhooks } from './webhook-relay.ts';

/**
 * One of two processes on one PostgreSQL is stopped (SIGSTOP) in the middle of a fan-out, just when a command was acknowledged. The other
 * one answers commands; the stopped one continues, and nothing is written twice. PORTICO_LONG=1 plays five rounds, STOPS=2 two.
 */
const ROUNDS = Number(process.env['STOPS'] ?? (process.env['PORTICO_LONG'] === '1' ? 5 : 0));
const NAMES = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'];
const owner = 'acme';
const PACKAGE = smallPackage('web', { data: { color: 'v1' } });

const postgres = ROUNDS === 0 ? null : await startPostgres();

test(
  'while one of two processes is stopped, the other answers; afterwards nothing is there twice',
  { tags: ['campaign', 'postgresql'], timeout: 1_800_000 },
  async () => {
    await using server = postgres!;
    const root = mkdtempSync(join(tmpdir(), 'portico-stopped-'));
    await using forge = await startForge({
      dataDir: join(root, 'forge'),
      manifestFile: 'app.yml',
      realistic: REALISTIC,
      config: {
        tokens: { 'alice-token': { login: 'alice' } },
        users: [{ login: 'alice' }],
        orgs: [{ login: owner, members: { alice: 'admin' }, teams: [] }],
        repos: ['up', ...NAMES].map((name) => ({ owner, name, private: true, collaborators: {} })),
        app: { installations: [{ account: owner }] },
      },
    });
    const { rest } = octokitAs(forge.apiUrl, 'alice-token');
    const repository = (name: string): StageRepository =>
      stageRepository({
        forge,
        as: () => octokitAs(forge.apiUrl, 'alice-token'),
        idle: () => forge.settled(),
        owner,
        name,
      });
    const up = repository('up');
    const spec = 'branch: main\nupdates: { follow: latest }\nsharing: { within: organization }';
    await up.seed({ ...below('web', PACKAGE), '.github/portico.yaml': configuration('up', spec) });
    const first = await up.head('main');
    await up.tag('web/v1', first);
    for (const name of NAMES) {
      const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', first);
      await repository(name).seed({
        ...below('web', { ...PACKAGE, Kptfile }),
        '.github/portico.yaml': configuration(name, spec),
      });
    }
    const databaseUrl = await server.createDatabase();
    const bots: PorticoProcess[] = [];
    const ports: number[] = [];
    for (const name of ['a', 'b']) {
      const [data, port] = [join(root, name), await freePort()];
      mkdirSync(data);
      bots.push(await startBotProcess({ forge, data, port, databaseUrl }));
      ports.push(port);
    }
    const [a] = bots;
    let [next, isStopped] = [0, false];
    // As a load balancer does with one that is not ready.
    await using door = await relayWebhooks((hand) => hand(ports[isStopped ? 1 : (next += 1) % 2]!));
    forge.setAppWebhookUrl(`${door.url}/api/github/webhooks`);
    await quiet(forge, ports[1]!, 300);
    const where = { owner, repo: 'up' };
    const issue = (await rest.issues.create({ ...where, title: 'Commands' })).data.number;
    const repliesTo = async (id: number): Promise<number> =>
      (await up.comments(issue)).filter(({ body }) => body?.startsWith(`<!-- portico:reply ${id} -->`))
        .length;
    const said: number[] = [];
    const say = async (): Promise<number> => {
      const id = await up.say(issue, '/portico help');
      said.push(id);
      return id;
    };
    const seconds: number[] = [];
    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const color = `v${round + 1}`;
        const stopped = Promise.withResolvers<void>();
        const off = forge.onEffect(({ route }) => {
          if (isStopped || !route.includes('reactions')) return;
          isStopped = true;
          a!.child.kill('SIGSTOP');
          stopped.resolve();
        });
        await up.tag(
          `web/${color}`,
          await up.push('main', { 'web/config.yaml': configMap('web', { color }) }),
        );
        await say();
        await stopped.promise;
        const began = performance.now();
        const asked = await say();
        await eventually('an answer', async () => (await repliesTo(asked)) > 0, 120);
        seconds.push((performance.now() - began) / 1000);
        // The one that was acknowledged when the process stopped is answered, too.
        for (const id of said) await eventually('every answer', async () => (await repliesTo(id)) > 0, 120);
        a!.child.kill('SIGCONT');
        isStopped = false;
        off();
        await quiet(forge, ports[1]!, 300);
        expect(await Promise.all(said.map(repliesTo))).toEqual(said.map(() => 1));
      }
      for (const name of NAMES) {
        const open = await repository(name).pulls();
        expect(open.map(({ title }) => title)).toEqual([`Update web to upstream v${ROUNDS + 1}`]);
      }
      const sorted = seconds.toSorted((one, other) => one - other);
      process.stderr.write(`answered after ${sorted.map((one) => one.toFixed(1)).join(', ')} s\n`);
      expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(10);
    } catch (error) {
      throw new Error(bots.map((bot) => bot.log().slice(-3000)).join('\n---\n'), { cause: error });
    } finally {
      a!.child.kill('SIGCONT');
      for (const bot of bots) await bot.end('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    }
  },
);
