/* eslint-disable unicorn/consistent-function-scoping -- the text of one function is what the child process gets */
import type { GoJsObjects, GoObject, GoValue } from './go-js-objects.ts';

/** What the host of a GOOS=js module is given by the child process. */
export interface GoJsWorld {
  /** Makes an instance with the imports of a namespace. */
  readonly instantiate: (imports: Readonly<Record<string, unknown>>) => {
    readonly exports: Record<string, unknown>;
  };
  /** Names that the module imports. */
  readonly wanted: readonly string[];
  /** The ResourceList. */
  readonly input: string;
  readonly write: (fd: number, bytes: Uint8Array) => void;
  readonly random: (bytes: Uint8Array) => void;
  /** Nanoseconds since 1970. */
  readonly now: () => bigint;
  /** Turns the clock on to a moment. */
  readonly sleepUntil: (moment: bigint) => void;
}

export type GoJsEnd =
  | { readonly end: 'exit'; readonly code: number; readonly memory: number }
  | { readonly end: 'refused'; readonly message: string };

/**
 * Runs a function built with GOOS=js GOARCH=wasm, as kpt's wasm images are: the program sets the globals
 * `processResourceList` and `processResourceListErrors`, and waits to be called. All that it sees are `objects`.
 *
 * Handed over as source text like {@link runWasmChild}: it must not use anything from outside of itself. The interface
 * is that of Go's own support script (misc/wasm/wasm_exec.js, later lib/wasm): values are NaN-boxed references.
 */
