import { SIZE } from './budget.ts';
import { compileAssign } from './compile-assign.ts';
import { compileExpression } from './compile-expression.ts';
import type { Code, Context } from './compile.ts';
import { bindClause, closeBlock, openBlock } from './scope.ts';
import type { Frame, Scope } from './scope.ts';
import { forEach } from './sequence.ts';
import type { Clause, Expression } from './syntax.ts';
import { Dict, isTrue, List, weightOf } from './value.ts';

/** What to do for each value that a comprehension goes over. */
type Turn = (frame: Frame, into: List | Dict) => void;

/** `[… for …]` and `{…: … for …}`; its variables are its own, the first iterable is evaluated outside. */
export function compileComprehension(
  expression: Expression & { readonly kind: 'comprehension' },
  context: Context,
  scope: Scope,
): Code {
  const { budget } = context;
  const [first, ...clauses] = expression.clauses;
  const { body } = expression;
  const outer = first?.kind === 'for' ? compileExpression(first.iterable, context, scope) : undefined;
  openBlock(scope);
  if (first !== undefined) bindClause(scope, first);
  const assign = first?.kind === 'for' ? compileAssign(first.target, context, scope) : undefined;
  const turn = compileClauses(clauses, context, scope, () => compileBody(body, context, scope));
  closeBlock(scope);
  const { position } = expression;
  return (frame) => {
    budget.make(body.kind === 'entry' ? SIZE.dict : SIZE.list);
    const result = body.kind === 'entry' ? new Dict() : new List([]);
    const items = outer?.(frame) ?? null;
    frame.entry.at = position;
    forEach(items, budget, (item) => {
      assign?.(frame, item);
      turn(frame, result);
      return true;
    });
    return result;
  };
}

function compileClauses(clauses: readonly Clause[], context: Context, scope: Scope, last: () => Turn): Turn {
  const [clause, ...rest] = clauses;
  if (clause === undefined) return last();
  const { budget } = context;
  if (clause.kind === 'if') {
    const test = compileExpression(clause.test, context, scope);
    const turn = compileClauses(rest, context, scope, last);
    return (frame, into) => {
      if (isTrue(test(frame))) turn(frame, into);
    };
  }
  const iterable = compileExpression(clause.iterable, context, scope);
  bindClause(scope, clause);
  const assign = compileAssign(clause.target, context, scope);
  const turn = compileClauses(rest, context, scope, last);
  return (frame, into) => {
    const items = iterable(frame);
    frame.entry.at = clause.position;
    forEach(items, budget, (item) => {
      assign(frame, item);
      turn(frame, into);
      return true;
    });
  };
}

function compileBody(
  body: (Expression & { readonly kind: 'comprehension' })['body'],
  context: Context,
  scope: Scope,
): Turn {
  const { budget } = context;
  if (body.kind !== 'entry') {
    const value = compileExpression(body, context, scope);
    return (frame, into) => {
      budget.make(SIZE.item);
      if (into instanceof List) into.items.push(value(frame));
    };
  }
  const [key, value] = [body.key, body.value].map((one) => compileExpression(one, context, scope)) as [
    Code,
    Code,
  ];
  return (frame, into) => {
    budget.make(SIZE.entry);
    const [name, content] = [key(frame), value(frame)];
    frame.entry.at = body.position;
    budget.work(weightOf(name));
    if (into instanceof Dict) into.set(name, content);
  };
}
