import type { GoJsEnd, GoJsWorld } from './go-js-host.ts';

interface Memory {
  readonly buffer: ArrayBuffer;
}

/** What is used of the global of that name; the types of Node do not have it. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): { readonly module: string; readonly name: string; readonly kind: string }[];
  };
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
  readonly Memory: new () => Memory;
  readonly CompileError: new () => Error;
  readonly LinkError: new () => Error;
};

export interface WasmTask {
  readonly moduleBytes: number;
  readonly args: readonly string[];
}

export type WasmEnd =
  | { readonly end: 'exit'; readonly code: number; readonly memory: number }
  | { readonly end: 'trap'; readonly message: string; readonly memory: number }
  | { readonly end: 'refused'; readonly message: string };

/**
 * What runs in the child process. The function is handed over as its own source text (`node -e`), so that the child
 * needs no file of ours in its sandbox: it must not use anything from outside of itself.
 *
 * It reads one line of JSON ({@link WasmTask}), the module and the function's stdin from descriptor 0, runs the
 * module with WASI preview 1, and tells on descriptor 3 how that ended ({@link WasmEnd}). A module gets its stdin,
 * stdout and stderr, and nothing else: no files, no environment, no sockets. Clock and random numbers are the same
 * in each run, so that the same input gives the same output: the clock begins at 2000-01-01, goes on by a
 * microsecond with each look at it, and sleeping only turns it. A module built with GOOS=js is run by `goJs`.
 */
