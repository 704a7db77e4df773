import { compileExpression } from './compile-expression.ts';
import type { Context } from './compile.ts';
import { fault } from './fault.ts';
import { setField } from './fields.ts';
import { resolve } from './scope.ts';
import type { Frame, Scope } from './scope.ts';
import { peekItems } from './sequence.ts';
import { setItem } from './subscript.ts';
import type { Expression } from './syntax.ts';
import { typeOf } from './value.ts';
import type { Value } from './value.ts';

type Assign = (frame: Frame, value: Value) => void;

/** What gives a value to a name, a field, an element or several of them. */
export function compileAssign(target: Expression, context: Context, scope: Scope): Assign {
  const { budget } = context;
  const { position } = target;
  switch (target.kind) {
    case 'name': {
      const { slot } = resolve(scope, target.name) ?? { slot: 0 };
      return (frame, value) => {
        frame.slots[slot] = value;
      };
    }
    case 'paren':
      return compileAssign(target.inner, context, scope);
    case 'index': {
      const object = compileExpression(target.object, context, scope);
      const index = compileExpression(target.index, context, scope);
      return (frame, value) => {
        const [container, key] = [object(frame), index(frame)];
        frame.entry.at = position;
        setItem(container, key, value, budget);
      };
    }
    case 'dot': {
      const object = compileExpression(target.object, context, scope);
      return (frame, value) => {
        const container = object(frame);
        frame.entry.at = position;
        setField(container, target.name, value);
      };
    }
    case 'list':
    case 'tuple': {
      const targets = target.items.map((item) => compileAssign(item, context, scope));
      return (frame, value) => {
        frame.entry.at = position;
        const items = peekItems(value, budget);
        if (items === undefined) throw fault(`got ${typeOf(value)} in sequence assignment`);
        if (items.length !== targets.length) {
          const few = items.length < targets.length ? 'few' : 'many';
          throw fault(`too ${few} values to unpack (got ${items.length}, want ${targets.length})`);
        }
        const values = [...items];
        for (const [at, assign] of targets.entries()) assign(frame, values[at] ?? null);
      };
    }
    default:
      // The parser lets nothing else be assigned to.
      throw fault(`can't assign to ${target.kind} expression`);
  }
}
