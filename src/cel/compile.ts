/** Text → an expression that can be evaluated, or what is wrong with it and where. */
import { isCelError, plan, type CelInput, type CelValue } from '@bufbuild/cel';

import { CelSyntaxError, SUGAR } from './desugar.ts';
import { environment } from './environment.ts';
import { expandMacros } from './macros.ts';
import { mistakesIn } from './names.ts';
import { withObjects } from './object-types.ts';
import { readSyntax, type Expr } from './syntax.ts';
import { counted } from './work.ts';

/** A mistake in an expression. */
export interface CelProblem {
  readonly message: string;
  /** 1-based, in the expression's own text. */
  readonly line: number;
  readonly column: number;
}

export interface Expression {
  readonly text: string;
  /** The tree with all macros expanded. */
  readonly root: Expr;
  /** Variables that it reads, `package` by that name. */
  readonly reads: ReadonlySet<string>;
  /** Throws what CEL calls an error. `variables` may have getters: what is not read costs nothing. */
  evaluate(variables: Readonly<Record<string, CelInput>>): CelValue;
}

export type Compiled =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly problems: readonly CelProblem[] };

export interface CompileOptions {
  /** Names that are bound when it runs. */
  readonly variables: readonly string[];
  /** `variables.<name>` that stand before it. */
  readonly computed?: readonly string[];
  /** It builds what an admission policy changes: an `Object{…}` to apply, or a list of `JSONPatch{…}`. */
  readonly builds?: 'apply' | 'patch';
}

/** Longer ones are programs. */
const MAX_LENGTH = 16 * 1024;

let shared: ReturnType<typeof environment> | undefined;

/** Reads an expression; unknown names and functions are mistakes. Never throws, whatever the text is. */
export function compile(text: string, options: CompileOptions): Compiled {
  const failed = (message: string, offset: number): Compiled => ({
    ok: false,
    problems: [{ message, ...placeOf(text, offset) }],
  });
  if (text.length > MAX_LENGTH) return failed(`the expression has more than ${MAX_LENGTH} characters`, 0);
  shared ??= environment();
  const env = shared;
  try {
    const { root: written, offsetOf } = readSyntax(text);
    const built = withObjects(written, options.builds);
    if (built.mistakes.length > 0) {
      return {
        ok: false,
        problems: built.mistakes.map(({ id, message }) => ({ message, ...placeOf(text, offsetOf(id)) })),
      };
    }
    const root = expandMacros(built.root);
    const { mistakes, reads } = mistakesIn(root, env, options);
    if (mistakes.length > 0) {
      return {
        ok: false,
        problems: mistakes.map(({ id, message }) => ({ message, ...placeOf(text, offsetOf(id)) })),
      };
    }
    const run = plan(env, counted(root).root);
    return {
      ok: true,
      expression: {
        text,
        root,
        reads,
        evaluate(variables) {
          const result = run(bound(variables));
          if (isCelError(result)) throw new Error(result.message);
          return result;
        },
      },
    };
  } catch (error) {
    if (error instanceof CelSyntaxError) return failed(error.message, error.offset);
    if (error instanceof RangeError) return failed('the expression is nested too deep', 0);
    return failed(error instanceof Error ? error.message : String(error), 0);
  }
}

/** `package` is a word that the grammar keeps for itself, so it goes by another name. */
function bound(variables: Readonly<Record<string, CelInput>>): Record<string, CelInput> {
  return Object.defineProperty(variables, SUGAR.package, {
    configurable: true,
    value: variables['package'] ?? null,
  });
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
