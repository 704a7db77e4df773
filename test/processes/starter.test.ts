import { execFileSync } from 'node:child_process';

import { afterEach, describe, expect, test } from 'vitest';

import { runGit } from '../../src/git/run.ts';
import type { Program } from '../../src/processes/program.ts';
import { holdStarter, runProgram } from '../../src/processes/starter.ts';

const sh = (script: string, env: Record<string, string> = {}): Program => ({
  file: 'sh',
  args: ['-c', script],
  env: { PATH: process.env['PATH'] ?? '', ...env },
  cwd: '/',
  ownGroup: true,
});

const holds: Disposable[] = [];
afterEach(() => {
  for (const held of holds.splice(0)) held[Symbol.dispose]();
});

/** The process that starts programs now: the parent of one. */
async function starterPid(): Promise<number> {
  const { stdout } = await runProgram(sh('echo $PPID')).ended;
  return Number(stdout.toString());
}

describe.each(['directly', 'by the starter'])('a program that is started %s', (how) => {
  const hold = (): void => {
    if (how === 'by the starter') holds.push(holdStarter());
  };

  test('is given its input and environment alone, and answers with output, errors and exit code', async () => {
    hold();
    process.env['PORTICO_TEST_SECRET'] = 'seen';
    const program = sh('cat; env >&2; exit 3', { ONLY: 'this' });
    const { code, stdout, stderr, tooMuch } = await runProgram(program, { input: 'in' }).ended;
    delete process.env['PORTICO_TEST_SECRET'];
    expect([code, stdout.toString(), tooMuch]).toEqual([3, 'in', false]);
    expect(stderr.toString()).toContain('ONLY=this');
    expect(stderr.toString()).not.toContain('PORTICO_TEST_SECRET');
    expect((await starterPid()) === process.pid).toBe(how === 'directly');
  });

  test('keeps bytes as they are, many at once', async () => {
    hold();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    const runs = Array.from({ length: 5 }, () => runProgram(sh('cat'), { input: bytes }).ended);
    for (const { stdout } of await Promise.all(runs)) expect(stdout.equals(bytes)).toBe(true);
  });

  test('is stopped with what it started, by whoever waits or by its output', async () => {
    hold();
    const running = runProgram(sh('sleep 1000 & sleep 1000'));
    running.stop();
    expect((await running.ended).code).toBeNull();
    running.stop();
    const { tooMuch, stdout } = await runProgram(sh('cat /dev/zero'), { maxOutput: 10_000 }).ended;
    expect([tooMuch, stdout.length <= 10_000]).toEqual([true, true]);
  });

  test('that is not there is an error', async () => {
    hold();
    const missing = { ...sh(''), file: 'no-such-program' };
    await expect(runProgram(missing).ended).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the starter', () => {
  test('that dies fails what it ran, and is replaced', async () => {
    holds.push(holdStarter());
    const pid = await starterPid();
    const running = runProgram(sh('sleep 30'));
    process.kill(pid, 'SIGKILL');
    await expect(running.ended).rejects.toThrow('has ended');
    expect(await starterPid()).not.toBe(pid);
    // Nobody is told to install git for that: it is tried again.
    const next = await starterPid();
    const cut = runGit({}, ['-c', 'alias.wait=!sleep 30', 'wait']);
    process.kill(next, 'SIGKILL');
    await expect(cut).rejects.toMatchObject({ code: 'GIT_FAILED', blame: 'forge' });
  });

  test('ends when nobody holds it any more, after what it runs', async () => {
    const [one, two] = [holdStarter(), holdStarter()];
    const pid = await starterPid();
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    expect(await starterPid()).toBe(pid);
    const running = runProgram(sh('read line; echo $line'), { input: 'late\n' });
    two[Symbol.dispose]();
    expect((await running.ended).stdout.toString()).toBe('late\n');
    await expect
      .poll(() => execFileSync('sh', ['-c', `kill -0 ${pid} 2>/dev/null || echo gone`]).toString(), {
        timeout: 30_000,
      })
      .toBe('gone\n');
  });
});
