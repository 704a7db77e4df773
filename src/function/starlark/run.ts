import { PorticoError } from '../../error.ts';
import { Budget, LIMITS } from './budget.ts';
import type { Limits } from './budget.ts';
import { compileBlock } from './compile.ts';
import { fault } from './fault.ts';
import { parseScript } from './parser.ts';
import { moduleScope } from './scope.ts';
import type { Frame } from './scope.ts';
import { decodeText } from './text.ts';
import { UNIVERSE } from './universe.ts';
import type { Value } from './value.ts';

/** Characters of a script; real ones have some thousand. */
const MAX_LENGTH = 1024 * 1024;

export interface ScriptOptions {
  /** Names that the script finds beside those of the language. */
  readonly globals?: ReadonlyMap<string, Value>;
  /** What `load` gives: the names of a library; undefined where there is none of that name. */
  readonly load?: (module: string) => ReadonlyMap<string, Value> | undefined;
  readonly limits?: Limits;
}

export interface ScriptRun {
  /** What went wrong, as the language says it; absent where the script ran to its end. */
  readonly error?: string;
  /** The calls under way where it went wrong, outermost first. */
  readonly backtrace?: string;
  /** What the script printed. */
  readonly output: string;
  /** The global variables in the end. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly budget: Budget;
}

/** Runs a script of Starlark, within limits. `file` is how messages call it; nothing of the process is within its reach. */
export function runScript(file: string, source: string, options: ScriptOptions = {}): ScriptRun {
  const budget = new Budget(options.limits ?? LIMITS);
  const variables = new Map<string, Value>();
  const entry = { name: '<toplevel>', at: 0 };
  try {
    if (source.length > MAX_LENGTH) throw fault(`the script is longer than ${MAX_LENGTH / 1024 / 1024} MiB`);
    const statements = parseScript(file, source);
    const scope = moduleScope(statements);
    const context = {
      file,
      budget,
      globals: new Map([...UNIVERSE, ...(options.globals ?? [])]),
      load: options.load ?? (() => undefined),
    };
    const code = compileBlock(statements, { context, scope, inFunction: false, inLoop: false });
    const frame: Frame = { slots: Array.from({ length: scope.size }), outer: undefined, entry, result: null };
    budget.stack.push(entry);
    code(frame);
    for (const [name, slot] of scope.slots) {
      const value = frame.slots[slot];
      if (value !== undefined) variables.set(name, value);
    }
    return { output: budget.output, variables, budget };
  } catch (error) {
    const { message, code } = clear(error);
    const backtrace = code === 'STARLARK_SYNTAX' ? undefined : (budget.backtrace ?? budget.trace(file));
    return {
      error: /[^\0-\xff]/.test(message) ? message : decodeText(message),
      ...(backtrace === undefined ? {} : { backtrace }),
      output: budget.output,
      variables,
      budget,
    };
  }
}

/** A script that goes too deep for the process' own stack has a fault like any other. */
function clear(error: unknown): PorticoError {
  if (error instanceof PorticoError) return error;
  if (error instanceof RangeError) return fault('the script was stopped: it is nested too deeply');
  throw error;
}
