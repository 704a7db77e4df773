import { createHash } from 'node:crypto';

import wabt from 'wabt';

import type { RuntimeOptions } from '../../../src/function/runtime-options.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { Limits } from '../../../src/function/sandbox/limits.ts';
import type { FunctionOutput } from '../../../src/package/render/function-runtime.ts';
import { ITEM } from '../sandbox/hostile.ts';

const assembler = await wabt();

/** The parameters of the calls of WASI that the tests make. */
const CALLS: Readonly<Record<string, string>> = {
  fd_read: 'i32 i32 i32 i32',
  fd_write: 'i32 i32 i32 i32',
  fd_prestat_get: 'i32 i32',
  path_open: 'i32 i32 i32 i32 i32 i64 i64 i32 i32',
  environ_sizes_get: 'i32 i32',
  args_sizes_get: 'i32 i32',
  random_get: 'i32 i32',
  clock_time_get: 'i32 i64 i32',
  poll_oneoff: 'i32 i32 i32 i32',
  sock_accept: 'i32 i32 i32',
  sock_send: 'i32 i32 i32 i32 i32',
};

/** Assembles any text. */
export function assemble(text: string): Uint8Array {
  return new Uint8Array(assembler.parseWat('test.wat', text).toBinary({}).buffer);
}

/** A command with these instructions; `data` stands in memory from 1024 on, and `$say` writes `n` bytes of it. */
export function command(body: string, { data = '', pages = 2 } = {}): Uint8Array {
  const used = Object.entries(CALLS).filter(([name]) => body.includes(`$${name}`) || name === 'fd_write');
  const imports = used.map(
    ([name, types]) =>
      `(import "wasi_snapshot_preview1" "${name}" (func $${name} (param ${types}) (result i32)))`,
  );
  const bytes = [...Buffer.from(data)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
  return assemble(`(module
    ${imports.join('\n')}
    (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
    (memory (export "memory") ${pages})
    (data (i32.const 1024) "${bytes}")
    (func $say (param $fd i32) (param $n i32)
      (i32.store (i32.const 0) (i32.const 1024))
      (i32.store (i32.const 4) (local.get $n))
      (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
    (func (export "_start") ${body}))`);
}

/** A command that prints a text and ends. */
export function printing(text: string): Uint8Array {
  const length = Buffer.byteLength(text);
  return command(`(call $say (i32.const 1) (i32.const ${length}))`, {
    data: text,
    pages: Math.ceil((length + 2048) / 65_536),
  });
}

/** Runs a module as an allowed function. */
export function runModule(
  bytes: Uint8Array,
  limits: Partial<Limits> = {},
  item: typeof ITEM = ITEM,
  options: Partial<RuntimeOptions> = {},
): Promise<FunctionOutput> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const code = { kind: 'wasm', file: 'fn.wasm', sha256, bytes } as const;
  const runtime = createRuntime({ foreignLimits: limits, ...options });
  const foreign = runtime.withForeign!({ allowed: [{ image: 'example.com/fn:v1', code }] });
  return foreign.run({ image: 'example.com/fn:v1' }, { items: [structuredClone(item)] });
}