export function runGoJs(world: GoJsWorld, objects: GoJsObjects): GoJsEnd {
  const { Thing, List, Bytes, Callable, Thrown, thing, failure, globals } = objects;
  type Value = GoValue;

  class Exit extends Error {
    readonly code: number;
    constructor(code: number) {
      super('exit');
      this.code = code;
    }
  }

  const go = new Thing();
  go.set('_pendingEvent', null);

  let calls: Record<string, unknown> = {};

  function call(name: string, ...args: readonly number[]): number {
    const found = calls[name];
    return typeof found === 'function' ? Number(found(...args)) >>> 0 : 0;
  }

  function bufferOf(): ArrayBuffer {
    return (calls['mem'] as { readonly buffer: ArrayBuffer } | undefined)?.buffer ?? new ArrayBuffer(0);
  }

  let view = new DataView(new ArrayBuffer(0));

  function memory(): DataView {
    if (view.buffer !== bufferOf()) view = new DataView(bufferOf());
    return view;
  }

  /** Lets Go run a function of its own, and answers what that gave. */
  function runEvent(id: number, self: Value, args: readonly Value[]): GoObject {
    const event = thing({ id, this: self, args: new List([...args]) });
    go.set('_pendingEvent', event);
    call('resume');
    return event;
  }

  class GoFunction extends Callable {
    readonly id: number;
    constructor(id: number) {
      super((self, args) => runEvent(id, self, args).get('result'));
      this.id = id;
    }
  }

  go.set('_makeFuncWrapper', new Callable((_self, [id]) => new GoFunction(Number(id))));

  // References: the number of a value stands in a NaN, with its kind above it.
  const NAN_HEAD = 0x7f_f8_00_00;
  const values: Value[] = [Number.NaN, 0, null, true, false, globals, go];
  const counts: number[] = values.map(() => Number.POSITIVE_INFINITY);
  const numbers = new Map<Value, number>(values.map((value, at) => [value, at]));
  const free: number[] = [];

  function loadValue(at: number): Value {
    const number = memory().getFloat64(at, true);
    if (number === 0) return undefined;
    return Number.isNaN(number) ? values[memory().getUint32(at, true)] : number;
  }

  function storeValue(at: number, value: Value): void {
    if (value === undefined) return memory().setFloat64(at, 0, true);
    if (typeof value === 'number' && value !== 0 && !Number.isNaN(value))
      return memory().setFloat64(at, value, true);
    const id = referenceTo(value);
    const kind =
      typeof value === 'string' ? 2 : value instanceof Callable ? 4 : value instanceof Thing ? 1 : 0;
    memory().setUint32(at + 4, NAN_HEAD | kind, true);
    return memory().setUint32(at, id, true);
  }

  function referenceTo(value: Value): number {
    const known = numbers.get(value);
    const id = known ?? free.pop() ?? values.length;
    if (known === undefined) {
      values[id] = value;
      counts[id] = 0;
      numbers.set(value, id);
    }
    counts[id] = (counts[id] ?? 0) + 1;
    return id;
  }

  function long(at: number): number {
    return Number(memory().getBigInt64(at, true));
  }

  function putLong(at: number, value: number | bigint): void {
    memory().setBigInt64(at, BigInt(value), true);
  }

  function slice(at: number): Uint8Array {
    return new Uint8Array(bufferOf(), long(at), long(at + 8));
  }

  function text(at: number): string {
    return Buffer.from(slice(at)).toString('utf8');
  }

  function list(at: number): Value[] {
    const [start, length] = [long(at), long(at + 8)];
    return Array.from({ length }, (_, index) => loadValue(start + index * 8));
  }

  function fieldOf(value: Value, name: string): Value {
    return value instanceof Thing ? value.get(name) : undefined;
  }

  /** A call may let Go run, which moves its stack: the place for the answer is known afterwards only. */
  function attempt(work: () => Value, at: number): void {
    let result: Value;
    let fine = 1;
    try {
      result = work();
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
      [result, fine] = [error.value, 0];
    }
    const sp = call('getsp');
    storeValue(sp + at, result);
    memory().setUint8(sp + at + 8, fine);
  }

  function apply(target: Value, self: Value, args: readonly Value[]): Value {
    if (target instanceof Callable) return target.call(self, args);
    throw new Thrown(failure('', 'it is not a function here'), 'no function');
  }

  function copy(to: Uint8Array, from: Uint8Array, at: number): void {
    const part = from.subarray(0, to.length);
    to.set(part);
    putLong(at, part.length);
    memory().setUint8(at + 8, 1);
  }

  /** Alarms that Go waits for; the clock has been turned to each. */
  const timers = new Set<number>();
  let timer = 0;

  const imports: Record<string, (sp: number) => void> = {
    'runtime.wasmExit': (sp) => {
      throw new Exit(memory().getInt32(sp + 8, true));
    },
    'runtime.wasmWrite': (sp) => {
      const bytes = new Uint8Array(bufferOf(), long(sp + 16), memory().getInt32(sp + 24, true));
      world.write(long(sp + 8) === 1 ? 1 : 2, bytes);
    },
    'runtime.resetMemoryDataView': () => undefined,
    'runtime.nanotime1': (sp) => putLong(sp + 8, world.now()),
    'runtime.walltime': (sp) => {
      const now = world.now();
      putLong(sp + 8, now / 1_000_000_000n);
      memory().setInt32(sp + 16, Number(now % 1_000_000_000n), true);
    },
    'runtime.scheduleTimeoutEvent': (sp) => {
      timer += 1;
      const due = world.now() + BigInt(long(sp + 8)) * 1_000_000n;
      timers.add(timer);
      // Go asks when it has nothing else to do: a function that sleeps would look at the clock until then.
      world.sleepUntil(due);
      memory().setInt32(sp + 16, timer, true);
    },
    'runtime.clearTimeoutEvent': (sp) => void timers.delete(memory().getInt32(sp + 8, true)),
    'runtime.getRandomData': (sp) => world.random(slice(sp + 8)),
    'syscall/js.finalizeRef': (sp) => {
      const id = memory().getUint32(sp + 8, true);
      counts[id] = (counts[id] ?? 0) - 1;
      if (counts[id] !== 0) return;
      numbers.delete(values[id]);
      values[id] = null;
      free.push(id);
    },
    'syscall/js.stringVal': (sp) => storeValue(sp + 24, text(sp + 8)),
    'syscall/js.valueGet': (sp) => storeValue(sp + 32, fieldOf(loadValue(sp + 8), text(sp + 16))),
    'syscall/js.valueSet': (sp) => {
      const target = loadValue(sp + 8);
      if (target instanceof Thing) target.set(text(sp + 16), loadValue(sp + 32));
    },
    'syscall/js.valueDelete': (sp) => {
      const target = loadValue(sp + 8);
      if (target instanceof Thing) target.fields.delete(text(sp + 16));
    },
    'syscall/js.valueIndex': (sp) => {
      const [target, at] = [loadValue(sp + 8), long(sp + 16)];
      storeValue(
        sp + 24,
        target instanceof List ? target.items[at] : target instanceof Bytes ? target.data[at] : undefined,
      );
    },
    'syscall/js.valueSetIndex': (sp) => {
      const [target, at, value] = [loadValue(sp + 8), long(sp + 16), loadValue(sp + 24)];
      if (target instanceof List && at >= 0 && at <= 1_000_000) target.items[at] = value;
      else if (target instanceof Bytes && typeof value === 'number') target.data[at] = value;
    },
    'syscall/js.valueCall': (sp) => {
      const [target, name, args] = [loadValue(sp + 8), text(sp + 16), list(sp + 32)];
      attempt(() => apply(fieldOf(target, name), target, args), 56);
    },
    'syscall/js.valueInvoke': (sp) => {
      const [target, args] = [loadValue(sp + 8), list(sp + 16)];
      attempt(() => apply(target, undefined, args), 40);
    },
    'syscall/js.valueNew': (sp) => {
      const [target, args] = [loadValue(sp + 8), list(sp + 16)];
      attempt(() => {
        if (target instanceof Callable && target.make !== undefined) return target.make(args);
        throw new Thrown(failure('', 'it makes nothing here'), 'no constructor');
      }, 40);
    },
    'syscall/js.valueLength': (sp) => {
      const value = loadValue(sp + 8);
      const length = typeof value === 'string' ? value.length : fieldOf(value, 'length');
      putLong(sp + 16, typeof length === 'number' ? length : 0);
    },
    'syscall/js.valuePrepareString': (sp) => {
      const value = loadValue(sp + 8);
      const shown = typeof value === 'object' && value !== null ? value.get('message') : value;
      const bytes = Buffer.from(typeof shown === 'object' ? '[object]' : String(shown));
      storeValue(sp + 16, new Bytes(bytes));
      putLong(sp + 24, bytes.length);
    },
    'syscall/js.valueLoadString': (sp) => {
      const bytes = loadValue(sp + 8);
      if (bytes instanceof Bytes) slice(sp + 16).set(bytes.data.subarray(0, long(sp + 24)));
    },
    'syscall/js.valueInstanceOf': (sp) => {
      const [value, kind] = [loadValue(sp + 8), loadValue(sp + 16)];
      const is =
        (value instanceof Bytes && kind === globals.get('Uint8Array')) ||
        (value instanceof List && kind === globals.get('Array')) ||
        (value instanceof Thing && kind === globals.get('Object'));
      memory().setUint8(sp + 24, is ? 1 : 0);
    },
    'syscall/js.copyBytesToGo': (sp) => {
      const source = loadValue(sp + 32);
      if (source instanceof Bytes) copy(slice(sp + 8), source.data, sp + 40);
      else memory().setUint8(sp + 48, 0);
    },
    'syscall/js.copyBytesToJS': (sp) => {
      const target = loadValue(sp + 8);
      if (target instanceof Bytes) copy(target.data, slice(sp + 16), sp + 40);
      else memory().setUint8(sp + 48, 0);
    },
    debug: () => undefined,
  };

  /** The argument `js`, no variables: where Go's own start expects them. */
  function begin(): void {
    const at = 4096;
    new Uint8Array(bufferOf(), at, 3).set(Buffer.from('js\0'));
    for (const [index, pointer] of [at, 0, 0].entries()) putLong(at + 8 + index * 8, pointer);
    call('run', 1, at + 8);
  }

  /** Calls a global of the program, and lets it go on as long as it waits for the clock. */
  function callGlobal(name: string, args: readonly Value[]): Value {
    const target = globals.get(name);
    if (!(target instanceof GoFunction)) return undefined;
    const event = runEvent(target.id, undefined, args);
    while (!event.fields.has('result') && timers.size > 0) {
      timers.clear();
      call('resume');
    }
    return event.get('result');
  }

  function end(code: number): GoJsEnd {
    return { end: 'exit', code, memory: bufferOf().byteLength };
  }

  const unknown = world.wanted.filter((name) => !Object.hasOwn(imports, name));
  if (unknown.length > 0) {
    const message = `It is built by a Go whose support script is unknown here: it wants ${unknown.join(', ')}. Build it with GOOS=wasip1.`;
    return { end: 'refused', message };
  }
  try {
    const unsigned = Object.entries(imports).map(
      ([name, run]) => [name, (sp: number): void => run(sp >>> 0)] as const,
    );
    calls = world.instantiate(Object.fromEntries(unsigned)).exports;
    begin();
    if (!(globals.get('processResourceList') instanceof GoFunction)) {
      const message =
        'It is built with GOOS=js and sets no processResourceList, as functions of kpt do. Build it with GOOS=wasip1.';
      return { end: 'refused', message };
    }
    const result = callGlobal('processResourceList', [world.input]);
    const text = typeof result === 'string' ? result : '';
    if (/^kind: ["']?ResourceList/m.test(text)) {
      world.write(1, Buffer.from(text));
      return end(0);
    }
    const errors = callGlobal('processResourceListErrors', [world.input]);
    world.write(2, Buffer.from(`${text}\n${typeof errors === 'string' ? errors : ''}\n`));
    return end(1);
  } catch (error) {
    if (error instanceof Exit) return end(error.code);
    throw error;
  }
}
