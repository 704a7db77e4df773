/* eslint-disable unicorn/consistent-function-scoping -- the text of one function is what the child process gets */
/** What a program in Go sees as JavaScript. */
export type GoValue = undefined | null | boolean | number | string | GoObject;

export interface GoObject {
  readonly fields: Map<string, GoValue>;
  get(name: string): GoValue;
  set(name: string, value: GoValue): void;
}

type Value = GoValue;
type Code = (self: Value, args: readonly Value[]) => Value;
type Maker = (args: readonly Value[]) => Value;

export interface GoJsObjects {
  readonly Thing: new () => GoObject;
  readonly List: new (items: Value[]) => GoObject & { readonly items: Value[] };
  readonly Bytes: new (data: Uint8Array) => GoObject & { readonly data: Uint8Array };
  readonly Callable: new (
    call: Code,
    make?: Maker,
  ) => GoObject & { readonly call: Code; readonly make: Maker | undefined };
  /** What a call throws, as Go sees it. */
  readonly Thrown: new (value: Value, message: string) => Error & { readonly value: Value };
  readonly thing: (fields: Readonly<Record<string, Value>>) => GoObject;
  readonly failure: (code: string, message: string) => GoObject;
  readonly globals: GoObject;
}

/** What the objects need of the world. */
interface Streams {
  readonly write: (fd: number, bytes: Uint8Array) => void;
  readonly random: (bytes: Uint8Array) => void;
}

/**
 * The objects that package syscall/js sees, instead of JavaScript's own: there is no way from them to a prototype, a
 * constructor or the process. They have what Go's library asks for: `Object`, `Array`, `Uint8Array`, `Date`, `crypto`,
 * `process`, and an `fs` that writes to stdout and stderr and fails otherwise.
 *
 * Handed over as source text like {@link runWasmChild}: it must not use anything from outside of itself.
 */
export function goJsObjects(world: Streams): GoJsObjects {
  /** An object: fields, and nothing behind them. */
  class Thing {
    readonly fields = new Map<string, Value>();
    get(name: string): Value {
      return this.fields.get(name);
    }
    set(name: string, value: Value): void {
      this.fields.set(name, value);
    }
  }

  class List extends Thing {
    readonly items: Value[];
    constructor(items: Value[]) {
      super();
      this.items = items;
    }
    override get(name: string): Value {
      return name === 'length' ? this.items.length : super.get(name);
    }
  }

  class Bytes extends Thing {
    readonly data: Uint8Array;
    constructor(data: Uint8Array) {
      super();
      this.data = data;
    }
    override get(name: string): Value {
      return name === 'length' || name === 'byteLength' ? this.data.length : super.get(name);
    }
  }

  class Callable extends Thing {
    readonly call: Code;
    readonly make: ((args: readonly Value[]) => Value) | undefined;
    constructor(call: Code, make?: (args: readonly Value[]) => Value) {
      super();
      this.call = call;
      this.make = make;
    }
  }

  /** What a call throws, as Go sees it. */
  class Thrown extends Error {
    readonly value: Value;
    constructor(value: Value, message: string) {
      super(message);
      this.value = value;
    }
  }

  function thing(fields: Readonly<Record<string, Value>>): Thing {
    const made = new Thing();
    for (const [name, value] of Object.entries(fields)) made.set(name, value);
    return made;
  }

  function failure(code: string, message: string): Thing {
    return thing({ name: 'Error', code, message });
  }

  const absent = failure('ENOSYS', 'not implemented');
  const refuse = new Callable(() => {
    throw new Thrown(absent, 'not implemented');
  });

  function answer(callback: Value, ...args: readonly Value[]): undefined {
    if (callback instanceof Callable) callback.call(undefined, args);
    return undefined;
  }

  /** Files: all calls but those that write to a stream fail. */
  class Files extends Thing {
    override get(name: string): Value {
      return this.fields.get(name) ?? new Callable((_self, args) => answer(args.at(-1), absent));
    }
  }

  const files = new Files();
  const flags = ['O_WRONLY', 'O_RDWR', 'O_CREAT', 'O_TRUNC', 'O_APPEND', 'O_EXCL', 'O_DIRECTORY'];
  files.set('constants', thing(Object.fromEntries(flags.map((name) => [name, -1]))));
  files.set(
    'write',
    new Callable((_self, [fd, bytes, offset, length, , callback]) => {
      const known = (fd === 1 || fd === 2) && bytes instanceof Bytes;
      if (!known) return answer(callback, absent);
      const from = typeof offset === 'number' ? offset : 0;
      const count = typeof length === 'number' ? length : bytes.data.length;
      const part = bytes.data.subarray(from, from + count);
      world.write(fd, part);
      return answer(callback, null, part.length);
    }),
  );
  files.set('fsync', new Callable((_self, args) => answer(args.at(-1), null)));

  const ids = ['getuid', 'getgid', 'geteuid', 'getegid'].map(
    (name) => [name, new Callable(() => -1)] as const,
  );
  const others = ['getgroups', 'umask', 'cwd', 'chdir'].map((name) => [name, refuse] as const);
  const makeBytes = ([from]: readonly Value[]): Value => {
    if (from instanceof Bytes) return new Bytes(from.data.slice());
    return new Bytes(new Uint8Array(typeof from === 'number' ? from : 0));
  };
  const makeDate = (): Value => thing({ getTimezoneOffset: new Callable(() => 0) });
  const makeList = (args: readonly Value[]): Value => new List([...args]);
  const makeThing = (): Value => new Thing();

  const globals = thing({
    Object: new Callable(makeThing, makeThing),
    Array: new Callable((_self, args) => makeList(args), makeList),
    Uint8Array: new Callable(refuse.call, makeBytes),
    Date: new Callable(refuse.call, makeDate),
    crypto: thing({
      getRandomValues: new Callable((_self, [bytes]) => {
        if (bytes instanceof Bytes) world.random(bytes.data);
        return bytes;
      }),
    }),
    process: thing({ pid: -1, ppid: -1, ...Object.fromEntries([...ids, ...others]) }),
    fs: files,
  });

  return { Thing, List, Bytes, Callable, Thrown, thing, failure, globals };
}
