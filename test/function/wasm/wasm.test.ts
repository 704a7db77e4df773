import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { capMemory } from '../../../src/function/wasm/wasm-module.ts';
import { ITEM, LONG, outcomeOf, SECRET, SHORT_LIMITS } from '../sandbox/hostile.ts';
import { assemble, command, printing, runModule } from './wat.ts';

const limits = LONG ? {} : SHORT_LIMITS;
const ECHO = `(loop $more
  (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 60000))
  (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 12)))
  (call $say (i32.const 1) (i32.load (i32.const 12)))
  (br_if $more (i32.load (i32.const 12))))`;

test('a module gets the ResourceList on stdin and answers on stdout', async () => {
  expect(await runModule(command(ECHO))).toEqual({ exitCode: 0, items: [ITEM], results: [] });
});

describe('a hostile module', () => {
  test('that never ends is ended', async () => {
    const output = await runModule(
      command('(loop $l (br $l))'),
      LONG ? {} : { ...SHORT_LIMITS, timeoutMs: 400 },
    );
    expect(outcomeOf(output)).toBe('FUNCTION_TIMEOUT');
  });

  test('that eats memory gets no more than its limit', async () => {
    const eat = '(loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) (unreachable)';
    const output = await runModule(command(eat, { pages: 16 }), { memoryBytes: SHORT_LIMITS.memoryBytes });
    expect(output.results[0]?.message).toBe(
      'fn.wasm broke off: RuntimeError: unreachable (it held 64 of 64 MiB of memory).',
    );
  });

  test('that eats tables instead is ended too', async () => {
    const grow = '(drop (table.grow $t (ref.null func) (i32.const 1000000))) (br $l)';
    const tables = '(table $t 1 funcref)';
    const bytes = assemble(
      `(module ${tables} (memory (export "memory") 1) (func (export "_start") (loop $l ${grow})))`,
    );
    const ended = outcomeOf(await runModule(bytes, { ...SHORT_LIMITS, timeoutMs: 500 }));
    expect(['FUNCTION_TIMEOUT', 'FUNCTION_MEMORY_LIMIT']).toContain(ended);
  });

  test('that calls itself without end breaks off', async () => {
    const bytes = assemble(
      '(module (memory (export "memory") 1) (func $f (export "_start") (call $f) (call $f)))',
    );
    expect(outcomeOf(await runModule(bytes))).toBe('WASM_TRAP');
  });

  test.each([1, 2])('that floods descriptor %i is ended', async (fd) => {
    const flood = `(loop $l (call $say (i32.const ${fd}) (i32.const 60000)) (br $l))`;
    const output = await runModule(command(flood), limits);
    expect(outcomeOf(output)).toBe('FUNCTION_OUTPUT_LIMIT');
    expect((output.stderr ?? '').length).toBeLessThan(70_000);
  });

  // The exit code is what the call answered: 8 is "no such descriptor", 52 "not supported".
  test.each([
    ['opens a directory', '(call $fd_prestat_get (i32.const 3) (i32.const 64))', 8],
    [
      'opens /etc/passwd',
      `(call $path_open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 11) (i32.const 0) (i64.const 2) (i64.const 2)
        (i32.const 0) (i32.const 64))`,
      52,
    ],
    ['accepts a connection', '(call $sock_accept (i32.const 3) (i32.const 0) (i32.const 64))', 52],
    ['sends', '(call $sock_send (i32.const 3) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 64))', 52],
    [
      'counts its environment',
      '(i32.add (call $environ_sizes_get (i32.const 64) (i32.const 68)) (i32.load (i32.const 64)))',
      0,
    ],
    [
      'counts its arguments',
      '(i32.add (call $args_sizes_get (i32.const 64) (i32.const 68)) (i32.load (i32.const 64)))',
      1,
    ],
    ['reads descriptor 9', '(call $fd_read (i32.const 9) (i32.const 0) (i32.const 1) (i32.const 8))', 8],
  ])('that %s is answered as it should be', async (_what, call, answer) => {
    const output = await runModule(command(`(call $proc_exit ${call})`, { data: '/etc/passwd' }));
    expect(output.exitCode).toBe(answer === 0 ? 1 : answer);
    expect(JSON.stringify(output)).not.toContain('root:');
  });

  test.each([
    ['nothing', '', 'printed nothing'],
    ['no YAML', 'kind: [\n', 'cannot be read'],
    ['no list', 'kind: ResourceList\nitems: 7\n', 'no list of items'],
  ])('that prints %s has failed, and it is said why', async (_what, text, why) => {
    const output = await runModule(printing(text));
    expect(output).toMatchObject({ exitCode: 1, results: [{ severity: 'error' }] });
    expect(output.results[0]!.message).toContain(why);
    expect(output.items).toBeUndefined();
  });

  test('that prints a hundred thousand results has the first of them kept', async () => {
    const head = 'kind: ResourceList\nitems: []\nresults:\n';
    const rows = '- message: m\n'.repeat(1000);
    const again = `(local $i i32) (call $say (i32.const 1) (i32.const ${head.length + rows.length}))
      (loop $l (i32.store (i32.const 0) (i32.const ${1024 + head.length})) (i32.store (i32.const 4) (i32.const ${rows.length}))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
        (br_if $l (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 99))))`;
    const output = await runModule(command(again, { data: head + rows }));
    expect(output.results).toHaveLength(10_001);
    expect(output.results.at(-1)?.message).toContain('gave 100000 results');
  });

  test('finds the same clock and the same random numbers in each run', async () => {
    const bytes = command(`(drop (call $random_get (i32.const 64) (i32.const 1)))
      (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 72)))
      (call $proc_exit (i32.and (i32.xor (i32.load (i32.const 64)) (i32.load (i32.const 72))) (i32.const 127)))`);
    const [first, second] = await Promise.all([runModule(bytes), runModule(bytes)]);
    expect(first).toEqual(second);
  });
});

