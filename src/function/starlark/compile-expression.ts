import { SIZE } from './budget.ts';
import { callValue } from './call.ts';
import { compileComprehension } from './compile-comprehension.ts';
import { compileFunction } from './compile-function.ts';
import type { Code, Context } from './compile.ts';
import { fault, syntaxFault } from './fault.ts';
import { getField } from './fields.ts';
import { nearest } from './nearest.ts';
import { binary, unary } from './operators.ts';
import { quoteValue } from './print.ts';
import { resolve, visibleNames } from './scope.ts';
import type { Scope } from './scope.ts';
import { itemsOf } from './sequence.ts';
import { getItem, slice } from './subscript.ts';
import type { Argument, Expression } from './syntax.ts';
import { Bytes, Dict, isTrue, List, Tuple, typeOf, weightOf } from './value.ts';
import type { Value } from './value.ts';

/** What gives the value of an expression. */
export function compileExpression(expression: Expression, context: Context, scope: Scope): Code {
  const { budget } = context;
  const { position } = expression;
  const compile = (inner: Expression): Code => compileExpression(inner, context, scope);
  switch (expression.kind) {
    case 'name':
      return compileName(expression, context, scope);
    case 'paren':
      return compile(expression.inner);
    case 'literal': {
      const value = expression.bytes ? new Bytes(String(expression.value)) : expression.value;
      return () => value;
    }
    case 'list':
    case 'tuple': {
      const items = expression.items.map(compile);
      const made = expression.kind === 'list' ? List : Tuple;
      return (frame) => {
        budget.make(SIZE.list + items.length * SIZE.item);
        return new made(items.map((item) => item(frame)));
      };
    }
    case 'dict':
      return compileDict(expression, context, scope);
    case 'comprehension':
      return compileComprehension(expression, context, scope);
    case 'conditional': {
      const [test, yes, no] = [compile(expression.test), compile(expression.yes), compile(expression.no)];
      return (frame) => (isTrue(test(frame)) ? yes(frame) : no(frame));
    }
    case 'unary': {
      const operand = compile(expression.operand);
      return (frame) => {
        const value = operand(frame);
        frame.entry.at = position;
        return unary(expression.operator, value);
      };
    }
    case 'binary':
      return compileBinary(expression, context, scope);
    case 'dot': {
      const field = compileField(expression, context, scope);
      return (frame) => {
        // A method that is not called at once may be kept.
        budget.make(SIZE.method);
        return field(frame);
      };
    }
    case 'index': {
      const [object, index] = [compile(expression.object), compile(expression.index)];
      return (frame) => {
        const [container, key] = [object(frame), index(frame)];
        frame.entry.at = position;
        return getItem(container, key, budget);
      };
    }
    case 'slice': {
      const object = compile(expression.object);
      const [low, high, step] = [0, 1, 2].map((at): Code => {
        const bound = expression.bounds[at];
        return bound === undefined ? () => null : compile(bound);
      }) as [Code, Code, Code];
      return (frame) => {
        const [value, from, to, by] = [object(frame), low(frame), high(frame), step(frame)];
        frame.entry.at = position;
        return slice({ object: value, low: from, high: to, step: by, budget });
      };
    }
    case 'call':
      return compileCall(expression, context, scope);
    case 'lambda':
      return compileFunction(expression.definition, context, scope);
  }
}

function compileField(
  { object, name, position }: Expression & { readonly kind: 'dot' },
  context: Context,
  scope: Scope,
): Code {
  const { budget } = context;
  const container = compileExpression(object, context, scope);
  return (frame) => {
    const value = container(frame);
    frame.entry.at = position;
    return getField(value, name, budget);
  };
}

