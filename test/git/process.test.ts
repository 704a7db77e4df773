import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { runGit } from '../../src/git/run.ts';
import { createSerial } from '../../src/git/sync.ts';
import { file, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();

/** The process ids of the readers of a mirror, by its directory in their environment. */
function readersOf(dir: string): number[] {
  const pids = execFileSync(
    'sh',
    ['-c', 'grep -lz "^GIT_DIR=$1$" /proc/[0-9]*/environ 2>/dev/null || true', 'sh', dir],
    {
      encoding: 'utf8',
    },
  );
  return [...pids.matchAll(/\/proc\/(\d+)\//g)].map((match) => Number(match[1]));
}

describe('processes', () => {
  test('a reader that dies is an error once, and is replaced', { tags: ['linux'] }, async () => {
    const commit = seed(at.origin, { x: '1' });
    const mirror = await at.open();
    await mirror.commit(commit);
    const readers = readersOf(mirror.dir);
    expect(readers).toHaveLength(1);
    for (const pid of readers) process.kill(pid, 'SIGKILL');
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => mirror.commit(commit)));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'GIT_FAILED' });
    }
    expect(await mirror.commit(commit)).toMatchObject({ oid: commit });
  });

  test('none is left when the mirror is closed', { tags: ['linux'] }, async () => {
    const commit = seed(at.origin, { x: '1' });
    const mirror = await at.open();
    await mirror.commit(commit);
    await mirror[Symbol.asyncDispose]();
    await expect.poll(() => readersOf(mirror.dir), { interval: 5 }).toEqual([]);
  });

  test('a lock that a killed git left behind is got over', async () => {
    seed(at.origin, { x: '1' });
    git(at.origin, ['branch', 'old']);
    const mirror = await at.open();
    for (const lock of ['packed-refs.lock', 'refs/heads/main.lock'])
      writeFileSync(join(mirror.dir, lock), '');
    const now = seed(at.origin, { x: '2' });
    git(at.origin, ['branch', '-D', 'old']);
    await mirror.fetch();
    expect([...(await mirror.refs())].map(([ref, { oid }]) => [ref, oid])).toEqual([
      ['refs/heads/main', now],
    ]);
  });

  test('too much output and too much time are errors', async () => {
    const commit = seed(at.origin, { x: 'x'.repeat(100_000) });
    const setup = { gitDir: at.origin };
    const show = ['cat-file', 'blob', `${commit}:x`];
    await expect(runGit(setup, show, { maxOutput: 1_000 })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      hint: expect.any(String),
    });
    const forever = ['cat-file', '--batch'];
    const child = runGit(setup, [...forever, '--buffer'], {
      timeoutMs: 1,
      input: `${commit}\n`.repeat(1_000_000),
    });
    await expect(child).rejects.toMatchObject({ code: 'GIT_TIMEOUT', blame: 'forge' });
  });

  test('the environment of this process does not reach git', async () => {
    process.env['GIT_DIR'] = '/nowhere';
    process.env['GIT_CONFIG_PARAMETERS'] = "'core.pager=id'";
    try {
      const mirror = await at.open();
      const tree = await mirror.writeTree(null, new Map([['a', file('1')]]));
      expect((await mirror.list(tree)).map((entry) => entry.path)).toEqual(['a']);
    } finally {
      delete process.env['GIT_DIR'];
      delete process.env['GIT_CONFIG_PARAMETERS'];
    }
  });
});

describe('the lock', () => {
  test('shares what has not begun, and only that', async () => {
    const serial = createSerial();
    const log: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = serial.run('a', async () => {
      log.push('first');
      await gate.promise;
      return 1;
    });
    await Promise.resolve();
    await Promise.resolve();
    const again = ['x', 'y'].map((name) =>
      serial.run('a', () => {
        log.push(name);
        return Promise.resolve(2);
      }),
    );
    gate.resolve();
    expect(await Promise.all([first, ...again])).toEqual([1, 2, 2]);
    expect(log).toEqual(['first', 'x']);
  });

  test('one that fails does not stop the next, and one who leaves does not stop the others', async () => {
    const serial = createSerial();
    await expect(serial.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const stop = new AbortController();
    const gate = Promise.withResolvers<void>();
    const stopped: boolean[] = [];
    const work = async (signal: AbortSignal): Promise<string> => {
      await gate.promise;
      stopped.push(signal.aborted);
      return 'done';
    };
    const leaver = serial.run('b', work, stop.signal);
    const stayer = serial.run('b', work);
    stop.abort(new Error('gone'));
    await expect(leaver).rejects.toThrow('gone');
    gate.resolve();
    expect(await stayer).toBe('done');
    expect(stopped).toEqual([false]);
  });
});
