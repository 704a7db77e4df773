import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { startPostgres } from '../queue/postgres.ts';
import { startBotProcess } from './bot-process.ts';
import { eventually } from './eventually.ts';
import { openPlay, scenarioOf } from './fault-play.ts';
import { freePort } from './portico-process.ts';

/** A host that vanishes from the database, and a database without a disk, `npm run faults` only: each is a row of docs/performance.md. */
vi.setConfig({ testTimeout: 1_800_000 });

/** Where one process reaches the server, so that packets of its connections alone can be dropped. */
const APART = '127.0.0.2';

function drop(isOn: boolean): void {
  for (const side of ['-s', '-d'])
    execFileSync('iptables', [isOn ? '-I' : '-D', 'INPUT', side, APART, '-j', 'DROP'], { stdio: 'ignore' });
}

const told = (log: string): string => {
  const lines = log
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string; err?: { code?: string } })
    .filter(({ level }) => level !== 'info' && level !== 'debug');
  const said = Map.groupBy(lines, ({ level, msg, err }) => `${level}: ${msg} ${err?.code ?? ''}`);
  return [...said].map(([line, all]) => `  ${all.length} × ${line}`).join('\n');
};

test(
  'a host vanishes in the middle of a merge, and closes no connection: another one does its work',
  { tags: ['campaign', 'postgresql', 'root'] },
  async () => {
    await using server = (await startPostgres())!;
    await using play = await openPlay();
    const scenario = scenarioOf('publish');
    await using stage = await play.ground.open('vanishing', play.prepared);
    const databaseUrl = await server.createDatabase();
    const vanishing = await stage.startBot({ databaseUrl: databaseUrl.replace('127.0.0.1', APART) });
    await stage.quiet();
    let hung = false;
    stage.proxy.judge(({ method, path }) => {
      if (hung || method !== 'PUT' || !path.endsWith('/merge')) return undefined;
      hung = true;
      return { kind: 'hang' };
    });
    await scenario.act(stage);
    await eventually('the merge', async () => hung);
    const port = await freePort();
    await using other = await startBotProcess({
      forge: stage.forge,
      data: stage.data,
      port,
      host: new URL(stage.proxy.url).host,
      databaseUrl,
      env: { PORTICO_DATA: join(stage.data, 'other') },
    });
    stage.forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
    const rest = stage.as('alice');
    const where = stage.repository('blueprints').where;
    const { data: issue } = await rest.issues.create({ ...where, title: 'Question' });
    drop(true);
    vanishing.child.kill('SIGSTOP');
    const began = performance.now();
    const seconds = (): number => Math.round((performance.now() - began) / 100) / 10;
    try {
      const { data: said } = await rest.issues.createComment({
        ...where,
        issue_number: issue.number,
        body: '/portico help',
      });
      await eventually(
        'the reply',
        async () => (await stage.repository('blueprints').answerTo(issue.number, said.id)).replies > 0,
        300,
      );
      const answered = seconds();
      await eventually(
        'the revision',
        async () => (await stage.repository('blueprints').tags()).has('web/v2'),
        600,
      );
      const published = seconds();
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      process.stderr.write(
        `vanished: command of another answered after ${answered} s, the merge done after ${published} s\n${told(other.log())}\n${metrics
          .split('\n')
          .filter((line) => /^portico_lock\S* (?!0$)/.test(line))
          .join('\n')}\n`,
      );
    } finally {
      drop(false);
      vanishing.child.kill('SIGKILL');
    }
    await rest.issues.update({ ...where, issue_number: issue.number, state: 'closed' });
    // Nothing twice, whatever the one that vanished had begun.
    const merged = (await stage.repository('blueprints').pulls('all')).filter(
      ({ merged_at: at }) => at !== null,
    );
    expect(merged.length).toBe(1);
    expect(
      [...(await stage.repository('blueprints').tags()).keys()].filter((tag) => tag.startsWith('web/')),
    ).toEqual(['web/v1', 'web/v2']);
  },
);

test('the disk of PostgreSQL is full', { tags: ['campaign', 'postgresql', 'mount'] }, async () => {
  const disk = mkdtempSync(join(tmpdir(), 'portico-database-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=220m', 'none', disk]);
  chmodSync(disk, 0o777);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = disk;
  const started = await startPostgres();
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  try {
    await using server = started!;
    await using play = await openPlay();
    const scenario = scenarioOf('publish');
    await using stage = await play.ground.open('database-disk', play.prepared);
    const bot = await stage.startBot({ databaseUrl: await server.createDatabase() });
    await stage.quiet();
    const ballast = openSync(join(disk, 'ballast'), 'w');
    const fill = (): void => {
      for (let bytes = 1_048_576; bytes >= 1;) {
        try {
          writeSync(ballast, Buffer.alloc(bytes));
        } catch {
          bytes = Math.floor(bytes / 2);
        }
      }
    };
    fill();
    await scenario.act(stage);
    // Work is asked for until the server has no room for the least of it.
    const repo = stage.repository('many');
    for (let at = 0; at < 40; at += 1) {
      await repo.push(`drafts/a/more-${at}`, { [`a/more-${at}.yaml`]: `# ${at}\n` });
      fill();
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    const ready = await fetch(`http://127.0.0.1:${play.ground.botPort}/readyz`);
    const metrics = await (await fetch(`http://127.0.0.1:${play.ground.botPort}/metrics`)).text();
    process.stderr.write(
      `database disk: /readyz ${ready.status} ${await ready.text()}\n${metrics
        .split('\n')
        .filter((line) => /^portico_(machine_trouble|database_up|jobs_given_up)/.test(line))
        .join('\n')}\n${told(bot.log())}\n`,
    );
    closeSync(ballast);
    rmSync(join(disk, 'ballast'));
    const freed = performance.now();
    const seconds = (): number => Math.round((performance.now() - freed) / 100) / 10;
    await eventually(
      'the revision',
      async () => (await stage.repository('blueprints').tags()).has('web/v2'),
      120,
    ).catch(async () => {
      process.stderr.write('database disk: the server has to be started again\n');
      await server.restart();
    });
    await eventually(
      'the revision',
      async () => (await stage.repository('blueprints').tags()).has('web/v2'),
      300,
    );
    process.stderr.write(`database disk: the revision is there ${seconds()} s after there is room\n`);
  } finally {
    execFileSync('umount', ['--lazy', disk]);
  }
});
