import type { RegoBuiltin } from './rego-builtins.ts';

/** What is used of the global of that name; the types of Node do not have it. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): { readonly module: string; readonly name: string; readonly kind: string }[];
  };
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => Memory;
  readonly CompileError: new () => Error;
  readonly LinkError: new () => Error;
};

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What the child reads on its first line; the module and one line of JSON for each input follow. */
export interface RegoTask {
  readonly moduleBytes: number;
  /** Pages of the memory that the module imports. */
  readonly memory: { readonly initial: number; readonly maximum: number };
  /** Absent: those that are named after what they decide, or the only one. */
  readonly entrypoint?: string;
}

/** What stands on its stdout: for each input the entrypoints with what they gave, null where undefined. */
export type RegoAnswer = readonly Readonly<Record<string, unknown>>[];

export type RegoEnd =
  | { readonly end: 'done' }
  /** The module is none that can run here. */
  | { readonly end: 'refused'; readonly message: string; readonly hint: string }
  /** It broke off, at an input where that is known. */
  | { readonly end: 'trap'; readonly message: string; readonly memory: number };

/**
 * What runs in the child process that judges a compiled Rego policy, by OPA's ABI 1 for WebAssembly
 * (openpolicyagent.org/docs/wasm). Handed over as source text like {@link runWasmChild}: it must not use anything
 * from outside of itself. The module gets its inputs and the functions of `builtins`, and nothing else.
 */
