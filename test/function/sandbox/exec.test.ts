import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import { execEnvironment, execView } from '../../../src/function/sandbox/exec-view.ts';
import type { Limits } from '../../../src/function/sandbox/limits.ts';
import type { FunctionOutput } from '../../../src/package/render/function-runtime.ts';
import { ITEM, LONG, outcomeOf, SECRET, SHORT_LIMITS } from './hostile.ts';

const work = mkdtempSync(join(tmpdir(), 'portico-hostile-'));
afterAll(() => rmSync(work, { recursive: true }));
writeFileSync(join(work, 'secret'), SECRET);

const limits = LONG ? {} : SHORT_LIMITS;

/** Runs a shell script as a function. */
function run(script: string, own: Partial<Limits> = limits): Promise<FunctionOutput> {
  const path = join(work, 'fn');
  writeFileSync(path, `#!/bin/bash\n${script}\n`);
  chmodSync(path, 0o755);
  const environment = { PATH: '/usr/bin:/bin', HOME: process.env['HOME'], PORTICO_TEST_SECRET: SECRET };
  const runtime = createRuntime({ allowExec: true, workingDirectory: work, environment, execLimits: own });
  return runtime.run({ exec: path }, { items: [structuredClone(ITEM)] });
}

/** Prints what a command prints as the message of a result. */
const telling = (command: string): string =>
  `printf 'kind: ResourceList\\nitems: []\\nresults:\\n- message: "%s"\\n' "$( (${command}) 2>&1 | tr '"\\n\\\\' '   ')"`;

describe('a hostile program', { tags: ['bubblewrap'] }, () => {
  test('that never ends is ended', async () => {
    const output = await run('while :; do :; done', LONG ? {} : { timeoutMs: 200 });
    expect(outcomeOf(output)).toBe('FUNCTION_TIMEOUT');
  });

  test('that forks without end is ended, with all that it started', async () => {
    const output = await run('bomb() { bomb | bomb & }; bomb; sleep 600');
    expect(outcomeOf(output)).toBe('FUNCTION_PROCESS_LIMIT');
  });

  test('that eats memory is ended', async () => {
    // Whichever comes first: the watch, or the kernel that gives it no more.
    const output = await run('tail /dev/zero');
    expect(output.exitCode).not.toBe(0);
    expect(output.items).toBeUndefined();
    if (output.refused === undefined) expect(output.stderr).toMatch(/memory/i);
    else expect(output.refused.code).toBe('FUNCTION_MEMORY_LIMIT');
  });

  test.each(['/tmp/x', '/dev/shm/x', '/x', '$PWD/x', '$HOME/x', '/usr/x'])(
    'that fills %s finds no room to speak of',
    async (place) => {
      const output = await run(telling(`head -c 300M /dev/zero > ${place} && echo written`));
      expect(output.results[0]?.message ?? output.stderr).not.toContain('written');
    },
  );

  test.each(['1', '2'])('that floods descriptor %s is ended', async (fd) => {
    const output = await run(`yes >&${fd}`);
    expect(outcomeOf(output)).toBe('FUNCTION_OUTPUT_LIMIT');
    expect((output.stderr ?? '').length).toBeLessThan(70_000);
  });

  test('finds no file, variable, process or network of the machine', async () => {
    const met: string[] = [];
    const server = createServer((socket) => {
      met.push('connected');
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const commands = [
      'cat /etc/passwd /etc/shadow /etc/hostname',
      `ls -A $PWD $HOME /home /root /var /run 2>/dev/null | grep -v -e '^fn1$' -e '^$' -e ':$'`,
      'cat secret ../*/secret /tmp/*/secret',
      'env; cat /proc/*/environ | tr "\\0" " "',
      `kill -9 ${process.pid} && echo killed`,
      `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`,
      'ls /sys/class/net /proc/self/fd/3; mount -t tmpfs none /usr && echo mounted',
      'id -u; echo $PPID $$; cat /proc/net/dev | grep -v -e lo: -e "|"',
    ];
    try {
      const outputs = await Promise.all(
        commands.map((command, at) => {
          const path = join(work, `fn${at}`);
          writeFileSync(path, `#!/bin/bash\n${telling(command)}\n`);
          chmodSync(path, 0o755);
          const environment = { PATH: '/usr/bin:/bin', HOME: work, PORTICO_TEST_SECRET: SECRET };
          const runtime = createRuntime({ allowExec: true, workingDirectory: work, environment });
          return runtime.run({ exec: path }, { items: [] });
        }),
      );
      const said = outputs.map((output) => output.results[0]?.message ?? JSON.stringify(output));
      expect(said.join('\n')).not.toMatch(
        new RegExp(`root:|${SECRET}|PORTICO|killed|connected|mounted|DATABASE|npm_`),
      );
      expect(said[7]).toMatch(/^65534 /);
      expect(said[1]).toBe('');
      expect(met).toEqual([]);
    } finally {
      server.close();
    }
  });

  test.each([
    ['nothing', ':', 'printed nothing'],
    ['no YAML', 'echo "kind: ["', 'cannot be read'],
    [
      'a hundred thousand results',
      'echo "kind: ResourceList"; echo "items: []"; echo "results:"; yes -- "- message: m" | head -100000',
      'gave 100000 results',
    ],
  ])('that prints %s is understood', async (_what, script, why) => {
    const output = await run(script, {});
    expect(output.results.at(-1)?.message).toContain(why);
  });

  test('a missing file is explained by the sandbox', async () => {
    const output = await run('cat /etc/passwd');
    expect(output).toMatchObject({ exitCode: 1, results: [] });
    expect(output.stderr).toContain('PORTICO_EXEC_READ');
  });
});

describe('what a program is shown', () => {
  test('is itself, files that its arguments name and what the user chose', () => {
    writeFileSync(join(work, 'fn'), '');
    const view = execView(join(work, 'fn'), ['secret', '../x', '/etc/passwd', '.hidden'], work, {
      PATH: `/usr/bin:${process.env['HOME']}:/`,
      PORTICO_EXEC_READ: '/etc/hostname:relative',
    });
    const chosen = existsSync('/etc/hostname') ? ['/etc/hostname'] : [];
    expect(view.readable).toEqual([join(work, 'fn'), join(work, 'secret'), ...chosen]);
  });

  test('of the environment is only what is named', () => {
    const host = { PATH: '/bin', SECRET: 'x', A: 'a', LANG: 'C', PORTICO_EXEC_ENV: 'A, B' };
    expect(execEnvironment(host)).toEqual({ PATH: '/bin', LANG: 'C', A: 'a' });
  });
});
