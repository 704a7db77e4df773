import { SIZE } from './budget.ts';
import { bindArguments } from './call.ts';
import type { Signature } from './call.ts';
import { compileExpression } from './compile-expression.ts';
import { compileBlock } from './compile.ts';
import type { Code, Context } from './compile.ts';
import { fault } from './fault.ts';
import { functionScope } from './scope.ts';
import type { Frame, Scope } from './scope.ts';
import type { Definition } from './syntax.ts';
import { Callable } from './value.ts';

/** What makes the function of a `def` or `lambda`; defaults are evaluated when it is made. */
export function compileFunction(definition: Definition, context: Context, outer: Scope): Code {
  const { name, parameters, position } = definition;
  const { budget, file } = context;
  const star = parameters.findIndex(({ kind }) => kind === '*');
  const plain = parameters.filter(({ kind }) => kind === 'plain');
  const fallbacks = plain.map(({ fallback }) =>
    fallback === undefined ? undefined : compileExpression(fallback, context, outer),
  );
  const scope = functionScope(outer, definition);
  const slotOf = (parameter: string | undefined): number => scope.slots.get(parameter ?? '') ?? -1;
  const rest = parameters.filter(({ kind, name }) => kind !== 'plain' && name !== undefined);
  // The order in which arguments are bound: plain ones, `*`, `**`.
  const slots = [...plain, ...rest].map((parameter) => slotOf(parameter.name));
  const body = compileBlock(definition.body, { context, scope, inFunction: true, inLoop: false });
  return (frame) => {
    budget.make(SIZE.callable);
    const signature: Signature = {
      name,
      names: plain.map((parameter) => parameter.name ?? ''),
      positional: star < 0 ? plain.length : star,
      fallbacks: fallbacks.map((fallback) => fallback?.(frame)),
      rest: parameters[star]?.name !== undefined,
      keywords: parameters.at(-1)?.kind === '**',
    };
    return new Callable(name, (args, named) => {
      const values = bindArguments(signature, args, named);
      budget.make(128 + scope.size * 8);
      const inner: Frame = {
        slots: Array.from({ length: scope.size }),
        outer: frame,
        entry: { name, at: position },
        result: null,
      };
      for (const [at, slot] of slots.entries()) inner.slots[slot] = values[at];
      const { stack } = budget;
      if (stack.length >= budget.limits.depth)
        throw fault(`the script was stopped: more than ${budget.limits.depth} calls inside one another`);
      stack.push(inner.entry);
      try {
        body(inner);
      } catch (error) {
        budget.backtrace ??= budget.trace(file);
        throw error;
      } finally {
        stack.pop();
      }
      return inner.result;
    });
  };
}
