import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

import { describe, expect, test } from 'vitest';

import { fromHere, reasonOf, systemError } from '../../src/cli/system-error.ts';
import { scratch } from './run-portico.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('what the operating system refuses is told in a sentence, from where one stands', () => {
  test('as it comes', async () => {
    using dir = scratch();
    dir.write({ file: 'x' });
    mkdirSync(dir.path('folder'));
    symlinkSync('loop', dir.path('loop'));
    const long = 'x'.repeat(300);
    const told = (work: () => unknown): string => {
      const error = systemError(thrownBy(work), dir.path('.'));
      expect(error).toMatchObject({ blame: 'user', hint: expect.stringMatching(/\.$/) });
      return `${error!.code}: ${error!.message}`;
    };
    expect(told(() => readFileSync(dir.path('none')))).toBe('ENOENT: none does not exist');
    expect(told(() => readFileSync(dir.path('folder')))).toMatch(/^EISDIR: .*is a directory/);
    expect(told(() => readdirSync(dir.path('file')))).toMatch(/^ENOTDIR: file is not a directory/);
    expect(told(() => readFileSync(dir.path('loop')))).toMatch(/^ELOOP: loop is a symbolic link/);
    expect(told(() => writeFileSync(dir.path(long), ''))).toMatch(/^ENAMETOOLONG: the name x+ is too long/);
    const refused = await new Promise((resolve) => connect(1, '127.0.0.1').on('error', resolve));
    expect(systemError(refused, '/')?.message).toBe('nothing listens on 127.0.0.1:1');
  });

  test.each(['EACCES', 'EPERM', 'EEXIST', 'ENOSPC', 'EROFS', 'EDQUOT', 'EMFILE', 'EBUSY', 'ENOTEMPTY'])(
    '%s, which no test can make the system say',
    (code) => {
      const error = Object.assign(new Error(`${code}: …`), { code, syscall: 'open', path: '/a/b' });
      expect(systemError(error, '/a')).toMatchObject({ code, message: expect.stringMatching(/\bb\b/) });
      expect(reasonOf(error)).toContain('/a/b');
    },
  );

  test('a program that is missing is no file, and other errors stay what they are', () => {
    const missing = Object.assign(new Error('spawn git ENOENT'), {
      code: 'ENOENT',
      syscall: 'spawn git',
      path: 'git',
    });
    expect(systemError(missing, '/')?.message).toBe('the program git is not installed');
    expect(systemError(new TypeError('x is not a function'), '/')).toBeUndefined();
  });

  test.each([
    ['/a/b/c', '/a', 'b/c'],
    ['/a', '/a', '.'],
    ['/a', '/a/b', '/a'],
    ['/ab', '/a', '/ab'],
    ['b', '/a', 'b'],
  ])('%s from %s', (path, from, shown) => expect(fromHere(path, from)).toBe(shown));
});
