/** Checks the names in an expression: variables that nobody binds and functions that do not exist are mistakes. */
import type { CelEnv } from '@bufbuild/cel';

import { SUGAR } from './desugar.ts';
import { REQUEST } from './review.ts';
import type { Expr } from './syntax.ts';

export interface NameMistake {
  readonly id: bigint;
  readonly message: string;
}

export interface Names {
  readonly variables: readonly string[];
  readonly computed?: readonly string[];
}

/** Answered by the evaluator itself. */
const OPERATORS = new Set(['_[_]', '_?_:_', '_&&_', '_||_', '@not_strictly_false', '__not_strictly_false__']);

/** Identifiers that are types, or the first word of one. */
const TYPES = new Set(
  'bool bytes double int list map null_type string type uint dyn google kubernetes net optional_type'.split(
    ' ',
  ),
);

/** All mistakes, and the variables that are read. */
export function mistakesIn(
  root: Expr,
  env: Pick<CelEnv, 'funcs'>,
  { variables, computed = [] }: Names,
): { readonly mistakes: readonly NameMistake[]; readonly reads: ReadonlySet<string> } {
  const mistakes: NameMistake[] = [];
  const reads = new Set<string>();
  const known = new Set(variables);
  const ready = new Set(computed);

  function visit(expr: Expr | undefined, scope: ReadonlySet<string>): void {
    if (expr === undefined) return;
    const { id, exprKind } = expr;
    switch (exprKind.case) {
      case 'identExpr':
        return visitName(id, exprKind.value.name, scope);
      case 'selectExpr': {
        const { operand, field } = exprKind.value;
        if (isIdent(operand, 'variables') && !scope.has('variables') && !ready.has(field)) {
          mistakes.push({ id, message: `variables.${field} is not defined before this expression` });
        }
        if (
          isIdent(operand, 'request') &&
          !scope.has('request') &&
          known.has('request') &&
          !REQUEST.includes(field)
        ) {
          const message = `request.${field} is known only to a cluster, and no cluster is available here; use ${REQUEST.join(', ')}`;
          mistakes.push({ id, message });
        }
        return visit(operand, scope);
      }
      case 'callExpr': {
        const { function: name, args } = exprKind.value;
        let { target } = exprKind.value;
        const space = target && qualified(target);
        const whole = space === undefined ? undefined : `${space}.${name}`;
        if (whole === undefined || env.funcs.find(whole) === undefined) {
          if (!OPERATORS.has(name) && env.funcs.find(name) === undefined) {
            // What stands before it may be no variable, but the first word of a function's name.
            const isSpace =
              isIdent(target, space ?? '') && !scope.has(space ?? '') && !known.has(space ?? '');
            mistakes.push({ id, message: `there is no function ${isSpace ? whole : name}` });
            if (isSpace) target = undefined;
          }
          visit(target, scope);
        }
        for (const arg of args) visit(arg, scope);
        return;
      }
      case 'listExpr':
        for (const element of exprKind.value.elements) visit(element, scope);
        return;
      case 'structExpr':
        for (const { keyKind, value } of exprKind.value.entries) {
          if (keyKind.case === 'mapKey') visit(keyKind.value, scope);
          visit(value, scope);
        }
        return;
      case 'comprehensionExpr': {
        const { iterRange, accuInit, iterVar, accuVar, loopCondition, loopStep, result } = exprKind.value;
        visit(iterRange, scope);
        visit(accuInit, scope);
        const accu = new Set([...scope, accuVar]);
        const inner = new Set([...accu, iterVar]);
        visit(loopCondition, inner);
        visit(loopStep, inner);
        visit(result, accu);
      }
    }
  }

  function visitName(id: bigint, name: string, scope: ReadonlySet<string>): void {
    if (scope.has(name)) return;
    const written = name === SUGAR.package ? 'package' : name.replace(/^\./, '');
    if (known.has(written)) reads.add(written);
    else if (!TYPES.has(written) && !(written === 'variables' && ready.size > 0)) {
      const list = variables.length === 0 ? 'none' : variables.join(', ');
      mistakes.push({ id, message: `there is no variable ${written}; there are ${list}` });
    }
  }

  visit(root, new Set());
  return { mistakes, reads };
}

function isIdent(expr: Expr | undefined, name: string): boolean {
  return expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === name;
}

/** `math` or `a.b`: what a function's full name may begin with. */
function qualified({ exprKind }: Expr): string | undefined {
  if (exprKind.case === 'identExpr') return exprKind.value.name;
  if (exprKind.case !== 'selectExpr' || exprKind.value.testOnly || exprKind.value.operand === undefined)
    return undefined;
  const above = qualified(exprKind.value.operand);
  return above === undefined ? undefined : `${above}.${exprKind.value.field}`;
}
