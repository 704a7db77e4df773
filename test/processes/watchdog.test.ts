import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

/** A process of its own whose event loop may stand still for a second, and what it does after its first line. */
function start(then: string, line = "{ version: '1.2.3', msg: 'still' }"): ChildProcess {
  const script = `
    const { startWatchdog } = await import(${JSON.stringify(new URL('../../src/processes/watchdog.ts', import.meta.url).href)});
    const watchdog = startWatchdog(${line}, 1_000);
    console.log('started');
    ${then}`;
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
}

async function end(
  child: ChildProcess,
): Promise<{ signal: string | null; code: number | null; stderr: string }> {
  const stderr = text(child.stderr!);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { signal, code, stderr: await stderr };
}

const FOR_THREE_SECONDS = 'await new Promise((resolve) => setTimeout(resolve, 3_000));';

test('a process whose event loop stands still ends itself, and logs why', async () => {
  for (const still of ['for (;;);', "(await import('node:child_process')).execFileSync('sleep', ['60']);"]) {
    const { signal, stderr } = await end(start(still));
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(stderr)).toEqual({
      level: 'fatal',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      version: '1.2.3',
      seconds: 1,
      msg: 'still',
    });
  }
  const { stderr } = await end(start('for (;;);', "'still'"));
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d FATAL still seconds=1\n$/);
});

test('a process that works goes on, and the watch keeps none from ending', async () => {
  expect(await end(start(FOR_THREE_SECONDS))).toEqual({ signal: null, code: 0, stderr: '' });
  const disposed = `await watchdog[Symbol.asyncDispose]();
    const until = Date.now() + 3_000; while (Date.now() < until);`;
  expect(await end(start(disposed))).toEqual({ signal: null, code: 0, stderr: '' });
});

test('a process that was stopped and continued goes on', async () => {
  const child = start(FOR_THREE_SECONDS);
  const ended = end(child);
  await once(child.stdout!, 'data');
  child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  child.kill('SIGCONT');
  expect(await ended).toEqual({ signal: null, code: 0, stderr: '' });
});