test('a server without a sandbox runs none, and says what helps', async () => {
  const bytes = command(ECHO);
  const needsSandbox = { needsSandbox: true, hasSandbox: () => Promise.resolve(false) };
  const refused = await runModule(bytes, limits, ITEM, needsSandbox);
  expect(refused.refused).toMatchObject({ code: 'SANDBOX_MISSING' });
  expect(refused.items).toBeUndefined();
  const run = await runModule(bytes, limits, ITEM, {
    ...needsSandbox,
    hasSandbox: () => Promise.resolve(true),
  });
  expect(run.refused).toBeUndefined();
});

describe('a module that cannot run', () => {
  const memory = '(memory (export "memory") 1)';
  test.each([
    ['is no module', new TextEncoder().encode('not a module'), 'does not begin as a WebAssembly module'],
    ['is cut short', command('(nop)').subarray(0, 40), 'ends in the middle'],
    [
      'is built by a Go of the future',
      assemble(`(module (import "gojs" "syscall/js.unheard" (func (param i32))) ${memory})`),
      'wants syscall/js.unheard. Build it with GOOS=wasip1',
    ],
    [
      'wants more than WASI',
      assemble(`(module (import "env" "system" (func)) ${memory})`),
      '"system" of "env"',
    ],
    ['brings no memory', assemble('(module (import "env" "m" (memory 1)))'), 'memory "m" of "env"'],
    ['is a library', assemble(`(module ${memory})`), 'no _start'],
    ['wants much memory', assemble('(module (memory 5000))'), 'begins with 313 MiB'],
    ['shares memory', Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 4, 1, 3, 1, 1), 'a shared or 64-bit'],
  ])('because it %s is refused with the reason', async (_why, bytes, reason) => {
    const { refused } = await runModule(bytes);
    expect(refused?.code).toMatch(/^WASM_/);
    expect(refused?.message).toContain(reason);
  });

  test.each([
    ['lower', 5000, 1024],
    ['none', undefined, 1024],
    ['kept', 8, 8],
  ])('the maximum of a memory is set: %s', (_what, given, wanted) => {
    const bytes = assemble(`(module (memory 2 ${given ?? ''}) (func (export "_start")))`);
    const capped = assemble(`(module (memory 2 ${wanted}) (func (export "_start")))`);
    expect(capMemory(bytes, SHORT_LIMITS.memoryBytes)).toEqual(Buffer.from(capped));
  });
});

const CLANG = '/usr/bin/clang';

test(
  'a module made of C sees none of the files, variables and addresses of the machine',
  { tags: ['clang'] },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-c-'));
    try {
      const source = new URL('hostile.c', import.meta.url);
      const out = join(folder, 'fn.wasm');
      execFileSync(CLANG, ['--target=wasm32-wasi', '--sysroot=/usr', '-O2', source.pathname, '-o', out]);
      writeFileSync(join(folder, 'secret'), SECRET);
      process.env['PORTICO_TEST_SECRET'] = SECRET;
      const output = await runModule(readFileSync(out));
      expect(output).toMatchObject({ exitCode: 0, items: [ITEM] });
      expect(output.results.map(({ message }) => message)).toEqual([
        'PORTICO_TEST_SECRET: absent',
        '/etc/passwd: cannot be opened',
        '/proc/self/environ: cannot be opened',
        '.: cannot be opened',
        'year 2000',
      ]);
    } finally {
      delete process.env['PORTICO_TEST_SECRET'];
      rmSync(folder, { recursive: true });
    }
  },
);
