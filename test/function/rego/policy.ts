import { createHash } from 'node:crypto';

import type { RegoModule } from '../../../src/package/render/function-runtime.ts';
import { assemble } from '../wasm/wat.ts';

export interface Parts {
  /** ABI 1.2 and later have `opa_eval`, earlier ones only the calls with a context. */
  readonly minor?: number;
  readonly version?: number;
  readonly entrypoints?: Readonly<Record<string, number>>;
  readonly builtins?: Readonly<Record<string, number>>;
  /** What each entrypoint gives, by its number: a result set as JSON, or code that leaves its address. */
  readonly rules?: readonly string[];
  /** Pages of the imported memory, and its maximum. */
  readonly memory?: string;
  /** More of the module. */
  readonly more?: string;
}

/**
 * A module as `opa build -t wasm` makes them, by the ABI, with a policy in the place of what OPA plans. Values are
 * addresses of JSON texts, which a host may not look at anyway. `(call $holds (i32.const <n>))` says whether the input
 * holds the n-th of `texts`, `(call $joined …)` puts three texts together, `(call $text (i32.const <n>))` is the n-th.
 */
export function policy(parts: Parts = {}, texts: readonly string[] = []): Uint8Array {
  const { minor = 3, version = 1, entrypoints = { 'k8s/deny': 0 }, builtins = {}, rules = [] } = parts;
  const all = [
    JSON.stringify(builtins),
    JSON.stringify(entrypoints),
    ...rules.map((rule) => (rule.startsWith('[') ? rule : '')),
    ...texts,
  ];
  const first = 2 + rules.length;
  let at = 1024;
  const places: number[] = [];
  const data = all.map((text) => {
    places.push(at);
    const place = at;
    at += Buffer.byteLength(text) + 1;
    return `(data (i32.const ${place}) "${Buffer.from(text).toString('hex').replaceAll(/../g, '\\$&')}\\00")`;
  });
  const numbered = (code: string): string =>
    code.replaceAll(/\$(\d+)/g, (_all, n: string) => `(i32.const ${places[first + Number(n)]})`);
  const decided = rules
    .map((rule, n) => {
      const value = rule.startsWith('[') ? `(i32.const ${places[2 + n]})` : numbered(rule);
      return `(if (i32.eq (local.get $rule) (i32.const ${n})) (then (return ${value})))`;
    })
    .join('\n');
  const evaluation = `(func (export "opa_eval") (param i32 i32 i32 i32 i32 i32 i32) (result i32)
    (global.set $heap (local.get 5))
    (global.set $input (call $parse (local.get 3) (local.get 4)))
    (call $decide (local.get 1)))`;
  return assemble(`(module
    ${['abort', 'println'].map((name) => `(import "env" "opa_${name}" (func $${name} (param i32)))`).join('\n')}
    ${[0, 1, 2, 3, 4].map((n) => `(import "env" "opa_builtin${n}" (func $builtin${n} (param ${'i32 '.repeat(n + 2)}) (result i32)))`).join('\n')}
    (import "env" "memory" (memory ${parts.memory ?? '2'}))
    (global $heap (mut i32) (i32.const 65536)) (global $input (mut i32) (i32.const 0))
    (global (export "opa_wasm_abi_version") i32 (i32.const ${version}))
    (global (export "opa_wasm_abi_minor_version") i32 (i32.const ${minor}))
    ${data.join('\n')}
    (func $malloc (export "opa_malloc") (param $n i32) (result i32)
      (local $at i32) (local.set $at (global.get $heap))
      (global.set $heap (i32.add (global.get $heap) (local.get $n)))
      (block $done (loop $more
        (br_if $done (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
        (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable)))
        (br $more)))
      (local.get $at))
    (func $copy (param $to i32) (param $from i32) (param $n i32)
      (block $done (loop $more
        (br_if $done (i32.eqz (local.get $n)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (i32.store8 (i32.add (local.get $to) (local.get $n)) (i32.load8_u (i32.add (local.get $from) (local.get $n))))
        (br $more))))
    (func $length (param $at i32) (result i32) (local $n i32)
      (block $done (loop $more
        (br_if $done (i32.eqz (i32.load8_u (i32.add (local.get $at) (local.get $n)))))
        (local.set $n (i32.add (local.get $n) (i32.const 1))) (br $more)))
      (local.get $n))
    (func $parse (export "opa_json_parse") (param $at i32) (param $n i32) (result i32) (local $to i32)
      (local.set $to (call $malloc (i32.add (local.get $n) (i32.const 1))))
      (call $copy (local.get $to) (local.get $at) (local.get $n))
      (i32.store8 (i32.add (local.get $to) (local.get $n)) (i32.const 0))
      (local.get $to))
    (func $starts (param $at i32) (param $with i32) (result i32)
      (block $done (loop $more
        (br_if $done (i32.eqz (i32.load8_u (local.get $with))))
        (if (i32.ne (i32.load8_u (local.get $at)) (i32.load8_u (local.get $with))) (then (return (i32.const 0))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $with (i32.add (local.get $with) (i32.const 1))) (br $more)))
      (i32.const 1))
    (func $holds (param $text i32) (result i32) (local $at i32)
      (local.set $at (global.get $input))
      (loop $more
        (if (call $starts (local.get $at) (local.get $text)) (then (return (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $more (i32.load8_u (local.get $at))))
      (i32.const 0))
    (func $joined (param $a i32) (param $b i32) (param $c i32) (result i32) (local $to i32) (local $n i32) (local $m i32)
      (local.set $n (call $length (local.get $a))) (local.set $m (call $length (local.get $b)))
      (local.set $to (call $malloc (i32.add (i32.const 1)
        (i32.add (local.get $n) (i32.add (local.get $m) (call $length (local.get $c)))))))
      (call $copy (local.get $to) (local.get $a) (local.get $n))
      (call $copy (i32.add (local.get $to) (local.get $n)) (local.get $b) (local.get $m))
      (call $copy (i32.add (local.get $to) (i32.add (local.get $n) (local.get $m))) (local.get $c)
        (i32.add (i32.const 1) (call $length (local.get $c))))
      (local.get $to))
    (func $decide (param $rule i32) (result i32) ${decided} (unreachable))
    (func (export "opa_json_dump") (param i32) (result i32) (local.get 0))
    (func (export "opa_heap_ptr_get") (result i32) (global.get $heap))
    (func (export "opa_heap_ptr_set") (param i32) (global.set $heap (local.get 0)))
    (func (export "builtins") (result i32) (i32.const ${places[0]}))
    (func (export "entrypoints") (result i32) (i32.const ${places[1]}))
    (func (export "opa_eval_ctx_new") (result i32) (call $malloc (i32.const 16)))
    (func (export "opa_eval_ctx_set_input") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
    (func (export "opa_eval_ctx_set_data") (param i32 i32) (i32.store offset=4 (local.get 0) (local.get 1)))
    (func (export "opa_eval_ctx_set_entrypoint") (param i32 i32) (i32.store offset=8 (local.get 0) (local.get 1)))
    (func (export "opa_eval_ctx_get_result") (param i32) (result i32) (i32.load offset=12 (local.get 0)))
    (func (export "eval") (param i32) (result i32)
      (global.set $input (i32.load (local.get 0)))
      (i32.store offset=12 (local.get 0) (call $decide (i32.load offset=8 (local.get 0))))
      (i32.const 0))
    ${minor >= 2 ? evaluation : ''}
    ${parts.more ?? ''})`);
}

/** The module as a guardrail names it. */
export function moduleOf(bytes: Uint8Array, entrypoint?: string): RegoModule {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { file: 'policy.wasm', sha256, bytes, ...(entrypoint !== undefined && { entrypoint }) };
}
