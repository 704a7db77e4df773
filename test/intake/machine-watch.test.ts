import { tmpdir } from 'node:os';

import { expect, test } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import { gitError } from '../../src/git/git-error.ts';
import { createMachineWatch, spaceOf } from '../../src/intake/machine-watch.ts';
import { createLog } from '../../src/telemetry/log.ts';

const git = (stderr: string): Error => gitError({ command: 'fetch', exitCode: 128, stderr });
const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

test.each([
  ['ENOSPC', withCode('ENOSPC')],
  ['ENOSPC', git('error: unable to write loose object file: No space left on device')],
  ['EMFILE', git('fatal: cannot open packfile: Too many open files')],
  ['ENFILE', git('fatal: cannot open packfile: Too many open files in system')],
  ['ENOMEM', git('fatal: Out of memory, malloc failed')],
  ['EROFS', git("fatal: cannot lock ref 'x': Read-only file system")],
  ['EROFS', new PorticoError('GIT_FAILED', 'no', { blame: 'bug', cause: withCode('EROFS') })],
  ['EAGAIN', git('error: cannot fork to run pack-objects: Resource temporarily unavailable')],
  ['53100', withCode('53100')],
])('%s is known, whoever reports it, for as long as work meets it: %s', (trouble, error) => {
  let now = 0;
  const counted: string[] = [];
  const watch = createMachineWatch(
    (one) => counted.push(one),
    () => now,
  );
  const log = createLog({ onError: watch.failed, stream: { write() {} } });
  // Also of lines that are not written, because they repeat.
  for (const _ of [1, 2]) log.warn({ err: error }, 'queue: a job failed and will run again');
  log.info({ err: withCode('EIO') }, 'expected');
  expect(counted).toEqual([trouble, trouble]);
  now = 59_000;
  expect(watch.troubles()).toEqual([trouble]);
  now = 61_000;
  expect(watch.troubles()).toEqual([]);
});

test('other errors are no trouble of the machine', () => {
  const watch = createMachineWatch(() => {});
  for (const error of [git('fatal: not found'), withCode('ENOENT'), withCode('53300'), 'text', null])
    watch.failed(error);
  expect(watch.troubles()).toEqual([]);
});

test('the space of a file system is what is free of all', async () => {
  const { free, total } = await spaceOf(tmpdir());
  expect(total).toBeGreaterThan(free);
});
