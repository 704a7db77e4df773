import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { startPostgres } from '../queue/postgres.ts';
import { inState } from './crash-run.ts';
import { eventually } from './eventually.ts';
import { openPlay, scenarioOf, type Play } from './fault-play.ts';

/**
 * What a machine can lose, `npm run faults` only. Everything is rebuilt from the forge, and what could not be stored is
 * found when it can be.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const postgres = LONG ? await startPostgres() : null;

let play: Play;

beforeAll(async () => {
  if (LONG) play = await openPlay();
}, 180_000);

afterAll(async () => {
  await play?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

describe('what a machine can lose', { tags: ['campaign'] }, () => {
  test('its data directory, while webhooks came that nobody took', async () => {
    const scenario = scenarioOf('publish');
    const { state } = await play.undisturbed(scenario);
    await using stage = await play.ground.open('lost', play.prepared);
    await scenario.act(stage);
    await stage.forge.settled();
    rmSync(join(stage.data, 'bot'), { recursive: true });
    await inState(stage, state, await stage.startBot());
  });

  test.each(['cut short', 'refs gone', 'no objects'])('its mirrors: %s', async (how) => {
    const scenario = scenarioOf('publish');
    const { state } = await play.undisturbed(scenario);
    await using stage = await play.ground.open('damaged', play.prepared);
    damage(join(stage.data, 'bot', 'mirrors'), how);
    const bot = await stage.startBot();
    await scenario.act(stage);
    await inState(stage, state, bot);
  });

  test.each(['publish', 'clone of a draft', 'push to a draft'])(
    'the room on its disk: %s',
    { tags: ['mount'] },
    async (name) => {
      const scenario = scenarioOf(name);
      const { state } = await play.undisturbed(scenario);
      await using stage = await play.ground.open('full', play.prepared);
      await using disk = smallDisk(join(stage.data, 'bot'), 200);
      let bot = await stage.startBot();
      await stage.quiet();
      disk.fill();
      await scenario.act(stage);
      // Whether it ends (a supervisor starts it again) or goes on: while there is no room, nothing half done is seen.
      await stage.forge.settled();
      const ended = () => bot.child.exitCode !== null || bot.child.signalCode !== null;
      await eventually('a word of it', async () => ended() || /ENOSPC|No space left/i.test(bot.log()), 60);
      disk.free();
      process.stderr.write(`${name}, no room: it ${ended() ? `ended, ${bot.child.exitCode}` : 'went on'}\n`);
      if (ended()) bot = await stage.startBot();
      await inState(stage, state, bot, 120);
      expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
    },
  );

  test('its PostgreSQL, again and again under load', { tags: ['postgresql'] }, async () => {
    // What four people want at once, of which none waits for another.
    const together = ['publish', 'bulk', 'init of a draft', 'delete'].map(scenarioOf);
    const act = async (stage: Parameters<(typeof together)[0]['act']>[0]) =>
      void (await Promise.all(together.map((one) => one.act(stage))));
    const all = { name: 'all at once', wanted: 'ref refs/tags/web/v2', act };
    const { state, writes } = await play.undisturbed(all);
    await using stage = await play.ground.open('postgres', play.prepared);
    const bot = await stage.startBot({ databaseUrl: await postgres!.createDatabase() });
    await stage.quiet();
    let seen = 0;
    let last = 0;
    let restarts = 0;
    let running = Promise.resolve();
    const restart = async (): Promise<void> => {
      await postgres!.restart();
      restarts += 1;
      last = performance.now();
    };
    stage.proxy.judge(({ writes: yes }) => {
      if (yes && (seen += 1) % 9 === 2) running = running.then(restart);
      return undefined;
    });
    await all.act(stage);
    await inState(stage, state, bot, 300);
    await running;
    process.stderr.write(
      `PostgreSQL crashed ${restarts} times in ${writes.length} writes; as wanted ${((performance.now() - last) / 1000).toFixed(1)} s after the last\n`,
    );
    expect(restarts).toBeGreaterThan(1);
    expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
  });

  test('its store is that of the first version, then one of a later', { tags: ['postgresql'] }, async () => {
    const scenario = scenarioOf('publish');
    const { state } = await play.undisturbed(scenario);
    await using stage = await play.ground.open('upgraded', play.prepared);
    const databaseUrl = await postgres!.createDatabase();
    const client = new Client(databaseUrl);
    await client.connect();
    await client.query(readFileSync(new URL('../queue/store-1.sql', import.meta.url), 'utf8'));
    const bot = await stage.startBot({ databaseUrl });
    await scenario.act(stage);
    await inState(stage, state, bot, 120);
    expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
    await client.query('INSERT INTO portico.migration (version) VALUES (99)');
    await client.end();
    await expect(stage.startBot({ databaseUrl })).rejects.toThrow(
      /the database has version 99, this Portico knows \d+[^]*Run the newer Portico/,
    );
  });
});

function damage(mirrors: string, how: string): void {
  for (const name of readdirSync(mirrors)) {
    const folder = join(mirrors, name);
    if (how === 'refs gone') {
      rmSync(join(folder, 'refs'), { recursive: true, force: true });
      rmSync(join(folder, 'packed-refs'), { force: true });
      continue;
    }
    const objects = join(folder, 'objects');
    if (how === 'no objects') rmSync(objects, { recursive: true, force: true });
    else
      for (const file of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
        const place = join(objects, file);
        const { size, mode } = statSync(place);
        if ((mode & 0o170_000) === 0o100_000 && size > 20) truncateSync(place, size >> 1);
      }
  }
}

interface SmallDisk extends AsyncDisposable {
  /** Takes all the room that is left. */
  fill(): void;
  free(): void;
}

/** Puts a file system of so many MiB in the place of a folder, with what the folder held. */
function smallDisk(folder: string, mebibytes: number): SmallDisk {
  const before = `${folder}.before`;
  renameSync(folder, before);
  mkdirSync(folder);
  system('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'portico-small', folder);
  cpSync(before, folder, { recursive: true });
  const filler = join(folder, 'filler');
  return {
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler),
    async [Symbol.asyncDispose]() {
      system('umount', '-l', folder);
    },
  };
}

function system(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}