function compileName(
  { name, position }: Expression & { readonly kind: 'name' },
  context: Context,
  scope: Scope,
): Code {
  const variable = resolve(scope, name);
  if (variable === undefined) {
    const value = context.globals.get(name);
    if (value !== undefined) return () => value;
    const hint = nearest(name, [...visibleNames(scope), ...context.globals.keys()]);
    throw syntaxFault(context.file, position, `undefined: ${name}${hint}`);
  }
  const { depth, slot, global } = variable;
  return (frame) => {
    let home = frame;
    for (let at = 0; at < depth; at += 1) home = home.outer ?? home;
    const value = home.slots[slot];
    if (value !== undefined) return value;
    frame.entry.at = position;
    throw fault(`${global ? 'global' : 'local'} variable ${name} referenced before assignment`);
  };
}

function compileBinary(
  { operator, left, right, position }: Expression & { readonly kind: 'binary' },
  context: Context,
  scope: Scope,
): Code {
  const { budget } = context;
  const first = compileExpression(left, context, scope);
  const second = compileExpression(right, context, scope);
  if (operator === 'and') {
    return (frame) => {
      const value = first(frame);
      return isTrue(value) ? second(frame) : value;
    };
  }
  if (operator === 'or') {
    return (frame) => {
      const value = first(frame);
      return isTrue(value) ? value : second(frame);
    };
  }
  return (frame) => {
    const [x, y] = [first(frame), second(frame)];
    frame.entry.at = position;
    return binary(operator, x, y, budget);
  };
}

function compileDict(
  { entries }: Expression & { readonly kind: 'dict' },
  context: Context,
  scope: Scope,
): Code {
  const { budget } = context;
  const pairs = entries.map(({ key, value, position }) => ({
    key: compileExpression(key, context, scope),
    value: compileExpression(value, context, scope),
    position,
  }));
  return (frame) => {
    budget.make(SIZE.dict + pairs.length * SIZE.entry);
    const dict = new Dict();
    for (const pair of pairs) {
      const [key, value] = [pair.key(frame), pair.value(frame)];
      frame.entry.at = pair.position;
      const size = dict.size;
      budget.work(weightOf(key));
      dict.set(key, value);
      if (dict.size === size) throw fault(`duplicate key: ${quoteValue(key, budget)}`);
    }
    return dict;
  };
}

function compileCall(
  { callee, args, position }: Expression & { readonly kind: 'call' },
  context: Context,
  scope: Scope,
): Code {
  const { budget } = context;
  const called =
    callee.kind === 'dot' ? compileField(callee, context, scope) : compileExpression(callee, context, scope);
  const of = (kind: Argument['kind']): { readonly name: string; readonly value: Code }[] =>
    args
      .filter((arg) => arg.kind === kind)
      .map(({ name, value }) => ({ name, value: compileExpression(value, context, scope) }));
  const positional = of('positional').map(({ value }) => value);
  const [named, [star], [stars]] = [of('named'), of('*'), of('**')];
  const simple = named.length === 0 && star === undefined && stars === undefined;
  return (frame) => {
    const callee = called(frame);
    const values = positional.map((value) => value(frame));
    if (simple) {
      frame.entry.at = position;
      return callValue(callee, values, budget);
    }
    const keywords = new Map(named.map(({ name, value }) => [name, value(frame)] as const));
    const rest = star?.value(frame);
    const more = stars?.value(frame);
    frame.entry.at = position;
    if (rest !== undefined) spread(rest, values);
    if (more !== undefined) spreadNamed(more, keywords);
    return callValue(callee, values, budget, keywords);
  };

  function spread(rest: Value, values: Value[]): void {
    const items = itemsOf(rest, budget);
    if (items === undefined) throw fault(`argument after * must be iterable, not ${typeOf(rest)}`);
    for (const item of items) values.push(item);
  }

  function spreadNamed(more: Value, keywords: Map<string, Value>): void {
    if (!(more instanceof Dict)) throw fault(`argument after ** must be a mapping, not ${typeOf(more)}`);
    budget.collect(more.size);
    for (const [key, value] of more.pairs()) {
      if (typeof key !== 'string') throw fault(`keywords must be strings, not ${typeOf(key)}`);
      if (keywords.has(key)) throw fault(`got multiple values for keyword argument "${key}"`);
      keywords.set(key, value);
    }
  }
}
