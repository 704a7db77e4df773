import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { ITEM, outcomeOf, SHORT_LIMITS } from '../sandbox/hostile.ts';
import { assemble, runModule } from './wat.ts';

/** The calls of Go's support script that the module below makes, each with the stack pointer. */
const CALLS = [
  'valueGet',
  'valueSet',
  'valueCall',
  'valueIndex',
  'valuePrepareString',
  'valueLoadString',
  'stringVal',
];
const GO = '(i64.const 0x7ff8000100000006)';
const GLOBAL = '(i64.const 0x7ff8000100000005)';
const TEXTS = [
  '_makeFuncWrapper',
  'processResourceList',
  '_pendingEvent',
  'args',
  'result',
  'Function',
  'Object',
  'constructor',
];
const put = (at: number, value: string): string => `(i64.store (i32.const ${8192 + at}) ${value})`;
const get = (at: number): string => `(i64.load (i32.const ${8192 + at}))`;
const text = (at: number, name: string): string =>
  put(at, `(i64.const ${1024 + 64 * TEXTS.indexOf(name)})`) + put(at + 8, `(i64.const ${name.length})`);
const call = (name: string): string => `(call $${name} (i32.const 8192))`;
const field = (of: string, name: string): string => put(8, of) + text(16, name) + call('valueGet');

/** What Go makes of a program that gives back what it gets, written by hand: it sets a function, and is called. */
const giveBack = (as: string): string => `
  ${field(GO, '_pendingEvent')} (global.set $event ${get(32)})
  ${field('(global.get $event)', 'args')}
  ${put(8, get(32))} ${put(16, '(i64.const 0)')} ${call('valueIndex')}
  ${put(8, get(24))} ${call('valuePrepareString')} (global.set $length ${get(24)})
  ${put(8, get(16))} ${put(16, '(i64.const 65536)')} ${put(24, '(global.get $length)')} ${call('valueLoadString')}
  ${put(8, '(i64.const 65536)')} ${put(16, '(global.get $length)')} ${call('stringVal')}
  ${put(32, get(24))} ${put(8, '(global.get $event)')} ${text(16, as)} ${call('valueSet')}`;

function program(resume: string, namespace = 'go'): Uint8Array {
  return assemble(`(module
    ${CALLS.map((name) => `(import "${namespace}" "syscall/js.${name}" (func $${name} (param i32)))`).join('\n')}
    (import "${namespace}" "runtime.wasmExit" (func $exit (param i32)))
    (memory (export "mem") 4) (global $event (mut i64) (i64.const 0)) (global $length (mut i64) (i64.const 0))
    ${TEXTS.map((name, at) => `(data (i32.const ${1024 + 64 * at}) "${name}")`).join('\n')}
    (func (export "getsp") (result i32) (i32.const 8192))
    (func (export "run") (param i32 i32)
      (f64.store (i32.const 9000) (f64.const 1))
      ${put(8, GO)} ${text(16, '_makeFuncWrapper')} ${put(32, '(i64.const 9000)')} ${put(40, '(i64.const 1)')} ${call('valueCall')}
      ${put(32, get(56))} ${put(8, GLOBAL)} ${text(16, 'processResourceList')} ${call('valueSet')})
    (func (export "resume") ${resume}))`);
}

/** Adds 1 to the exit code that waits at 9100 where what was got is undefined. */
const count = `(i32.store (i32.const 9100) (i32.add (i32.load (i32.const 9100)) (i64.eqz ${get(32)})))`;

test.each(['go', 'gojs'])(
  'a module built with GOOS=js, imports of "%s", is called as kpt calls it',
  async (name) => {
    expect(await runModule(program(giveBack('result'), name))).toEqual({
      exitCode: 0,
      items: [ITEM],
      results: [],
    });
  },
);

test('it finds no way to JavaScript itself', async () => {
  const looks = [
    field(GLOBAL, 'Function'),
    field(GLOBAL, 'constructor'),
    field(GO, 'constructor'),
    `${field(GLOBAL, 'Object')} ${field(get(32), 'constructor')}`,
  ];
  const exit = `(i32.store (i32.const 8200) (i32.load (i32.const 9100))) (call $exit (i32.const 8192))`;
  const output = await runModule(program(`${looks.map((look) => look + count).join('')} ${exit}`));
  expect(output.exitCode).toBe(4);
});

test('a program that is no function of kpt, or gives no ResourceList, fails', async () => {
  expect(await runModule(program(giveBack('args')))).toMatchObject({ exitCode: 1 });
  const idle = assemble(
    '(module (import "go" "debug" (func (param i32))) (memory (export "mem") 1) (func (export "run") (param i32 i32)))',
  );
  expect((await runModule(idle)).refused?.message).toContain('sets no processResourceList');
});

const BUILDER = 'go';

describe('a function that Go has built', { tags: ['go', 'campaign'] }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-go-'));

  test('runs, sees nothing of the machine, and is held to its limits', async () => {
    const env = {
      ...process.env,
      GOOS: 'js',
      GOARCH: 'wasm',
      GOCACHE: join(folder, 'cache'),
      GOFLAGS: '-mod=mod',
    };
    const cwd = fileURLToPath(new URL('go-js', import.meta.url));
    execFileSync(BUILDER, ['build', '-o', join(folder, 'fn.wasm'), '.'], { cwd, env });
    const bytes = readFileSync(join(folder, 'fn.wasm'));
    const run = (name: string, limits = {}) => runModule(bytes, limits, { ...ITEM, metadata: { name } });
    const said = '0 variables, open /etc/passwd: not implemented on js, closed true, year 2000';
    expect(await run('a')).toMatchObject({ exitCode: 0, results: [{ message: said }], stderr: 'hello\n' });
    expect(await run('sleep')).toMatchObject({ exitCode: 0, results: [{ message: said }] });
    expect(await run('fail')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/it was told to\nthese are the errors/) as string,
    });
    expect((await run('end')).exitCode).toBe(3);
    expect((await run('eat', SHORT_LIMITS)).stderr).toContain('out of memory');
    expect(outcomeOf(await run('loop', { timeoutMs: 3000 }))).toBe('FUNCTION_TIMEOUT');
    rmSync(folder, { recursive: true });
  }, 300_000);
});
