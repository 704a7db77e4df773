import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { startPostgres } from '../queue/postgres.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { eventually } from './eventually.ts';
import { makeGround, type FaultStage } from './fault-stage.ts';
import { below, configuration } from './packages.ts';
import type { PorticoProcess } from './portico-process.ts';

/**
 * The data directory is on a file system of its own, which is filled while people merge and comment: what the process says of that, and
 * that all of it continues by itself once there is space.
 */
const SPARE_MEBIBYTES = 24;

const LIMIT_MS = 400_000;

test(
  'a full disk is reported, and work continues within 30 seconds when there is space',
  {
    tags: ['story', 'mount', 'postgresql'],
    timeout: LIMIT_MS,
  },
  async () => {
    await using server = await startPostgres();
    await play(server === null ? undefined : { url: await server.createDatabase() });
  },
);

test(
  'so it does where the embedded database is on that disk',
  {
    tags: ['story', 'mount'],
    timeout: LIMIT_MS,
  },
  () => play(),
);

/** @param database absent: the embedded one */
async function play(database?: { readonly url: string }): Promise<void> {
  const ground = await makeGround(['blueprints']);
  using _ground = { [Symbol.dispose]: () => ground.remove() };
  await using stage = await ground.open('full');
  using disk = smallDisk(join(stage.data, 'bot'));
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${ground.botPort}${path}`);
  let bot: PorticoProcess | undefined;
  try {
    bot = await stage.startBot(database === undefined ? {} : { databaseUrl: database.url });
    const { repo, number, issue } = await prepare(stage);
    await stage.quiet();

    disk.fill();
    // Not the stage's own merge, which waits until there is nothing left to do.
    await stage.as('alice').pulls.merge({ ...repo.where, pull_number: number });
    const { data: comment } = await stage
      .as('alice')
      .issues.createComment({ ...repo.where, issue_number: issue, body: '/portico help' });
    const ready = await eventually('the trouble', async () => {
      const answer = await ask('/readyz');
      const body = (await answer.json()) as { troubles?: string[] };
      return body.troubles && { ...body, code: answer.status };
    });
    expect(ready).toMatchObject({ code: 200, status: 'degraded', troubles: ['ENOSPC'] });
    const metrics = await (await ask('/metrics')).text();
    expect(metrics).toMatch(/^portico_machine_trouble_total\{trouble="ENOSPC"\} [1-9]/m);
    expect(metrics).toMatch(/^portico_data_bytes\{space="free"\} \d{1,5}$/m);
    // Longer than what is taken for a bug is tried.
    await new Promise((resolve) => setTimeout(resolve, 20_000));

    // The runbook's two ways: make room, or remove the mirrors of the running server.
    if (database === undefined) disk.free();
    else rmSync(join(stage.data, 'bot/mirrors'), { recursive: true });
    await eventually('the revision', async () => (await repo.tags()).has('web/v1'), 30);
    await eventually('the reply', async () => (await repo.answerTo(issue, comment.id)).replies > 0, 30);
    expect(bot.log()).not.toContain('queue: a job failed for good');
  } catch (error) {
    throw new Error(bot?.log().slice(-6_000), { cause: error });
  }
}

async function prepare(stage: FaultStage) {
  const repo = stage.repository('blueprints');
  await repo.seed({
    ...below('web', smallPackage('web')),
    '.github/portico.yaml': configuration('blueprints', 'branch: main'),
  });
  await stage.quiet();
  const branch = 'drafts/web/green';
  const { number } = await repo.propose(branch, { 'web/config.yaml': configMap('web', { color: 'green' }) });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  const { data: issue } = await stage.as('alice').issues.create({ ...repo.where, title: 'Question' });
  return { repo, number, issue: issue.number };
}

interface SmallDisk extends Disposable {
  fill(): void;
  free(): void;
}

/** A file system of its own for a directory, with its content and a little space. */
function smallDisk(directory: string): SmallDisk {
  const mebibytes = Number(execFileSync('du', ['-sm', directory], { encoding: 'utf8' }).split('\t')[0]);
  const kept = `${directory}.kept`;
  cpSync(directory, kept, { recursive: true });
  const size = `size=${mebibytes + SPARE_MEBIBYTES}m`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'none', directory]);
  cpSync(kept, directory, { recursive: true });
  const ballast = join(directory, 'ballast');
  return {
    fill() {
      mkdirSync(directory, { recursive: true });
      const file = openSync(ballast, 'w');
      try {
        for (let bytes = 1_048_576; bytes >= 1;) {
          try {
            writeSync(file, Buffer.alloc(bytes));
          } catch {
            bytes = Math.floor(bytes / 2);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
    [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', directory]),
  };
}