export function runWasmChild(goJs: (world: GoJsWorld) => GoJsEnd): void {
  const fs = process.getBuiltinModule('node:fs');
  const given = fs.readFileSync(0);
  const line = given.indexOf(10);
  const task = JSON.parse(given.toString('utf8', 0, line)) as WasmTask;
  const stdin = given.subarray(line + 1 + task.moduleBytes);
  const { args } = task;

  const [SUCCESS, BADF, INVAL, NOSYS, SPIPE] = [0, 8, 28, 52, 70];
  const WASI = 'wasi_snapshot_preview1';
  let memory: Memory | undefined;
  let read = 0;
  let clock = 946_684_800_000_000_000n;
  let seed = 0x9e37_79b9;

  class Exit extends Error {
    readonly code: number;
    constructor(code: number) {
      super('exit');
      this.code = code;
    }
  }

  function view(): DataView {
    return new DataView(memory?.buffer ?? new ArrayBuffer(0));
  }

  function bytesAt(start: number, length: number): Uint8Array {
    return new Uint8Array(memory?.buffer ?? new ArrayBuffer(0), start >>> 0, length >>> 0);
  }

  /** Every piece of an iovec array, in order. */
  function* pieces(start: number, count: number): Generator<Uint8Array> {
    for (let at = 0; at < count >>> 0; at += 1) {
      const place = (start >>> 0) + at * 8;
      yield bytesAt(view().getUint32(place, true), view().getUint32(place + 4, true));
    }
  }

  function look(): bigint {
    clock += 1000n;
    return clock;
  }

  function fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      seed ^= seed << 13;
      seed ^= seed >>> 17;
      seed ^= seed << 5;
      bytes[at] = seed & 255;
    }
  }

  function writeAll(fd: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at);
  }

  function strings(pointers: number, text: number): number {
    let at = text >>> 0;
    for (const [index, arg] of args.entries()) {
      const encoded = Buffer.from(`${arg}\0`);
      view().setUint32((pointers >>> 0) + index * 4, at, true);
      bytesAt(at, encoded.length).set(encoded);
      at += encoded.length;
    }
    return SUCCESS;
  }

  const streams = [0, 1, 2];
  type Call = (...numbers: never[]) => number;
  const calls: Record<string, Call> = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count >>> 0, args.length, true);
      view().setUint32(size >>> 0, Buffer.byteLength(args.map((arg) => `${arg}\0`).join('')), true);
      return SUCCESS;
    },
    args_get: (pointers: number, text: number) => strings(pointers, text),
    environ_sizes_get(count: number, size: number) {
      view().setUint32(count >>> 0, 0, true);
      view().setUint32(size >>> 0, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    clock_res_get(_id: number, result: number) {
      view().setBigUint64(result >>> 0, 1000n, true);
      return SUCCESS;
    },
    clock_time_get(_id: number, _precision: bigint, result: number) {
      view().setBigUint64(result >>> 0, look(), true);
      return SUCCESS;
    },
    random_get(start: number, length: number) {
      fill(bytesAt(start, length));
      return SUCCESS;
    },
    fd_read(fd: number, start: number, count: number, result: number) {
      if (fd !== 0) return BADF;
      let total = 0;
      for (const piece of pieces(start, count)) {
        const part = stdin.subarray(read, read + piece.length);
        piece.set(part);
        read += part.length;
        total += part.length;
      }
      view().setUint32(result >>> 0, total, true);
      return SUCCESS;
    },
    fd_write(fd: number, start: number, count: number, result: number) {
      if (fd !== 1 && fd !== 2) return BADF;
      let total = 0;
      for (const piece of pieces(start, count)) {
        writeAll(fd, piece);
        total += piece.length;
      }
      view().setUint32(result >>> 0, total, true);
      return SUCCESS;
    },
    fd_close: (fd: number) => (streams.includes(fd) ? SUCCESS : BADF),
    fd_seek: (fd: number) => (streams.includes(fd) ? SPIPE : BADF),
    fd_tell: (fd: number) => (streams.includes(fd) ? SPIPE : BADF),
    fd_fdstat_get(fd: number, result: number) {
      if (!streams.includes(fd)) return BADF;
      bytesAt(result, 24).fill(0);
      // A character device that may be read (2), or written (64).
      view().setUint8(result >>> 0, 2);
      view().setBigUint64((result >>> 0) + 8, fd === 0 ? 2n : 64n, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: (fd: number) => (streams.includes(fd) ? SUCCESS : BADF),
    fd_filestat_get(fd: number, result: number) {
      if (!streams.includes(fd)) return BADF;
      bytesAt(result, 64).fill(0);
      view().setUint8((result >>> 0) + 16, 2);
      return SUCCESS;
    },
    fd_prestat_get: () => BADF,
    fd_prestat_dir_name: () => BADF,
    sched_yield: () => SUCCESS,
    /** Sleeping turns the clock; streams are always ready. */
    poll_oneoff(start: number, result: number, count: number, events: number) {
      if (count === 0) return INVAL;
      for (let at = 0; at < count >>> 0; at += 1) {
        const from = (start >>> 0) + at * 48;
        const to = (result >>> 0) + at * 32;
        const type = view().getUint8(from + 8);
        if (type === 0) {
          const until = view().getBigUint64(from + 24, true);
          const absolute = (view().getUint16(from + 40, true) & 1) === 1;
          if (!absolute) clock += until;
          else if (until > clock) clock = until;
        }
        bytesAt(to, 32).fill(0);
        view().setBigUint64(to, view().getBigUint64(from, true), true);
        view().setUint8(to + 10, type);
      }
      view().setUint32(events >>> 0, count, true);
      return SUCCESS;
    },
    proc_exit(code: number) {
      throw new Exit(code >>> 0);
    },
  };

  function tell(end: WasmEnd): void {
    fs.writeSync(3, JSON.stringify(end));
    // An exit waits for V8's compiling threads, and sometimes for ever (nodejs/node#54918).
    process.kill(process.pid, 'SIGKILL');
  }

  function held(): number {
    return memory?.buffer.byteLength ?? 0;
  }

  function start(): WasmEnd {
    const code = new WebAssembly.Module(given.subarray(line + 1, line + 1 + task.moduleBytes));
    const imports: Record<string, Call> = {};
    const wanted = WebAssembly.Module.imports(code);
    // Go 1.21 has another name for it.
    const namespace = wanted.find(({ module }) => module === 'go' || module === 'gojs')?.module;
    if (namespace !== undefined && wanted.every(({ module }) => module === namespace)) {
      return goJs({
        instantiate: (given) => new WebAssembly.Instance(code, { [namespace]: given }),
        wanted: wanted.map(({ name }) => name),
        input: stdin.toString('utf8'),
        write: writeAll,
        random: fill,
        now: look,
        sleepUntil: (moment) => {
          if (moment > clock) clock = moment;
        },
      });
    }
    for (const { module, name, kind } of wanted) {
      if (module !== WASI || kind !== 'function')
        return {
          end: 'refused',
          message: `It wants ${kind} "${name}" of "${module}"; there is only WASI preview 1.`,
        };
      imports[name] = Object.hasOwn(calls, name) ? (calls[name] as Call) : () => NOSYS;
    }
    const { exports } = new WebAssembly.Instance(code, { [WASI]: imports });
    const begin = exports['_start'];
    if (typeof begin !== 'function')
      return { end: 'refused', message: 'It has no _start: build a command, not a library.' };
    if (exports['memory'] instanceof WebAssembly.Memory) memory = exports['memory'];
    begin();
    return { end: 'exit', code: 0, memory: held() };
  }

  try {
    tell(start());
  } catch (error) {
    if (error instanceof Exit) tell({ end: 'exit', code: error.code, memory: held() });
    else if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError)
      tell({ end: 'refused', message: error.message.slice(0, 500) });
    else tell({ end: 'trap', message: String(error).slice(0, 500), memory: held() });
  }
}
