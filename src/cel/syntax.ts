/** The syntax tree that the parser makes, and the few pieces of it that macros build. */
import { parse } from '@bufbuild/cel';

import { CelSyntaxError, desugar } from './desugar.ts';

type Parsed = ReturnType<typeof parse>;
export type Expr = NonNullable<Parsed['expr']>;
export type ExprKind = Expr['exprKind'];

export interface SyntaxTree {
  readonly root: Expr;
  /** Offset in the text of a node. */
  readonly offsetOf: (id: bigint) => number;
}

/** @throws CelSyntaxError with the offset of the mistake in `text` */
export function readSyntax(text: string): SyntaxTree {
  const { source, originOf } = desugar(text);
  try {
    const { expr, sourceInfo } = parse(source);
    if (expr === undefined) throw new CelSyntaxError('the expression is empty', 0);
    return {
      root: expr,
      offsetOf: (id) => originOf(sourceInfo?.positions[String(id)] ?? 0),
    };
  } catch (error) {
    if (error instanceof CelSyntaxError) throw error;
    const { message, offset } = mistakeOf(error);
    throw new CelSyntaxError(message, Math.min(text.length, originOf(offset)));
  }
}

/** The parser's errors have a location, and a message that begins with it. */
function mistakeOf(error: unknown): { readonly message: string; readonly offset: number } {
  if (!(error instanceof Error)) return { message: String(error), offset: 0 };
  const location: unknown = 'location' in error ? error.location : undefined;
  const start = fieldOf(location, 'start');
  const offset = fieldOf(start, 'offset');
  const message = error instanceof RangeError ? 'the expression is nested too deep' : error.message;
  return {
    message: (message.split('\n')[0] ?? message).replace(/^<input>:\d+:\d+: /, ''),
    offset: typeof offset === 'number' ? offset : 0,
  };
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && field in value
    ? (value as Record<string, unknown>)[field]
    : undefined;
}

export function exprOf(id: bigint, exprKind: ExprKind): Expr {
  return { $typeName: 'cel.expr.Expr', id, exprKind };
}

export function ident(id: bigint, name: string): Expr {
  return exprOf(id, { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } });
}

export function call(id: bigint, name: string, args: Expr[], target?: Expr): Expr {
  return exprOf(id, {
    case: 'callExpr',
    value: { $typeName: 'cel.expr.Expr.Call', function: name, args, ...(target && { target }) },
  });
}

export function list(id: bigint, elements: Expr[]): Expr {
  return exprOf(id, {
    case: 'listExpr',
    value: { $typeName: 'cel.expr.Expr.CreateList', elements, optionalIndices: [] },
  });
}

export function bool(id: bigint, value: boolean): Expr {
  return exprOf(id, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'boolValue', value } },
  });
}

export function int(id: bigint, value: bigint): Expr {
  return exprOf(id, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value } },
  });
}

export interface Fold {
  readonly range: Expr;
  readonly each: string;
  readonly accu: string;
  readonly init: Expr;
  readonly whilst: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export function fold(id: bigint, { range, each, accu, init, whilst, step, result }: Fold): Expr {
  return exprOf(id, {
    case: 'comprehensionExpr',
    value: {
      $typeName: 'cel.expr.Expr.Comprehension',
      iterVar: each,
      iterVar2: '',
      iterRange: range,
      accuVar: accu,
      accuInit: init,
      loopCondition: whilst,
      loopStep: step,
      result,
    },
  });
}

/** A text as a constant. */
export function textOf(id: bigint, value: string): Expr {
  return exprOf(id, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value } },
  });
}