export function runRegoChild(builtins: Readonly<Record<string, RegoBuiltin>>): void {
  const fs = process.getBuiltinModule('node:fs');
  const given = fs.readFileSync(0);
  const line = given.indexOf(10);
  const task = JSON.parse(given.toString('utf8', 0, line)) as RegoTask;
  const from = line + 1 + task.moduleBytes;
  const inputs = given.toString('utf8', from).split('\n');
  const memory = new WebAssembly.Memory(task.memory);
  const DECISIONS = ['deny', 'violation', 'violations', 'warn', 'allow'];
  const PAGE = 65_536;

  class Refused extends Error {
    readonly hint: string;
    constructor(message: string, hint: string) {
      super(message);
      this.hint = hint;
    }
  }

  let calls: Record<string, unknown> = {};

  /** Calls an export of the module. */
  function call(name: string, ...args: readonly number[]): number {
    const found = calls[name];
    if (typeof found !== 'function')
      throw new Refused(`It has no ${name}: it was not made by OPA.`, 'Compile it with opa build -t wasm.');
    return (found(...args) as number) >>> 0;
  }

  function textAt(address: number): string {
    const bytes = new Uint8Array(memory.buffer);
    const end = bytes.indexOf(0, address);
    return Buffer.from(bytes.subarray(address, end === -1 ? bytes.length : end)).toString('utf8');
  }

  function put(address: number, bytes: Uint8Array): void {
    const missing = address + bytes.length - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    new Uint8Array(memory.buffer).set(bytes, address);
  }

  /** The address of a value in the module's memory. */
  function load(value: unknown): number {
    const bytes = Buffer.from(JSON.stringify(value));
    const address = call('opa_malloc', bytes.length);
    put(address, bytes);
    const parsed = call('opa_json_parse', address, bytes.length);
    if (parsed === 0) throw new Error('The module could not read a value.');
    return parsed;
  }

  function dump(address: number): unknown {
    return JSON.parse(textAt(call('opa_json_dump', address)));
  }

  const names = new Map<number, string>();

  /** A function that cannot take its arguments leaves its rule undefined, as in OPA: address 0. */
  function callBuiltin(id: number, _context: number, ...args: readonly number[]): number {
    const run = builtins[names.get(id) ?? ''];
    const result = run?.(...args.map((address) => dump(address) as never));
    return result === undefined ? 0 : load(result);
  }

  const env: Record<string, unknown> = {
    memory,
    opa_abort(address: number) {
      throw new Error(`the policy gave up: ${textAt(address >>> 0)}`);
    },
    opa_println(address: number) {
      fs.writeSync(2, `${textAt(address >>> 0)}\n`);
    },
    opa_builtin0: callBuiltin,
    opa_builtin1: callBuiltin,
    opa_builtin2: callBuiltin,
    opa_builtin3: callBuiltin,
    opa_builtin4: callBuiltin,
  };

  function globalNumber(name: string): number | undefined {
    const found = calls[name] as { readonly value?: unknown } | undefined;
    return typeof found?.value === 'number' ? found.value : undefined;
  }

  function begin(): void {
    const code = new WebAssembly.Module(given.subarray(line + 1, from));
    for (const { module, name, kind } of WebAssembly.Module.imports(code)) {
      if (module === 'env' && Object.hasOwn(env, name)) continue;
      throw new Refused(
        `It wants ${kind} "${name}" of "${module}", which no policy of OPA does.`,
        'Compile it with opa build -t wasm.',
      );
    }
    calls = new WebAssembly.Instance(code, { env }).exports;
    const version = globalNumber('opa_wasm_abi_version') ?? 1;
    if (version !== 1)
      throw new Refused(
        `It is made for version ${version} of OPA's ABI; version 1 runs here.`,
        'Compile it with another OPA.',
      );
    const wanted = dump(call('builtins')) as Record<string, number>;
    for (const [name, id] of Object.entries(wanted)) names.set(id, name);
    const absent = Object.keys(wanted).filter((name) => !Object.hasOwn(builtins, name));
    if (absent.length > 0)
      throw new Refused(
        `It uses ${absent.sort().join(', ')}, which cannot run here.`,
        'docs/policies.md lists the functions of Rego that run here; write the policy without the others.',
      );
  }

  /** The rules that are asked, with their numbers. */
  function chosen(): [string, number][] {
    const known =
      calls['entrypoints'] === undefined ? { '': 0 } : (dump(call('entrypoints')) as Record<string, number>);
    const all = Object.entries(known);
    const list = all
      .map(([name]) => name)
      .sort()
      .join(', ');
    if (task.entrypoint !== undefined) {
      const found = all.filter(([name]) => name === task.entrypoint);
      if (found.length > 0) return found;
      throw new Refused(`It has no entrypoint ${task.entrypoint}.`, `Its entrypoints are: ${list}.`);
    }
    const named = all.filter(([name]) => DECISIONS.includes(name.slice(name.lastIndexOf('/') + 1)));
    if (named.length > 0) return named;
    if (all.length === 1) return all;
    throw new Refused(
      'It has several entrypoints, and none is named deny, violation, warn or allow.',
      `Name one of them as entrypoint: ${list}.`,
    );
  }

  function evaluate(input: Uint8Array, entrypoint: number, data: number, heap: number): unknown {
    if (typeof calls['opa_eval'] === 'function') {
      put(heap, input);
      const result = call('opa_eval', 0, entrypoint, data, heap, input.length, heap + input.length, 0);
      return JSON.parse(textAt(result));
    }
    call('opa_heap_ptr_set', heap);
    const address = call('opa_malloc', input.length);
    put(address, input);
    const value = call('opa_json_parse', address, input.length);
    if (value === 0) throw new Error('The module could not read its input.');
    const context = call('opa_eval_ctx_new');
    call('opa_eval_ctx_set_input', context, value);
    call('opa_eval_ctx_set_data', context, data);
    if (calls['opa_eval_ctx_set_entrypoint'] !== undefined)
      call('opa_eval_ctx_set_entrypoint', context, entrypoint);
    call('eval', context);
    return dump(call('opa_eval_ctx_get_result', context));
  }

  function judge(): RegoAnswer {
    begin();
    const entrypoints = chosen();
    const data = load({});
    const heap = call('opa_heap_ptr_get');
    return inputs.map((text) => {
      const input = Buffer.from(text);
      const gave: Record<string, unknown> = {};
      for (const [name, number] of entrypoints) {
        // A set of variable assignments: empty where the rule is undefined.
        const found = evaluate(input, number, data, heap) as readonly { readonly result?: unknown }[];
        gave[name] = found[0]?.result ?? null;
      }
      return gave;
    });
  }

  function tell(end: RegoEnd): void {
    fs.writeSync(3, JSON.stringify(end));
    // An exit waits for V8's compiling threads, and sometimes for ever (nodejs/node#54918).
    process.kill(process.pid, 'SIGKILL');
  }

  try {
    const answer = Buffer.from(JSON.stringify(judge()));
    for (let at = 0; at < answer.length;) at += fs.writeSync(1, answer, at);
    tell({ end: 'done' });
  } catch (error) {
    const message = String(error instanceof Error ? error.message : error).slice(0, 2000);
    if (error instanceof Refused) tell({ end: 'refused', message, hint: error.hint });
    else if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError)
      tell({ end: 'refused', message, hint: 'Compile it with opa build -t wasm.' });
    else tell({ end: 'trap', message, memory: memory.buffer.byteLength });
  }
}
